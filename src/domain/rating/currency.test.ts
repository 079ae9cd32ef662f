import { describe, expect, it } from 'vitest';

import { currencyDecimals, isCurrencyCode } from './currency.ts';

describe('isCurrencyCode', () => {
  it.each(['USD', 'AB1', '123', 'ABCDEFGHIJ'])('accepts %j', (text) => {
    expect(isCurrencyCode(text)).toBe(true);
  });

  it.each(['', 'AB', 'ABCDEFGHIJK', 'usd', 'US$', 'USD\n', '\nUSD', ' USD', 'ÄÖÜ', 'USD\nEUR'])(
    'rejects %j',
    (text) => {
      expect(isCurrencyCode(text)).toBe(false);
    },
  );
});

describe('currencyDecimals', () => {
  it.each([
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
    [2, 'USD EUR HKD RUB ZZZ'],
    [3, 'BHD IQD JOD KWD LYD OMR TND'],
    [4, 'CLF UYW'],
  ])('returns %i for %s', (decimals, codes) => {
    for (const code of codes.split(' ')) expect(currencyDecimals(code), code).toBe(decimals);
  });
});
