/**
 * What is a persona? A machine of the devnet with a name: what it is, what is done to it on chain, what the service must answer.
 */
import { stringToHex } from 'viem';
import { accountOf } from '../accounts.ts';
import type { Account } from '../accounts.ts';
import type { Call } from '../main-chain/chain-writer.ts';
import type { Deployment } from '../main-chain/deploy.ts';
import type { ExpectedRating, History } from './histories.ts';
import { machineIdOf } from '../main-chain/calls.ts';
import type { MachineCredentials, ServiceEndpointInput } from '../main-chain/calls.ts';

/** A persona with its id and its people. */
export interface PersonaMachine {
  readonly id: bigint;
  readonly activator: Account;
  /** After a sale the buyer. */
  readonly owner: Account;
  readonly controller: Account | undefined;
}

/** Something done to a machine, in the block of a day, before that day's events. */
export interface Act {
  readonly daysAgo: number;
  /** `now` is the seeding in Unix seconds. */
  calls(deployment: Deployment, machine: PersonaMachine, now: number): readonly Call[];
}

export type AttestationStatus = 'unverified' | 'verified' | 'expired' | 'revoked';

/** Served like any machine: the rating, and members of the other answers where they differ from the plain ones. */
export interface ServedExpectation {
  readonly kind: 'served';
  readonly rating: ExpectedRating;
  /** Members of `svcos`; `now` is the seeding in Unix seconds. */
  readonly profile?: (now: number) => object;
  readonly card?: object;
  readonly kyb?: AttestationStatus;
  readonly chip?: AttestationStatus;
}

/** Not served, everywhere for the same reason. */
export type RefusedExpectation =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'relocating' }
  | { readonly kind: 'homed-elsewhere'; readonly ordinal: number };

export interface ExpectedResponse {
  readonly status: number;
  /** The members that must be equal, at any depth; an array must be equal in length and, item by item, in these members. */
  readonly body: object;
}

/** By path, with the query when there is one. */
export type ExpectedResponses = Readonly<Record<string, ExpectedResponse>>;

export interface Persona {
  readonly name: string;
  /** What it is, in one sentence. */
  readonly about: string;
  readonly home: 'main';
  /** Absent: the id comes into being by what is done to another machine. */
  readonly activatedDaysAgo?: number;
  /** Account name of who activates it; absent = an owner of its own. */
  readonly activator?: string;
  /** Account name of who owns it in the end; absent = who activated it. */
  readonly buyer?: string;
  /** Account name; absent = none set. Submits the events when there is one. */
  readonly controller?: string;
  readonly serviceEndpoints?: readonly ServiceEndpointInput[];
  /** In place of the plain activation. */
  readonly activate?: (deployment: Deployment, machine: PersonaMachine) => Call;
  readonly events?: History['events'];
  readonly acts?: readonly Act[];
  readonly expected: ServedExpectation | RefusedExpectation;
  /** Answers of routes that are not about the machine alone. */
  readonly furtherResponses?: (machine: PersonaMachine) => ExpectedResponses;
}

/** The plain kind of answer: what the history is worth. */
export function served(
  rating: ExpectedRating,
  rest: Omit<ServedExpectation, 'kind' | 'rating'> = {},
): ServedExpectation {
  return { kind: 'served', rating, ...rest };
}

/** What the id of a persona is made from. */
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
