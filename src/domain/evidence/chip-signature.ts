/**
 * Chip signatures (evidence 6.2). A chip returns two DER INTEGERs, r then s. The wire form is r and s of 32 bytes each with low s,
 * so that a signature has one encoding.
 */
import { p256 } from '@noble/curves/nist.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { toNumber } from './low-s.ts';

const SCALAR_BYTES = 32;
const MIN_SIGNATURE_BYTES = 6;
const MAX_SIGNATURE_BYTES = 70;
const DER_INTEGER = 0x02;
const DER_SEQUENCE = 0x30;
const { n: ORDER } = p256.Point.CURVE();

/** Returns r and s with low s; undefined for anything but two minimal, positive INTEGERs below the group order without trailing bytes. */
export function parseChipSignature(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < MIN_SIGNATURE_BYTES || bytes.length > MAX_SIGNATURE_BYTES) return undefined;
  const r = readInteger(bytes);
  const s = r && readInteger(r.rest);
  return s === undefined || s.rest.length > 0 ? undefined : toLowS(r!.value, s.value);
}

/** Returns r and s with low s; undefined unless both are in 1 to n - 1. */
export function toLowS(r: bigint, s: bigint): Uint8Array | undefined {
  if (r < 1n || r >= ORDER || s < 1n || s >= ORDER) return undefined;
  return concatBytes(toScalarBytes(r), toScalarBytes(s > ORDER / 2n ? ORDER - s : s));
}

/** Returns whether the key (65 bytes) signed the prehash (32 bytes). */
export function isSignedByChip(publicKey: Uint8Array, prehash: Uint8Array, rs: Uint8Array): boolean {
  return p256.verify(rs, prehash, publicKey, { prehash: false, lowS: true });
}

/**
 * Returns r and s with low s from the output of a signing command: two INTEGERs, a SEQUENCE of them as most tools write it, or r
 * and s of 32 bytes each. Of several possible readings the one that verifies counts; undefined when none does.
 */
export function findChipSignature(
  output: Uint8Array,
  publicKey: Uint8Array,
  prehash: Uint8Array,
): Uint8Array | undefined {
  const isPlain = output.length === 2 * SCALAR_BYTES;
  const isSequence = output[0] === DER_SEQUENCE && output[1] === output.length - 2;
  const candidates = [
    parseChipSignature(output),
    isSequence ? parseChipSignature(output.subarray(2)) : undefined,
    isPlain ? toLowS(toNumber(output.subarray(0, SCALAR_BYTES)), toNumber(output.subarray(SCALAR_BYTES))) : undefined,
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

function toScalarBytes(scalar: bigint): Uint8Array {
  return Uint8Array.from({ length: SCALAR_BYTES }, (_, at) =>
    Number((scalar >> BigInt(8 * (SCALAR_BYTES - 1 - at))) & 0xffn),
  );
}
