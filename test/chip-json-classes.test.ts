/**
 * RFC 8259 conformance of both chip routes. One document of every class of the public JSON test suites, derived from a valid body. Invalid JSON
 * returns 400 on both routes. The same JSON in another spelling gets a challenge from one, and is not canonical for the other.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attempts, requestCases } from '../testing/fixtures/evidence-vectors.ts';
import { parseStrictJson } from '../src/domain/json/strict-json.ts';
import {
  CHALLENGE_PATH,
  EVIDENCE_PATH,
  jsonHeaders,
  startChipHarness,
  type ChipHarness,
} from '../testing/harness/chip-service.ts';
import { JSON_TEXTS, NO_JSON_TEXTS } from '../testing/fixtures/json-class-documents.ts';
import { rule } from './conformance/rule.ts';

const { machine, onboardingToken } = requestCases.world;
const ID = machine!.machineId;
const CHALLENGE = `{"machineId":"${ID}"}`;
const EVIDENCE = attempts.first.bodyText;
const MEMBER = '"machineId":';

let harness: ChipHarness;
beforeAll(async () => {
  harness = await startChipHarness(requestCases.world);
});
afterAll(() => harness.close());

const judge = (path: string, body: Uint8Array | string) =>
  harness.judge('POST', path, jsonHeaders(onboardingToken), body);

/** Changes the text of a valid body. */
type Change = (text: string) => string | Buffer;

/** Replaces the machine's id by another text. */
const value =
  (replacement: string): Change =>
  (text) =>
    text.replace(`"${ID}"`, replacement);
/** Inserts bytes into the text of the machine's id. */
const inside =
  (...octets: number[]): Change =>
  (text) => {
    const at = text.indexOf(`"${ID}"`) + 1;
    return Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from(octets), Buffer.from(text.slice(at))]);
  };

const NO_JSON: Readonly<Record<string, Change>> = {
  'array: an extra comma': value('["1",]'),
  'array: a missing comma': value('["1" "2"]'),
  'array: a comma at the start': value('[,"1"]'),
  'array: only a comma': value('[,]'),
  'array: not closed': value('["1"'),
  'array: closed twice': value('["1"]]'),
  'array: an unquoted word': value('[x]'),
  'number: a plus': value('+1'),
  'number: a leading zero': value('01'),
  'number: a negative leading zero': value('-01'),
  'number: a bare minus': value('-'),
  'number: no digit before the point': value('.5'),
  'number: no digit after the point': value('5.'),
  'number: no digit of the exponent': value('1e'),
  'number: two exponents': value('1e1e1'),
  'number: hexadecimal': value('0x1'),
  'number: NaN': value('NaN'),
  'number: Infinity': value('-Infinity'),
  'number: full-width digits': value('１'),
  'number: with a letter': value('1a'),
  'object: a trailing comma': (text) => `${text.slice(0, -1)},}`,
  'object: two commas': (text) => text.replace('{"', '{,,"'),
  'object: a missing colon': (text) => text.replace(MEMBER, '"machineId"'),
  'object: two colons': (text) => text.replace(MEMBER, '"machineId"::'),
  'object: an unquoted name': (text) => text.replace(MEMBER, 'machineId:'),
  'object: a name in single quotes': (text) => text.replace(MEMBER, "'machineId':"),
  'object: a number as name': (text) => text.replace('{"', '{1:1,"'),
  'object: not closed': (text) => text.slice(0, -1),
  'object: closed twice': (text) => `${text}}`,
  'object: closed as an array': (text) => `${text.slice(0, -1)}]`,
  'object: a comment': (text) => `${text}/**/`,
  'object: a line comment': (text) => `${text}//`,
  'object: a repeated name': (text) => text.replace(MEMBER, `${MEMBER}"1",${MEMBER}`),
  'object: a name repeated by an escape': (text) => text.replace(MEMBER, `"machine\\u0049d":"1",${MEMBER}`),
  'string: single quotes': value("'1'"),
  'string: not closed': value('"1'),
  'string: an unknown escape': value('"\\x31"'),
  'string: an escaped zero byte': value('"\\\0"'),
  'string: an incomplete escape': value('"\\u00"'),
  'string: no hex in an escape': value('"\\u00G0"'),
  'string: a capital U': value('"\\U0031"'),
  'string: a lone backslash': value('"\\"'),
  'string: a tab': value('"\t1"'),
  'string: a line feed': value('"\n1"'),
  'string: a zero byte': value('"\0"'),
  'string: a lone leading surrogate': value('"\\uD800"'),
  'string: a lone trailing surrogate': value('"\\uDC00"'),
  'string: surrogates in the wrong order': value('"\\uDC00\\uD800"'),
  'string: a lone octet above 127': inside(0xff),
  'string: a lone continuation octet': inside(0x81),
  'string: an overlong form': inside(0xc0, 0xaf),
  'string: a surrogate in UTF-8': inside(0xed, 0xa0, 0x80),
  'string: beyond the last character': inside(0xf4, 0xbf, 0xbf, 0xbf),
  'string: cut in a character': inside(0xe2, 0x82),
  'structure: nothing': () => '',
  'structure: a blank': () => ' ',
  'structure: a byte-order mark': (text) => `\ufeff${text}`,
  'structure: half a byte-order mark': (text) => Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from(text)]),
  'structure: UTF-16, little-endian': (text) => Buffer.from(text, 'utf16le'),
  'structure: UTF-16, big-endian': (text) => Buffer.from(text, 'utf16le').swap16(),
  'structure: two texts': (text) => `${text}${text}`,
  'structure: something after the text': (text) => `${text}x`,
  'structure: a zero byte after the text': (text) => `${text}\0`,
  'structure: a form feed': (text) => `\f${text}`,
  'structure: a no-break space': (text) => `\u00a0${text}`,
  'structure: a word joiner': (text) => `\u2060${text}`,
  'structure: capital words': value('True'),
  'structure: half a word': value('nul'),
  'structure: deeply nested arrays': () => '['.repeat(900),
  'structure: deeply nested objects': () => '{"":'.repeat(200),
  'structure: a percent sign': (text) => text.replace('{', '{%'),
};

