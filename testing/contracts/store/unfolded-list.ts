/** Contract of `listUnfolded`. */
import { describe, expect, test } from 'vitest';
import type { EventGeneration } from '../../../src/ports/main-chain.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { append, ratingStateOf, id, imported, listUnfoldedIds, ORDERED_IDS, repeat, submitted } from './samples.ts';

export function testUnfoldedList(under: StoreUnderTest): void {
  describe('unfolded machines', () => {
    test('are empty without logs', async () => {
      await append(under.store, imported(id(7)));
      expect(await under.store.listUnfolded('rates', 10)).toEqual([]);
    });

    test('are listed in order of id, with their count and epoch', async () => {
      const shuffled = [...ORDERED_IDS].reverse();
      await append(under.store, ...shuffled.map((machine) => submitted(machine)), imported(id(9)), submitted(id(9)));
      expect(await under.store.listUnfolded('rates', 100)).toEqual(
        ORDERED_IDS.map((machine) => ({
          generation: 'current',
          id: machine,
          count: 1,
          epoch: machine === 9n ? 1 : 0,
        })),
      );
    });

    test('are paged by limit, continuing after a machine of either generation', async () => {
      const generations: EventGeneration[] = ['current', 'legacy'];
      await append(
        under.store,
        ...generations.flatMap((generation) => [1, 2, 300].map((number) => submitted(id(number), { generation }))),
      );
      const pages: [bigint, EventGeneration][][] = [];
      let after: { generation: EventGeneration; id: ReturnType<typeof id> } | undefined;
      for (;;) {
        const page = await under.store.listUnfolded('rates', 4, after);
        if (page.length === 0) break;
        pages.push(page.map((machine) => [machine.id, machine.generation]));
        after = page.at(-1);
      }
      expect(pages).toEqual([
        [
          [1n, 'legacy'],
          [1n, 'current'],
          [2n, 'legacy'],
          [2n, 'current'],
        ],
        [
          [300n, 'legacy'],
          [300n, 'current'],
        ],
      ]);
    });

    test('leave the list when all their logs are folded and return with the next one', async () => {
      await append(under.store, ...repeat(3, submitted(id(7))), submitted(id(8)));
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 2)]);
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([7n, 8n]);
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 3)]);
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([8n]);
      await append(under.store, submitted(id(7)));
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([7n, 8n]);
    });

    test('exclude those whose rating state is ahead of the stored logs', async () => {
      await append(under.store, submitted(id(7)));
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 3)]);
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([]);
      await append(under.store, submitted(id(7)));
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([]);
      await append(under.store, ...repeat(2, submitted(id(7))));
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([7n]);
    });

    test('include those with logs after an import', async () => {
      await append(under.store, ...repeat(3, submitted(id(7))));
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 3)]);
      await append(under.store, imported(id(7)));
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([]);
      await append(under.store, submitted(id(7)));
      expect(await under.store.listUnfolded('rates', 10)).toEqual([
        { generation: 'current', id: 7n, count: 1, epoch: 1 },
      ]);
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 1, { epoch: 1 })]);
      expect(await listUnfoldedIds(under.store, 'rates')).toEqual([]);
    });

    test('include every machine under other rates, while the former rates stay folded', async () => {
      await append(under.store, submitted(id(7)), submitted(id(8)), submitted(id(9)));
      await under.store.writeRatingStates('old', [ratingStateOf(id(7), 1), ratingStateOf(id(8), 1)]);
      expect(await listUnfoldedIds(under.store, 'new')).toEqual([7n, 8n, 9n]);
      await under.store.writeRatingStates('new', [ratingStateOf(id(8), 1), ratingStateOf(id(9), 1)]);
      expect(await listUnfoldedIds(under.store, 'new')).toEqual([7n]);
      expect(await listUnfoldedIds(under.store, 'old')).toEqual([9n]);
    });

    test('are correct for any sequence of configurations', async () => {
      const machines = [1, 2, 3, 4].map(id);
      await append(under.store, ...machines.map((machine) => submitted(machine)));
      for (const [round, fingerprint] of ['a', 'b', 'c', 'd', 'c', 'e'].entries()) {
        const folded = machines[round % machines.length]!;
        const before = await listUnfoldedIds(under.store, fingerprint);
        await under.store.writeRatingStates(fingerprint, [ratingStateOf(folded, 1)]);
        expect(await listUnfoldedIds(under.store, fingerprint)).toEqual(before.filter((machine) => machine !== folded));
        for (const machine of machines) {
          const state = await under.store.readRatingState('current', machine, fingerprint);
          const isListed = (await listUnfoldedIds(under.store, fingerprint)).includes(machine);
          expect(state === undefined).toBe(isListed);
        }
      }
    });
  });
}
