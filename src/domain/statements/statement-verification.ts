/**
 * Verification of a served rating statement: form, domain, types, signature, signer, time and explanation (design/provable 1). Total:
 * never throws, whatever the document is.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { formatAddress, parseAddress, parseMachineId, type Address } from '../identifiers/identifiers.ts';
import { isLowS } from '../evidence/low-s.ts';
import type { JsonTree } from '../json/canonical-json.ts';
import { isObject } from '../json/json-values.ts';
import { JsonNumber, parseStrictJson, type JsonValue } from '../json/strict-json.ts';
import { recoverSecp256k1 } from '../signatures/portable-recovery.ts';
import { SECP256K1_ORDER, splitRecoverable } from '../signatures/signature-encoding-rules.ts';
import {
  hashExplanation,
  hashStatement,
  MAX_STATEMENT_LIFETIME_SECONDS,
  STATEMENT_TYPES,
  type RatingStatement,
  type StatementDomain,
} from './rating-statement.ts';
import { isKeyValidAt, type StatementKey } from './statement-keys.ts';

/** Why a document proves nothing. The first that applies is reported. */
export type StatementProblem =
  | 'malformed' // not a closed document of the documented form
  | 'wrong domain' // signed for another deployment, or not named as a statement
  | 'wrong types'
  | 'invalid signature' // not 65 canonical bytes, or no key can be recovered
  | 'wrong signer' // the signature is not of the named signer
  | 'unknown signer' // the signer is none of the accepted keys
  | 'key not valid' // the key was revoked, or not in use when the rating was made
  | 'wrong explanation' // the explanation is not the one that was signed
  | 'not valid yet'
  | 'expired';

export interface StatementExpectation {
  readonly domain: StatementDomain;
  /** Keys that the verifier accepts. */
  readonly keys: readonly StatementKey[];
  /** Unix second at which the statement must be valid. */
  readonly nowSeconds: number;
}

export type StatementVerification =
  | { readonly statement: RatingStatement; readonly signer: Address; readonly problem?: never }
  | { readonly problem: StatementProblem };

/** Seconds by which the verifier's clock may be behind the signer's. */
const CLOCK_SKEW_SECONDS = 30;

const DOCUMENT_MEMBERS = ['statement', 'domain', 'types', 'signature', 'signer', 'explanation'];
const SIGNATURE = /^0x[0-9a-f]{130}$/;
const HASH = /^0x[0-9a-f]{64}$/;
const DECIMAL = /^(?:0|[1-9][0-9]{0,77})$/;
const WORD = /^[\x21-\x7e]{1,32}$/;
const ADDRESS_BYTES = 20;

/** Verifies a document, given as text or as parsed JSON. A text that parsers read differently is malformed. */
export function verifyStatement(document: unknown, expected: StatementExpectation): StatementVerification {
  const tree = typeof document === 'string' ? parseDocument(document) : document;
  if (!isObject(tree) || !hasExactly(tree, DOCUMENT_MEMBERS)) return { problem: 'malformed' };
  const { statement, domain, types, signature, signer, explanation } = tree;
  if (!isStatement(statement)) return { problem: 'malformed' };
  if (!isSame(domain, expected.domain)) return { problem: 'wrong domain' };
  if (!isSame(types, STATEMENT_TYPES)) return { problem: 'wrong types' };
  const recovered = recoverSigner(signature, hashStatement(statement, expected.domain));
  if (recovered === undefined) return { problem: 'invalid signature' };
  if (signer !== formatAddress(recovered)) return { problem: 'wrong signer' };
  const key = expected.keys.find(({ address }) => address === recovered);
  if (key === undefined) return { problem: 'unknown signer' };
  if (!isKeyValidAt(key, statement.ratedAt)) return { problem: 'key not valid' };
  if (!isExplained(statement, explanation)) return { problem: 'wrong explanation' };
  if (statement.ratedAt > expected.nowSeconds + CLOCK_SKEW_SECONDS) return { problem: 'not valid yet' };
  if (statement.validUntil < expected.nowSeconds) return { problem: 'expired' };
  return { statement, signer: recovered };
}

