/** Formatting of values for people, untrusted text included. */
import { expect, it } from 'vitest';
import { formatAmount, formatDuration, formatPoints, prettyPrintJson, shorten, toPlainText } from './formats.ts';

it('indents JSON, keeps every digit, and escapes characters that alter the display', () => {
  const text = '{"id":12345678901234567890,"a":[],"o":{},"l":[1,{"x":null}],"s":"a, {b}: \\"c\\" \u202E"}';
  const laidOut = prettyPrintJson(text);
  expect(laidOut).toBe(
    [
      '{',
      '  "id": 12345678901234567890,',
      '  "a": [],',
      '  "o": {},',
      '  "l": [',
      '    1,',
      '    {',
      '      "x": null',
      '    }',
      '  ],',
      '  "s": "a, {b}: \\"c\\" \\u202e"',
      '}',
    ].join('\n'),
  );
  expect(JSON.parse(laidOut)).toEqual(JSON.parse(text));
});

it.each([
  ['plain <b>', 'plain <b>'],
  ['\u202Etxt.exe\u0000', '[U+202E]txt.exe[U+0000]'],
  ['\uD800 and \u{E000}', '[U+D800] and [U+E000]'],
  [{ a: ['\u2066'] }, '{"a":["[U+2066]"]}'],
  [undefined, ''],
  ['x'.repeat(3_000), `${'x'.repeat(2_048)}…`],
])('shows invisible characters of %j by their code points', (value, shown) => {
  expect(toPlainText(value)).toBe(shown);
});

it.each([
  [8000, 'EUR', 100, '80.00 EUR'],
  [123456, 'JPY', 1, '123,456 JPY'],
  [1500000, 'USDC', 1_000_000, '1.50 USDC'],
  [700, 'ZZZ', null, '700 ZZZ'],
  [2 ** 60, 'EUR', 100, 'more than 9,007,199,254,740,991 EUR'],
])('formats %d %s with subunit %s as %s', (value, currency, subunit, text) => {
  expect(formatAmount(value, currency, subunit)).toBe(text);
});

it.each([
  [0, '0 seconds'],
  [-5, '0 seconds'],
  [1, '1 second'],
  [59.9, '59 seconds'],
  [60, '1 minute'],
  [7_200, '2 hours'],
  [86_400 * 40, '1 month'],
])('formats %d seconds as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

it('shows no points but 0 as 0', () => {
  expect([0, 1, 9, 10, 725, 3_000].map(formatPoints)).toEqual(['0', '0.01', '0.09', '0.1', '7.3', '30']);
});

it('omits the middle of long ids', () => {
  expect([shorten('1234567890123'), shorten('12345678901234')]).toEqual(['1234567890123', '123456…901234']);
  expect(shorten('𠞹'.repeat(9), 2)).toBe('𠞹𠞹…𠞹𠞹');
});
