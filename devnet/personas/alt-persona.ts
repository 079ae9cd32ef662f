/**
 * Alt-chain persona: a named sample machine that lives on the alt chain, with its origin, the form of its transactions and the responses
 * expected of the service. The main chain knows only its home, its bond and its operator.
 */
import type { Account } from '../accounts.ts';
import { accountOf } from '../accounts.ts';
import { altAccountOf } from '../alt-chain/keys.ts';
import type { FundedWallet, TokenWallet } from '../alt-chain/tokens.ts';
import type { AltAccount } from '../alt-chain/keys.ts';
import type { SubmissionOptions } from '../alt-node/event-transactions.ts';
import type { AltPayment } from './alt-payment.ts';
import type { ExpectedRating, VerdictCounts } from './histories.ts';
import { machineIdOf } from '../main-chain/calls.ts';
import type { ServiceEndpointInput } from '../main-chain/calls.ts';
import { credentialsOf } from './persona.ts';
import type { PlannedEvent } from './planned-event.ts';
import type { PlannedPayment } from './planned-payment.ts';

/** Machine of a persona: its id and its accounts. */
export interface AltPersonaMachine {
  readonly id: bigint;
  readonly owner: AltAccount;
  readonly controller: AltAccount | undefined;
  /** Main-chain account; undefined: the machine account names no operator. */
  readonly operator: Account | undefined;
}

/** How the machine got to the alt chain. `linked`: created there, then linked, bonded and given an operator on the main chain. */
export type AltOrigin =
  | { readonly kind: 'linked' }
  /** Unknown to the main chain: no home, no bond. */
  | { readonly kind: 'unlinked' }
  /** Activated on the main chain, where these events stay; the last one is imported with the machine. */
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
  /** Rating, which only `/mcr` returns; absent = no events, so no rating. */
  readonly rating?: ExpectedRating;
  /** Verdicts on its events. Letter, score and summary hold only once all of them are made. */
  readonly verdicts?: VerdictCounts;
  readonly bondStatus: ExpectedRating['bond_status'];
  /** Event count of its log account. */
  readonly eventCount: number;
  /** Members of `svcos`; `now` is the seeding in Unix seconds. */
  readonly profile?: (now: number) => object;
  readonly card?: object;
}

export interface AltPersona {
  readonly name: string;
  /** Description in one sentence; appears in fixtures and test titles. */
  readonly about: string;
  /** Main-chain account name; absent = a separate operator account, null = none. */
  readonly operator?: string | null;
  /** Account name of the owner; absent = a separate owner account. */
  readonly owner?: string;
  /** The machine has a controller, who submits its events. */
  readonly hasController?: true;
  /** Creation of its account; of the current one for a recreated machine. */
  readonly createdDaysAgo: number;
  /** Absent = the bond is in its first period. */
  readonly renewedDaysAgo?: number;
  /** Start of its relocation; absent = it does not relocate. */
  readonly relocatingDaysAgo?: number;
  readonly origin: AltOrigin;
  readonly serviceEndpoints?: readonly ServiceEndpointInput[];
  /** Events submitted on the alt chain by the current machine, without an imported one. */
  readonly events: readonly PlannedEvent[];
  /** Form of its transactions; absent = plain. */
  readonly submission?: SubmissionOptions;
  /** Receives a payment of the shopper for each event that cites one, right before the event; absent: on the main chain. */
  readonly payout?: TokenWallet;
  /** The operator has KYB. */
  readonly isVerified?: true;
  /** The owner's wallet is not bound to the operator; absent: it is, where the operator has KYB. */
  readonly isUnbound?: true;
  /** Token wallets beside those that are named elsewhere. */
  readonly wallets?: readonly FundedWallet[];
  /** Payments on the alt chain that events cite by name, and refunds. */
  readonly payments?: readonly AltPayment[];
  /** Payments on the main chain that its events cite. */
  readonly mainChainPayments?: readonly PlannedPayment[];
  /** The machine account gets another owner on this day. */
  readonly sale?: { readonly daysAgo: number; readonly seller: AltAccount };
  readonly expected: ServedAltExpectation | { readonly kind: 'relocating' };
}

export interface SampleAltMachine {
  readonly persona: AltPersona;
  readonly machine: AltPersonaMachine;
}

export function toSampleAltMachine(persona: AltPersona): SampleAltMachine {
  const { name, operator, owner, hasController } = persona;
  const machine = {
    id: machineIdOf(credentialsOf(name)),
    owner: altAccountOf(owner ?? `${name} owner`),
    controller: hasController ? altAccountOf(`${name} controller`) : undefined,
    operator: operator === null ? undefined : accountOf(operator ?? `${name} operator`),
  };
  return { persona, machine };
}
