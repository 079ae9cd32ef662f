/** Contract of `FxStore`. */
import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from '../store-contract.ts';

const rate = (currency: string, day: number, value: bigint | number) => ({ currency, day, rate: BigInt(value) });

export function testFxRates(under: StoreUnderTest): void {
  describe('exchange rates', () => {
    test('are empty at first', async () => {
      expect(await under.store.loadRates()).toEqual({ rows: [], throughDay: undefined });
    });

    test('are returned by currency and day, of any size', async () => {
      const rows = [rate('CHF', 20_000, 1), rate('EUR', 9, 10n ** 30n), rate('EUR', 20_000, 2n ** 64n)];
      await under.store.appendRates([rows[2]!, rows[0]!, rows[1]!], 20_001);
      expect(await under.store.loadRates()).toEqual({ rows, throughDay: 20_001 });
    });

    test('can cover days without a rate', async () => {
      await under.store.appendRates([], 20_000);
      expect(await under.store.loadRates()).toEqual({ rows: [], throughDay: 20_000 });
    });

    test('of covered days are never changed or added', async () => {
      await under.store.appendRates([rate('EUR', 100, 1)], 101);
      await under.store.appendRates([rate('EUR', 100, 9), rate('CHF', 101, 9), rate('EUR', 102, 2)], 103);
      expect(await under.store.loadRates()).toEqual({
        rows: [rate('EUR', 100, 1), rate('EUR', 102, 2)],
        throughDay: 103,
      });
    });

    test('have a coverage that never moves back', async () => {
      await under.store.appendRates([rate('EUR', 100, 1)], 101);
      await under.store.appendRates([rate('EUR', 99, 9)], 100);
      expect(await under.store.loadRates()).toEqual({ rows: [rate('EUR', 100, 1)], throughDay: 101 });
    });

    test('beyond the coverage can be corrected', async () => {
      await under.store.appendRates([rate('EUR', 103, 1)], 101);
      await under.store.appendRates([rate('EUR', 103, 2)], 103);
      await under.store.appendRates([rate('EUR', 103, 3)], 104);
      expect(await under.store.loadRates()).toEqual({ rows: [rate('EUR', 103, 2)], throughDay: 104 });
    });

    test('repeated in one call end as the last one', async () => {
      await under.store.appendRates([rate('EUR', 100, 1), rate('EUR', 100, 2)], 101);
      expect((await under.store.loadRates()).rows).toEqual([rate('EUR', 100, 2)]);
    });

    test('of two replicas that refresh at once are those of one of them', async () => {
      const other = await under.openAnother();
      await Promise.all([
        under.store.appendRates([rate('EUR', 100, 1), rate('CHF', 100, 1)], 101),
        other.appendRates([rate('EUR', 100, 2), rate('CHF', 100, 2)], 101),
      ]);
      const { rows, throughDay } = await under.store.loadRates();
      expect(throughDay).toBe(101);
      expect(new Set(rows.map((row) => row.rate)).size).toBe(1);
    });
  });
}
