/**
 * Parsing and checks that signed documents share: strict JSON, closed objects, one spelling of each value, and the recovery of the signer of
 * typed data. Total: never throws, whatever the document is.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { isLowS } from '../evidence/low-s.ts';
import { parseAddress, type Address } from '../identifiers/identifiers.ts';
import type { JsonTree } from '../json/canonical-json.ts';
import { JsonNumber, parseStrictJson, type JsonValue } from '../json/strict-json.ts';
import { recoverSecp256k1 } from '../signatures/portable-recovery.ts';
import { SECP256K1_ORDER, splitRecoverable } from '../signatures/signature-encoding-rules.ts';

/** Seconds by which the verifier's clock may be behind the signer's. */
export const CLOCK_SKEW_SECONDS = 30;

const SIGNATURE = /^0x[0-9a-f]{130}$/;
const HASH = /^0x[0-9a-f]{64}$/;
const DECIMAL = /^(?:0|[1-9][0-9]{0,77})$/;
const ADDRESS_BYTES = 20;

/** Returns the tree of a document, given as text or as parsed JSON. A text that parsers read differently has none. */
export function toDocumentTree(document: unknown): unknown {
  return typeof document === 'string' ? parseDocument(document) : document;
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

/** Returns whether the value is an integer from 0 to `most`, and not -0. */
export function isWhole(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0) && (value as number) >= 0 && (value as number) <= most;
}

/** Returns whether the value is a canonical decimal text below the limit. */
export function isDecimal(value: unknown, below: bigint): boolean {
  return typeof value === 'string' && DECIMAL.test(value) && BigInt(value) < below;
}

/** Returns whether the value is `0x` and 64 lower-case hex digits. */
export function isHash(value: unknown): boolean {
  return typeof value === 'string' && HASH.test(value);
}

/** Returns whether the value is true or false. */
export function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** Returns whether the object has these members and no others. */
export function hasExactly(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const found = Object.keys(value);
  return found.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** Compares a JSON value with the expected one: same members, same items, same scalars. */
export function isSame(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return value === expected;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  const names = Object.keys(expected);
  return (
    hasExactly(value as Readonly<Record<string, unknown>>, names) &&
    names.every((name) => isSame((value as Record<string, unknown>)[name], (expected as Record<string, unknown>)[name]))
  );
}

/** Recovers the account of a signature with low s and a recovery byte of 27 or 28. */
export function recoverTypedSigner(signature: unknown, digest: Uint8Array): Address | undefined {
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return undefined;
  const parts = splitRecoverable(hexToBytes(signature.slice(2)));
  if (parts === undefined || !isLowS(parts.rs, SECP256K1_ORDER)) return undefined;
  const key = recoverSecp256k1(digest, parts.rs, parts.parity);
  return key && parseAddress(`0x${bytesToHex(keccak_256(key.subarray(1)).subarray(-ADDRESS_BYTES))}`);
}
