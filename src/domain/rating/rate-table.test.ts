import { describe, expect, it } from 'vitest';

import { createRateTable, extendRateTable, findRateBefore } from './rate-table.ts';

const rowsOf = (currency: string, days: readonly number[]) =>
  days.map((day) => ({ currency, day, rate: BigInt(day) * 10n }));

describe('findRateBefore', () => {
  const table = extendRateTable(createRateTable(true), rowsOf('EUR', [130, 100, 101, 110]), 200);

  it.each([
    ['the day of the first rate itself', 100, undefined],
    ['the day after it', 101, 1_000n],
    ['a day with a rate of its own, which is not used', 110, undefined],
    ['the newest of two', 102, 1_010n],
    ['seven days after', 108, 1_010n],
    ['eight days after', 109, undefined],
    ['a day between', 114, 1_100n],
    ['seven days after the last', 137, 1_300n],
    ['eight days after the last', 138, undefined],
    ['a day before all', 3, undefined],
  ])('on %s', (_, day, rate) => {
    expect(findRateBefore(table, 'EUR', day)).toBe(rate);
  });

  it('knows nothing of a currency without rates', () => {
    expect(findRateBefore(table, 'JPY', 101)).toBeUndefined();
  });
});

describe('extendRateTable', () => {
  it('adds rates in order, and leaves the table before as it was', () => {
    const before = extendRateTable(createRateTable(true), rowsOf('EUR', [100]), 100);
    const after = extendRateTable(before, [...rowsOf('EUR', [102, 101]), ...rowsOf('JPY', [101])], 102);
    expect(after.throughDay).toBe(102);
    expect(Object.fromEntries(after.series)).toStrictEqual({
      EUR: { days: [100, 101, 102], rates: [1_000n, 1_010n, 1_020n] },
      JPY: { days: [101], rates: [1_010n] },
    });
    expect(Object.fromEntries(before.series)).toStrictEqual({ EUR: { days: [100], rates: [1_000n] } });
  });

  it('never changes a rate', () => {
    const before = extendRateTable(createRateTable(true), rowsOf('EUR', [100]), 100);
    const after = extendRateTable(before, [{ currency: 'EUR', day: 100, rate: 1n }], 101);
    expect(after.series).toStrictEqual(before.series);
  });
});
