/**
 * Responses expected of the service for an alt-chain persona (http-facts 4 to 7, decisions 1). Only `/mcr` rates it; every other route
 * reports that it does not, and counts its events.
 */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import {
  coded,
  expectRelocating,
  expectUndecided,
  formatDid,
  mcrPath,
  monetizationPath,
  newestBlockTimestamp,
  PLAIN_CARD,
  PLAIN_PROFILE,
  REGISTRATION_TYPE,
  verifyPath,
  findSettledRating,
} from './expected-responses.ts';
import { ALT_ORDINAL } from '../main-chain/deploy.ts';
import type { SampleAltMachine, AltPersona, ServedAltExpectation } from './alt-persona.ts';
import type { ExpectedResponse, ExpectedResponses } from './persona.ts';
import { credentialsOf } from './persona.ts';

/** Deployment and the time of the seeding (Unix seconds). */
export interface AltResponseInput {
  readonly genesisHash: string;
  readonly machineRegistry: AltKey;
  readonly now: number;
}

/** Length of the genesis hash prefix that identifies the chain (CAIP-2). */
const CHAIN_REFERENCE_LENGTH = 32;

/** Members of a response that does not rate the machine. */
interface Status {
  readonly mcr: string;
  readonly mcr_score: number;
  readonly bond_status: string;
  readonly negative_flag: boolean;
  readonly event_count: number;
  readonly home_chain: number;
  readonly rating_unavailable: string;
}

/** Returns all expected responses for one persona, by path. */
export function expectAltResponses(sample: SampleAltMachine, input: AltResponseInput): ExpectedResponses {
  const { persona, machine } = sample;
  const { id, operator } = machine;
  const listing =
    operator === undefined || persona.operator !== undefined
      ? {}
      : { [`/operator/${operator.address}/machines`]: expectOwnListing(sample) };
  if (persona.expected.kind === 'relocating') return { ...expectRelocating(id), ...listing };
  const profile = expectProfile(sample, persona.expected, input);
  return {
    [mcrPath(id)]: expectRecord(persona, persona.expected, id, input.now),
    [`/machine/${formatDid(id)}`]: profile,
    [`/metadata/${id}`]: profile,
    [`/machines/${id}`]: expectCard(sample, persona.expected, input),
    [monetizationPath(id)]: expectUndecided(id),
    [verifyPath(id)]: coded(503, 'VERIFY_READ_UNAVAILABLE'),
    ...listing,
  };
}

/** Returns its entry in a listing; undefined: it is omitted and counted as unreadable. */
export function toAltEntry({ persona, machine }: SampleAltMachine): object | undefined {
  if (persona.expected.kind === 'relocating') return undefined;
  return {
    did: formatDid(machine.id),
    machine_id: String(machine.id),
    name: formatName(machine.id),
    ...toStatus(persona.expected),
  };
}

function toStatus({ bondStatus, eventCount }: ServedAltExpectation): Status {
  return {
    mcr: 'Provisioned',
    mcr_score: 0,
    bond_status: bondStatus,
    negative_flag: false,
    event_count: eventCount,
    home_chain: ALT_ORDINAL,
    rating_unavailable: eventCount === 0 ? 'no_events_yet' : 'not_rated_here',
  };
}

/** Members of the `/mcr` record of a machine without events. */
const NOTHING_RATED = {
  mcr_degraded: false,
  revenue_event_count: 0,
  activity_event_count: 0,
  revenue_trend: null,
  total_revenue: 0,
  average_revenue_per_event: null,
  summary: 'Not rated yet.',
};

function expectRecord(
  { events }: AltPersona,
  expected: ServedAltExpectation,
  id: bigint,
  now: number,
): ExpectedResponse {
  const rating =
    expected.rating === undefined
      ? { ...toStatus(expected), ...NOTHING_RATED }
      : { ...findSettledRating({ rating: expected.rating, verdicts: expected.verdicts }), home_chain: ALT_ORDINAL };
  return {
    status: 200,
    body: {
      did: formatDid(id),
      machine_id: String(id),
      ...rating,
      last_updated: newestBlockTimestamp(events, now),
    },
  };
}

function expectProfile(
  { machine, persona }: SampleAltMachine,
  expected: ServedAltExpectation,
  { now }: AltResponseInput,
) {
  const { id, owner, controller, operator } = machine;
  return {
    status: 200,
    body: {
      schema_version: '1.0',
      name: formatName(id),
      svcos: {
        machine_id: String(id),
        did: formatDid(id),
        operator: operator === undefined ? null : `did:svc:${operator.address}`,
        ...toStatus(expected),
        ...PLAIN_PROFILE,
        service_endpoints: [],
        ...expected.profile?.(now),
        owner: owner.key,
        controller: controller?.key ?? null,
        machine_type: credentialsOf(persona.name).machineType,
        relocating: false,
      },
    },
  };
}

function expectCard(
  { machine }: SampleAltMachine,
  expected: ServedAltExpectation,
  input: AltResponseInput,
): ExpectedResponse {
  const { id, operator } = machine;
  const { bond_status, event_count, home_chain, rating_unavailable } = toStatus(expected);
  const chain = input.genesisHash.slice(0, CHAIN_REFERENCE_LENGTH);
  return {
    status: 200,
    body: {
      type: REGISTRATION_TYPE,
      name: formatName(id),
      description: 'svcOS machine',
      did: formatDid(id),
      active: true,
      ...(expected.card ?? PLAIN_CARD),
      operator: operator === undefined ? null : `did:svc:${operator.address}`,
      ...{ bond_status, event_count, home_chain, rating_unavailable },
      registrations: [
        {
          type: REGISTRATION_TYPE,
          machineId: String(id),
          machineRegistry: `solana:${chain}:${input.machineRegistry}`,
        },
      ],
    },
  };
}

/** Returns the listing of an operator who has only this machine. */
function expectOwnListing(sample: SampleAltMachine): ExpectedResponse {
  const entry = toAltEntry(sample);
  return {
    status: 200,
    body: {
      machines: entry === undefined ? [] : [entry],
      pagination: { offset: 0, limit: 20, total: 1 },
      unreadable: entry === undefined ? 1 : 0,
    },
  };
}

function formatName(id: bigint): string {
  return `Machine #${id}`;
}
