/** Limits of JSON from nodes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_JSON_DEPTH, parseNodeJson } from './node-json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const members = (count: number, first = 0) =>
  `{${Array.from({ length: count }, (_, i) => `"${first + i}":${i}`).join()}}`;

/** Returns the CPU time of parsing 4 MiB of names that differ at their start or at their end only. */
function measureLongNames(differsAt: 'start' | 'end'): number {
  const rest = '.'.repeat(32_000);
  const names = Array.from({ length: 128 }, (_, i) => {
    const own = String(i).padStart(3, '0');
    return differsAt === 'start' ? own + rest : rest + own;
  });
  const body = Buffer.from(JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))));
  const runs = Array.from({ length: 3 }, () => {
    const began = process.threadCpuUsage();
    expect(Object.keys(parseNodeJson(body) as object)).toEqual(names);
    return process.threadCpuUsage(began).user;
  });
  return Math.min(...runs);
}

describe('parseNodeJson', () => {
  test('returns what JSON.parse returns for ordinary JSON', () => {
    const names = fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__' && !/["\\\p{Cc}]/u.test(name));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(names, tie('value'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1), (each, indent) => {
        const text = JSON.stringify(each, undefined, indent);
        expect(parseNodeJson(Buffer.from(text))).toEqual(JSON.parse(text));
        expect(parseNodeJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('never throws', () => {
    const fragments = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', 'a', '1', ' ', 'null', '"a":', '\u00e4');
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const parsed = parseNodeJson(text);
        if (parsed !== undefined) expect(JSON.parse(text)).toEqual(parsed);
      }),
    );
  });

  test.each([
    ['64 levels', nested(MAX_JSON_DEPTH), true],
    ['65 levels', nested(MAX_JSON_DEPTH + 1), false],
    ['lists that close before others open', `[${nested(63)},${nested(63)}]`, true],
    ['brackets in a string', `"${'['.repeat(100)}"`, true],
    ['100 characters of a number', `[${'1'.repeat(100)}]`, true],
    ['101 characters of a number', `[${'1'.repeat(101)}]`, false],
    ['256 names of one object', members(256), true],
    ['257 names of one object', members(257), false],
    ['256 names of many objects', `[${members(200)},${members(156, 100)},${members(200)}]`, true],
    ['257 names of many objects', `[${members(200)},${members(157, 100)},${members(200)}]`, false],
    ['a repeated name', '{"a":1,"b":{},"a":1}', false],
    ['a name that is repeated at once', '{"a":1,"a":1}', false],
    ['a name that is repeated after an object with that name', '{"a":{"b":{"a":1}},"a":1}', false],
    ['a name that a later object repeats', '[{"a":1,"b":2},{"a":1,"b":2,"a":3}]', false],
    ['names in another order', '[{"a":1,"b":2},{"b":2,"a":1},{"b":1}]', true],
    ['two names with one hash', '{"costarring":1,"liquid":2}', false],
    ['one name in two objects', '{"a":{"a":1},"b":[{"a":1},{"a":2}]}', true],
    ['an escape in a name', '{"\\u0061":1}', false],
    ['an escape in a value', '{"a":"\\u0061"}', true],
    ['__proto__ as a name', '{"__proto__":1}', false],
    ['__proto__ as a value', '{"a":"__proto__"}', true],
    ['an unfinished escape', '"\\', false],
    ['no value', ' ', false],
  ])('judges %s', (_, text, isAccepted) => {
    expect(parseNodeJson(text) !== undefined).toBe(isAccepted);
  });

  test('compares long names in a time that does not depend on where they differ', () => {
    const milliseconds = { start: measureLongNames('start') / 1000, end: measureLongNames('end') / 1000 };
    expect(milliseconds.start).toBeLessThan(3 * milliseconds.end);
  });

  test('refuses invalid UTF-8', () => {
    expect(parseNodeJson(Buffer.from([0x22, 0xc3, 0xa4, 0x22]))).toBe('\u00e4');
    expect(parseNodeJson(Buffer.from([0x22, 0xc3, 0x22]))).toBeUndefined();
    expect(parseNodeJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBeUndefined();
  });
});