const OTHER_VALUES: Readonly<Record<string, Change>> = {
  'a number': value('1'),
  'a number with an exponent': value('1e400'),
  'a long number': value('9'.repeat(400)),
  'minus zero': value('-0'),
  true: value('true'),
  null: value('null'),
  'an array': value(`["${ID}"]`),
  'an object': value('{}'),
  'an empty text': value('""'),
  'a text with a zero character': value('"\\u0000"'),
  'a text of noncharacters': value('"\\uFFFF\\uD83F\\uDFFE"'),
  'a prototype': (text) => text.replace('{"', '{"__proto__":"","'),
  'an empty name': (text) => text.replace('{"', '{"":"","'),
};

const OTHER_SPELLINGS: Readonly<Record<string, Change>> = {
  'blanks around it': (text) => ` \t\r\n${text}\n`,
  'blanks inside': (text) => text.replace(MEMBER, '"machineId" \n: '),
  'an escaped name': (text) => text.replace(MEMBER, '"machine\\u0049d":'),
  'an escaped text': (text) => text.replace(`"${ID}"`, `"\\u003${ID[0]}${ID.slice(1)}"`),
};

describe.each([
  ['challenge', CHALLENGE_PATH, CHALLENGE],
  ['evidence', EVIDENCE_PATH, EVIDENCE],
])('the body of %s', (_name, path, text) => {
  rule('challenge.body');

  it.each(Object.entries({ ...NO_JSON, ...OTHER_VALUES }))('with %s returns 400', async (_class, change) => {
    const changed = change(text);
    expect(Buffer.from(changed).equals(Buffer.from(text))).toBe(false);
    expect(await judge(path, changed)).toBe('400 INVALID_REQUEST');
  });
});

it.each(Object.entries(OTHER_SPELLINGS))(
  'accepts the same JSON with %s, except as evidence',
  async (_class, change) => {
    Object.assign(harness.ctx.onboarding!, { createNonce: () => randomBytes(32) });
    expect(await judge(CHALLENGE_PATH, change(CHALLENGE))).toBe('201');
    expect(await judge(EVIDENCE_PATH, change(EVIDENCE))).toBe('400 EVIDENCE_NOT_CANONICAL');
  },
);

describe('the documents of every class', () => {
  it.each(Object.entries(NO_JSON_TEXTS))(
    'return 400 on both routes, alone or as a value: %s',
    async (_class, documents) => {
      rule('challenge.body');
      for (const document of documents) {
        const name = document.toString('latin1').slice(0, 40);
        expect(parseStrictJson(document).problem, name).toMatchObject({ kind: 'fault' });
        for (const [path, text] of [
          [CHALLENGE_PATH, CHALLENGE],
          [EVIDENCE_PATH, EVIDENCE],
        ] as const) {
          expect(await judge(path, document), name).toBe('400 INVALID_REQUEST');
          const [before = '', after = ''] = text.split(`"${ID}"`, 2);
          const inside = Buffer.concat([Buffer.from(before), document, Buffer.from(after)]);
          expect(await judge(path, inside), name).toBe('400 INVALID_REQUEST');
        }
      }
    },
  );

  it('return 400 when they are valid JSON but no body of these routes', async () => {
    for (const document of JSON_TEXTS) {
      const name = document.toString();
      expect(parseStrictJson(document).problem?.kind, name).not.toBe('fault');
      for (const path of [CHALLENGE_PATH, EVIDENCE_PATH])
        expect(await judge(path, document), name).toBe('400 INVALID_REQUEST');
    }
  });
});
