/** Request bodies: every member with every wrong type, limit and length. */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import { formatBase58 } from '../identifiers/base58.ts';
import { PROPERTY_RUNS, SEED_TITLE } from '../../../testing/arbitraries/property-runs.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { rule } from '../../../test/conformance/rule.ts';
import type { DecisionMember } from './decision-refusal.ts';
import { parseDecisionRequest, toDecisionBody, type DecisionRequestResult } from './decision-request.ts';
import {
  ALT,
  ALT_OWNER,
  membersOf,
  messageOf,
  NOW,
  OPT_IN,
  OPT_OUT,
  OWNER,
} from '../../../testing/fixtures/deciding-machines.ts';

const EIP191 = OWNER.sign(messageOf(OPT_IN));
const ED25519 = ALT_OWNER.sign(messageOf(OPT_IN, { home: ALT }));
const KEY = ALT_OWNER.key;

/** Members as JSON texts, because the notation of a number matters. */
type Texts = Readonly<Record<string, string | undefined>>;

const MAIN_TEXTS: Texts = { opted_in: 'true', timestamp: String(NOW), signature: quote(EIP191) };
const ALT_TEXTS: Texts = { ...MAIN_TEXTS, signature: quote(ED25519), signer_pubkey: quote(KEY) };

/** One of every JSON type. */
const TEXT = ['""', '"true"', `"${NOW}"`];
const NUMBERS = ['0', '1', '-1', '1.5', '1e3'];
const BOOLEANS = ['true', 'false'];
const OTHERS = ['null', '[]', '{}', '[true]', '{"a":1}'];
const MISSING = undefined;

describe('parseDecisionRequest', () => {
  it('parses an opt-in signed on the main chain', () => {
    expect(parse(MAIN_TEXTS)).toStrictEqual({
      request: { optedIn: true, timestamp: NOW, proof: { kind: 'eip191', signature: EIP191 } },
    });
  });

  it('parses an opt-out signed on the alt chain', () => {
    expect(parse({ ...ALT_TEXTS, opted_in: 'false' })).toStrictEqual({
      request: { optedIn: false, timestamp: NOW, proof: { kind: 'ed25519', signerKey: KEY, signature: ED25519 } },
    });
  });

  it('parses an alt-chain key with a main-chain signature as a mixed proof', () => {
    expect(parse({ ...ALT_TEXTS, signature: quote(EIP191) })).toStrictEqual({
      request: { optedIn: true, timestamp: NOW, proof: { kind: 'mixed' } },
    });
  });

  it('accepts members in any order and ignores others', () => {
    const others = { machine_id: '"43"', Opted_In: 'false', __proto__x: '1', '': 'null', 'signer_pubkey ': 'null' };
    expect(parse({ ...others, signature: MAIN_TEXTS['signature'], ...MAIN_TEXTS })).toStrictEqual(parse(MAIN_TEXTS));
    const body = `{"__proto__":{"signer_pubkey":null},"toString":1,${render(MAIN_TEXTS).slice(1)}`;
    expect(read(body)).toStrictEqual(parse(MAIN_TEXTS));
  });

  it('accepts names and values with escape sequences', () => {
    const body = render(MAIN_TEXTS).replace('opted_in', 'opted\\u005fin').replace('0x', '\\u0030x');
    expect(read(body)).toStrictEqual(parse(MAIN_TEXTS));
  });
});

describe('a body that is not an object', () => {
  it.each(['null', 'true', '1', '"text"', '[]', '[{"opted_in":true}]'])('is rejected: %s', (body) => {
    expect(read(body)).toStrictEqual(refusedFor('body'));
  });
});

describe('opted_in', () => {
  rule('monetization.opted-in-boolean');

  it.each([MISSING, ...TEXT, ...NUMBERS, ...OTHERS])('is rejected as %s', (text) => {
    expect(parse({ ...MAIN_TEXTS, opted_in: text })).toStrictEqual(refusedFor('opted_in'));
  });
});

describe('timestamp', () => {
  rule('monetization.timestamp-integer');

  it.each(['1', '9', '10', '1788900000', '9007199254740991'])('is accepted as %s', (text) => {
    expect(parse({ ...MAIN_TEXTS, timestamp: text }).request?.timestamp).toBe(Number(text));
  });

  it.each([MISSING, ...TEXT, ...BOOLEANS, ...OTHERS])('is rejected as %s', (text) => {
    expect(parse({ ...MAIN_TEXTS, timestamp: text })).toStrictEqual(refusedFor('timestamp'));
  });

  const integers = '0 -0 -1 -1788900000 9007199254740992 9007199254740993 9999999999999999 10000000000000000';
  const others = '1788900000.0 1788900000.5 0.1 1e9 1E9 1e+9 1.7889e9 1788900000e0 1e400 18446744073709551616';
  it.each([...integers.split(' '), ...others.split(' '), '1'.repeat(400)])('is rejected as the number %s', (text) => {
    expect(parse({ ...MAIN_TEXTS, timestamp: text })).toStrictEqual(refusedFor('timestamp'));
  });
});

