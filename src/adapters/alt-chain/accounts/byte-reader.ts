/**
 * Borsh reader for accounts and instructions (chain-svm 3; little-endian).
 * Every length and count is checked against the remaining bytes before anything is allocated, so that a value never exceeds the
 * size of its input.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { ALT_KEY_BYTES, formatAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { ZERO_ADDRESS, type Address } from '../../../domain/identifiers/identifiers.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

/** Error for bytes or a response of the wrong shape. Never leaves this folder. */
export class Undecodable extends Error {
  constructor() {
    super('undecodable');
    this.name = 'Undecodable';
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const ADDRESS_BYTES = 20;
const WORD_BYTES = 32;

/** Sequential reader. Every method throws `Undecodable` when the bytes do not hold the requested value. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns a view of the next bytes. */
  take(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  /** Reads 32 big-endian bytes, the only big-endian integer. */
  word(): bigint {
    return BigInt(this.hex(WORD_BYTES));
  }

  bool(): boolean {
    const byte = this.u8();
    if (byte > 1) throw new Undecodable();
    return byte === 1;
  }

  key(): AltKey {
    return formatAltKey(this.take(ALT_KEY_BYTES));
  }

  /** Reads a key; 32 zero bytes mean none. */
  optionalKey(): AltKey | undefined {
    const key = this.key();
    return key === SYSTEM_PROGRAM ? undefined : key;
  }

  /** Reads a main-chain address; 20 zero bytes mean none. */
  optionalAddress(): Address | undefined {
    const address = this.hex(ADDRESS_BYTES) as Address;
    return address === ZERO_ADDRESS ? undefined : address;
  }

  /** Reads the next bytes as `0x` hex. */
  hex(length: number): `0x${string}` {
    return `0x${bytesToHex(this.take(length))}`;
  }

  /** Reads length-prefixed bytes as `0x` hex. */
  blob(): `0x${string}` {
    return this.hex(this.u32());
  }

  /** Reads length-prefixed UTF-8. */
  text(): string {
    const bytes = this.take(this.u32());
    try {
      return UTF8.decode(bytes);
    } catch {
      throw new Undecodable();
    }
  }

  /** Reads a count-prefixed list whose items take at least `minItemBytes` each. */
  list<T>(minItemBytes: number, readItem: () => T): T[] {
    const count = this.u32();
    if (count * minItemBytes > this.remaining) throw new Undecodable();
    return Array.from({ length: count }, readItem);
  }

  option<T>(readValue: () => T): T | undefined {
    return this.bool() ? readValue() : undefined;
  }

  /** Asserts that no bytes remain. */
  finish(): void {
    if (this.remaining > 0) throw new Undecodable();
  }

  #advance(length: number): number {
    if (length > this.remaining) throw new Undecodable();
    const start = this.#at;
    this.#at += length;
    return start;
  }
}

/** Returns the result of `decode`, or undefined if it throws `Undecodable`. Rethrows any other error. */
export function decodable<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof Undecodable) return undefined;
    throw error;
  }
}
