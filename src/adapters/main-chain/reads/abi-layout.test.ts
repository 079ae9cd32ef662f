/** Layout check of ABI data, compared with viem. */
import fc from 'fast-check';
import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters, type AbiParameter, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { PROPERTY_RUNS, SEED_TITLE } from '../../../../testing/arbitraries/property-runs.ts';
import { LayoutRefused, requireLayout, toLayout } from './abi-layout.ts';

const WORD_BYTES = 32;
const WORD_DIGITS = 64;
const toBytes = (data: Hex) => Buffer.from(data.slice(2), 'hex');
const words = (...values: readonly number[]): Hex =>
  `0x${values.map((value) => value.toString(16).padStart(WORD_DIGITS, '0')).join('')}`;

/** Returns whether the data passes the check. */
function passes(parameters: readonly AbiParameter[], data: Hex): boolean {
  try {
    requireLayout(toLayout(parameters), toBytes(data));
    return true;
  } catch (error) {
    if (error instanceof LayoutRefused) return false;
    throw error;
  }
}

const TEXTS = parseAbiParameters('string[] texts');
const NOTES = parseAbiParameters(['Note[] notes', 'struct Note { uint256 at; string text; }']);

describe('a type without dynamic parts', () => {
  test.each<[types: string, bytes: number]>([
    ['uint8 one', 32],
    ['bytes4 one, (address two, (bool three, uint64 four) five) six', 128],
    ['uint256[3] one, (bytes32 two)[2] three', 160],
  ])('has a fixed length: %s', (types, bytes) => {
    expect(toLayout(parseAbiParameters(types))).toEqual({ kind: 'static', bytes });
  });

  test.each(['bytes one', 'string one', 'uint256[] one', 'bytes32 one, (bool two, (string three) four) five'])(
    'has none of these: %s',
    (types) => {
      expect(toLayout(parseAbiParameters(types)).kind).not.toBe('static');
    },
  );
});

describe('data whose offsets lead to the same bytes', () => {
  test.each<[name: string, parameters: readonly AbiParameter[], data: Hex]>([
    ['two texts', TEXTS, words(32, 2, 64, 64, 64, 0x61, 0x62)],
    ['a text that begins inside of another', TEXTS, words(32, 3, 96, 128, 160, 96, 64, 32, 0x61)],
    ['two records', NOTES, words(32, 2, 64, 64, 7, 64, 32, 0x61)],
    ['two texts of two records', NOTES, words(32, 2, 64, 128, 7, 128, 8, 64, 32, 0x61)],
    ['two lists of words', parseAbiParameters('uint256[] one, uint256[] two'), words(64, 64, 2, 1, 2)],
    ['three members', parseAbiParameters('(bytes one, bytes two, bytes three) all'), words(32, 96, 96, 96, 32, 0x61)],
    ['a list of itself', parseAbiParameters('uint256[][] lists'), words(32, 2, 0, 0)],
    ['elements of a list of fixed length', parseAbiParameters('string[2] texts'), words(32, 64, 64, 32, 0x61)],
  ])('is refused: %s', (_name, parameters, data) => {
    expect(() => decodeAbiParameters(parameters, data)).not.toThrow();
    expect(passes(parameters, data)).toBe(false);
  });

  test('is refused before any of its values is read', () => {
    const text = 'ab'.repeat(500_000);
    const data: Hex = `${words(32, 10_000, ...Array<number>(10_000).fill(320_000), text.length / 2)}${text}`;
    const bytes = toBytes(data);
    let reads = 0;
    const counted = new Proxy(bytes, {
      get(target, name) {
        if (typeof name === 'string' && /^\d/.test(name)) reads += 1;
        return Reflect.get(target, name, target) as unknown;
      },
    });
    expect(() => requireLayout(toLayout(TEXTS), counted)).toThrow(LayoutRefused);
    expect(reads).toBeLessThan(500);
  });
});

describe('data with a word that points outside of it', () => {
  const data = encodeAbiParameters(NOTES, [[{ at: 1n, text: 'abc' }]]);

  test.each([0, 1, 2, 4, 5])('is refused: word %i', (place) => {
    for (const huge of ['f'.repeat(WORD_DIGITS), 'ffff'.padStart(WORD_DIGITS, '0'), 'f'.padEnd(WORD_DIGITS, '0')]) {
      const at = 2 + WORD_DIGITS * place;
      expect(passes(NOTES, `${data.slice(0, at)}${huge}${data.slice(at + WORD_DIGITS)}` as Hex)).toBe(false);
    }
  });

  test('is refused when it is truncated anywhere', () => {
    for (let length = 2; length < data.length - 58; length += 2) {
      expect(passes(NOTES, data.slice(0, length) as Hex), `${length}`).toBe(false);
    }
  });
});

