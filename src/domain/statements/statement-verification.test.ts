/** Verification of statements: each problem, and texts that parsers read differently. */
import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import {
  PUBLISHED_VECTOR_KEY,
  signVectorDocument,
  VECTOR_EXPECTATION,
  VECTOR_STATEMENT,
} from '../../../testing/fixtures/statement-vectors.ts';
import { createMainChainKey } from '../signatures/account-keys.ts';
import { SECP256K1_ORDER } from '../signatures/signature-encoding-rules.ts';
import type { StatementKey } from './statement-keys.ts';
import { verifyStatement, type StatementExpectation } from './statement-verification.ts';

const DOCUMENT = signVectorDocument();
const { statement, signature, domain, types, explanation } = DOCUMENT;
const ACCEPTED = { statement: VECTOR_STATEMENT, signer: PUBLISHED_VECTOR_KEY.address };

const verify = (document: unknown, changes: Partial<StatementExpectation> = {}) =>
  verifyStatement(document, { ...VECTOR_EXPECTATION, ...changes });
const withKey = (changes: Partial<StatementKey>) =>
  verify(DOCUMENT, { keys: [{ ...PUBLISHED_VECTOR_KEY, ...changes }] });

it('accepts a statement as parsed JSON and as text', () => {
  expect(verify(DOCUMENT)).toEqual(ACCEPTED);
  expect(verify(JSON.stringify(DOCUMENT, undefined, 2))).toEqual(ACCEPTED);
});

it('accepts a statement from 30 seconds before ratedAt to validUntil', () => {
  rule('statement.validity');
  const { ratedAt, validUntil } = VECTOR_STATEMENT;
  const at = (nowSeconds: number) => verify(DOCUMENT, { nowSeconds }).problem;
  expect([at(ratedAt - 31), at(ratedAt - 30), at(validUntil), at(validUntil + 1)]).toEqual([
    'not valid yet',
    undefined,
    undefined,
    'expired',
  ]);
});

it('accepts a key only within its published times, and never after its revocation', () => {
  rule('statement.key-times');
  const { ratedAt } = VECTOR_STATEMENT;
  expect(withKey({ notBefore: ratedAt, notAfter: ratedAt })).toEqual(ACCEPTED);
  const refused = { problem: 'key not valid' };
  expect(withKey({ notBefore: undefined })).toEqual(refused);
  expect(withKey({ notBefore: ratedAt + 1 })).toEqual(refused);
  expect(withKey({ notAfter: ratedAt - 1 })).toEqual(refused);
  expect(withKey({ revokedAt: ratedAt + 1_000_000 })).toEqual(refused);
});

it('rejects a signer that is no published key', () => {
  const stranger = createMainChainKey(new Uint8Array(32).fill(7));
  expect(verify(signVectorDocument({}, stranger))).toEqual({ problem: 'unknown signer' });
  expect(verify(DOCUMENT, { keys: [] })).toEqual({ problem: 'unknown signer' });
});

/** Returns the second valid form of the signature: n - s with the other recovery byte. */
function malleate(text: string): string {
  const s = SECP256K1_ORDER - BigInt(`0x${text.slice(66, 130)}`);
  return `${text.slice(0, 66)}${s.toString(16).padStart(64, '0')}${text.endsWith('1b') ? '1c' : '1b'}`;
}

describe('a changed document is rejected', () => {
  it.each<[string, object, string]>([
    ['without a member', { ...DOCUMENT, types: undefined, explanation: undefined }, 'wrong types'],
    ['with another member', { ...DOCUMENT, note: '' }, 'malformed'],
    ['with another member in the statement', { ...DOCUMENT, statement: { ...statement, note: '' } }, 'malformed'],
    ['with a number as id', { ...DOCUMENT, statement: { ...statement, machineId: 42 } }, 'malformed'],
    ['with a leading zero', { ...DOCUMENT, statement: { ...statement, machineId: '042' } }, 'malformed'],
    [
      'with a slot beyond 64 bits',
      { ...DOCUMENT, statement: { ...statement, altSlot: String(2n ** 64n) } },
      'malformed',
    ],
    ['with a negative zero', { ...DOCUMENT, statement: { ...statement, homeChain: -0 } }, 'malformed'],
    ['with another score', { ...DOCUMENT, statement: { ...statement, scoreHundredths: 9_500 } }, 'wrong signer'],
    ['with another flag', { ...DOCUMENT, statement: { ...statement, bonded: false } }, 'wrong signer'],
    ['with another chain', { ...DOCUMENT, domain: { ...domain, chainId: 1 } }, 'wrong domain'],
    ['with a lower-case registry', { ...DOCUMENT, domain: { ...domain, verifyingContract: '0x' } }, 'wrong domain'],
    [
      'with types in another order',
      { ...DOCUMENT, types: { RatingStatement: types.RatingStatement.toReversed() } },
      'wrong types',
    ],
    ['with the high s', { ...DOCUMENT, signature: malleate(signature) }, 'invalid signature'],
    ['with upper-case hex', { ...DOCUMENT, signature: `0x${signature.slice(2).toUpperCase()}` }, 'invalid signature'],
    ['with a recovery byte of 0', { ...DOCUMENT, signature: `${signature.slice(0, 130)}00` }, 'invalid signature'],
    ['with a compact signature', { ...DOCUMENT, signature: signature.slice(0, 130) }, 'invalid signature'],
    ['with r of 0', { ...DOCUMENT, signature: `0x${'0'.repeat(64)}${signature.slice(66)}` }, 'invalid signature'],
    ['with a signer in lower case', { ...DOCUMENT, signer: DOCUMENT.signer.toLowerCase() }, 'wrong signer'],
    ['with another explanation', { ...DOCUMENT, explanation: { ...explanation, mcr: 'AAA' } }, 'wrong explanation'],
    ['with a list as explanation', { ...DOCUMENT, explanation: [] }, 'wrong explanation'],
  ])('%s', (_, document, problem) => {
    expect(verify(document)).toEqual({ problem });
  });

  it('with a lifetime of more than a day', () => {
    const { ratedAt } = VECTOR_STATEMENT;
    expect(verify(signVectorDocument({ validUntil: ratedAt + 86_400 })).problem).toBeUndefined();
    expect(verify(signVectorDocument({ validUntil: ratedAt + 86_401 }))).toEqual({ problem: 'malformed' });
    expect(verify(signVectorDocument({ validUntil: ratedAt - 1 }))).toEqual({ problem: 'malformed' });
  });
});

describe('a text that is no single JSON document is malformed', () => {
  const text = JSON.stringify(DOCUMENT);

  it.each([
    ['a repeated member', text.replace('{"statement":', '{"statement":{"bonded":true},"statement":')],
    ['a repeated member with the same value', text.replace('"bonded":true', '"bonded":true,"bonded":true')],
    ['a byte-order mark', `\ufeff${text}`],
    ['text after it', `${text}{}`],
    ['a part of it', text.slice(0, -1)],
    ['a lone surrogate', text.replace('Rated', '\\ud800')],
    ['a lone surrogate without an escape', text.replace('Rated', '\ud800')],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['nothing', ''],
  ])('%s', (_, changed) => {
    expect(changed).not.toBe(text);
    expect(verify(changed)).toEqual({ problem: 'malformed' });
  });
});

it('rejects a value that nests beyond the stack without throwing', () => {
  let deep: unknown = 0;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(verify({ ...DOCUMENT, explanation: { deep } })).toEqual({ problem: 'wrong explanation' });
});
