import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_RUNS, SEED_TITLE } from '../../../testing/arbitraries/property-runs.ts';
import { DEFAULT_MAX_DEPTH, JsonNumber, parseStrictJson, type JsonParseResult, type JsonValue } from './strict-json.ts';

const parse = (text: string, maxDepth?: number): JsonParseResult =>
  parseStrictJson(Buffer.from(text, 'utf8'), maxDepth);
const faultAt = (position: number, text: string) => ({ problem: { kind: 'fault', text, position } });
const ambiguityAt = (position: number, text: string) => ({ problem: { kind: 'ambiguity', text, position } });

describe('a JSON text', () => {
  it.each<[text: string, value: JsonValue]>([
    ['null', null],
    ['true', true],
    ['false', false],
    ['""', ''],
    [' \t\r\n"x" \t\r\n', 'x'],
    ['0', new JsonNumber('0')],
    ['-0', new JsonNumber('-0')],
    ['-0.10E+05', new JsonNumber('-0.10E+05')],
    ['1e9', new JsonNumber('1e9')],
    ['9007199254740993', new JsonNumber('9007199254740993')],
    ['1e999999', new JsonNumber('1e999999')],
    ['[]', []],
    ['[ ]', []],
    ['[1,[null , ""]]', [new JsonNumber('1'), [null, '']]],
    ['{}', new Map()],
    ['{"":{ }}', new Map([['', new Map()]])],
    ['{"a":1,"A":true}', new Map<string, JsonValue>([['a', new JsonNumber('1')], ['A', true]])], // prettier-ignore
    ['{"__proto__":"x","constructor":"y"}', new Map([['__proto__', 'x'], ['constructor', 'y']])], // prettier-ignore
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"\\u0000\\u00e9\\uD83D\\ude00"', '\0é😀'],
    ['"é€😀\u007f\u2028\ufeff\ufffe"', 'é€😀\u007f\u2028\ufeff\ufffe'],
  ])('parses: %s', (text, value) => {
    expect(parse(text)).toStrictEqual({ value });
  });

  it('keeps its members in the order of the text', () => {
    const { value } = parse('{"b":"","10":"","a":"","9":""}');
    expect(Array.from((value as ReadonlyMap<string, JsonValue>).keys())).toStrictEqual(['b', '10', 'a', '9']);
  });
});

