/**
 * What did a chip sign? (evidence 6.2.) A chip answers two DER INTEGERs, r then s; what is sent is r and s of 32 bytes each, s in the lower half
 * of its range, so that a signature has one spelling.
 */
import { p256 } from '@noble/curves/nist.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { toNumber } from './low-s.ts';

const SCALAR_BYTES = 32;
const MIN_ANSWER_BYTES = 6;
const MAX_ANSWER_BYTES = 70;
const DER_INTEGER = 0x02;
const DER_SEQUENCE = 0x30;
const { n: ORDER } = p256.Point.CURVE();

/** r and s with low s. Undefined for anything but two minimal, positive INTEGERs below the order of the group and nothing after them. */
export function parseChipSignature(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < MIN_ANSWER_BYTES || bytes.length > MAX_ANSWER_BYTES) return undefined;
  const r = readInteger(bytes);
  const s = r && readInteger(r.rest);
  return s === undefined || s.rest.length > 0 ? undefined : toLowS(r!.value, s.value);
}

/** Undefined unless both are in 1 to n - 1. */
export function toLowS(r: bigint, s: bigint): Uint8Array | undefined {
  if (r < 1n || r >= ORDER || s < 1n || s >= ORDER) return undefined;
  return concatBytes(spell(r), spell(s > ORDER / 2n ? ORDER - s : s));
}

/** Tells whether the key of 65 bytes signed the 32 bytes of the prehash. */
export function isSignedByChip(publicKey: Uint8Array, prehash: Uint8Array, rs: Uint8Array): boolean {
  return p256.verify(rs, prehash, publicKey, { prehash: false, lowS: true });
}

/**
 * r and s, with low s, of the answer of a signing command: as `parseChipSignature` takes it, or with the SEQUENCE around it that most tools
 * write, or as r and s of 32 bytes each. What could be read in two ways is read in the one that verifies; undefined when none does.
 */
export function findChipSignature(
  answer: Uint8Array,
  publicKey: Uint8Array,
  prehash: Uint8Array,
): Uint8Array | undefined {
  const isPlain = answer.length === 2 * SCALAR_BYTES;
  const isSequence = answer[0] === DER_SEQUENCE && answer[1] === answer.length - 2;
  const candidates = [
    parseChipSignature(answer),
    isSequence ? parseChipSignature(answer.subarray(2)) : undefined,
    isPlain ? toLowS(toNumber(answer.subarray(0, SCALAR_BYTES)), toNumber(answer.subarray(SCALAR_BYTES))) : undefined,
  ];
  return candidates.find((rs) => rs !== undefined && isSignedByChip(publicKey, prehash, rs));
}

function readInteger(bytes: Uint8Array): { readonly value: bigint; readonly rest: Uint8Array } | undefined {
  const [tag, length = 0] = bytes;
  const content = bytes.subarray(2, 2 + length);
  if (tag !== DER_INTEGER || length === 0 || length > SCALAR_BYTES + 1 || content.length < length) return undefined;
  const [first = 0, second = 0] = content;
  const isNegative = first >= 0x80;
  const isPadded = length > 1 && first === 0 && second < 0x80;
  return isNegative || isPadded ? undefined : { value: toNumber(content), rest: bytes.subarray(2 + length) };
}

function spell(scalar: bigint): Uint8Array {
  return Uint8Array.from({ length: SCALAR_BYTES }, (_, at) =>
    Number((scalar >> BigInt(8 * (SCALAR_BYTES - 1 - at))) & 0xffn),
  );
}
