/** Rate files of the replay: the ECB history and TOKENS_FILE, valid and malformed. */
import { describe, expect, it } from 'vitest';
import { buildRateTable, MalformedRates, parseEcbHistory, parseTokens } from './rates.ts';

const CSV = [
  'Date, USD, JPY, GBP, RUB, ',
  '2026-02-27, 1.0835, 161.5, 0.8, N/A, ',
  '2026-02-26, 1.08, 160.00, 0.81234, 90, ',
  '2026-02-25, N/A, 160.00, 0.8, 90, ',
].join('\r\n');

describe('parseEcbHistory', () => {
  it('converts to USD, rounded down once, oldest first', () => {
    expect(parseEcbHistory(CSV)).toStrictEqual({
      EUR: [
        ['2026-02-26', '1080000000000'],
        ['2026-02-27', '1083500000000'],
      ],
      JPY: [
        // 1.08 / 160 and 1.0835 / 161.5 = 0.006708978328…
        ['2026-02-26', '6750000000'],
        ['2026-02-27', '6708978328'],
      ],
      GBP: [
        // 1.08 / 0.81234 = 1.329492576999…; 1.0835 / 0.8 = 1.354375
        ['2026-02-26', '1329492576999'],
        ['2026-02-27', '1354375000000'],
      ],
      RUB: [['2026-02-26', '12000000000']],
    });
  });

  it('accepts a byte order mark, no spaces and an empty last line', () => {
    expect(parseEcbHistory('\uFEFFDate,USD,\n2026-02-27,1.5,\n\n')).toStrictEqual({
      EUR: [['2026-02-27', '1500000000000']],
    });
  });

  it('omits a rate that rounds down to zero', () => {
    expect(parseEcbHistory('Date,USD,ZWL\n2026-02-27,1,1000000000001\n')).toStrictEqual({
      EUR: [['2026-02-27', '1000000000000']],
    });
  });

  it.each([
    ['a missing date column', 'Day,USD\n'],
    ['a missing USD column', 'Date,JPY\n'],
    ['a column twice', 'Date,USD,JPY,JPY\n'],
    ['another date format', 'Date,USD\n27 February 2026,1.08\n'],
    ['a date that does not exist', 'Date,USD\n2026-13-01,1.08\n'],
    ['a date twice', 'Date,USD\n2026-02-27,1.08\n2026-02-27,1.09\n'],
    ['a word in a cell', 'Date,USD\n2026-02-27,abc\n'],
    ['a negative rate', 'Date,USD\n2026-02-27,-1\n'],
    ['a zero rate', 'Date,USD,JPY\n2026-02-27,1,0\n'],
    ['an empty file', ''],
  ])('rejects %s', (_name, csv) => {
    expect(() => parseEcbHistory(csv)).toThrow(MalformedRates);
  });
});

describe('parseTokens', () => {
  it('returns decimals and fixed rates', () => {
    const json = JSON.stringify([
      { symbol: 'FIX', decimals: 18, usd_rate: '1.5' },
      { symbol: 'NUM', decimals: 0, usd_rate: 0.25 },
      { symbol: 'TKN', decimals: 6 },
    ]);
    expect(parseTokens(json)).toStrictEqual({
      tokens: { FIX: 18, NUM: 0, TKN: 6 },
      fixed: { FIX: '1500000000000', NUM: '250000000000' },
    });
  });

  it.each([
    ['invalid JSON', '['],
    ['an object instead of an array', '{}'],
    ['an element that is not an object', '[1]'],
    ['a lower-case symbol', '[{"symbol":"abc","decimals":1}]'],
    ['missing decimals', '[{"symbol":"ABC"}]'],
    ['a fraction of decimals', '[{"symbol":"ABC","decimals":1.5}]'],
    ['a symbol twice', '[{"symbol":"ABC","decimals":1},{"symbol":"ABC","decimals":1}]'],
    ['a rate of zero', '[{"symbol":"ABC","decimals":1,"usd_rate":"0"}]'],
    ['a rate that is no decimal', '[{"symbol":"ABC","decimals":1,"usd_rate":"1e3"}]'],
    ['a rate of another type', '[{"symbol":"ABC","decimals":1,"usd_rate":true}]'],
  ])('rejects %s', (_name, json) => {
    expect(() => parseTokens(json)).toThrow(MalformedRates);
  });
});

describe('buildRateTable', () => {
  it('returns no feed without a file', () => {
    expect(buildRateTable({})).toStrictEqual({ feed: false, through: '1970-01-01', tokens: {}, fixed: {}, rates: {} });
  });

  it('covers days through the newest date of the file by default', () => {
    expect(buildRateTable({ ecbCsv: CSV }).through).toBe('2026-02-27');
    expect(buildRateTable({ ecbCsv: CSV, through: '2026-03-01' }).through).toBe('2026-03-01');
  });
});
