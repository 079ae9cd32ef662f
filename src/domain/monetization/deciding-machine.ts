/** Facts of a machine that determine who may opt it in or out, and whether it may be opted in (chain-evm 5.1, chain-svm 5). */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { DeploymentFacts, MachineSnapshot } from '../machine/machine-facts.ts';

/** Home chain of the machine, as found by `judgeHome` and `judgeAltMachine`; also the `DecisionHome` of its message. */
export type DecidingHome =
  { readonly chain: 'main' } | { readonly chain: 'alt'; readonly ordinal: number; readonly owner: AltKey };

/** Main-chain facts of a machine of either home. Only the main chain holds the bond. */
export type DecidingSnapshot = Pick<
  MachineSnapshot,
  'owner' | 'controller' | 'subscriptionStatus' | 'available' | 'generalPaused' | 'technicalPaused' | 'operatorPaused'
>;

export interface DecidingMachine {
  readonly home: DecidingHome;
  readonly snapshot: DecidingSnapshot;
  readonly globals: Pick<DeploymentFacts, 'generalPausedGlobal' | 'technicalPausedGlobal'>;
}
