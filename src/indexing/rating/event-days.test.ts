/** Are the days of a machine with many events those of its events, however they came to be? On both chains. */
import { afterEach, describe, expect, it } from 'vitest';
import { createStore } from '../../adapters/sql/create-store.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { RatingEvent } from '../../domain/rating/event.ts';
import { decodeRatingStateDay } from '../../domain/rating/rating-state-day-codec.ts';
import { foldDays, KEPT_DAYS, LEAST_EVENTS_OF_DAYS } from '../../domain/rating/rating-state-days.ts';
import { emptyRatingState } from '../../domain/rating/rating-state.ts';
import { createRateTable, extendRateTable } from '../../domain/rating/rate-table.ts';
import { dayOf, SECONDS_PER_DAY } from '../../domain/rating/utc-day.ts';
import type { Store } from '../../ports/store.ts';
import { FakeHistory, recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { createAltBench } from '../../../testing/fixtures/alt-index-harness.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import { createBench, FINGERPRINT, machine, NEVER, type Bench } from '../../../testing/fixtures/indexer-harness.ts';
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
  const store = await createStore('sqlite::memory:');
  stores.push(store);
  return store;
}

/** A store of a release that keeps no days. */
function withoutDays(store: Store): Store {
  return {
    ...store,
    writeFolds: (fingerprint, folds) =>
      store.writeFolds(
        fingerprint,
        folds.map(({ days: _days, ...fold }) => fold),
      ),
    writeAltFolds: (fingerprint, folds) =>
      store.writeAltFolds(
        fingerprint,
        folds.map(({ days: _days, ...fold }) => fold),
      ),
  };
}

describe('of the main chain, the days', () => {
  /** Some blocks a day, each with so many events; the first events of the chain are of its second block. */
  function mineDays(chain: FakeChain, blocks: number, eventsPerBlock: number): void {
    chain.finalityLag = 0;
    chain.blockSeconds = 21_600;
    for (let k = 0; k < blocks; k++) {
      const log = (place: number) =>
        submitted(A, { value: BigInt(1_000 * (place + 1) + k), trustLevel: (k + place) % 3 }, 'second');
      chain.mine([...Array.from({ length: eventsPerBlock }, (_, place) => log(place)), submitted(B)]);
    }
  }

  async function foldAll(bench: Bench): Promise<void> {
    for (;;) {
      const advanced = await bench.index.advance(NEVER);
      if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
      if ((await bench.folder.fold(advanced.block, NEVER)) !== 'more') return;
    }
  }

  /** From the chain itself, in one go. */
  function daysOf({ chain, rates }: Bench, id: MachineId) {
    const records = chain.recordsOf('second', id, chain.head.number);
    const times = Array.from({ length: chain.head.number + 1 }, (_, number) => chain.headerAt(number)).flatMap(
      ({ number, timestamp }) =>
        chain
          .logsAt(number)
          .filter(({ event }) => event?.machineId === id && event.kind === 'submitted')
          .map(() => timestamp),
    );
    const events = records.map((record, seq): RatingEvent => ({
      ...{ seq, type: record.eventType, value: record.value, currency: record.currency, timestamp: record.timestamp },
      ...{ trust: record.trustLevel, blockTimestamp: times.slice(-records.length)[seq]! },
    }));
    return foldDays(emptyRatingState(), undefined, events, rates.current().table).days;
  }

  const storedDays = async ({ store }: Bench, id: MachineId = A) =>
    (await store.listFoldDays('second', id, FINGERPRINT, ALL)).days.map(({ state }) => decodeRatingStateDay(state));

  it('are those of its events, and few events have none', async () => {
    const bench = createBench({ store: await openStore() });
    mineDays(bench.chain, 240, 10);
    await foldAll(bench);
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
    expect((await storedDays(bench)).length).toBe(60);
    expect(await storedDays(bench, B)).toEqual([]);
  });

  it('are the same when they are folded block by block', async () => {
    const bench = createBench({ store: await openStore() });
    for (let k = 0; k < 24; k++) {
      mineDays(bench.chain, 1, 90);
      await foldAll(bench);
    }
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
  });

  it('are made up when the events become many', async () => {
    const bench = createBench({ store: await openStore() });
    mineDays(bench.chain, 10, LEAST_EVENTS_OF_DAYS / 10);
    await foldAll(bench);
    expect(await storedDays(bench)).toEqual([]);
    mineDays(bench.chain, 1, 1);
    await foldAll(bench);
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
  });

  it('are made up from the beginning where an older release folded without them', async () => {
    rule('history.bounded-cost');
    const store = await openStore();
    const old = createBench({ store: withoutDays(store) });
    mineDays(old.chain, 60, 55);
    await foldAll({
      ...old,
      folder: { ...old.folder, fold: async (...given) => (await old.folder.fold(...given), 'idle') },
    });
    const bench = createBench({ chain: old.chain, store });
    await foldAll(bench);
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
    expect((await store.readFold('second', A, FINGERPRINT))?.nextSeq).toBe(3_300);
    expect(await store.listUnfolded(FINGERPRINT, 9)).toEqual([]);
    mineDays(bench.chain, 2, 5);
    await foldAll(bench);
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
  });

  it('begin anew after an import', async () => {
    const bench = createBench({ store: await openStore() });
    mineDays(bench.chain, 30, 40);
    await foldAll(bench);
    bench.chain.mine([imported(A, 9n)]);
    mineDays(bench.chain, 30, 50);
    await foldAll(bench);
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
    expect((await storedDays(bench)).at(-1)!.totals.nextSeq).toBe(1_500);
  });

  it('end before a pending event, and go on when its rate is known', async () => {
    const bench = createBench({ store: await openStore() });
    mineDays(bench.chain, 20, 60);
    const day = dayOf(bench.chain.head.timestamp);
    const table = extendRateTable(createRateTable(true), [], day - 2);
    bench.rates.use(table);
    bench.chain.mine([submitted(A, { currency: 'EUR' }), submitted(A)]);
    await foldAll(bench);
    expect((await storedDays(bench)).at(-1)!.totals.nextSeq).toBe(1_200);
    bench.rates.use(extendRateTable(table, [{ currency: 'EUR', day: day - 1, rate: 10n ** 12n }], day + 1));
    await foldAll(bench);
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
    expect((await storedDays(bench)).at(-1)!.totals.nextSeq).toBe(1_202);
  });

  it('of other rates are their own', async () => {
    const bench = createBench({ store: await openStore() });
    mineDays(bench.chain, 20, 60);
    await foldAll(bench);
    bench.rates.use(createRateTable(true), 'other');
    await foldAll(bench);
    const other = await bench.store.listFoldDays('second', A, 'other', ALL);
    expect(other.days.map(({ state }) => decodeRatingStateDay(state))).toEqual(daysOf(bench, A));
    expect(await storedDays(bench)).toEqual(daysOf(bench, A));
  });
});

