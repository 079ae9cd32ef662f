/** Limits of JSON from nodes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import { countTicks } from '../../../testing/harness/tick-counter.ts';
import { MAX_JSON_DEPTH } from './json-scan.ts';
import { parseNodeJson } from './node-json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const members = (count: number, first = 0) =>
  `{${Array.from({ length: count }, (_, i) => `"${first + i}":${i}`).join()}}`;

/** Returns the CPU time of parsing 4 MiB of names that differ at their start or at their end only. */
async function measureLongNames(differsAt: 'start' | 'end'): Promise<number> {
  const rest = '.'.repeat(32_000);
  const names = Array.from({ length: 128 }, (_, i) => {
    const own = String(i).padStart(3, '0');
    return differsAt === 'start' ? own + rest : rest + own;
  });
  const body = Buffer.from(JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))));
  const runs: number[] = [];
  while (runs.length < 3) {
    const began = process.threadCpuUsage();
    expect(Object.keys((await parseNodeJson(body)) as object)).toEqual(names);
    runs.push(process.threadCpuUsage(began).user);
  }
  return Math.min(...runs);
}

describe('parseNodeJson', () => {
  test('returns what JSON.parse returns for ordinary JSON', async () => {
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
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(0, 1), async (each, indent) => {
        const text = JSON.stringify(each, undefined, indent);
        expect(await parseNodeJson(Buffer.from(text))).toEqual(JSON.parse(text));
        expect(await parseNodeJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('never throws', async () => {
    const fragments = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', 'a', '1', ' ', 'null', '"a":', '\u00e4');
    await fc.assert(
      fc.asyncProperty(fc.array(fragments, { maxLength: 40 }), async (parts) => {
        const text = parts.join('');
        const parsed = await parseNodeJson(text);
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
  ])('judges %s', async (_, text, isAccepted) => {
    expect((await parseNodeJson(text)) !== undefined).toBe(isAccepted);
    expect((await parseNodeJson(text, 3)) !== undefined).toBe(isAccepted);
  });

  test('compares long names in a time that does not depend on where they differ', async () => {
    const microseconds = { start: await measureLongNames('start'), end: await measureLongNames('end') };
    expect(microseconds.start).toBeLessThan(3 * microseconds.end);
  });

  test('refuses invalid UTF-8', async () => {
    expect(await parseNodeJson(Buffer.from([0x22, 0xc3, 0xa4, 0x22]))).toBe('\u00e4');
    expect(await parseNodeJson(Buffer.from([0x22, 0xc3, 0x22]))).toBeUndefined();
    expect(await parseNodeJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBeUndefined();
  });
});

/** JSON with white space, any kind of text and names that `JSON.parse` orders by their number. */
const { json } = fc.letrec<{ json: string }>((tie) => {
  const space = fc.constantFrom('', '', '', ' ', '\n\t');
  const spaced = fc.tuple(space, tie('json'), space).map((parts) => parts.join(''));
  const names = fc.uniqueArray(fc.constantFrom('', 'a', 'b', 'name', '10', '9', '\u00e4', '],[', '}'), {
    maxLength: 5,
  });
  const members = names.chain((each) =>
    fc.tuple(...each.map((name) => fc.tuple(space, spaced).map(([before, value]) => `${before}"${name}" :${value}`))),
  );
  const texts = fc.constantFrom('', 'a', ',', '[', ']]', '{"', '}', '\\"', '\\', '\u00e4\u20ac', '\u{1f600}', '\n');
  return {
    json: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constantFrom('1', '-0.5e3', 'true', 'null', '"a"', '[]', '{ }', '[ ]'),
      texts.map((text) => JSON.stringify(text)),
      fc.array(spaced, { maxLength: 6 }).map((items) => `[${items.join()}]`),
      members.map((items) => `{${items.join()}}`),
    ),
  };
});

const FRAGMENTS = [
  ',',
  '[',
  ']',
  '{',
  '}',
  '"',
  ':',
  ' ',
  '1',
  '.5',
  '-',
  '\\',
  '\u00a0',
  '\ufeff',
  '[]',
  '{}',
  '"a":',
  'null',
  '"a"',
];
/** Replaces some characters of a text, or one of its bytes. */
const changes = fc.array(fc.record({ at: fc.nat(), removed: fc.nat(2), inserted: fc.constantFrom('', ...FRAGMENTS) }), {
  minLength: 1,
  maxLength: 3,
});
const corrupted = fc.oneof(
  fc.tuple(json, changes).map(([text, each]) =>
    Buffer.from(
      each.reduce((changed, { at, removed, inserted }) => {
        const from = at % (changed.length + 1);
        return changed.slice(0, from) + inserted + changed.slice(from + removed);
      }, text),
    ),
  ),
  fc.tuple(json, fc.nat(), fc.nat(0xff)).map(([text, at, byte]) => {
    const bytes = Buffer.from(text);
    bytes[at % bytes.length] = byte;
    return bytes;
  }),
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 12 }).map((parts) => Buffer.from(parts.join(''))),
);
const bytesPerTick = fc.integer({ min: 1, max: 12 });
const RUNS = { ...PROPERTY_RUNS, numRuns: 20 * PROPERTY_RUNS.numRuns };

describe(`a text that is parsed in parts (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  test('has the value that JSON.parse returns for the whole, with names in the same order', async () => {
    const property = fc.asyncProperty(json, bytesPerTick, async (text, bytes) => {
      const parsed = await parseNodeJson(text, bytes);
      expect(parsed).toEqual(JSON.parse(text));
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
    });
    await fc.assert(property, RUNS);
  });

  test('is refused where the whole is refused', async () => {
    const property = fc.asyncProperty(corrupted, bytesPerTick, async (text, bytes) => {
      expect(await parseNodeJson(text, bytes)).toEqual(await parseNodeJson(text));
    });
    await fc.assert(property, RUNS);
  });

  test.each([
    ['a comma before the end of a list', '[1,2,]'],
    ['a comma before the first item', '[,1,2]'],
    ['two commas', '[1,,2]'],
    ['a comma before the end of an object', '{"a":1,}'],
    ['two items without a comma', '[1 2]'],
    ['a number before a list', '[1[2]]'],
    ['a number between a name and a list', '{"a":1[2]}'],
    ['a number after a list', '[[1].5,2]'],
    ['a name in a list', '["a":[1]]'],
    ['a list without a name in an object', '{[1],"a":1}'],
    ['a bracket of the other kind', '[[1,2},3]'],
    ['no last bracket', '[[1,2],3'],
    ['a bracket too many', '[[1,2],3]]'],
    ['two values', '[1],[2]'],
    ['two values without a comma', '{ }[]'],
    ['two lists of a list without a comma', '[[1] [2]]'],
    ['text after the value', '[1,2] x'],
    ['a space that is none in JSON', '[[1],\u00a0]'],
  ])('is refused with %s, wherever it is divided', async (_, text) => {
    for (let bytes = 1; bytes <= text.length; bytes++) expect(await parseNodeJson(text, bytes)).toBeUndefined();
  });

  test('leaves the event loop to others after every part', async () => {
    const text = JSON.stringify(Array.from({ length: 1_000 }, (_, i) => ({ i, list: [i, [i]] })));
    expect(await countTicks(() => parseNodeJson(text, 1_000))).toBeGreaterThanOrEqual(Math.floor(text.length / 1_100));
    expect(await countTicks(() => parseNodeJson(text))).toBe(0);
  });

  test('waits for those before it, and short texts wait for none', async () => {
    const parsed: string[] = [];
    const parse = async (name: string, length: number) => {
      await parseNodeJson(JSON.stringify(Array(length).fill(1)), 100);
      parsed.push(name);
    };
    await Promise.all([parse('first', 2_000), parse('second', 200), parse('short', 10)]);
    expect(parsed).toEqual(['short', 'first', 'second']);
  });
});
