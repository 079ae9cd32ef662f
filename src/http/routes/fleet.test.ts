/** Fleets on the main chain: age limits of the index, entries and omissions, on a frozen clock with a fake index and machines. */
import { describe, expect, test } from 'vitest';
import { conformanceOfApp } from '../../../testing/harness/openapi-conformance.ts';
import { AGREEING_COUNTERS } from '../../../testing/fakes/agreeing-counters.ts';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { createFixedRates } from '../../adapters/fx/feed-rates.ts';
import { buildApp } from '../../app.ts';
import { Fault } from '../../domain/faults.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { IndexProgress } from '../../domain/index-rules/index-freshness.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import type { MainChainPorts } from '../../ports/ctx.ts';
import type { IndexedTokens, Store } from '../../ports/store.ts';
import { ABSENT, present, unreadable } from '../../domain/read-result.ts';

const NOW_MILLISECONDS = 1_788_900_000_000;
const OPERATOR = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1';
const BLOCK = { number: 120_340, hash: '0x', timestamp: NOW_MILLISECONDS / 1000 - 3 };

const UNREADABLE = unreadable('undecodable');

const TOKENS: IndexedTokens = { count: 1, checkpoint: { blockNumber: 200, blockHash: '0x' } };
const SOUND = {
  owner: present(OPERATOR),
  operator: ABSENT,
  relocating: present(false),
  homeOrdinal: present(1),
  subscriptionStatus: present('Active'),
  eventCount: present(0n),
  priorEventCount: present(0n),
  events: present({ offset: 0, records: [] }),
  flags: ABSENT,
  attestations: ABSENT,
} as unknown as Partial<MachineSnapshot>;
const GONE = { ...SOUND, owner: ABSENT, homeOrdinal: present(0) } as Partial<MachineSnapshot>;
const ELSEWHERE = { ...SOUND, owner: ABSENT, homeOrdinal: present(3) } as Partial<MachineSnapshot>;
const RELOCATING = { ...SOUND, relocating: present(true) } as Partial<MachineSnapshot>;
const UNDECODABLE = { ...SOUND, subscriptionStatus: UNREADABLE } as Partial<MachineSnapshot>;

interface Fixture {
  readonly index?: Partial<IndexProgress>;
  /** In the order of their ids, from 1. */
  readonly machines?: readonly Partial<MachineSnapshot>[];
  readonly isRepairing?: boolean;
  /** Machines whose facts the index does not explain. */
  readonly unexplained?: readonly number[];
  /** Machines whose rows are wrong until they are checked. */
  readonly corrected?: readonly number[];
}

/** Requests the fleet and checks the response against the document. */
async function list(fixture: Fixture, query = '') {
  const { index, machines = [SOUND], isRepairing = false, unexplained = [], corrected = [] } = fixture;
  const reading = { indexedBlock: 200, headBlock: 200, headObservedAtMilliseconds: NOW_MILLISECONDS, ...index };
  const snapshots = machines.map((facts, at) => ({ id: BigInt(at + 1) as MachineId, block: BLOCK, ...facts }));
  const getCached = (id: MachineId) => ({
    snapshot: snapshots[Number(id) - 1] as MachineSnapshot,
    deployment: { localOrdinal: 1 } as DeploymentFacts,
  });
  const listOwnership = async (_address: string, offset: number, limit: number) => ({
    indexedBlock: reading.indexedBlock,
    tokens: TOKENS,
    total: snapshots.length,
    ids: snapshots.slice(offset, offset + limit).map(({ id }) => id),
  });
  const checkTokens = async (owner: Address, tokens: IndexedTokens) => {
    expect([owner, tokens]).toEqual([OPERATOR, TOKENS]);
    if (isRepairing) throw new Fault('OwnershipIndexRepairing', {});
  };
  const checkMachine = async ({ id }: MachineSnapshot) => {
    if (unexplained.includes(Number(id))) throw new Fault('EventIndexSyncing', { indexedBlock: 199, headBlock: 200 });
    return { outcome: corrected.includes(Number(id)) ? ('corrected' as const) : ('agrees' as const), epoch: 0 };
  };
  const ctx = createStubCtx({
    main: {
      chain: { getCached },
      index: { readMainChainIndex: async () => reading },
      counters: { ...AGREEING_COUNTERS, checkTokens, checkMachine },
    } as unknown as MainChainPorts,
    store: { listOwnership, readRatingState: async () => undefined } as unknown as Store,
    fxRates: createFixedRates([]),
  });
  const app = await buildApp(ctx, { limiterMemoryBytes: 1_000 });
  const path = `/operator/${OPERATOR}/machines${query}`;
  const { statusCode: status, headers, body: text } = await app.inject(path);
  (await conformanceOfApp(app, ctx)).expectDocumented('GET', path, {
    status,
    headers,
    text,
  });
  await app.close();
  return { status, retryAfter: headers['retry-after'], body: JSON.parse(text) };
}

