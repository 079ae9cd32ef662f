import { expect, test } from 'vitest';
import { parseUntrustedObject } from '../../domain/json/untrusted-json.ts';
import { matchesEntityTag } from './entity-tag.ts';
import { encodeJson } from './json-encoding.ts';

test('encodes a bigint with every digit', () => {
  expect(encodeJson({ value: 2n ** 256n - 1n, list: [9007199254740993n] }).text).toBe(
    '{"value":115792089237316195423570985008687907853269984665640564039457584007913129639935,"list":[9007199254740993]}',
  );
});

test('throws on numbers that JSON cannot represent', () => {
  expect(() => encodeJson({ value: NaN })).toThrow(RangeError);
  expect(() => encodeJson([Infinity])).toThrow(RangeError);
});

test('preserves any string', () => {
  const { text, byteLength } = encodeJson({ value: 'é\ud800"\\\u2028</script>' });
  expect(JSON.parse(text)).toEqual({ value: 'é\ud800"\\\u2028</script>' });
  expect(byteLength).toBe(Buffer.byteLength(text));
  expect(byteLength).toBeGreaterThan(text.length);
});

test('gives equal texts equal tags and other texts other tags', () => {
  expect(encodeJson({ a: 1 }).etag).toBe(encodeJson({ a: 1n }).etag);
  expect(encodeJson({ a: 1 }).etag).not.toBe(encodeJson({ a: 2 }).etag);
  expect(encodeJson({ a: 1 }).etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
});

test('preserves the digits of third-party numbers', () => {
  const text = '{"numbers":[9007199254740993,1e21,1e+21,-0,1.10,9007199254740992]}';
  expect(encodeJson({ metadata: parseUntrustedObject(Buffer.from(text)) }).text).toBe(`{"metadata":${text}}`);
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['*', true],
  [' * ', true],
  ['"b", "a"', true],
  ['"b",W/"a" ,"c"', true],
  ['"x,y", "a"', true],
  ['"A"', false],
  ['a', false],
  ['"b"', false],
  ['', false],
  ['"a', false],
  ['"x"a"', false],
])('matches If-None-Match %s against "a": %s', (condition, expected) => {
  expect(matchesEntityTag(condition, '"a"')).toBe(expected);
});
