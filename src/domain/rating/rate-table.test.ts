import { describe, expect, it } from 'vitest';

import { createRateTable, extendRateTable, findRateBefore } from './rate-table.ts';

const rowsOf = (currency: string, days: readonly number[]) =>
  days.map((day) => ({ currency, day, rate: BigInt(day) * 10n }));

describe('findRateBefore', () => {
  const table = extendRateTable(createRateTable(true), rowsOf('EUR', [130, 100, 101, 110]), 200);

  it.each([
    ['nothing on the day of the first rate', 100, undefined],
    ['the first rate on the next day', 101, 1_000n],
    ['nothing on a day whose only recent rate is its own', 110, undefined],
    ['the newest of two rates', 102, 1_010n],
    ['a rate seven days old', 108, 1_010n],
    ['no rate eight days old', 109, undefined],
    ['a rate four days old', 114, 1_100n],
    ['the last rate seven days later', 137, 1_300n],
    ['nothing eight days after the last rate', 138, undefined],
    ['nothing before the first rate', 3, undefined],
  ])('finds %s', (_, day, rate) => {
    expect(findRateBefore(table, 'EUR', day)).toBe(rate);
  });

  it('returns undefined for a currency without rates', () => {
    expect(findRateBefore(table, 'JPY', 101)).toBeUndefined();
  });
});

describe('extendRateTable', () => {
  it('adds rates in order without modifying the previous table', () => {
    const before = extendRateTable(createRateTable(true), rowsOf('EUR', [100]), 100);
    const after = extendRateTable(before, [...rowsOf('EUR', [102, 101]), ...rowsOf('JPY', [101])], 102);
    expect(after.throughDay).toBe(102);
    expect(Object.fromEntries(after.series)).toStrictEqual({
      EUR: { days: [100, 101, 102], rates: [1_000n, 1_010n, 1_020n] },
      JPY: { days: [101], rates: [1_010n] },
    });
    expect(Object.fromEntries(before.series)).toStrictEqual({ EUR: { days: [100], rates: [1_000n] } });
  });

  it('never changes an existing rate', () => {
    const before = extendRateTable(createRateTable(true), rowsOf('EUR', [100]), 100);
    const after = extendRateTable(before, [{ currency: 'EUR', day: 100, rate: 1n }], 101);
    expect(after.series).toStrictEqual(before.series);
  });
});
