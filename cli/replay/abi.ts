/**
 * Contract ABI encoding, as far as a replay needs it: one head word per static value, an offset in place of a dynamic one.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Data of the main chain does not have its documented form. */
export class MalformedAbi extends Error {
  override readonly name = 'MalformedAbi';
}

/** Returns the first topic of a log with this signature, `0x` + 64 hex. */
export function topicOf(signature: string): string {
  return hashOf(utf8ToBytes(signature));
}

/** Returns keccak256 of the bytes, `0x` + 64 hex. */
export function hashOf(bytes: Uint8Array): string {
  return `0x${bytesToHex(keccak_256(bytes))}`;
}

/** Encodes a uint as `0x` + 64 hex. */
export function encodeWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** Encodes the call data of a function whose arguments are all uints. */
export function encodeCall(signature: string, args: readonly bigint[]): string {
  return topicOf(signature).slice(0, 10) + args.map((arg) => encodeWord(arg).slice(2)).join('');
}

/** Decodes `0x…` to bytes. Throws `MalformedAbi`. */
export function parseBytes(hex: unknown): Uint8Array {
  if (typeof hex !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(hex)) throw new MalformedAbi('not hex bytes');
  return hexToBytes(hex.slice(2));
}

/** Reads the values of one tuple. Offsets count from the first byte of the tuple. */
export interface TupleReader {
  /** Reads the uint in head word `index`; rejects one that does not fit `bits`. */
  readonly uint: (index: number, bits?: number) => bigint;
  readonly bool: (index: number) => boolean;
  /** Reads the bytes (or the text, undecoded) that head word `index` points to. */
  readonly bytes: (index: number) => Uint8Array;
  /** Reads the elements of the array of dynamic tuples that head word `index` points to. */
  readonly tuples: (index: number) => TupleReader[];
}

/** Creates a reader of the tuple at `start`. Every read outside of `data` throws `MalformedAbi`. */
export function readTuple(data: Uint8Array, start = 0): TupleReader {
  const wordAt = (position: number): bigint => {
    if (position + 32 > data.length) throw new MalformedAbi('the data ends too early');
    return BigInt(`0x${bytesToHex(data.subarray(position, position + 32))}`);
  };
  /** A length or an offset, at most the size of the data. */
  const sizeAt = (position: number): number => {
    const size = wordAt(position);
    if (size > BigInt(data.length)) throw new MalformedAbi('a size is larger than the data');
    return Number(size);
  };
  const target = (index: number): number => start + sizeAt(start + 32 * index);
  const uint = (index: number, bits = 256): bigint => {
    const value = wordAt(start + 32 * index);
    if (value >= 2n ** BigInt(bits)) throw new MalformedAbi(`a uint${bits} is too large`);
    return value;
  };
  return {
    uint,
    bool: (index) => uint(index, 1) === 1n,
    bytes: (index) => {
      const at = target(index);
      const length = sizeAt(at);
      if (at + 32 + length > data.length) throw new MalformedAbi('the data ends too early');
      return data.subarray(at + 32, at + 32 + length);
    },
    tuples: (index) => {
      const at = target(index);
      const elements = at + 32;
      return Array.from({ length: sizeAt(at) }, (_, element) =>
        readTuple(data, elements + sizeAt(elements + 32 * element)),
      );
    },
  };
}