/** Parses a JSON text; undefined for one that is not JSON, is ambiguous or nests too deep. */
function parseDocument(text: string): unknown {
  if (!text.isWellFormed()) return undefined;
  const { value } = parseStrictJson(new TextEncoder().encode(text));
  return value === undefined ? undefined : toTree(value);
}

function toTree(value: JsonValue): JsonTree {
  if (value instanceof JsonNumber) return Number(value.text);
  if (value instanceof Map) {
    return Object.fromEntries(
      Array.from(value as ReadonlyMap<string, JsonValue>, ([name, member]) => [name, toTree(member)]),
    );
  }
  return Array.isArray(value) ? value.map((item) => toTree(item as JsonValue)) : (value as string | boolean | null);
}

/** Returns the text forms of the members, and checks every number's range. */
function isStatement(value: unknown): value is RatingStatement {
  if (!isObject(value) || !hasExactly(value, Object.keys(FORMS))) return false;
  return (
    Object.entries(FORMS).every(([name, isForm]) => isForm(value[name])) &&
    (value['ratedAt'] as number) <= (value['validUntil'] as number) &&
    (value['validUntil'] as number) - (value['ratedAt'] as number) <= MAX_STATEMENT_LIFETIME_SECONDS
  );
}

const FORMS: { readonly [M in keyof RatingStatement]: (value: unknown) => boolean } = {
  machineId: (value) => typeof value === 'string' && parseMachineId(value) !== undefined,
  homeChain: (value) => isWhole(value, 2 ** 16 - 1),
  model: isWord,
  rating: isWord,
  scoreHundredths: (value) => isWhole(value, 10_000),
  bonded: isFlag,
  negativeFlag: isFlag,
  kyb: isWord,
  chip: isWord,
  blockNumber: (value) => isDecimal(value, 2n ** 256n),
  blockHash: isHash,
  altSlot: (value) => isDecimal(value, 2n ** 64n),
  ratedAt: (value) => isWhole(value, Number.MAX_SAFE_INTEGER),
  validUntil: (value) => isWhole(value, Number.MAX_SAFE_INTEGER),
  explanationHash: isHash,
};

function isWhole(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0) && (value as number) >= 0 && (value as number) <= most;
}

function isDecimal(value: unknown, below: bigint): boolean {
  return typeof value === 'string' && DECIMAL.test(value) && BigInt(value) < below;
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && WORD.test(value);
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && HASH.test(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function hasExactly(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const found = Object.keys(value);
  return found.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** Compares a JSON value with the expected one: same members, same items, same scalars. */
function isSame(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return value === expected;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  const names = Object.keys(expected);
  return (
    hasExactly(value as Readonly<Record<string, unknown>>, names) &&
    names.every((name) => isSame((value as Record<string, unknown>)[name], (expected as Record<string, unknown>)[name]))
  );
}

/** Recovers the account of a signature with low s and a recovery byte of 27 or 28. */
function recoverSigner(signature: unknown, digest: Uint8Array): Address | undefined {
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return undefined;
  const parts = splitRecoverable(hexToBytes(signature.slice(2)));
  if (parts === undefined || !isLowS(parts.rs, SECP256K1_ORDER)) return undefined;
  const key = recoverSecp256k1(digest, parts.rs, parts.parity);
  return key && parseAddress(`0x${bytesToHex(keccak_256(key.subarray(1)).subarray(-ADDRESS_BYTES))}`);
}

function isExplained({ explanationHash }: RatingStatement, explanation: unknown): boolean {
  try {
    return isObject(explanation) && hashExplanation(explanation as JsonTree) === explanationHash;
  } catch {
    // No canonical form: a lone surrogate, or nested beyond the stack.
    return false;
  }
}