describe('an invalid JSON text', () => {
  it.each<[name: string, text: string, position: number, fault: string]>([
    ['nothing', '', 0, 'unexpected end'],
    ['blanks only', ' \n', 2, 'unexpected end'],
    ['a byte-order mark', '\ufeff{}', 0, 'unexpected character'],
    ['a no-break space', '\u00a0{}', 0, 'unexpected character'],
    ['a form feed', '\f{}', 0, 'unexpected character'],
    ['a comment', '/*x*/{}', 0, 'unexpected character'],
    ['two values', '{} {}', 3, 'text after the value'],
    ['a comma after the value', '1,', 1, 'text after the value'],
    ['a zero byte after the value', '{}\0', 2, 'text after the value'],
    ['a word', 'undefined', 0, 'unexpected character'],
    ['a capital word', 'True', 0, 'unexpected character'],
    ['half a word', 'nul', 0, 'unexpected character'],
    ['a longer word', 'nullx', 4, 'text after the value'],
    ['not a number', 'NaN', 0, 'unexpected character'],
    ['infinity', '-Infinity', 0, 'unexpected character'],
    ['a plus', '+1', 0, 'unexpected character'],
    ['a minus alone', '-', 0, 'unexpected character'],
    ['a leading zero', '01', 1, 'text after the value'],
    ['a negative leading zero', '-01', 2, 'text after the value'],
    ['hexadecimal', '0x1', 1, 'text after the value'],
    ['a separator of digits', '1_000', 1, 'text after the value'],
    ['a point without digits', '1.', 1, 'text after the value'],
    ['a point in front', '.5', 0, 'unexpected character'],
    ['an exponent without digits', '1e', 1, 'text after the value'],
    ['an exponent of a sign', '1e+', 1, 'text after the value'],
    ['a fraction in the exponent', '1e1.5', 3, 'text after the value'],
    ['digits outside ASCII', '１', 0, 'unexpected character'],
    ['single quotes', "'x'", 0, 'unexpected character'],
    ['an open string', '"x', 2, 'unexpected end'],
    ['a string that ends in a backslash', '"x\\', 3, 'unexpected end'],
    ['a string whose end is escaped', '"x\\"', 4, 'unexpected end'],
    ['an unknown escape', '"a\\x41"', 2, 'invalid escape'],
    ['an escaped quote of the wrong kind', '"\\\'"', 1, 'invalid escape'],
    ['a capital unicode escape', '"\\U0041"', 1, 'invalid escape'],
    ['three digits', '"\\u004"', 1, 'invalid escape'],
    ['an escape cut by the end', '"\\u00', 1, 'invalid escape'],
    ['a sign among the digits', '"\\u+041"', 1, 'invalid escape'],
    ['a line break in a string', '"a\nb"', 2, 'control character in a string'],
    ['a tab in a string', '"\t"', 1, 'control character in a string'],
    ['a zero byte in a string', '"\0"', 1, 'control character in a string'],
    ['the last control character', '"\u001f"', 1, 'control character in a string'],
    ['an open array', '[', 1, 'unexpected end'],
    ['an array without its end', '[1', 2, 'unexpected end'],
    ['a comma at the end of an array', '[1,]', 3, 'unexpected character'],
    ['a comma at its start', '[,1]', 1, 'unexpected character'],
    ['two commas', '[1,,2]', 3, 'unexpected character'],
    ['no comma', '[1 2]', 3, 'unexpected character'],
    ['a colon in an array', '["a":1]', 4, 'unexpected character'],
    ['an array that ends as an object', '[1}', 2, 'unexpected character'],
    ['the end of an array alone', ']', 0, 'unexpected character'],
    ['an open object', '{', 1, 'unexpected end'],
    ['an object without its end', '{"a":1', 6, 'unexpected end'],
    ['a comma at the end of an object', '{"a":1,}', 7, 'unexpected character'],
    ['a name without a value', '{"a"}', 4, 'unexpected character'],
    ['a colon without a value', '{"a":}', 5, 'unexpected character'],
    ['a name without quotes', '{a:1}', 1, 'unexpected character'],
    ['a number for a name', '{1:1}', 1, 'unexpected character'],
    ['no comma between members', '{"a":1 "b":2}', 7, 'unexpected character'],
    ['two colons', '{"a"::1}', 5, 'unexpected character'],
    ['an object that ends as an array', '{"a":1]', 6, 'unexpected character'],
    ['characters beyond the first plane, counted once', '["😀","é",x]', 9, 'unexpected character'],
  ])('is rejected: %s', (_name, text, position, fault) => {
    expect(parse(text)).toStrictEqual(faultAt(position, fault));
  });

  it.each<[name: string, hex: string, position: number]>([
    ['a lone continuation', '2280', 1],
    ['an invalid byte', '22c3a9ff22', 2],
    ['an overlong slash', '22c0af22', 1],
    ['an overlong zero', '22e0808022', 1],
    ['a surrogate in UTF-8', '22eda08022', 1],
    ['a character beyond the last', '22f490808022', 1],
    ['a character that is cut', '22f09f98', 1],
    ['UTF-16', 'fffe7b007d00', 0],
  ])('is rejected: %s', (_name, hex, position) => {
    expect(parseStrictJson(Buffer.from(hex, 'hex'))).toStrictEqual(faultAt(position, 'invalid UTF-8'));
  });
});

describe('a text that parsers interpret differently', () => {
  it.each<[name: string, text: string, position: number]>([
    ['a member twice', '{"a":1,"a":1}', 7],
    ['a member twice, once escaped', '{"machineId":1, "machine\\u0049d":2}', 16],
    ['a member twice, deep inside', '[{"b":{"a":1,"a":2}}]', 13],
    ['a prototype twice', '{"__proto__":1,"__proto__":2}', 15],
    ['the first of several', '{"a":1,"a":2,"b":3,"b":4}', 7],
  ])('is reported: %s', (_name, text, position) => {
    expect(parse(text)).toStrictEqual(ambiguityAt(position, 'repeated member'));
  });

  it.each<[name: string, text: string, position: number]>([
    ['a high surrogate', '"\\ud800"', 0],
    ['a low surrogate', '["x","\\udc00"]', 5],
    ['a pair in the wrong order', '"\\ude00\\ud83d"', 0],
    ['a high surrogate before a whole character', '"\\ud83d😀"', 0],
    ['a surrogate in a name', '{"\\udfff":1}', 1],
  ])('is reported: %s', (_name, text, position) => {
    expect(parse(text)).toStrictEqual(ambiguityAt(position, 'lone surrogate'));
  });

  it('is reported as a fault when it breaks later', () => {
    expect(parse('{"a":1,"a":2')).toStrictEqual(faultAt(12, 'unexpected end'));
    expect(parse('["\\ud800"] x')).toStrictEqual(faultAt(11, 'text after the value'));
  });
});