describe('signature', () => {
  rule('limits.signature-sizes');

  it.each([MISSING, ...TEXT, ...NUMBERS, ...BOOLEANS, ...OTHERS])('is rejected as %s', (text) => {
    expect(parse({ ...MAIN_TEXTS, signature: text })).toStrictEqual(refusedFor('signature'));
    expect(parse({ ...ALT_TEXTS, signature: text })).toStrictEqual(refusedFor('signature'));
  });

  it.each([
    ['130 characters', EIP191.slice(0, -2)],
    ['131 characters', EIP191.slice(0, -1)],
    ['133 characters', `${EIP191}0`],
    ['134 characters', `${EIP191}00`],
    ['a missing 0x', EIP191.slice(2)],
    ['the prefix 0X', EIP191.replace('0x', '0X')],
    ['a character that is not hex', EIP191.replace(/.$/, 'g')],
    ['a space', `${EIP191} `],
    ['a line break', `${EIP191}\n`],
  ])('is rejected with and without a key for %s', (_name, signature) => {
    expect(parse({ ...MAIN_TEXTS, signature: quote(signature) })).toStrictEqual(refusedFor('signature'));
    expect(parse({ ...ALT_TEXTS, signature: quote(signature) })).toStrictEqual(refusedFor('signature'));
  });

  it('is rejected without a key as base58', () => {
    expect(parse({ ...MAIN_TEXTS, signature: quote(ED25519) })).toStrictEqual(refusedFor('signature'));
  });

  it.each([
    ['63 bytes', formatBase58(new Uint8Array(63).fill(9))],
    ['65 bytes', formatBase58(new Uint8Array(65).fill(9))],
    ['89 characters', formatBase58(new Uint8Array(65).fill(255))],
    ['88 characters, 65 bytes', formatBase58(Uint8Array.of(1, ...new Uint8Array(64)))],
    ['65 characters, 65 bytes', '1'.repeat(65)],
    ['a letter outside the alphabet', ED25519.replace(/.$/, '0')],
    ['a space', ` ${ED25519}`],
  ])('is rejected with a key for %s', (_name, signature) => {
    rule('monetization.alt-signature-form');
    expect(parse({ ...ALT_TEXTS, signature: quote(signature) })).toStrictEqual(refusedFor('signature'));
  });

  it.each([
    ['64 characters', '1'.repeat(64)],
    ['88 characters', formatBase58(new Uint8Array(64).fill(255))],
  ])('is accepted with a key at %s', (_name, signature) => {
    rule('monetization.alt-signature-form');
    expect(parse({ ...ALT_TEXTS, signature: quote(signature) }).request?.proof).toMatchObject({ signature });
  });
});

describe('signer_pubkey', () => {
  rule('limits.signature-sizes');

  it.each([...TEXT, ...NUMBERS, ...BOOLEANS, ...OTHERS])('is rejected with either signature as %s', (text) => {
    expect(parse({ ...ALT_TEXTS, signer_pubkey: text })).toStrictEqual(refusedFor('signer_pubkey'));
    expect(parse({ ...MAIN_TEXTS, signer_pubkey: text })).toStrictEqual(refusedFor('signer_pubkey'));
  });

  it.each([
    ['31 bytes', formatBase58(new Uint8Array(31).fill(9))],
    ['33 bytes', formatBase58(new Uint8Array(33).fill(9))],
    ['45 characters', formatBase58(new Uint8Array(33).fill(255))],
    ['44 characters, 33 bytes', 'z'.repeat(44)],
    ['33 characters, 33 bytes', '1'.repeat(33)],
    ['an address of the main chain', OWNER.address],
    ['hex', '07'.repeat(32)],
    ['a letter outside the alphabet', KEY.replace(/.$/, 'l')],
    ['a space', `${KEY} `],
    ['a line break', `${KEY}\n`],
  ])('is rejected for %s', (_name, key) => {
    rule('monetization.signer-pubkey-form');
    expect(parse({ ...ALT_TEXTS, signer_pubkey: quote(key) })).toStrictEqual(refusedFor('signer_pubkey'));
  });

  it.each([
    ['32 characters', '1'.repeat(32)],
    ['44 characters', formatBase58(new Uint8Array(32).fill(255))],
  ])('is accepted at %s', (_name, key) => {
    rule('monetization.signer-pubkey-form');
    expect(parse({ ...ALT_TEXTS, signer_pubkey: quote(key) }).request?.proof).toMatchObject({ signerKey: key });
  });
});

