/**
 * What is a persona of the alt chain? A machine with a name that lives there: how it came to be, how its events were submitted, what
 * the service must answer. The main chain knows its home, its bond and its operator, and nothing else.
 */
import type { Account } from '../accounts.ts';
import { accountOf } from '../accounts.ts';
import { altAccountOf } from '../alt-chain/keys.ts';
import type { AltAccount } from '../alt-chain/keys.ts';
import type { SubmissionOptions } from '../alt-node/event-transactions.ts';
import type { ExpectedRating } from './histories.ts';
import { machineIdOf } from '../main-chain/calls.ts';
import type { ServiceEndpointInput } from '../main-chain/calls.ts';
import { credentialsOf } from './persona.ts';
import type { PlannedEvent } from './planned-event.ts';

/** A persona with its id and its people. */
export interface AltPersonaMachine {
  readonly id: bigint;
  readonly owner: AltAccount;
  readonly controller: AltAccount | undefined;
  /** On the main chain; undefined: its account names none. */
  readonly operator: Account | undefined;
}

/** How it came to live there. Linked: created there, then linked, bonded and named an operator on the main chain. */
export type AltOrigin =
  | { readonly kind: 'linked' }
  /** The main chain has not heard of it: no home, no bond. */
  | { readonly kind: 'unlinked' }
  /** Activated on the main chain, where it left these events; the last one came with it. */
  | { readonly kind: 'arrived'; readonly activatedDaysAgo: number; readonly eventsThere: readonly PlannedEvent[] }
  /** An earlier machine of the same id, with events of its own, was retired. */
  | {
      readonly kind: 'recreated';
      readonly firstCreatedDaysAgo: number;
      readonly firstEvents: readonly PlannedEvent[];
      readonly retiredDaysAgo: number;
    };

export interface ServedAltExpectation {
  readonly kind: 'served';
  /** What its events are worth, told by `/mcr` alone; absent = it has none, so that there is no rating. */
  readonly rating?: ExpectedRating;
  readonly bondStatus: ExpectedRating['bond_status'];
  /** As its log account counts them. */
  readonly eventCount: number;
  /** Members of `svcos`; `now` is the seeding in Unix seconds. */
  readonly profile?: (now: number) => object;
  readonly card?: object;
}

export interface AltPersona {
  readonly name: string;
  /** What it is, in one sentence. */
  readonly about: string;
  /** Account name on the main chain; absent = an operator of its own, null = none. */
  readonly operator?: string | null;
  /** Has a delegate, who submits its events. */
  readonly hasController?: true;
  /** When its account was made, of the present one when there were two. */
  readonly createdDaysAgo: number;
  /** Absent = the bond is still in its first period. */
  readonly renewedDaysAgo?: number;
  /** Absent = it stays. */
  readonly relocatingDaysAgo?: number;
  readonly origin: AltOrigin;
  readonly serviceEndpoints?: readonly ServiceEndpointInput[];
  /** Events of the present machine, without what came with it. */
  readonly events: readonly PlannedEvent[];
  /** How they are submitted; absent = plainly. */
  readonly submission?: SubmissionOptions;
  readonly expected: ServedAltExpectation | { readonly kind: 'relocating' };
}

export interface SampleAltMachine {
  readonly persona: AltPersona;
  readonly machine: AltPersonaMachine;
}

export function toSampleAltMachine(persona: AltPersona): SampleAltMachine {
  const { name, operator, hasController } = persona;
  const machine = {
    id: machineIdOf(credentialsOf(name)),
    owner: altAccountOf(`${name} owner`),
    controller: hasController ? altAccountOf(`${name} controller`) : undefined,
    operator: operator === null ? undefined : accountOf(operator ?? `${name} operator`),
  };
  return { persona, machine };
}
