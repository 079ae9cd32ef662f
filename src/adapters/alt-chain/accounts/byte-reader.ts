/**
 * How are the values of an account or an instruction read from its bytes? (chain-svm 3: Borsh, little-endian.)
 * Every length and count is held against the bytes that remain before anything is made from it, so what is built is never
 * larger than what was sent.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { ALT_KEY_BYTES, formatAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { ZERO_ADDRESS, type Address } from '../../../domain/identifiers/identifiers.ts';
import { SYSTEM_PROGRAM } from './system-program.ts';

/** Says that bytes or an answer do not have the form they must have. Never leaves this folder. */
export class Undecodable extends Error {
  constructor() {
    super('undecodable');
    this.name = 'Undecodable';
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const ADDRESS_BYTES = 20;
const WORD_BYTES = 32;

/** Reads values one after another. Every method throws `Undecodable` when the bytes do not hold what it promises. */
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

  /** The next bytes, not copied. */
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

  /** 32 bytes, big-endian: the one exception among the integers. */
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

  /** A key of 32 zero bytes stands for none. */
  optionalKey(): AltKey | undefined {
    const key = this.key();
    return key === SYSTEM_PROGRAM ? undefined : key;
  }

  /** A main-chain address; 20 zero bytes stand for none. */
  optionalAddress(): Address | undefined {
    const address = this.hex(ADDRESS_BYTES) as Address;
    return address === ZERO_ADDRESS ? undefined : address;
  }

  /** `0x` and the digits of the next bytes. */
  hex(length: number): `0x${string}` {
    return `0x${bytesToHex(this.take(length))}`;
  }

  /** A length and as many raw bytes, as hex. */
  blob(): `0x${string}` {
    return this.hex(this.u32());
  }

  /** A length and as many bytes of UTF-8. */
  text(): string {
    const bytes = this.take(this.u32());
    try {
      return UTF8.decode(bytes);
    } catch {
      throw new Undecodable();
    }
  }

  /** A count and as many items, none of which is shorter than `leastItemBytes`. */
  list<T>(leastItemBytes: number, readItem: () => T): T[] {
    const count = this.u32();
    if (count * leastItemBytes > this.remaining) throw new Undecodable();
    return Array.from({ length: count }, readItem);
  }

  option<T>(readValue: () => T): T | undefined {
    return this.bool() ? readValue() : undefined;
  }

  /** Nothing may be left. */
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

/** What `decode` gives, or undefined where it throws `Undecodable`; any other error is a defect and passes. */
export function decodable<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof Undecodable) return undefined;
    throw error;
  }
}