/** A parameter with a value of its type. */
type Typed = readonly [parameter: AbiParameter, value: unknown];

const hexOf = (constraints: fc.IntArrayConstraints) => fc.uint8Array(constraints).map(toHex);
const leaf: fc.Arbitrary<fc.Arbitrary<Typed>> = fc.constantFrom<fc.Arbitrary<Typed>>(
  fc.bigInt(0n, 2n ** 256n - 1n).map((value) => [{ type: 'uint256' }, value]),
  fc.boolean().map((value) => [{ type: 'bool' }, value]),
  hexOf({ minLength: 20, maxLength: 20 }).map((value) => [{ type: 'address' }, value]),
  hexOf({ minLength: 4, maxLength: 4 }).map((value) => [{ type: 'bytes4' }, value]),
  hexOf({ maxLength: 70 }).map((value) => [{ type: 'bytes' }, value]),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => [{ type: 'string' }, value]),
);

/** Any type, as an arbitrary of its values. */
const { anyType } = fc.letrec<{ anyType: fc.Arbitrary<Typed> }>((tie) => ({
  anyType: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('anyType'), { minLength: 1, maxLength: 3 }).map(tupleOf),
    fc.tuple(tie('anyType'), fc.nat(3)).map(([element, count]) => listOf(element, count, '')),
    fc.tuple(tie('anyType'), fc.integer({ min: 1, max: 3 })).map(([element, count]) => listOf(element, count, count)),
  ),
}));

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

function tupleOf(members: readonly fc.Arbitrary<Typed>[]): fc.Arbitrary<Typed> {
  return fc
    .tuple(...members)
    .map((typed) => [
      { type: 'tuple', components: typed.map(([parameter]) => parameter) },
      typed.map(([, value]) => value),
    ]);
}

/** Takes the type of the elements from a value that is not in the list, which may be empty. */
function listOf(element: fc.Arbitrary<Typed>, count: number, bound: number | ''): fc.Arbitrary<Typed> {
  return fc.array(element, { minLength: count + 1, maxLength: count + 1 }).map((typed) => {
    const [[parameter], ...rest] = typed as [Typed, ...Typed[]];
    return [{ ...parameter, type: `${parameter.type}[${bound}]` }, rest.map(([, value]) => value)];
  });
}

const anyData = fc
  .array(anyType, { minLength: 1, maxLength: 3 })
  .chain((types) => fc.tuple(...types))
  .map((typed) => {
    const parameters = typed.map(([parameter]) => parameter);
    return {
      parameters,
      data: encodeAbiParameters(
        parameters,
        typed.map(([, value]) => value),
      ),
    };
  });

/** Returns the least number of bytes of a decoded value: its components, with offset and length of lists and texts. */
function sizeOf(parameter: AbiParameter, value: unknown): number {
  const { type } = parameter;
  if (type === 'bytes') return 2 * WORD_BYTES + (value as string).length / 2 - 1;
  // A byte that is not UTF-8 becomes one character.
  if (type === 'string') return 2 * WORD_BYTES + (value as string).length;
  if (!Array.isArray(value)) return WORD_BYTES;
  const element = { ...parameter, type: type.replace(/\[\d*\]$/, '') };
  const typeOf = (i: number) => (type === 'tuple' && 'components' in parameter ? parameter.components[i]! : element);
  const own = type.endsWith('[]') ? 2 * WORD_BYTES : 0;
  return value.reduce((sum: number, each, i) => sum + sizeOf(typeOf(i), each), own);
}

describe(`data of any type (${SEED_TITLE})`, () => {
  test('passes as viem encodes it', () => {
    fc.assert(
      fc.property(anyData, ({ parameters, data }) => {
        expect(passes(parameters, data)).toBe(true);
      }),
      PROPERTY_RUNS,
    );
  });

  test('holds no more than its length, with any words copied over others', () => {
    const copies = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyData, copies, ({ parameters, data }, places) => {
        const parts = data.slice(2).match(/.{64}/g)!;
        for (const [from, to] of places) parts[to % parts.length] = parts[from % parts.length]!;
        const copied: Hex = `0x${parts.join('')}`;
        if (!passes(parameters, copied)) return;
        const values = decodeOrNone(parameters, copied);
        if (values === undefined) return;
        const size = parameters.reduce((sum, parameter, i) => sum + sizeOf(parameter, values[i]), 0);
        expect(size).toBeLessThanOrEqual(copied.length / 2 - 1);
      }),
      PROPERTY_RUNS,
    );
  });
});

function decodeOrNone(parameters: readonly AbiParameter[], data: Hex): readonly unknown[] | undefined {
  try {
    return decodeAbiParameters(parameters, data);
  } catch {
    return undefined;
  }
}
