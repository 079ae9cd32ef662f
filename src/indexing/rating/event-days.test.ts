/**
 * Rating state days of machines with many events, on both chains: however they are computed, they equal the days of the
 * events.
 */
import { DECLARED } from '../../../testing/fixtures/rating-events.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { RatingEvent } from '../../domain/rating/event.ts';
import { decodeRatingStateDay } from '../../domain/rating/rating-state-day-codec.ts';
import { foldDays, RETAINED_DAYS, MIN_EVENTS_FOR_STORED_DAYS } from '../../domain/rating/rating-state-days.ts';
import { emptyRatingState } from '../../domain/rating/rating-state.ts';
import { createRateTable, extendRateTable } from '../../domain/rating/rate-table.ts';
import { dayOf, SECONDS_PER_DAY } from '../../domain/rating/utc-day.ts';
import type { Store } from '../../ports/store.ts';
import { FakeHistory, recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { createAltHarness } from '../../../testing/fixtures/alt-index-harness.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import {
  createHarness,
  FINGERPRINT,
  machine,
  NEVER,
  type IndexerHarness,
} from '../../../testing/fixtures/indexer-harness.ts';
import { rule } from '../../../test/conformance/rule.ts';

const A = machine(11);
const B = machine(12);
const ALL = 9_999;

let stores: Store[] = [];
afterEach(async () => {
  for (const store of stores) await store.close();
  stores = [];
});

async function openStore(): Promise<Store> {
  const store = await createMemoryStore();
  stores.push(store);
  return store;
}

/** Simulates a store of a release that stored no days. */
function withoutDays(store: Store): Store {
  return {
    ...store,
    writeRatingStates: (fingerprint, folds) =>
      store.writeRatingStates(
        fingerprint,
        folds.map(({ days: _days, ...fold }) => fold),
      ),
    writeAltRatingStates: (fingerprint, folds) =>
      store.writeAltRatingStates(
        fingerprint,
        folds.map(({ days: _days, ...fold }) => fold),
      ),
  };
}

describe('main-chain rating state days', () => {
  /** Mines some blocks per day with a number of events each; the first events are in the second block. */
  function mineDays(chain: FakeChain, blocks: number, eventsPerBlock: number): void {
    chain.finalityLag = 0;
    chain.blockSeconds = 21_600;
    for (let k = 0; k < blocks; k++) {
      const log = (place: number) =>
        submitted(A, { value: BigInt(1_000 * (place + 1) + k), trustLevel: (k + place) % 3 }, 'current');
      chain.mine([...Array.from({ length: eventsPerBlock }, (_, place) => log(place)), submitted(B)]);
    }
  }

  async function foldAll(harness: IndexerHarness): Promise<void> {
    for (;;) {
      const advanced = await harness.index.advance(NEVER);
      if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
      if ((await harness.folder.fold(advanced.block, NEVER)) !== 'more') return;
    }
  }

  /** Computes the days straight from the chain, in one pass. */
  function daysOf({ chain, rates }: IndexerHarness, id: MachineId) {
    const records = chain.recordsOf('current', id, chain.head.number);
    const times = Array.from({ length: chain.head.number + 1 }, (_, number) => chain.headerAt(number)).flatMap(
      ({ number, timestamp }) =>
        chain
          .logsAt(number)
          .filter(({ event }) => event?.machineId === id && event.kind === 'submitted')
          .map(() => timestamp),
    );
    const events = records.map((record, seq): RatingEvent => ({
      ...{ seq, type: record.eventType, value: record.value, currency: record.currency, timestamp: record.timestamp },
      ...{ trust: record.trustLevel, blockTimestamp: times.slice(-records.length)[seq]!, ...DECLARED },
    }));
    return foldDays(emptyRatingState(), undefined, events, rates.current().table).days;
  }

  const storedDays = async ({ store }: IndexerHarness, id: MachineId = A) =>
    (await store.listRatingStateDays('current', id, FINGERPRINT, ALL)).days.map(({ state }) =>
      decodeRatingStateDay(state),
    );

  it('equal the days of the events, and are not stored for few events', async () => {
    const harness = createHarness({ store: await openStore() });
    mineDays(harness.chain, 240, 10);
    await foldAll(harness);
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
    expect((await storedDays(harness)).length).toBe(60);
    expect(await storedDays(harness, B)).toEqual([]);
  });

  it('are the same when folded block by block', async () => {
    const harness = createHarness({ store: await openStore() });
    for (let k = 0; k < 24; k++) {
      mineDays(harness.chain, 1, 90);
      await foldAll(harness);
    }
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
  });

  it('are computed when the events become many', async () => {
    const harness = createHarness({ store: await openStore() });
    mineDays(harness.chain, 10, MIN_EVENTS_FOR_STORED_DAYS / 10);
    await foldAll(harness);
    expect(await storedDays(harness)).toEqual([]);
    mineDays(harness.chain, 1, 1);
    await foldAll(harness);
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
  });

  it('are computed from the beginning when an older release folded without them', async () => {
    rule('history.bounded-cost');
    const store = await openStore();
    const old = createHarness({ store: withoutDays(store) });
    mineDays(old.chain, 60, 55);
    await foldAll({
      ...old,
      folder: { ...old.folder, fold: async (...given) => (await old.folder.fold(...given), 'idle') },
    });
    const harness = createHarness({ chain: old.chain, store });
    await foldAll(harness);
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
    expect((await store.readRatingState('current', A, FINGERPRINT))?.nextSeq).toBe(3_300);
    expect(await store.listUnfolded(FINGERPRINT, 9)).toEqual([]);
    mineDays(harness.chain, 2, 5);
    await foldAll(harness);
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
  });

  it('restart after an import', async () => {
    const harness = createHarness({ store: await openStore() });
    mineDays(harness.chain, 30, 40);
    await foldAll(harness);
    harness.chain.mine([imported(A, 9n)]);
    mineDays(harness.chain, 30, 50);
    await foldAll(harness);
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
    expect((await storedDays(harness)).at(-1)!.totals.nextSeq).toBe(1_500);
  });

  it('end before a pending event and continue when its rate is known', async () => {
    const harness = createHarness({ store: await openStore() });
    mineDays(harness.chain, 20, 60);
    const day = dayOf(harness.chain.head.timestamp);
    const table = extendRateTable(createRateTable(true), [], day - 2);
    harness.rates.use(table);
    harness.chain.mine([submitted(A, { currency: 'EUR' }), submitted(A)]);
    await foldAll(harness);
    expect((await storedDays(harness)).at(-1)!.totals.nextSeq).toBe(1_200);
    harness.rates.use(extendRateTable(table, [{ currency: 'EUR', day: day - 1, rate: 10n ** 12n }], day + 1));
    await foldAll(harness);
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
    expect((await storedDays(harness)).at(-1)!.totals.nextSeq).toBe(1_202);
  });

  it('are separate for each rate configuration', async () => {
    const harness = createHarness({ store: await openStore() });
    mineDays(harness.chain, 20, 60);
    await foldAll(harness);
    harness.rates.use(createRateTable(true), 'other');
    await foldAll(harness);
    const other = await harness.store.listRatingStateDays('current', A, 'other', ALL);
    expect(other.days.map(({ state }) => decodeRatingStateDay(state))).toEqual(daysOf(harness, A));
    expect(await storedDays(harness)).toEqual(daysOf(harness, A));
  });
});

