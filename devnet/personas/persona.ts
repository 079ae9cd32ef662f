/** Main-chain persona: a named sample machine of the devnet with its on-chain history and the responses expected of the service. */
import { stringToHex } from 'viem';
import { accountOf } from '../accounts.ts';
import type { Account } from '../accounts.ts';
import type { Call } from '../main-chain/chain-writer.ts';
import type { Deployment } from '../main-chain/deploy.ts';
import type { ExpectedRating, History, VerdictCounts } from './histories.ts';
import { machineIdOf } from '../main-chain/calls.ts';
import type { MachineCredentials, ServiceEndpointInput } from '../main-chain/calls.ts';
import type { PlannedPayment } from './planned-payment.ts';

/** Machine of a persona: its id and its accounts. */
export interface PersonaMachine {
  readonly id: bigint;
  readonly activator: Account;
  /** The buyer after a sale. */
  readonly owner: Account;
  readonly controller: Account | undefined;
}

/** On-chain actions on a machine, mined in the block of a day before that day's events. */
export interface Act {
  readonly daysAgo: number;
  /** `now` is the seeding in Unix seconds. */
  calls(deployment: Deployment, machine: PersonaMachine, now: number): readonly Call[];
}

export type AttestationStatus = 'unverified' | 'verified' | 'expired' | 'revoked';

/** Expectation for a machine that the service serves: its rating, and the members of other responses that differ from the defaults. */
export interface ServedExpectation {
  readonly kind: 'served';
  readonly rating: ExpectedRating;
  /** Members of `svcos`; `now` is the seeding in Unix seconds. */
  readonly profile?: (now: number) => object;
  readonly card?: object;
  readonly kyb?: AttestationStatus;
  readonly chip?: AttestationStatus;
  /** Verdicts on its events. Letter, score and summary hold only once all of them are made. */
  readonly verdicts?: VerdictCounts;
}

/** Expectation for a machine that every route refuses for the same reason. */
export type RefusedExpectation =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'relocating' }
  | { readonly kind: 'homed-elsewhere'; readonly ordinal: number };

export interface ExpectedResponse {
  readonly status: number;
  /** Members that must be equal, at any depth; arrays must have the same length and match item by item. */
  readonly body: object;
}

/** Keyed by path, including the query. */
export type ExpectedResponses = Readonly<Record<string, ExpectedResponse>>;

export interface Persona {
  readonly name: string;
  /** Description in one sentence; appears in fixtures and test titles. */
  readonly about: string;
  readonly home: 'main';
  /** Absent: the id is created by an action on another machine. */
  readonly activatedDaysAgo?: number;
  /** Account name of the activator; absent = a separate owner account. */
  readonly activator?: string;
  /** Account name of the final owner; absent = the activator. */
  readonly buyer?: string;
  /** Account name of the controller, who then submits the events; absent = none. */
  readonly controller?: string;
  readonly serviceEndpoints?: readonly ServiceEndpointInput[];
  /** Replaces the default activation. */
  readonly activate?: (deployment: Deployment, machine: PersonaMachine) => Call;
  readonly events?: History['events'];
  readonly acts?: readonly Act[];
  /** Payments that its events cite, and refunds. */
  readonly payments?: readonly PlannedPayment[];
  readonly expected: ServedExpectation | RefusedExpectation;
  /** Responses of further routes, such as listings. */
  readonly furtherResponses?: (machine: PersonaMachine) => ExpectedResponses;
}

/** Returns the expectation for a machine that is served with this rating. */
export function served(
  rating: ExpectedRating,
  rest: Omit<ServedExpectation, 'kind' | 'rating'> = {},
): ServedExpectation {
  return { kind: 'served', rating, ...rest };
}

/** Returns the credentials from which the machine id of a persona is derived. */
export function credentialsOf(name: string): MachineCredentials {
  return { machineType: 'DevnetMachine', credentialSubject: stringToHex(name) };
}

export function toPersonaMachine(persona: Persona): PersonaMachine {
  const activator = accountOf(persona.activator ?? `${persona.name} owner`);
  return {
    id: machineIdOf(credentialsOf(persona.name)),
    activator,
    owner: persona.buyer === undefined ? activator : accountOf(persona.buyer),
    controller: persona.controller === undefined ? undefined : accountOf(persona.controller),
  };
}
