/** Parsing of `Retry-After`. */
import { expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 500);

test.each<[string | string[] | undefined, number | undefined]>([
  ['7', 7],
  ['0', 0],
  ['Fri, 02 Jan 2026 03:04:10 GMT', 5],
  ['Fri, 02 Jan 2026 03:00:00 GMT', 0],
  ['Fri, 99 Jan 2026 03:00:00 GMT', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['12345678', undefined],
  ['soon', undefined],
  ['2026', 2026],
  ['2026-01-02', undefined],
  [undefined, undefined],
  [['7', '8'], undefined],
])('%j is %s seconds', (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});