describe('of the alt chain, the days', () => {
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
      ...{ trust: record.trustLevel, blockTimestamp },
    }));

  /** Of all events but the newest 200, which the folder leaves alone. */
  const daysOf = (chain: FakeHistory, table = createRateTable(false)) =>
    foldDays(emptyRatingState(), undefined, eventsOf(chain).slice(0, -200), table).days;

  const storedDays = async (store: Store) =>
    (await store.listAltFoldDays(A, FINGERPRINT, ALL)).days.map(({ state }) => decodeRatingStateDay(state));

  it('are those of its events, but for the newest of them', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const bench = createAltBench({ chain, store });
    expect(await bench.settle()).toEqual([]);
    expect(await storedDays(store)).toEqual(daysOf(chain));
    submitDays(chain, 40, 20);
    await bench.settle();
    expect(await storedDays(store)).toEqual(daysOf(chain));
  });

  it('with the events after them are the whole history', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const bench = createAltBench({ chain, store });
    await bench.settle();
    const history = await bench.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT);
    expect(history).toEqual({ foldDays: daysOf(chain), events: eventsOf(chain).slice(-200) });
    submitDays(chain, 1, 20);
    expect(await bench.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT)).toBeUndefined();
  });

  it('are not told where neither they nor all events are at hand', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const folding = { ...store, listAltUnfolded: async () => [] };
    const bench = createAltBench({ chain, store: folding });
    await bench.settle();
    expect(await bench.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT)).toBeUndefined();
    expect((await bench.read(A)).isComplete).toBe(false);
  });

  it('are made up from the beginning where an older release folded without them', async () => {
    rule('history.bounded-cost');
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const folds = withoutDays(store);
    const listAltUnfolded: Store['listAltUnfolded'] = async (...given) =>
      (await store.listAltUnfolded(...given)).filter(({ fold }) => (fold?.nextSeq ?? 0) < 2_400);
    await createAltBench({ chain, store: { ...folds, listAltUnfolded } }).settle();
    expect([await storedDays(store), (await store.listAltUnfolded(FINGERPRINT, 400, 9)).length]).toEqual([[], 1]);
    await createAltBench({ chain, store }).settle();
    expect(await storedDays(store)).toEqual(daysOf(chain));
    expect(await store.listAltUnfolded(FINGERPRINT, 400, 9)).toEqual([]);
  });

  it('of another revision are not told', async () => {
    const store = await openStore();
    const chain = new FakeHistory();
    submitDays(chain, 130, 20);
    const bench = createAltBench({ chain, store });
    await bench.settle();
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    submitDays(chain, 130, 15);
    expect(await bench.index.readDayHistory(chain.snapshotOf(A), FINGERPRINT)).toBeUndefined();
    await bench.settle();
    expect(await storedDays(store)).toEqual(daysOf(chain));
    expect((await store.listAltFoldDays(A, FINGERPRINT, KEPT_DAYS)).days.at(-1)?.nextSeq).toBe(1_750);
  });
});