const refused = (detail: string) => ({ status: 503, retryAfter: '60', body: { detail } });

describe('the age of the index', () => {
  test('returns the fleet with its lag at 100 blocks behind the head', async () => {
    rule('listing.lag-limit');
    const { status, body } = await list({ index: { indexedBlock: 100 } });
    expect([status, body.index]).toEqual([
      200,
      {
        indexed_block: 100,
        head_block: 200,
        lag_blocks: 100,
        head_observed_age_seconds: 0,
        alt_snapshot_age_seconds: null,
      },
    ]);
  });

  test('returns 503 at 101 blocks behind the head', async () => {
    rule('listing.behind-is-503', 'read-errors.503-index');
    expect(await list({ index: { indexedBlock: 99 } })).toEqual(refused('Operator index is syncing: block 99 of 200'));
  });

  test('returns the fleet with its age when the head was read ten poll intervals ago', async () => {
    rule('listing.head-age');
    const { status, body } = await list({ index: { headObservedAtMilliseconds: NOW_MILLISECONDS - 600_000 } });
    expect([status, body.index.head_observed_age_seconds]).toEqual([200, 600]);
  });

  test('returns 503 when the head was not read for longer', async () => {
    rule('listing.stale-head-is-503', 'read-errors.503-index');
    expect(await list({ index: { headObservedAtMilliseconds: NOW_MILLISECONDS - 601_000 } })).toEqual(
      refused('Operator index is stale: chain head not read for 601 seconds'),
    );
  });

  test('returns 503 and not an empty fleet before anything is indexed', async () => {
    rule('listing.empty-index-is-503');
    const nothing = { indexedBlock: undefined, headBlock: undefined, headObservedAtMilliseconds: undefined };
    expect(await list({ index: nothing, machines: [] })).toEqual(refused('Operator index is syncing: block 0 of 0'));
  });
});

test('returns 503 while the index disagrees with the balance of the address', async () => {
  const detail = 'Ownership index is being repaired for this address';
  expect(await list({ isRepairing: true })).toEqual({ status: 503, retryAfter: '30', body: { detail } });
});

describe('a page with fewer entries than limit', () => {
  const idsOf = ({ machines }: { machines: { machine_id: string }[] }) => machines.map(({ machine_id }) => machine_id);

  test.each([
    ['that no longer exists', GONE, 0],
    ['that moved to a chain that is not served', ELSEWHERE, 0],
    ['that is relocating', RELOCATING, 1],
    ['that cannot be read', UNDECODABLE, 1],
  ])('omits a machine %s, and counts it if its state is unknown', async (_name, facts, unreadable) => {
    rule('listing.missing-skipped', 'listing.unreadable-omitted');
    const { status, body } = await list({ machines: [SOUND, facts, SOUND] }, '?limit=3');
    expect([status, idsOf(body), body.unreadable]).toEqual([200, ['1', '3'], unreadable]);
    expect(body.pagination).toEqual({ offset: 0, limit: 3, total: 3 });
  });

  test.each([
    ['no longer exists', GONE],
    ['moved to a chain that is not served', ELSEWHERE],
  ])('counts a machine as unreadable that %s while no log explains it', async (_name, facts) => {
    const { status, body } = await list({ machines: [SOUND, facts, GONE], unexplained: [2] });
    expect([status, idsOf(body), body.unreadable]).toEqual([200, ['1'], 1]);
  });

  test('counts a machine as unreadable that had left before the block of the listing', async () => {
    const { status, body } = await list({ machines: [SOUND, GONE, GONE], corrected: [2] });
    expect([status, idsOf(body), body.unreadable]).toEqual([200, ['1'], 1]);
    expect(body.pagination.total).toBe(3);
  });

  test('counts unreadable machines per page', async () => {
    rule('listing.unreadable');
    const machines = [UNDECODABLE, SOUND, GONE, RELOCATING];
    expect((await list({ machines }, '?limit=2')).body).toMatchObject({ unreadable: 1, pagination: { total: 4 } });
    expect((await list({ machines }, '?limit=2&offset=2')).body).toMatchObject({ machines: [], unreadable: 1 });
  });
});