it('reports the first invalid member', () => {
  const wrong = { opted_in: '1', timestamp: '0', signature: '1', signer_pubkey: 'null' };
  expect(parse(wrong)).toStrictEqual(refusedFor('opted_in'));
  expect(parse({ ...wrong, opted_in: 'true' })).toStrictEqual(refusedFor('timestamp'));
  expect(parse({ ...wrong, opted_in: 'true', timestamp: '1' })).toStrictEqual(refusedFor('signature'));
  expect(parse({ ...MAIN_TEXTS, signer_pubkey: 'null' })).toStrictEqual(refusedFor('signer_pubkey'));
});

describe('toDecisionBody', () => {
  it('builds the body that the service expects', () => {
    const main = toDecisionBody(OPT_IN, { kind: 'eip191', signature: EIP191 });
    expect(main).toStrictEqual(membersOf(OPT_IN));
    const signature = ALT_OWNER.sign(messageOf(OPT_OUT, { home: ALT }));
    const alt = toDecisionBody(OPT_OUT, { kind: 'ed25519', signerKey: KEY, signature });
    expect(alt).toStrictEqual(membersOf(OPT_OUT, ALT));
  });

  it(`is the inverse of parseDecisionRequest (${SEED_TITLE})`, () => {
    const proof = fc.constantFrom(
      { kind: 'eip191', signature: EIP191 } as const,
      { kind: 'ed25519', signerKey: KEY, signature: ED25519 } as const,
    );
    const timestamp = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const property = fc.property(fc.boolean(), timestamp, proof, (optedIn, at, how) => {
      const request = { optedIn, timestamp: at, proof: how };
      expect(read(JSON.stringify(toDecisionBody(request, how)))).toStrictEqual({ request });
    });
    fc.assert(property, PROPERTY_RUNS);
  });
});

describe(`parseDecisionRequest with any JSON (${SEED_TITLE})`, () => {
  const value = fc.oneof(fc.json(), fc.constantFrom(...Object.values(ALT_TEXTS), ...Object.values(MAIN_TEXTS)));

  it('returns either a request or a refusal', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        expect(Object.keys(read(body))).toHaveLength(1);
      }),
      PROPERTY_RUNS,
    );
  });

  it('returns a request only when every member is valid', () => {
    const mostly = (...texts: readonly string[]) =>
      fc.oneof({ arbitrary: fc.constantFrom(...texts), weight: 4 }, { arbitrary: value, weight: 1 });
    const texts = fc.record(
      {
        opted_in: mostly('true', 'false'),
        timestamp: mostly(String(NOW)),
        signature: mostly(quote(EIP191), quote(ED25519)),
        signer_pubkey: mostly(quote(KEY)),
      },
      { requiredKeys: ['opted_in', 'timestamp', 'signature'] },
    );
    let requests = 0;
    const property = fc.property(texts, (members) => {
      const { request } = parse(members);
      if (request === undefined) return;
      requests += 1;
      expect(['true', 'false']).toContain(members.opted_in?.trim());
      expect(members.timestamp?.trim()).toBe(String(request.timestamp));
      expect(members.signature).toMatch(/^"(0x[0-9a-fA-F]{130}|[1-9A-HJ-NP-Za-km-z]{64,88})"$/);
      expect(members.signer_pubkey ?? '""').toMatch(/^"([1-9A-HJ-NP-Za-km-z]{32,44})?"$/);
    });
    fc.assert(property, PROPERTY_RUNS);
    expect(requests).toBeGreaterThan(PROPERTY_RUNS.numRuns / 10);
  });
});

function quote(text: string): string {
  return JSON.stringify(text);
}

function render(texts: Texts): string {
  const members = Object.entries(texts).filter(([, text]) => text !== undefined);
  return `{${members.map(([name, text]) => `${quote(name)}:${text}`).join()}}`;
}

function parse(texts: Texts): DecisionRequestResult {
  return read(render(texts));
}

function read(body: string): DecisionRequestResult {
  const { value, problem } = parseStrictJson(utf8ToBytes(body));
  if (value === undefined) throw new Error(`not JSON: ${problem.text}`);
  return parseDecisionRequest(value);
}

function refusedFor(member: DecisionMember | 'body') {
  return { refusal: new Fault('DecisionMalformed', { member }) };
}
