import { describe, expect, it } from 'vitest';

import { convertAmount, viewAmount } from './amount.ts';
import { NO_FEED, noonOf, TODAY } from '../../../testing/fixtures/rating-events.ts';
import { createRateTable, extendRateTable } from './rate-table.ts';

const TOKENS = new Map([
  ['FIX', { decimals: 18, fixedRate: 1_500_000_000_000n }],
  ['TKN', { decimals: 6 }],
  ['JPY', { decimals: 6 }],
]);
const ONE_USD = 10n ** 12n;

/** A table in which EUR, KWD, UYW, JPY and TKN have a rate of one dollar on the day before `TODAY`. */
function tableThrough(throughDay: number, tokens = TOKENS) {
  const rows = ['EUR', 'KWD', 'UYW', 'JPY', 'TKN'].map((currency) => ({ currency, day: TODAY - 1, rate: ONE_USD }));
  return extendRateTable(createRateTable(true, new Map(tokens)), rows, throughDay);
}

const TABLE = tableThrough(TODAY);
const MAX = 2n ** 256n - 1n;

function at(currency: string, value: bigint, day = TODAY) {
  return { currency, value, timestamp: BigInt(noonOf(day)), blockTimestamp: noonOf(day) };
}

describe('convertAmount', () => {
  it.each([
    ['USD', 1_234n, 1_234],
    ['EUR', 1_234n, 1_234],
    ['KWD', 1_239n, 123],
    ['UYW', 12_399n, 123],
    ['TKN', 1_239_999n, 123],
    ['FIX', 10n ** 18n, 150],
    ['FIX', 10n ** 16n - 1n, 1],
  ])('converts %s %d to %d cents, rounding down', (currency, value, cents) => {
    expect(convertAmount(at(currency, value), TABLE)).toStrictEqual({ status: 'ok', cents });
  });

  it("uses a token's own decimals even when it is named like a currency", () => {
    expect(convertAmount(at('JPY', 1_000_000n), TABLE)).toStrictEqual({ status: 'ok', cents: 100 });
    const withoutTokens = tableThrough(TODAY, new Map());
    expect(convertAmount(at('JPY', 1n), withoutTokens)).toStrictEqual({ status: 'ok', cents: 100 });
  });

  it.each(['USD', 'EUR', 'FIX'])('caps %s at USD 10 million', (currency) => {
    expect(convertAmount(at(currency, MAX), TABLE)).toStrictEqual({ status: 'ok', cents: 1_000_000_000 });
  });

  it('caps exactly above the maximum', () => {
    const centsOf = (value: bigint) => convertAmount(at('USD', value), NO_FEED);
    expect(centsOf(999_999_999n)).toStrictEqual({ status: 'ok', cents: 999_999_999 });
    expect(centsOf(1_000_000_000n)).toStrictEqual({ status: 'ok', cents: 1_000_000_000 });
    expect(centsOf(1_000_000_001n)).toStrictEqual({ status: 'ok', cents: 1_000_000_000 });
  });

  it('converts only USD and fixed-rate tokens without a feed', () => {
    const table = createRateTable(false, TOKENS);
    expect(convertAmount(at('USD', 100n), table)).toStrictEqual({ status: 'ok', cents: 100 });
    expect(convertAmount(at('FIX', 10n ** 18n), table)).toStrictEqual({ status: 'ok', cents: 150 });
    expect(convertAmount(at('EUR', 100n), table)).toStrictEqual({ status: 'fx_unavailable', isPending: false });
  });

  it('returns a pending amount until the table is complete up to the day before', () => {
    const pending = { status: 'fx_unavailable', isPending: true };
    expect(convertAmount(at('EUR', 100n), tableThrough(TODAY - 2))).toStrictEqual(pending);
    expect(convertAmount(at('JUNK', 100n), tableThrough(TODAY - 2))).toStrictEqual(pending);
    expect(convertAmount(at('EUR', 100n), tableThrough(TODAY - 1))).toStrictEqual({ status: 'ok', cents: 100 });
    expect(convertAmount(at('JUNK', 100n), tableThrough(TODAY - 1))).toStrictEqual({ status: 'unsupported_currency' });
  });

  it('returns unsupported_currency when the last rate is more than 7 days old', () => {
    const table = tableThrough(TODAY + 30);
    expect(convertAmount(at('EUR', 100n, TODAY + 6), table)).toStrictEqual({ status: 'ok', cents: 100 });
    expect(convertAmount(at('EUR', 100n, TODAY + 7), table)).toStrictEqual({ status: 'unsupported_currency' });
    expect(convertAmount(at('EUR', 100n, TODAY - 1), table)).toStrictEqual({ status: 'unsupported_currency' });
  });
});

describe('viewAmount', () => {
  it.each([
    ['USD', { status: 'ok', usdCents: 1_000, originSubunit: 100n }],
    ['KWD', { status: 'ok', usdCents: 100, originSubunit: 1_000n }],
    ['FIX', { status: 'ok', usdCents: 0, originSubunit: 10n ** 18n }],
    ['JUNK', { status: 'unsupported_currency', usdCents: null, originSubunit: null }],
  ])('describes 1000 minor units of %s', (currency, view) => {
    expect(viewAmount(at(currency, 1_000n), TABLE)).toStrictEqual(view);
  });

  it('returns the minor units of an amount without a rate', () => {
    expect(viewAmount(at('KWD', 1_000n), NO_FEED)).toStrictEqual({
      status: 'fx_unavailable',
      usdCents: null,
      originSubunit: 1_000n,
    });
  });
});
