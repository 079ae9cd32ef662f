/** Unit tests of the parser and type test of plain JSON values. */
import { expect, test } from 'vitest';
import { isObject, parseJson } from './json-values.ts';

test.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['{', undefined],
  ['', undefined],
])('parseJson parses JSON and returns undefined for other text: %s', (text, expected) => {
  expect(parseJson(text)).toStrictEqual(expected);
});

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['{}', false],
  [1, false],
  [() => undefined, false],
])('isObject accepts JSON objects only: %s', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
