/**
 * How are the few things of the alt chain that a replay needs written in bytes? Base58, program addresses and Borsh (chain-svm 2 and 3),
 * by hand: the service's own readers are not used.
 */
import { createHash } from 'node:crypto';

/** Bytes or texts of the alt chain do not hold what they should. */
export class MalformedSolana extends Error {
  override readonly name = 'MalformedSolana';
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Throws MalformedSolana. `size`: the number of bytes that there must be. */
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

export function formatBase58(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => byte !== 0);
  const zeros = first === -1 ? bytes.length : first;
  let text = '';
  for (let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`); value > 0n; value /= 58n) {
    text = ALPHABET[Number(value % 58n)]! + text;
  }
  return '1'.repeat(zeros) + text;
}

/** The machine id as 32 bytes, big-endian. */
export function toWord(machineId: bigint): Uint8Array {
  return Buffer.from(machineId.toString(16).padStart(64, '0'), 'hex');
}

/** The address that only the program can sign for: the highest bump whose digest is no point of the curve. */
export function deriveAddress(program: string, prefix: string, seed: Uint8Array = new Uint8Array()): string {
  const seeds = Buffer.concat([Buffer.from(prefix, 'ascii'), seed]);
  const owner = parseBase58(program, 32);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256').update(seeds).update(Uint8Array.of(bump)).update(owner);
    const digest = hash.update('ProgramDerivedAddress').digest();
    if (!isOnCurve(digest)) return formatBase58(digest);
  }
  throw new MalformedSolana('a program without addresses');
}

const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Has `y` of a compressed point of Ed25519 an `x`? `x² = (y² − 1) / (d y² + 1)`: it has when that, or 0, is a square. */
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
  /** `bytes` of unsigned little-endian. */
  uint(bytes: 1 | 2 | 4 | 8): bigint;
  /** 32 bytes, big-endian. */
  word(): bigint;
  take(bytes: number): Uint8Array;
  /** A length in four bytes, and so many. */
  sized(): Uint8Array;
  option<T>(read: () => T): T | undefined;
  /** Gives all that is taken from now on, in hex. */
  mark(): () => string;
}

/** Every read throws MalformedSolana where the bytes end too soon. */
export function readBorsh(data: Uint8Array): BorshReader {
  let at = 0;
  const take = (bytes: number): Uint8Array => {
    if (bytes > data.length - at) throw new MalformedSolana('data ends too soon');
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
      if (tag > 1n) throw new MalformedSolana('an option that is neither none nor some');
      return tag === 1n ? read() : undefined;
    },
    mark() {
      const from = at;
      return () => Buffer.from(data.subarray(from, at)).toString('hex');
    },
  };
}
