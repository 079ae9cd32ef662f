/**
 * Base58, program-derived addresses and Borsh of the alt chain (chain-svm 2 and 3), as far as a replay needs them. Independent of
 * the service's readers.
 */
import { createHash } from 'node:crypto';

/** Data of the alt chain does not have its documented form. */
export class MalformedSolana extends Error {
  override readonly name = 'MalformedSolana';
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Decodes base58. Throws `MalformedSolana`, also when the result does not have `size` bytes. */
export function parseBase58(text: string, size?: number): Uint8Array {
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit === -1) throw new MalformedSolana('not base58');
    value = value * 58n + BigInt(digit);
  }
  const zeros = /^1*/.exec(text)![0].length;
  const hex = value === 0n ? '' : value.toString(16);
  const bytes = Buffer.from('00'.repeat(zeros) + (hex.length % 2 === 0 ? hex : `0${hex}`), 'hex');
  if (size !== undefined && bytes.length !== size) throw new MalformedSolana(`base58 of ${bytes.length} bytes`);
  return bytes;
}

/** Encodes bytes as base58. */
export function formatBase58(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => byte !== 0);
  const zeros = first === -1 ? bytes.length : first;
  let text = '';
  for (let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`); value > 0n; value /= 58n) {
    text = ALPHABET[Number(value % 58n)]! + text;
  }
  return '1'.repeat(zeros) + text;
}

/** Encodes a machine id as 32 bytes, big-endian. */
export function toWord(machineId: bigint): Uint8Array {
  return Buffer.from(machineId.toString(16).padStart(64, '0'), 'hex');
}

/** Derives a program address: the digest with the highest bump that is not a point of the curve. */
export function deriveAddress(program: string, prefix: string, seed: Uint8Array = new Uint8Array()): string {
  const seeds = Buffer.concat([Buffer.from(prefix, 'ascii'), seed]);
  const owner = parseBase58(program, 32);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256').update(seeds).update(Uint8Array.of(bump)).update(owner);
    const digest = hash.update('ProgramDerivedAddress').digest();
    if (!isOnCurve(digest)) return formatBase58(digest);
  }
  throw new MalformedSolana('no valid bump for a program address');
}

const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Returns whether `y` of a compressed Ed25519 point has an `x`: `x² = (y² − 1) / (d y² + 1)` must be a square or 0. */
function isOnCurve(digest: Uint8Array): boolean {
  const littleEndian = BigInt(`0x${Buffer.from(digest).reverse().toString('hex')}`);
  const y = (littleEndian & (2n ** 255n - 1n)) % P;
  const y2 = (y * y) % P;
  const product = ((y2 + P - 1n) * (D * y2 + 1n)) % P;
  return power(product, (P - 1n) / 2n) !== P - 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % P) {
    if ((rest & 1n) === 1n) result = (result * square) % P;
  }
  return result;
}

export interface BorshReader {
  /** Reads an unsigned little-endian integer of `bytes` bytes. */
  uint(bytes: 1 | 2 | 4 | 8): bigint;
  /** Reads 32 bytes, big-endian. */
  word(): bigint;
  take(bytes: number): Uint8Array;
  /** Reads a four-byte length and that many bytes. */
  sized(): Uint8Array;
  option<T>(read: () => T): T | undefined;
  /** Returns a function that returns all bytes read since this call, in hex. */
  mark(): () => string;
}

/** Creates a Borsh reader. Every read throws `MalformedSolana` when the data ends too early. */
export function readBorsh(data: Uint8Array): BorshReader {
  let at = 0;
  const take = (bytes: number): Uint8Array => {
    if (bytes > data.length - at) throw new MalformedSolana('data ends too early');
    at += bytes;
    return data.subarray(at - bytes, at);
  };
  const uint = (bytes: number): bigint => BigInt(`0x${Buffer.from(take(bytes)).reverse().toString('hex')}`);
  return {
    uint,
    take,
    word: () => BigInt(`0x${Buffer.from(take(32)).toString('hex')}`),
    sized: () => take(Number(uint(4))),
    option(read) {
      const tag = uint(1);
      if (tag > 1n) throw new MalformedSolana('an option tag above 1');
      return tag === 1n ? read() : undefined;
    },
    mark() {
      const from = at;
      return () => Buffer.from(data.subarray(from, at)).toString('hex');
    },
  };
}
