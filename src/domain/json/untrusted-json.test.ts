import { describe, expect, it } from 'vitest';
import { parseUntrustedObject } from './untrusted-json.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('an untrusted JSON object', () => {
  it.each([
    '{"a":[1,"x",null,true]}',
    '{"id":9007199254740993}',
    '{"big":1e400,"small":-0.10000000000000000001}',
    '{"money":5.00}',
    '{"__proto__":{"polluted":true}}',
  ])('keeps its notation: %s', (text) => {
    expect(JSON.stringify(parseUntrustedObject(bytes(text)))).toBe(text);
  });

  it.each([
    ['an array', bytes('[1]')],
    ['null', bytes('null')],
    ['a number', bytes('5')],
    ['nothing', bytes('')],
    ['broken JSON', bytes('{"a":')],
    ['a byte-order mark', bytes('\ufeff{}')],
    ['invalid UTF-8', Buffer.from('7b22ff223a317d', 'hex')],
    ['a nesting of 33 objects', bytes(nested(33))],
    ['a nesting of 33 objects beside less', bytes(`{"flat":1,"deep":${nested(32)}}`)],
    ['a nesting of 30,000 objects', bytes(nested(30_000))],
    ['a nesting of 30,000 arrays', bytes(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)],
  ])('is rejected: %s', (_name, value) => {
    expect(parseUntrustedObject(value)).toBeUndefined();
  });

  it('nests up to 32 objects', () => {
    expect(JSON.stringify(parseUntrustedObject(bytes(nested(32))))).toBe(nested(32));
  });
});
