/** Contract of `DirectoryStore`: filters, orders, cursors and counts of the observed machines (docs/decisions/directory.md). */
import { describe, expect, it } from 'vitest';
import { ABSENT_VALUES, type MachineValues } from '../../../src/domain/changes/machine-change.ts';
import { MAX_MACHINE_ID, type Address } from '../../../src/domain/identifiers/identifiers.ts';
import { type MachineListing, type DirectoryQuery } from '../../../src/domain/machine/machine-directory.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { checkpointAt, id, NO_OWNERSHIP } from './samples.ts';

const OPERATOR = `0x${'0b'.repeat(20)}` as Address;
const OWNER = `0x${'0a'.repeat(20)}` as Address;
const LATER = 2_000_000_000;

const VALUES: MachineValues = {
  ...ABSENT_VALUES,
  ...{ owner: OWNER, operator: OPERATOR, bond: 'Active', flag: 'none', kyb: 'verified', chip: 'unverified' },
  ...{ 'opt-in': 'PENDING', rating: 'A' },
};
const LISTING: MachineListing = {
  ...{ home: 'main', score: 70, revenueCents: 5_000, eventCount: 12, lastEventAt: 900 },
  ...{ blockNumber: 7, observedAt: 1_000 },
};
const FIRST_PAGE: DirectoryQuery = {
  ...{ key: 'score', isDescending: true, holder: undefined, facets: {}, activeSince: 0, after: undefined, limit: 10 },
};

