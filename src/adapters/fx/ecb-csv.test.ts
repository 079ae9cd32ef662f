/** Tests parsing of the ECB reference file in CSV. */
import { describe, expect, it } from 'vitest';

import { parseDay } from '../../domain/rating/utc-day.ts';
import { parseEcbCsv } from './ecb-csv.ts';
import { FeedMalformed } from './euro-quotes.ts';

const HISTORY = 'Date,USD,JPY,CYP,\n2026-02-27,1.0925,158.14,N/A,\n2026-02-26,1.0900,157,0.58,\n';

describe('parseEcbCsv', () => {
  it('parses the history file: newest first, N/A cells, trailing commas', () => {
    expect(parseEcbCsv(HISTORY)).toStrictEqual([
      {
        day: parseDay('2026-02-27'),
        quotes: new Map([
          ['USD', { units: 10_925n, scale: 10_000n }],
          ['JPY', { units: 15_814n, scale: 100n }],
        ]),
      },
      {
        day: parseDay('2026-02-26'),
        quotes: new Map([
          ['USD', { units: 10_900n, scale: 10_000n }],
          ['JPY', { units: 157n, scale: 1n }],
          ['CYP', { units: 58n, scale: 100n }],
        ]),
      },
    ]);
  });

  it('parses the daily file: spaces, a long date, CRLF', () => {
    expect(parseEcbCsv('Date, USD, JPY, \r\n05 January 2026, 1.1, 158, \r\n')).toStrictEqual([
      {
        day: parseDay('2026-01-05'),
        quotes: new Map([
          ['USD', { units: 11n, scale: 10n }],
          ['JPY', { units: 158n, scale: 1n }],
        ]),
      },
    ]);
  });

  it.each([
    ['an empty file', '', 'line 1'],
    ['HTML', '<html>', 'line 1'],
    ['a header without dates', 'Day,USD\n2026-02-27,1.1\n', 'line 1'],
    ['no USD column', 'Date,JPY\n2026-02-27,158\n', 'line 1'],
    ['the base among the quotes', 'Date,USD,EUR\n2026-02-27,1.1,1\n', 'line 1'],
    ['a repeated column', 'Date,USD,USD\n2026-02-27,1.1,1.2\n', 'line 1'],
    ['a column without a name', 'Date,USD,,JPY\n2026-02-27,1.1,1,1\n', 'line 1'],
    ['an invalid currency code', 'Date,USD,Yen\n2026-02-27,1.1,158\n', 'line 1'],
    ['a truncated line', 'Date,USD,JPY\n2026-02-27,1.1,158\n2026-02-26,1.1', 'line 3'],
    ['an extra cell', 'Date,USD\n2026-02-27,1.1,158\n', 'line 2'],
    ['a day that does not exist', 'Date,USD\n2026-02-29,1.1\n', 'line 2'],
    ['a month that does not exist', 'Date,USD\n05 Jan 2026,1.1\n', 'line 2'],
    ['an empty line inside', 'Date,USD\n2026-02-27,1.1\n\n2026-02-26,1.1\n', 'line 3'],
    ['zero', 'Date,USD\n2026-02-27,0.000\n', 'line 2'],
    ['a negative rate', 'Date,USD\n2026-02-27,-1.1\n', 'line 2'],
    ['NaN', 'Date,USD\n2026-02-27,NaN\n', 'line 2'],
    ['an exponent', 'Date,USD\n2026-02-27,1e3\n', 'line 2'],
    ['a decimal comma in quotes', 'Date,USD\n2026-02-27,"1.1"\n', 'line 2'],
    ['too many digits', `Date,USD\n2026-02-27,${'9'.repeat(19)}\n`, 'line 2'],
  ])('rejects %s', (_, text, place) => {
    expect(() => parseEcbCsv(text)).toThrow(new FeedMalformed(place));
  });
});
