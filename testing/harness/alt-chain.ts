/**
 * HTTP service on fakes of both chains: machines and indexed events are set by the test, and every response is checked against the OpenAPI
 * document.
 */
import type { InjectOptions } from 'fastify';
import { createFixedRates } from '../../src/adapters/fx/feed-rates.ts';
import { buildApp } from '../../src/app.ts';
import { AGREEING_COUNTERS } from '../fakes/agreeing-counters.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltEventLog, AltMachine, AltMachineSnapshot } from '../../src/domain/alt-chain/alt-machine-facts.ts';
import { Fault } from '../../src/domain/faults.ts';
import type { Address, MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { FactLog } from '../../src/domain/machine/fact-log.ts';
import { ABSENT, present, unreadable, type ReadResult } from '../../src/domain/read-result.ts';
import type { BlockId, DeploymentFacts, EventRecord, MachineSnapshot } from '../../src/domain/machine/machine-facts.ts';
import { emptyRatingState } from '../../src/domain/rating/rating-state.ts';
import type { DayHistory } from '../../src/domain/rating/daily-rating.ts';
import type { RatingEvent } from '../../src/domain/rating/event.ts';
import type { FleetListing, FleetRow } from '../../src/ports/alt-store.ts';
import type { AltIndex, IndexCounters } from '../../src/ports/indexes.ts';
import type { AltChainPorts, Ctx, MainChainPorts } from '../../src/ports/ctx.ts';
import type { CachedMachine } from '../../src/ports/main-chain.ts';
import { conformanceOfApp } from './openapi-conformance.ts';
import { createStubCtx, type StubCtx } from '../fakes/stub-ctx.ts';
import { ALL_CONTRACTS_READY } from '../fixtures/all-contracts-ready.ts';

export const NOW = 1_788_900_000;
export const OPERATOR = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1' as Address;
/** Public key of the seed `07` x 32. */
export const OWNER_KEY = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB' as AltKey;
export const OTHER_KEY = '9sN1LRY25uuSLCV3o9zH5JRfkLEZC8t1KvJpZ65oa24F' as AltKey;
const GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' as AltKey;
const PROGRAM = 'GxPdR7jqb6KhD2ArK7cbPq3P87u4wvL3psSSuXQ6msou' as AltKey;
const REGISTRY = '0x00000000000000000000000000000000000000aa' as Address;

export const UNREADABLE = unreadable('undecodable');

/** Logs of a machine that has been bonded for as long as it exists. */
export const BONDED_LOGS: readonly FactLog[] = [{ kind: 'bond-period', value: BigInt(NOW) * 2n, blockTimestamp: 0 }];
export const GRACE_SECONDS = 604_800n;
export const RUNOFF_SECONDS = 2_592_000n;

/** Facts of a machine without a token on the main chain, whose home is the alt chain. */
export const MAIN_FACTS: Partial<MachineSnapshot> = {
  block: { number: 120_340, hash: `0x${'ab'.repeat(32)}`, timestamp: NOW - 3 },
  owner: ABSENT,
  controller: ABSENT,
  operator: ABSENT,
  document: ABSENT,
  relocating: present(false),
  homeOrdinal: present(5),
  subscription: ABSENT,
  subscriptionStatus: present('Active'),
  eventCount: present(0n),
  priorEventCount: present(0n),
  events: present({ offset: 0, records: [] }),
  flags: ABSENT,
  attestations: ABSENT,
};

/** Facts of a machine with a token on the main chain, and no event. */
export const MAIN_MACHINE: Partial<MachineSnapshot> = {
  ...MAIN_FACTS,
  owner: present(OPERATOR),
  operator: present(OPERATOR),
  homeOrdinal: present(1),
  document: present({ controller: undefined, verificationMethods: [], authentication: [], serviceEndpoints: [] }),
};

export const MACHINE: AltMachine = {
  owner: OWNER_KEY,
  controller: undefined,
  manufacturer: undefined,
  relocating: false,
  onboardedAt: 1_700_000_000n,
  operator: OPERATOR,
  machineType: 'Sensor',
  credentialSubject: '0x',
  verificationMethods: [],
  authentication: [],
  serviceEndpoints: [],
};

/** Facts of one machine. The default is bonded, homed and present on the alt chain, and without an event. */
export interface MachineFixture {
  readonly main?: Partial<MachineSnapshot>;
  /** Result of the second read of the main chain. */
  readonly mainAgain?: Partial<MachineSnapshot>;
  readonly account?: ReadResult<AltMachine>;
  readonly accountAgain?: ReadResult<AltMachine>;
  readonly log?: ReadResult<AltEventLog>;
  /** All indexed events, from position 0. */
  readonly indexed?: readonly { readonly record: EventRecord; readonly event: RatingEvent }[];
  /** Their stored daily history. */
  readonly dayHistory?: DayHistory;
}

/** Stored fleet of an operator. */
export type ListingFixture = Partial<FleetListing>;

export interface AltServiceOptions {
  /** Undefined: every machine, listed by its home chain, from a snapshot just observed. */
  readonly listing?: ListingFixture;
  /** In the order of their ids, from 1. */
  readonly machines?: readonly MachineFixture[];
  /** False: no alt chain is configured. */
  readonly hasAlt?: boolean;
  readonly ctx?: Partial<Ctx>;
  readonly readStatus?: AltIndex['readStatus'];
  /** Undefined: the facts of every machine agree with the index. */
  readonly checkMachine?: IndexCounters['checkMachine'];
}

export interface AltService {
  readonly ctx: StubCtx;
  /** Every chain call, in order. */
  readonly chainCalls: string[];
  request(path: string, options?: InjectOptions): Promise<ServiceResponse>;
  close(): Promise<void>;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export async function openAltService({
  machines = [{}],
  listing,
  hasAlt = true,
  readStatus,
  checkMachine,
  ...rest
}: AltServiceOptions = {}) {
  const chainCalls: string[] = [];
  const at = (id: MachineId) => machines[Number(id) - 1] ?? { main: { homeOrdinal: present(0) }, account: ABSENT };
  const mainFacts = (id: MachineId, facts: Partial<MachineSnapshot> | undefined): CachedMachine => ({
    snapshot: { id, ...MAIN_FACTS, ...facts } as MachineSnapshot,
    deployment: {
      localOrdinal: 1,
      graceSeconds: GRACE_SECONDS,
      runoffSeconds: RUNOFF_SECONDS,
      generalPausedGlobal: false,
      technicalPausedGlobal: false,
    } as DeploymentFacts,
  });
  const cached = new Map(machines.map(({ main }, index) => [BigInt(index + 1), mainFacts(toId(index + 1), main)]));
  const head = { indexedBlock: 120_340, headBlock: 120_342, headObservedAtMilliseconds: NOW * 1000 - 11_000 };
  const main = {
    index: { readMainChainIndex: async () => head },
    counters: { ...AGREEING_COUNTERS, ...(checkMachine && { checkMachine }) },
    eventTimes: { readFactLogs: async () => BONDED_LOGS },
    chain: {
      chainId: 31_337,
      machineRegistry: REGISTRY,
      readReadiness: async () => ALL_CONTRACTS_READY,
      getCached: (id: MachineId) => cached.get(id) ?? mainFacts(id, { homeOrdinal: present(0) }),
      readMachineUncached: async (id: MachineId) => {
        chainCalls.push(`main now ${id}`);
        return mainFacts(id, at(id).mainAgain ?? at(id).main);
      },
      readMachineAt: async (id: MachineId, block: BlockId) => {
        chainCalls.push(`main at ${block.number} ${id}`);
        return mainFacts(id, { ...(at(id).mainAgain ?? at(id).main), block: { ...block, timestamp: NOW - 3 } });
      },
    },
  } as unknown as MainChainPorts;

  const altRead = (id: MachineId, account: ReadResult<AltMachine>) => {
    const snapshot: AltMachineSnapshot = {
      id,
      slot: 301_200_450,
      machine: account,
      pauseFlags: ABSENT,
      subscription: ABSENT,
      eventLog: at(id).log ?? ABSENT,
    };
    const deployment = { machineCount: 1n, generalPausedGlobal: false, technicalPausedGlobal: false };
    return { snapshot, deployment };
  };
  const alt: AltChainPorts = {
    chain: {
      ordinal: 5,
      genesisHash: GENESIS_HASH,
      machineRegistry: PROGRAM,
      readMachine: async (id) => {
        chainCalls.push(`alt ${id}`);
        return altRead(id, at(id).account ?? present(MACHINE));
      },
      readMachineUncached: async (id) => {
        chainCalls.push(`alt now ${id}`);
        return altRead(id, at(id).accountAgain ?? at(id).account ?? present(MACHINE));
      },
    },
    index: {
      readHistory: async ({ id, eventLog }) => {
        const tail = (at(id).indexed ?? []).map(({ event }) => event);
        const count = eventLog.state === 'present' ? eventLog.value.count : 0n;
        return { isComplete: BigInt(tail.length) >= count, state: emptyRatingState(), tail };
      },
      readEvents: async ({ id }, from, to) => {
        const some = (at(id).indexed ?? []).slice(from, to);
        return { records: some.map(({ record }) => record), events: some.map(({ event }) => event) };
      },
      // Like a store without days.
      readDayHistory: async ({ id }) => {
        const { dayHistory, indexed = [] } = at(id);
        if (dayHistory !== undefined) return dayHistory;
        const events = indexed.map(({ event }) => event);
        return events.length > 2_000 ? undefined : { stateDays: [], events, changedHandsAfter: undefined };
      },
      readStatus: readStatus ?? (() => Promise.reject(new Fault('StoreUnavailable', {}))),
    },
  };
  const ctx = createStubCtx({
    main,
    alt: hasAlt ? alt : undefined,
    store: {
      readRatingState: async () => undefined,
      listRatingStateDays: async () => ({ epoch: 0, days: [] }),
      readDecision: async () => undefined,
      listFleet: async (_identity: string, _operator: Address, offset: number, limit: number) => ({
        ...listAll(machines, offset, limit),
        ...listing,
      }),
      readAltFleetObservation: async () => ({ ...listAll(machines, 0, 0), ...listing }).observation,
    } as unknown as Ctx['store'],
    fxRates: createFixedRates([]),
    ...rest.ctx,
  });
  const app = await buildApp(ctx, { rateLimits: 'off' });
  const conformance = await conformanceOfApp(app, ctx);
  const service: AltService = {
    ctx,
    chainCalls,
    async request(path, options = {}) {
      const { statusCode: status, headers, body: text } = await app.inject({ url: path, ...options });
      conformance.expectDocumented(options.method ?? 'GET', path, { status, headers, text });
      return { status, headers, text };
    },
    close: async () => app.close(),
  };
  return service;
}

function listAll(machines: readonly MachineFixture[], offset: number, limit: number): FleetListing {
  const listed = machines.map(({ main }, index): FleetRow => {
    return { id: toId(index + 1), listedBy: main?.owner?.state === 'present' ? 'main' : 'alt' };
  });
  return {
    indexedBlock: 120_340,
    tokens: { count: 0, checkpoint: { blockNumber: 120_340, blockHash: '0x' } },
    observation: { slot: 301_200_400, observedAtMilliseconds: NOW * 1000 - 40_000 },
    unreadableRows: 0,
    onBoth: [],
    total: listed.length,
    machines: listed.slice(offset, offset + limit),
  };
}

function toId(position: number): MachineId {
  return BigInt(position) as MachineId;
}

/** Returns an event log with this count. */
export function eventLog(count: number, priorEventCount = 0n): ReadResult<AltEventLog> {
  return present({ count: BigInt(count), priorEventCount, lastEvent: undefined });
}

/** Returns a revenue event in US cents, submitted at its own timestamp. */
export function revenueAt(seq: number, timestamp: number, cents: number) {
  const record: EventRecord = {
    eventType: 0,
    value: BigInt(cents),
    timestamp: BigInt(timestamp),
    dataHash: `0x${'0'.repeat(64)}`,
    trustLevel: 2,
    sourceChainId: 0n,
    sourceTxHash: `0x${'0'.repeat(64)}`,
    metadata: '0x',
    currency: 'USD',
  };
  const event: RatingEvent = {
    seq,
    type: 0,
    value: BigInt(cents),
    currency: 'USD',
    trust: 2,
    timestamp: BigInt(timestamp),
    blockTimestamp: timestamp,
    attested: false,
    paidCents: 0,
    changedHandsBefore: undefined,
  };
  return { record, event };
}
