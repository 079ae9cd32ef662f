import { expect, it } from 'vitest';
import { nameFailure } from './database-failure.ts';

it.each([
  ['57P01', '57P01'],
  ['SQLITE_FULL', 'SQLITE_FULL'],
  ['ECONNRESET', 'ECONNRESET'],
  ['EPIPE', 'ECONNRESET'],
  ['a text of the driver', 'UNKNOWN'],
  [undefined, 'UNKNOWN'],
])('names an error with the code %s %s', (code, name) => {
  expect(nameFailure({ code })).toBe(name);
});

it.each([
  ['Query read timeout', 'ETIMEDOUT'],
  ['Connection terminated unexpectedly', 'UNKNOWN'],
])('names the error "%s" without a code %s', (text, name) => {
  expect(nameFailure(new Error(text))).toBe(name);
});
