/** Tests parsing of the tokens file and its problem reports. */
import { describe, expect, it } from 'vitest';

import { parseDay } from '../../domain/rating/utc-day.ts';
import { parseTokens, readTokensFile } from './tokens-file.ts';

const parse = (value: unknown, hasFeed = true): unknown => parseTokens(JSON.stringify(value), hasFeed);

describe('parseTokens', () => {
  it('parses a token of the feed, one with a fixed rate and one with a series', () => {
    const text = [
      { symbol: 'TKN', decimals: 6 },
      { symbol: 'FIX', decimals: 18, usd_rate: '1.5' },
      {
        symbol: 'SER',
        decimals: 0,
        rates: [
          ['2026-01-06', '0.000000000001'],
          ['2026-01-05', '2'],
        ],
      },
    ];
    expect(parse(text)).toStrictEqual({
      tokens: [
        { symbol: 'TKN', decimals: 6, fixedRate: undefined, rates: undefined },
        { symbol: 'FIX', decimals: 18, fixedRate: 1_500_000_000_000n, rates: undefined },
        {
          symbol: 'SER',
          decimals: 0,
          fixedRate: undefined,
          rates: [
            [parseDay('2026-01-05'), 2_000_000_000_000n],
            [parseDay('2026-01-06'), 1n],
          ],
        },
      ],
    });
  });

  it('reports every problem with its place', () => {
    const text = [
      'TKN',
      { symbol: 'usd', decimals: 1.5, secret: 1 },
      { symbol: 'USD', decimals: 256 },
      { symbol: 'TWO', decimals: 2, usd_rate: '1', rates: [['2026-01-05', '1']] },
      { symbol: 'TWO', decimals: -1, usd_rate: 1 },
      { symbol: 'BAD', decimals: 2, usd_rate: '0.0000000000001' },
      {
        symbol: 'SER',
        decimals: 2,
        rates: [['2026-02-30', '1'], ['2026-01-05', '0'], ['2026-01-05', '1'], 'x'],
      },
      { symbol: 'NIL', decimals: 2, rates: [] },
    ];
    const rate = 'must be a positive decimal text with at most 12 places';
    expect(parse(text)).toStrictEqual({
      problems: [
        'TOKENS_FILE[0]: must be an object',
        'TOKENS_FILE[1]: has members besides symbol, decimals, usd_rate, rates',
        'TOKENS_FILE[1].symbol: must be 3 to 10 of A-Z and 0-9, and not USD',
        'TOKENS_FILE[1].decimals: must be a whole number from 0 to 255',
        'TOKENS_FILE[2].symbol: must be 3 to 10 of A-Z and 0-9, and not USD',
        'TOKENS_FILE[2].decimals: must be a whole number from 0 to 255',
        'TOKENS_FILE[3]: has both usd_rate and rates',
        'TOKENS_FILE[4].decimals: must be a whole number from 0 to 255',
        `TOKENS_FILE[4].usd_rate: ${rate}`,
        `TOKENS_FILE[5].usd_rate: ${rate}`,
        'TOKENS_FILE[6].rates[0]: must begin with a day, YYYY-MM-DD',
        `TOKENS_FILE[6].rates[1]: ${rate}`,
        'TOKENS_FILE[6].rates[3]: must begin with a day, YYYY-MM-DD',
        `TOKENS_FILE[6].rates[3]: ${rate}`,
        'TOKENS_FILE[6].rates: has a repeated day',
        'TOKENS_FILE[7].rates: must be an array of [day, rate], and not empty',
        'TOKENS_FILE[4].symbol: is repeated',
      ],
    });
  });

  it('rejects a series without a feed', () => {
    expect(parse([{ symbol: 'SER', decimals: 2, rates: [['2026-01-05', '1']] }], false)).toStrictEqual({
      problems: ['TOKENS_FILE[0].rates: needs FX_SOURCE'],
    });
  });

  it.each(['', '{}', 'null', '[', '"[]"'])('rejects text that is not an array: %j', (text) => {
    expect(parseTokens(text, true)).toStrictEqual({ problems: ['TOKENS_FILE: must be a JSON array'] });
  });

  it('reports one problem when the file cannot be read', async () => {
    expect(await readTokensFile('/nowhere/secret-name.json', true)).toStrictEqual({
      problems: ['TOKENS_FILE: cannot be read: it does not exist'],
    });
  });
});
