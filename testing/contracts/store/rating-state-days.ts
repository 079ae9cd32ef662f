/** Contract of the days of rating states, of either chain. */
import { describe, expect, test } from 'vitest';
import { RETAINED_DAYS, MIN_EVENTS_FOR_STORED_DAYS } from '../../../src/domain/rating/rating-state-days.ts';
import type { AltMachineState } from '../../../src/ports/alt-store.ts';
import type { StoredRatingStateDay } from '../../../src/ports/store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { append, ratingStateOf, id, imported, listUnfoldedIds, repeat, submitted } from './samples.ts';

const MANY = MIN_EVENTS_FOR_STORED_DAYS + 1;

const dayOf = (day: number, nextSeq: number): StoredRatingStateDay => ({
  day,
  nextSeq,
  state: `day ${day} up to ${nextSeq}`,
});

/** Access to the days of one machine, for either chain. */
interface DaysUnderTest {
  /** Writes a rating state up to the last of the days. */
  write(afterSeq: number, days: readonly StoredRatingStateDay[], fingerprint?: string): Promise<void>;
  list(limit?: number, fingerprint?: string): Promise<readonly StoredRatingStateDay[]>;
  /** Replaces the machine's event history, as after an import or a rewrite. */
  startNewHistory(): Promise<void>;
  /** Writes days of the previous history. */
  writeToOldHistory(afterSeq: number, days: readonly StoredRatingStateDay[]): Promise<void>;
}

