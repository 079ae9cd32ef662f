/** Contract of `RatingStateStore`. */
import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from '../store-contract.ts';
import { append, ratingStateOf, id, imported, ORDERED_IDS, repeat, submitted } from './samples.ts';

export function testRatingStates(under: StoreUnderTest): void {
  describe('rating states', () => {
    const read = (fingerprint = 'rates', machine = id(7)) =>
      under.store.readRatingState('current', machine, fingerprint);

    test('are stored by machine, generation and rates', async () => {
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 3)]);
      expect(await read()).toEqual({ epoch: 0, nextSeq: 3, state: 'up to 3' });
      expect(await read('other')).toBeUndefined();
      expect(await read('rates', id(8))).toBeUndefined();
      expect(await under.store.readRatingState('legacy', id(7), 'rates')).toBeUndefined();
    });

    test('can be written as an empty list', async () => {
      await under.store.writeRatingStates('rates', []);
      expect(await read()).toBeUndefined();
    });

    test.each([
      ['further', true, { nextSeq: 4 }],
      ['equally far', true, { state: 'recomputed' }],
      ['of a later epoch', true, { epoch: 2, nextSeq: 0 }],
      ['behind', false, { nextSeq: 2 }],
      ['of an earlier epoch', false, { epoch: 0, nextSeq: 99 }],
    ])('are replaced by one that is %s: %s', async (_, isReplaced, parts) => {
      const stored = { epoch: 1, nextSeq: 3, state: 'stored' };
      const next = { ...stored, state: 'next', ...parts };
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 3, stored)]);
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 3, next), ratingStateOf(id(8), 1)]);
      const newest = isReplaced ? next : stored;
      await append(under.store, ...repeat(newest.epoch, imported(id(7))));
      expect(await read()).toEqual(newest);
      expect(await read('rates', id(8))).toEqual({ epoch: 0, nextSeq: 1, state: 'up to 1' });
    });

    test('written before an import are not read', async () => {
      await append(under.store, submitted(id(7)));
      await under.store.writeRatingStates('rates', [ratingStateOf(id(7), 1)]);
      expect(await read()).toEqual({ epoch: 0, nextSeq: 1, state: 'up to 1' });
      await append(under.store, imported(id(7)), submitted(id(7)));
      expect(await read()).toBeUndefined();
    });

    test('of different rates are independent', async () => {
      await under.store.writeRatingStates('old', [ratingStateOf(id(7), 30)]);
      await under.store.writeRatingStates('new', [ratingStateOf(id(7), 3)]);
      expect(await read('old')).toEqual({ epoch: 0, nextSeq: 30, state: 'up to 30' });
      expect(await read('new')).toEqual({ epoch: 0, nextSeq: 3, state: 'up to 3' });
    });

    test('are stored for the two configurations that wrote last', async () => {
      await under.store.writeRatingStates('a', [ratingStateOf(id(7), 1)]);
      await under.store.writeRatingStates('b', [ratingStateOf(id(7), 2)]);
      await under.store.writeRatingStates('a', [ratingStateOf(id(8), 1)]);
      await under.store.writeRatingStates('c', [ratingStateOf(id(8), 3)]);
      expect(await read('a')).toEqual({ epoch: 0, nextSeq: 1, state: 'up to 1' });
      expect(await read('b')).toBeUndefined();
      expect(await read('c')).toBeUndefined();
      await under.store.writeRatingStates('b', [ratingStateOf(id(8), 1)]);
      expect(await read('b')).toBeUndefined();
      expect(await read('a')).toBeUndefined();
      expect(await read('c', id(8))).toEqual({ epoch: 0, nextSeq: 3, state: 'up to 3' });
    });

    test('of one machine in one call end as the newest', async () => {
      await under.store.writeRatingStates('rates', [
        ratingStateOf(id(7), 2),
        ratingStateOf(id(7), 5),
        ratingStateOf(id(7), 3),
      ]);
      expect(await read()).toEqual({ epoch: 0, nextSeq: 5, state: 'up to 5' });
    });

    test('can be large, contain any text, and be written in batches', async () => {
      const state = `${'x'.repeat(32_768)}"'\\{},\n\u00e9\u{1f600}NULL`;
      await under.store.writeRatingStates(
        'rates',
        ORDERED_IDS.map((machine) => ratingStateOf(machine, 1, { state })),
      );
      for (const machine of ORDERED_IDS) expect((await read('rates', machine))?.state).toBe(state);
    });

    test('written concurrently by two stores end as the newest', async () => {
      const other = await under.openAnother();
      await Promise.all(
        [5, 1, 9, 3, 7].map((nextSeq, index) =>
          (index % 2 === 0 ? under.store : other).writeRatingStates('rates', [
            ratingStateOf(id(7), nextSeq),
            ratingStateOf(id(8), nextSeq),
          ]),
        ),
      );
      expect((await read())?.nextSeq).toBe(9);
      expect((await read('rates', id(8)))?.nextSeq).toBe(9);
    });
  });
}
