/** Which facts decide who may opt a machine in or out, and whether it may be opted in? (chain-evm 5.1, chain-svm 5.) */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { DeploymentFacts, MachineSnapshot } from '../machine/machine-facts.ts';

/** Where `judgeHome` and `judgeAltMachine` have found the machine; it serves as the `DecisionHome` of its message. */
export type DecidingHome =
  { readonly chain: 'main' } | { readonly chain: 'alt'; readonly ordinal: number; readonly owner: AltKey };

/** The main chain's word on a machine of either home: it alone holds the bond. */
export type DecidingSnapshot = Pick<
  MachineSnapshot,
  'owner' | 'controller' | 'subscriptionStatus' | 'available' | 'generalPaused' | 'technicalPaused' | 'operatorPaused'
>;

export interface DecidingMachine {
  readonly home: DecidingHome;
  readonly snapshot: DecidingSnapshot;
  readonly globals: Pick<DeploymentFacts, 'generalPausedGlobal' | 'technicalPausedGlobal'>;
}
