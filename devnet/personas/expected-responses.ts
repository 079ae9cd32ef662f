/** Responses expected of the service for a main-chain persona: the bodies of http-facts 4 to 7, 9.2 and 10.1, as far as they are fixed. */
import type { Deployment } from '../main-chain/deploy.ts';
import type { ExpectedResponse, ExpectedResponses, Persona, PersonaMachine, ServedExpectation } from './persona.ts';
import type { ExpectedRating, VerdictCounts } from './histories.ts';
import { blockTimestamp } from './planned-event.ts';
import type { PlannedEvent } from './planned-event.ts';

/** Machine, its deployment and the time of the seeding (Unix seconds). */
export interface ResponseInput {
  readonly deployment: Deployment;
  readonly now: number;
  readonly machine: PersonaMachine;
}

export function formatDid(id: bigint): string {
  return `did:svc:${id}`;
}

/** Returns all expected responses for one persona, by path. */
export function expectResponses(persona: Persona, input: ResponseInput): ExpectedResponses {
  return { ...expectMachineResponses(persona, input), ...persona.furtherResponses?.(input.machine) };
}

function expectMachineResponses({ expected, events = [] }: Persona, input: ResponseInput): ExpectedResponses {
  const { id } = input.machine;
  switch (expected.kind) {
    case 'served':
      return expectServed(expected, newestBlockTimestamp(events, input.now), input);
    case 'unknown':
      return {
        ...everyRead(id, { status: 404, body: { detail: 'Machine not found' } }),
        [`/metadata/${id}`]: { status: 404, body: { detail: 'Token not found' } },
        [monetizationPath(id)]: coded(404, 'MACHINE_NOT_FOUND'),
        [verifyPath(id)]: coded(404, 'MACHINE_NOT_FOUND'),
      };
    case 'relocating':
      return expectRelocating(id);
    case 'homed-elsewhere': {
      const elsewhere = coded(409, 'MACHINE_HOMED_ELSEWHERE', { home_protocol_chain_id: expected.ordinal });
      return {
        ...everyRead(id, elsewhere),
        [monetizationPath(id)]: elsewhere,
        [verifyPath(id)]: coded(503, 'VERIFY_READ_UNAVAILABLE'),
      };
    }
  }
}

/** Returns the responses for a machine that is relocating, from either chain. */
export function expectRelocating(id: bigint): ExpectedResponses {
  return {
    ...everyRead(id, { status: 503, body: { detail: 'Machine is relocating' } }),
    [monetizationPath(id)]: coded(503, 'MACHINE_UNAVAILABLE'),
    [verifyPath(id)]: coded(503, 'VERIFY_READ_UNAVAILABLE'),
  };
}

/** Returns the timestamp of the newest block with an event, or null without events. */
export function newestBlockTimestamp(events: readonly PlannedEvent[], now: number): number | null {
  return events.length === 0 ? null : blockTimestamp(now, Math.min(...events.map(({ daysAgo }) => daysAgo)));
}

function expectServed(
  expected: ServedExpectation,
  lastUpdated: number | null,
  input: ResponseInput,
): ExpectedResponses {
  const { id } = input.machine;
  const profile = expectProfile(expected, input);
  return {
    [mcrPath(id)]: {
      status: 200,
      body: { did: formatDid(id), machine_id: String(id), ...findSettledRating(expected), last_updated: lastUpdated },
    },
    [`/machine/${formatDid(id)}`]: profile,
    [`/metadata/${id}`]: profile,
    [`/machines/${id}`]: expectCard(expected, input),
    [monetizationPath(id)]: expectUndecided(id),
    [verifyPath(id)]: expectVerifyRecord(expected, input),
  };
}

/** Returns the response of the monetization route before any decision. */
export function expectUndecided(id: bigint): ExpectedResponse {
  return { status: 200, body: { machine_id: String(id), status: 'PENDING', signer: null, updated_at: null } };
}

/** Returns what is expected before the payments are followed: without verdicts, letter and score are lower. */
export function findSettledRating({
  rating,
  verdicts,
}: {
  readonly rating: ExpectedRating;
  readonly verdicts?: VerdictCounts | undefined;
}): Partial<ExpectedRating> {
  if (verdicts === undefined) return rating;
  const { mcr: _letter, mcr_score: _score, summary: _summary, ...settled } = rating;
  return settled;
}

function expectProfile(
  { rating, profile, verdicts }: ServedExpectation,
  { machine, now }: ResponseInput,
): ExpectedResponse {
  return {
    status: 200,
    body: {
      schema_version: '1.0',
      name: `Machine #${machine.id}`,
      svcos: {
        machine_id: String(machine.id),
        did: formatDid(machine.id),
        operator: `did:svc:${machine.owner.address}`,
        ...(verdicts === undefined && { mcr: rating.mcr, mcr_score: rating.mcr_score }),
        bond_status: rating.bond_status,
        negative_flag: rating.negative_flag,
        event_count: rating.event_count,
        ...PLAIN_PROFILE,
        ...profile?.(now),
      },
    },
  };
}

/** Members for a machine without service endpoints. */
export const PLAIN_PROFILE = { data_visibility: 'private', documentation_url: null };
export const PLAIN_CARD = { services: [], data_visibility: 'private', documentation_url: '' };

export const REGISTRATION_TYPE = 'svcos:registration:v1';

function expectCard({ rating, card }: ServedExpectation, { machine, deployment }: ResponseInput): ExpectedResponse {
  const { chainId, addresses } = deployment;
  return {
    status: 200,
    body: {
      type: REGISTRATION_TYPE,
      name: `Machine #${machine.id}`,
      description: 'svcOS machine',
      did: formatDid(machine.id),
      active: true,
      ...(card ?? PLAIN_CARD),
      operator: `did:svc:${machine.owner.address}`,
      bond_status: rating.bond_status,
      event_count: rating.event_count,
      registrations: [
        {
          type: REGISTRATION_TYPE,
          machineId: String(machine.id),
          machineRegistry: `eip155:${chainId}:${addresses.machineRegistry}`,
        },
      ],
    },
  };
}

function expectVerifyRecord(
  { kyb, chip }: ServedExpectation,
  { machine, deployment }: ResponseInput,
): ExpectedResponse {
  const { id, owner, controller } = machine;
  return {
    status: 200,
    body: {
      machineId: String(id),
      machineDid: formatDid(id),
      homeChain: { kind: 'evm', chainId: String(deployment.chainId) },
      didController: { kind: 'evm', address: (controller ?? owner).address },
      operator: { kind: 'evm', address: owner.address },
      verification: { kyb: { status: kyb ?? 'unverified' }, chip: { status: chip ?? 'unverified' } },
    },
  };
}

/** Returns the same response for the four read routes. */
function everyRead(id: bigint, response: ExpectedResponse): ExpectedResponses {
  return {
    [mcrPath(id)]: response,
    [`/machine/${formatDid(id)}`]: response,
    [`/metadata/${id}`]: response,
    [`/machines/${id}`]: response,
  };
}

export function coded(status: number, code: string, rest: object = {}): ExpectedResponse {
  return { status, body: { detail: { code, ...rest } } };
}

export function mcrPath(id: bigint): string {
  return `/mcr/${formatDid(id)}`;
}

export function monetizationPath(id: bigint): string {
  return `/machine/${formatDid(id)}/monetization`;
}

export function verifyPath(id: bigint): string {
  return `/v1/verify/machines/${id}`;
}