describe('depth', () => {
  const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('of %s is bounded', (_name, open, close) => {
    expect(parse(nested(DEFAULT_MAX_DEPTH, open, close))).toHaveProperty('value');
    const deep = parse(nested(DEFAULT_MAX_DEPTH + 1, open, close));
    expect(deep).toStrictEqual(faultAt(DEFAULT_MAX_DEPTH * open.length, 'nested too deep'));
    expect(parse(open.repeat(1_000_000))).toStrictEqual(deep);
  });

  it('is configurable', () => {
    expect(parse('1', 0)).toStrictEqual({ value: new JsonNumber('1') });
    expect(parse('[]', 0)).toStrictEqual(faultAt(0, 'nested too deep'));
    expect(parse('[[]]', 2)).toStrictEqual({ value: [[]] });
    expect(parse('[[[]]]', 2)).toStrictEqual(faultAt(2, 'nested too deep'));
  });
});

describe(`against the parser of the language (${SEED_TITLE})`, () => {
  it('parses every text to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const reading = parse(JSON.stringify(value, null, indent));
        expect(toPlain(reading.value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
      PROPERTY_RUNS,
    );
  });

  it('rejects the same broken texts, except ambiguous or deep ones', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '\\u00e9', '\\ud800', 'a', '"a"', '0', '1', '-', '.', 'e', 'true', 'nul', ' ', '\n', '\0', '\ufeff', 'é', '😀'); // prettier-ignore
    const soup = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''));
    const damaged = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat({ max: 2 }), pieces)
      .map(([text, at, cut, piece]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + piece + text.slice(start + cut);
      })
      .filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(fc.oneof(soup, damaged), (text) => {
        const { problem } = parse(text);
        expect(problem?.kind !== 'fault', `${JSON.stringify(text)}: ${problem?.text ?? 'taken'}`).toBe(isJson(text));
      }),
      { ...PROPERTY_RUNS, numRuns: 10 * PROPERTY_RUNS.numRuns },
    );
  });

  it('returns a result for any bytes, with a position inside', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const { problem } = parseStrictJson(bytes);
        expect(problem?.position ?? 0).toBeGreaterThanOrEqual(0);
        expect(problem?.position ?? 0).toBeLessThanOrEqual(bytes.length);
      }),
      PROPERTY_RUNS,
    );
  });
});

function toPlain(value: JsonValue | undefined): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([name, each]) => [name, toPlain(each)]));
  return Array.isArray(value) ? value.map(toPlain) : value;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the position of a problem', () => {
  it.each(['{xa":1}', '{1a":1}', '{"a":1,xb":2}'])('in %s is at a name without its first quote', (text) => {
    const position = text.search(/[x1]\w"/);
    expect(parseStrictJson(new TextEncoder().encode(text))).toEqual({
      problem: { kind: 'fault', text: 'unexpected character', position },
    });
  });

  it.each([
    ['{"a" 1}', 5],
    ['{"a"1}', 4],
    ['{"a" "b"}', 5],
    ['{"a" {}}', 5],
    ['{"a"}', 4],
    ['{"a",1}', 4],
  ])('in %s is where no colon follows a name', (text, position) => {
    expect(parse(text)).toEqual(faultAt(position, 'unexpected character'));
  });

  it.each(Array.from({ length: 12 }, (_, count) => count))(
    'counts characters: %i characters of several bytes',
    (count) => {
      for (const character of ['é', '€', '😀', '\ufeff']) {
        const bytes = Buffer.concat([Buffer.from(character.repeat(count)), Buffer.of(0xff)]);
        expect(parseStrictJson(bytes)).toEqual({
          problem: { kind: 'fault', text: 'invalid UTF-8', position: count },
        });
      }
    },
  );
});