export function testDirectory(under: StoreUnderTest): void {
  describe('the directory', () => {
    /** Observes a machine; undefined: it is absent. */
    async function observe(
      number: number | bigint,
      values: Partial<MachineValues> | undefined = {},
      listing: Partial<MachineListing> = {},
    ): Promise<void> {
      const checkpoint = await under.store.readMainChainCheckpoint();
      const next = checkpointAt((checkpoint?.blockNumber ?? 0) + 1);
      const touched = { machines: [id(number)], kybOperators: [] };
      await under.store.advanceMainChain(checkpoint, next, [], NO_OWNERSHIP, undefined, touched);
      const machine = (await under.store.listDueMachines(0, 100)).find((due) => due.id === id(number))!;
      await under.store.writeObservations([
        {
          ...{ machine, changes: [], dueAt: LATER, isAbsent: false },
          ...{ values: { ...VALUES, ...values }, listing: { ...LISTING, ...listing } },
        },
      ]);
    }

    /** Returns the numbers of the listed machines over all pages, page by page. */
    async function list(query: Partial<DirectoryQuery> = {}): Promise<number[][]> {
      const pages: number[][] = [];
      for (let after: DirectoryQuery['after']; ;) {
        const { entries, next } = await under.store.listDirectory({ ...FIRST_PAGE, ...query, after });
        pages.push(entries.map((entry) => Number(entry.id)));
        if (next === undefined) return pages;
        after = next;
      }
    }

    it('lists whole entries', async () => {
      await observe(7, {}, { home: 'alt', lastEventAt: undefined });
      const { entries, next } = await under.store.listDirectory(FIRST_PAGE);
      expect(entries).toEqual([{ id: id(7), values: VALUES, ...LISTING, home: 'alt', lastEventAt: undefined }]);
      expect(next).toBeUndefined();
    });

    it('orders by score, revenue, activity and id in both directions, equal ones by id', async () => {
      await observe(300, {}, { score: 70, revenueCents: 3, lastEventAt: 20 });
      await observe(2, {}, { score: 90, revenueCents: 2, lastEventAt: undefined });
      await observe(9, {}, { score: 70, revenueCents: Number.MAX_SAFE_INTEGER, lastEventAt: 30 });
      const orders = {
        score: [9, 300, 2],
        revenue: [2, 300, 9],
        activity: [2, 300, 9],
        id: [2, 9, 300],
      } as const;
      for (const [key, ascending] of Object.entries(orders)) {
        for (const limit of [1, 2, 3]) {
          const order = { key: key as keyof typeof orders, limit };
          expect([key, (await list({ ...order, isDescending: false })).flat()]).toEqual([key, ascending]);
          expect([key, (await list({ ...order, isDescending: true })).flat()]).toEqual([key, ascending.toReversed()]);
        }
      }
    });

    it.each(['score', 'revenue', 'activity', 'id'] as const)('lists the largest id in the order of %s', async (key) => {
      const most = Number.MAX_SAFE_INTEGER;
      await observe(MAX_MACHINE_ID, {}, { score: 100, revenueCents: most, lastEventAt: most });
      const { entries } = await under.store.listDirectory({ ...FIRST_PAGE, key });
      expect(entries.map((entry) => entry.id)).toEqual([MAX_MACHINE_ID]);
    });

    it('selects by any set of values of each facet, and by activity', async () => {
      await observe(1, { rating: 'AAA', kyb: 'expired' }, { lastEventAt: 500 });
      await observe(2, { rating: 'A', flag: 'in_force', bond: 'Grace', 'opt-in': 'OPTED_IN' }, { lastEventAt: 499 });
      await observe(3, { rating: 'NR', chip: 'verified' }, { home: 'alt', lastEventAt: undefined });
      const select = async (facets: DirectoryQuery['facets'], activeSince = 0) =>
        (await list({ key: 'id', isDescending: false, facets, activeSince })).flat();
      expect(await select({})).toEqual([1, 2, 3]);
      expect(await select({ rating: ['AAA', 'NR'] })).toEqual([1, 3]);
      expect(await select({ rating: ['AAA', 'NR'], home: ['alt'] })).toEqual([3]);
      expect(await select({ kyb: ['verified'] })).toEqual([2, 3]);
      expect(await select({ chip: ['verified'] })).toEqual([3]);
      expect(await select({ flag: ['in_force', 'ended'] })).toEqual([2]);
      expect(await select({ bond: ['Grace'] })).toEqual([2]);
      expect(await select({ 'opt-in': ['OPTED_IN'] })).toEqual([2]);
      expect(await select({ 'opt-in': ['OPTED_OUT'] })).toEqual([]);
      expect(await select({}, 500)).toEqual([1]);
    });

    it('selects the machines of an operator or of an owner', async () => {
      const wallet = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
      await observe(1);
      await observe(2, { operator: null });
      await observe(3, { owner: wallet });
      const ofHolder = async (holder: DirectoryQuery['holder'], limit: number) =>
        list({ key: 'id', isDescending: false, holder, limit });
      expect(await ofHolder({ kind: 'operator', address: OPERATOR }, 1)).toEqual([[1], [3]]);
      expect(await ofHolder({ kind: 'owner', account: OWNER }, 5)).toEqual([[1, 2]]);
      expect(await ofHolder({ kind: 'owner', account: wallet as Address }, 5)).toEqual([[3]]);
    });

    it('counts machines by facet as they are observed, change and disappear', async () => {
      await observe(1, { rating: 'AAA' });
      await observe(2, { rating: 'A' }, { home: 'alt' });
      await observe(1, { rating: 'A' });
      const { total, counts } = await under.store.readDirectorySummary();
      expect([total, counts.rating.AAA, counts.rating.A, counts.home]).toEqual([2, 0, 2, { main: 1, alt: 1 }]);
      const checkpoint = await under.store.readMainChainCheckpoint();
      const touched = { machines: [id(1)], kybOperators: [] };
      await under.store.advanceMainChain(checkpoint, checkpointAt(60), [], NO_OWNERSHIP, undefined, touched);
      const [machine] = await under.store.listDueMachines(0, 1);
      const gone = { machine: machine!, values: undefined, isAbsent: true, changes: [], dueAt: LATER };
      await under.store.writeObservations([gone]);
      expect(await under.store.writeObservations([gone])).toBe(0);
      const after = await under.store.readDirectorySummary();
      expect([after.total, after.counts.rating.A, after.counts.home]).toEqual([1, 1, { main: 0, alt: 1 }]);
      expect(await list()).toEqual([[2]]);
    });

    it('counts the machines that are not listed yet', async () => {
      await observe(1);
      const checkpoint = await under.store.readMainChainCheckpoint();
      const touched = { machines: [id(2), id(3)], kybOperators: [] };
      await under.store.advanceMainChain(checkpoint, checkpointAt(60), [], NO_OWNERSHIP, undefined, touched);
      expect((await under.store.listDirectory(FIRST_PAGE)).progress).toEqual({ unlisted: 2, openedAt: undefined });
      await under.store.openChanges(1_000);
      expect((await under.store.readDirectorySummary()).progress).toEqual({ unlisted: 2, openedAt: 1_000 });
    });
  });
}