describe('alt-chain rating state days', () => {
  function submitDays(chain: FakeHistory, slots: number, eventsPerSlot: number): void {
    chain.slotSeconds = SECONDS_PER_DAY / 2;
    for (let k = 0; k < slots; k++) {
      const record = (place: number) => ({
        ...recordOf(1_000 * (place + 1) + k),
        timestamp: BigInt(chain.timeOf(chain.slot + 1) - place),
        trustLevel: (k + place) % 3,
      });
      const changes = Array.from({ length: eventsPerSlot }, (_, place) => place).map(
        (place) => ({ kind: 'submitted', machineId: A, record: record(place) }) as const,
      );
      chain.finalize({ changes });
    }
  }

  const eventsOf = (chain: FakeHistory): RatingEvent[] =>
    chain.eventsOf(A).map(({ eventIndex: seq, record, blockTime: blockTimestamp }) => ({
      ...{ seq, type: record.eventType, value: record.value, currency: record.currency, timestamp: record.timestamp },
      ...{ trust: record.trustLevel, blockTimestamp, ...DECLARED },
    }));

  /** Days of all events except the newest 200, which the folder leaves unfolded. */
  const daysOf = (chain: FakeHistory, table = createRateTable(false)) =>
    foldDays(emptyRatingState(), undefined, eventsOf(chain).slice(0, -200), table).days;

  const storedDays = async (store: Store) =>
    (await store.listAltRatingStateDays(A, FINGERPRINT, ALL)).days.map(({ state }) => decodeRatingStateDay(state));

  it('equal the days of the events, except for the newest ones', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const harness = createAltHarness({ chain, store });
    expect(await harness.settle()).toEqual([]);
    expect(await storedDays(store)).toEqual(daysOf(chain));
    submitDays(chain, 40, 20);
    await harness.settle();
    expect(await storedDays(store)).toEqual(daysOf(chain));
  });

  it('form the whole history together with the later events', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const harness = createAltHarness({ chain, store });
    await harness.settle();
    const history = await harness.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT);
    expect(history).toEqual({ stateDays: daysOf(chain), events: eventsOf(chain).slice(-200) });
    submitDays(chain, 1, 20);
    expect(await harness.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT)).toBeUndefined();
  });

  it('are not returned when the remaining events are not available', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const folding = { ...store, listAltUnfolded: async () => [] };
    const harness = createAltHarness({ chain, store: folding });
    await harness.settle();
    expect(await harness.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT)).toBeUndefined();
    expect((await harness.read(A)).isComplete).toBe(false);
  });

  it('are computed from the beginning when an older release folded without them', async () => {
    rule('history.bounded-cost');
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const folds = withoutDays(store);
    const listAltUnfolded: Store['listAltUnfolded'] = async (...given) =>
      (await store.listAltUnfolded(...given)).filter(({ state }) => (state?.nextSeq ?? 0) < 2_400);
    await createAltHarness({ chain, store: { ...folds, listAltUnfolded } }).settle();
    expect([await storedDays(store), (await store.listAltUnfolded(FINGERPRINT, 400, 9)).length]).toEqual([[], 1]);
    await createAltHarness({ chain, store }).settle();
    expect(await storedDays(store)).toEqual(daysOf(chain));
    expect(await store.listAltUnfolded(FINGERPRINT, 400, 9)).toEqual([]);
  });

  it('are not returned for another revision', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const harness = createAltHarness({ chain, store });
    await harness.settle();
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    submitDays(chain, 130, 15);
    expect(await harness.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT)).toBeUndefined();
    await harness.settle();
    expect(await storedDays(store)).toEqual(daysOf(chain));
    expect((await store.listAltRatingStateDays(A, FINGERPRINT, RETAINED_DAYS)).days.at(-1)?.nextSeq).toBe(1_750);
  });
});
