import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, canonicalText, isCanonical, type TextTree } from './canonical-json.ts';
import { PROPERTY_RUNS, SEED_TITLE } from '../../../testing/arbitraries/property-runs.ts';
import { parseStrictJson, type JsonValue } from './strict-json.ts';

describe('the canonical form', () => {
  it('sorts members as RFC 8785, 3.2.3 does', () => {
    const tree = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(canonicalText(tree)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
        '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  it('escapes as RFC 8785, 3.2.2.2 does', () => {
    expect(canonicalText('\u20ac$\u000f\nA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
    expect(canonicalText('\b\t\n\f\r\u0000\u001f\u007f\u2028')).toBe('"\\b\\t\\n\\f\\r\\u0000\\u001f\u007f\u2028"');
  });

  it('is sorted at every level and has no blanks', () => {
    expect(canonicalText({ b: { d: '', c: 'x y' }, a: {} })).toBe('{"a":{},"b":{"c":"x y","d":""}}');
  });

  it('sorts names that look like numbers as texts', () => {
    expect(canonicalText({ 9: '', 10: '', ['__proto__']: '' })).toBe('{"10":"","9":"","__proto__":""}');
  });

  it('rejects a lone surrogate', () => {
    expect(() => canonicalText('\ud800')).toThrow(TypeError);
    expect(() => canonicalBytes({ '\udc00': '' })).toThrow(TypeError);
  });

  it('is UTF-8', () => {
    expect(Buffer.from(canonicalBytes({ é: '€' })).toString('hex')).toBe('7b22c3a9223a22e282ac227d');
  });
});

describe('values other than texts', () => {
  it('formats numbers and literals as RFC 8785, 3.2.2.3 and appendix B do', () => {
    const numbers = [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0, 9007199254740994];
    expect(canonicalText({ numbers, literals: [null, true, false], empty: [[], {}] })).toBe(
      '{"empty":[[],{}],"literals":[null,true,false],' +
        '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,9007199254740994]}',
    );
  });

  it.each([NaN, Infinity, -Infinity])('rejects %s', (number) => {
    expect(() => canonicalText([number])).toThrow(TypeError);
  });
});

describe('bytes', () => {
  const tree = { a: 'x', b: { c: 'é' } };

  it.each([
    ['the canonical ones', '{"a":"x","b":{"c":"é"}}', true],
    ['an escape for a letter', '{"a":"\\u0078","b":{"c":"é"}}', false],
    ['a blank', '{"a":"x", "b":{"c":"é"}}', false],
    ['another order', '{"b":{"c":"é"},"a":"x"}', false],
    ['a line break at the end', '{"a":"x","b":{"c":"é"}}\n', false],
    ['none', '', false],
  ])('are judged: %s', (_name, text, expected) => {
    expect(isCanonical(Buffer.from(text), tree)).toBe(expected);
  });
});

it(`equals what the strict parser reads, for every order of members (${SEED_TITLE})`, () => {
  const characters = fc.constantFrom('a', 'B', '1', '_', '"', '\\', '/', '\0', '\n', 'é', '\u0080', '\ufb33', '😀');
  const text = fc.array(characters, { maxLength: 5 }).map((list) => list.join(''));
  const { tree } = fc.letrec<{ tree: TextTree }>((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, text, fc.dictionary(text, tie('tree'), { maxKeys: 4 })),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const bytes = canonicalBytes(value);
      const read = toTree(parseStrictJson(bytes).value!);
      expect(isCanonical(bytes, read)).toBe(true);
      expect(isCanonical(bytes, reversed(value))).toBe(true);
    }),
    PROPERTY_RUNS,
  );
});

it('distinguishes a lone surrogate from a text', () => {
  const refused = new TypeError('a lone surrogate has no canonical form');
  expect(() => canonicalBytes('\ud800')).toThrow(refused);
  expect(() => canonicalBytes({ '\udc00': 'x' })).toThrow(refused);
});

function toTree(value: JsonValue): TextTree {
  if (typeof value === 'string') return value;
  return Object.fromEntries(
    Array.from(value as ReadonlyMap<string, JsonValue>, ([name, each]) => [name, toTree(each)]),
  );
}

function reversed(tree: TextTree): TextTree {
  if (typeof tree === 'string') return tree;
  const members = Object.entries(tree).toReversed();
  return Object.fromEntries(members.map(([name, each]) => [name, reversed(each)]));
}