export function testRatingStateDays(under: StoreUnderTest): void {
  const versions = { epoch: 0, revision: 0 };

  const main: DaysUnderTest = {
    async write(afterSeq, days, fingerprint = 'rates') {
      const nextSeq = days.at(-1)?.nextSeq ?? afterSeq;
      const state = { ...ratingStateOf(id(7), nextSeq, { epoch: versions.epoch }), days: { afterSeq, days } };
      await under.store.writeRatingStates(fingerprint, [state]);
    },
    list: async (limit = 99, fingerprint = 'rates') => {
      const { epoch, days } = await under.store.listRatingStateDays('current', id(7), fingerprint, limit);
      expect(epoch).toBe(versions.epoch);
      return days;
    },
    async startNewHistory() {
      await append(under.store, imported(id(7)));
      versions.epoch += 1;
    },
    async writeToOldHistory(afterSeq, days) {
      const state = { ...ratingStateOf(id(7), 9, { epoch: versions.epoch - 1 }), days: { afterSeq, days } };
      await under.store.writeRatingStates('rates', [state]);
    },
  };

  const stateOf = (parts: Partial<AltMachineState>): AltMachineState => ({
    ...{ id: id(7), revision: versions.revision, incarnation: 0, eventCount: 9, nextIndex: 9, priorEventCount: 0n },
    ...{ operationCount: 9, lastSlot: 9, newestBlockTime: 9, problem: undefined, ...parts },
  });
  const know = async (parts: Partial<AltMachineState>) => {
    const { revision, ...walk } = await under.store.readAltWalk();
    const machines = [{ state: stateOf(parts), isRewritten: false, operations: [] }];
    expect(await under.store.writeAltIndex(revision, { walk, machines })).toBe(true);
  };

  const alt: DaysUnderTest = {
    async write(afterSeq, days, fingerprint = 'rates') {
      const nextSeq = days.at(-1)?.nextSeq ?? afterSeq;
      const { revision } = versions;
      await under.store.writeAltRatingStates(fingerprint, [
        { id: id(7), revision, nextSeq, state: 'state', days: { afterSeq, days } },
      ]);
    },
    list: async (limit = 99, fingerprint = 'rates') => {
      const { revision, days } = await under.store.listAltRatingStateDays(id(7), fingerprint, limit);
      expect(revision).toBe(versions.revision);
      return days;
    },
    async startNewHistory() {
      versions.revision += 1;
      await know({});
    },
    async writeToOldHistory(afterSeq, days) {
      const revision = versions.revision - 1;
      await under.store.writeAltRatingStates('rates', [
        { id: id(7), revision, nextSeq: 9, state: 'state', days: { afterSeq, days } },
      ]);
    },
  };

  describe.each([
    ['main chain', main],
    ['alt chain', alt],
  ] as const)('days of rating states of the %s', (chain, machine) => {
    const begin = async () => {
      versions.epoch = versions.revision = 0;
      if (chain === 'main chain') await append(under.store, submitted(id(7)));
      else await know({});
    };

    test('are stored in order, and the newest are listed', async () => {
      await begin();
      expect(await machine.list()).toEqual([]);
      await machine.write(0, [dayOf(10, 2), dayOf(12, 5)]);
      await machine.write(5, [dayOf(12, 6), dayOf(200, 9)]);
      expect(await machine.list()).toEqual([dayOf(10, 2), dayOf(12, 6), dayOf(200, 9)]);
      expect(await machine.list(2)).toEqual([dayOf(12, 6), dayOf(200, 9)]);
    });

    test('are not stored when they do not continue the stored ones', async () => {
      await begin();
      await machine.write(3, [dayOf(10, 5)]);
      expect(await machine.list()).toEqual([]);
      await machine.write(0, [dayOf(10, 5)]);
      await machine.write(0, [dayOf(10, 4), dayOf(11, 9)]);
      await machine.write(4, [dayOf(11, 9)]);
      await machine.write(6, [dayOf(11, 9)]);
      await machine.write(5, []);
      expect(await machine.list()).toEqual([dayOf(10, 5)]);
    });

    test('of another history are not listed and are replaced', async () => {
      await begin();
      await machine.write(0, [dayOf(10, 5), dayOf(11, 6)]);
      await machine.startNewHistory();
      expect(await machine.list()).toEqual([]);
      await machine.writeToOldHistory(6, [dayOf(12, 7)]);
      expect(await machine.list()).toEqual([]);
      await machine.write(0, [dayOf(11, 1)]);
      await machine.writeToOldHistory(0, [dayOf(1, 1)]);
      expect(await machine.list()).toEqual([dayOf(11, 1)]);
    });

    test('of two configurations are independent, and a third replaces the older one', async () => {
      await begin();
      await machine.write(0, [dayOf(10, 5)], 'old');
      await machine.write(0, [dayOf(10, 2), dayOf(11, 5)], 'new');
      expect([await machine.list(9, 'old'), await machine.list(9, 'new')]).toEqual([
        [dayOf(10, 5)],
        [dayOf(10, 2), dayOf(11, 5)],
      ]);
      await machine.write(0, [dayOf(12, 1)], 'third');
      expect([await machine.list(9, 'old'), await machine.list(9, 'third')]).toEqual([[], [dayOf(12, 1)]]);
    });

    test('outside of the retention are deleted, except the newest of them', async () => {
      await begin();
      await machine.write(0, [dayOf(10, 1), dayOf(11, 2), dayOf(300, 3)]);
      await machine.write(3, [dayOf(10 + RETAINED_DAYS, 4)]);
      expect((await machine.list()).map(({ day }) => day)).toEqual([10, 11, 300, 10 + RETAINED_DAYS]);
      await machine.write(4, [dayOf(12 + RETAINED_DAYS, 5)]);
      expect((await machine.list()).map(({ day }) => day)).toEqual([11, 300, 10 + RETAINED_DAYS, 12 + RETAINED_DAYS]);
    });

    test('written concurrently by two stores are those of one of them', async () => {
      await begin();
      const other = await under.openAnother();
      const days = [dayOf(10, 1), dayOf(11, 2)];
      const writes = [under.store, other].map((store, place) =>
        chain === 'main chain'
          ? store.writeRatingStates('rates', [
              { ...ratingStateOf(id(7), 2), days: { afterSeq: 0, days: days.slice(place) } },
            ])
          : store.writeAltRatingStates('rates', [
              { id: id(7), revision: 0, nextSeq: 2, state: 'state', days: { afterSeq: 0, days: days.slice(place) } },
            ]),
      );
      await Promise.all(writes);
      expect([days, days.slice(1)]).toContainEqual(await machine.list());
    });
  });

  describe('a machine with many events', () => {
    const isListed = async () => (await listUnfoldedIds(under.store, 'rates')).includes(id(7));
    const writeState = (nextSeq: number, days?: { afterSeq: number; days: readonly StoredRatingStateDay[] }) =>
      under.store.writeRatingStates('rates', [{ ...ratingStateOf(id(7), nextSeq), days }]);

    test('is unfolded until its days are stored, too', async () => {
      await append(under.store, ...repeat(MANY, submitted(id(7))));
      await writeState(MANY);
      expect(await isListed()).toBe(true);
      await writeState(900, { afterSeq: 0, days: [dayOf(10, 900)] });
      expect([await isListed(), (await under.store.readRatingState('current', id(7), 'rates'))?.nextSeq]).toEqual([
        true,
        MANY,
      ]);
      await writeState(MANY, { afterSeq: 900, days: [dayOf(10, MANY)] });
      expect(await isListed()).toBe(false);
      await append(under.store, submitted(id(7)));
      expect(await isListed()).toBe(true);
    });

    test('is folded when written with its days', async () => {
      await append(under.store, ...repeat(MANY, submitted(id(7))), submitted(id(8)));
      await writeState(MANY, { afterSeq: 0, days: [dayOf(10, MANY)] });
      expect(await isListed()).toBe(false);
    });

    test('needs no days with fewer events', async () => {
      await append(under.store, ...repeat(MIN_EVENTS_FOR_STORED_DAYS, submitted(id(7))));
      await writeState(MIN_EVENTS_FOR_STORED_DAYS);
      expect(await isListed()).toBe(false);
    });

    test('of the alt chain is unfolded until its days end where its rating state does', async () => {
      versions.revision = 0;
      await know({ eventCount: 5_000 });
      const wanted = async () =>
        (await under.store.listAltUnfolded('rates', 400, 9)).map(({ state }) => state?.nextSeq);
      const write = (nextSeq: number, days?: { afterSeq: number; days: readonly StoredRatingStateDay[] }) =>
        under.store.writeAltRatingStates('rates', [{ id: id(7), revision: 0, nextSeq, state: 'state', days }]);
      await write(4_800);
      expect(await wanted()).toEqual([4_800]);
      await write(3_000, { afterSeq: 0, days: [dayOf(10, 3_000)] });
      expect(await wanted()).toEqual([4_800]);
      await write(4_800, { afterSeq: 3_000, days: [dayOf(10, 4_800)] });
      expect(await wanted()).toEqual([]);
    });
  });
}
