/**
 * Borsh encoder for accounts and instructions of the alt chain (chain-svm 3, little-endian). Written independently of the service's
 * reader, so that they do not share mistakes.
 */
import { altKeyBytes } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';

const WORD_BYTES = 32;
const KEY_BYTES = 32;
const ADDRESS_BYTES = 20;

/** Appends values; every method returns the writer. Throws `RangeError` for a value that does not fit. */
export class BorshWriter {
  readonly #parts: Uint8Array[] = [];

  /** Appends bytes without a length. */
  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  /** Appends hex digits, with or without `0x`, as bytes. */
  hex(digits: string): this {
    const bytes = Buffer.from(digits.replace(/^0x/, ''), 'hex');
    if (bytes.length * 2 !== digits.replace(/^0x/, '').length) throw new RangeError('not hex');
    return this.raw(bytes);
  }

  u8(value: number): this {
    return this.#integer(BigInt(value), 1);
  }

  u16(value: number): this {
    return this.#integer(BigInt(value), 2);
  }

  u32(value: number): this {
    return this.#integer(BigInt(value), 4);
  }

  u64(value: bigint): this {
    return this.#integer(value, 8);
  }

  i64(value: bigint): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return this.raw(bytes);
  }

  /** Appends 32 bytes, big-endian: a machine id or the value of an event. */
  word(value: bigint): this {
    return this.raw(toWord(value));
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  /** Appends a key; undefined is the zero key. */
  key(key: AltKey | undefined): this {
    return this.raw(key === undefined ? new Uint8Array(KEY_BYTES) : altKeyBytes(key));
  }

  /** Appends a main-chain address; undefined is 20 zero bytes. */
  address(address: string | undefined): this {
    return address === undefined ? this.raw(new Uint8Array(ADDRESS_BYTES)) : this.hex(address);
  }

  /** Appends the length and the bytes of hex digits. */
  blob(digits: string): this {
    const bytes = new BorshWriter().hex(digits).bytes();
    return this.u32(bytes.length).raw(bytes);
  }

  text(text: string): this {
    const bytes = Buffer.from(text, 'utf8');
    return this.u32(bytes.length).raw(bytes);
  }

  list<T>(items: readonly T[], write: (writer: this, item: T) => unknown): this {
    this.u32(items.length);
    for (const item of items) write(this, item);
    return this;
  }

  option<T>(value: T | undefined, write: (writer: this, value: T) => unknown): this {
    this.bool(value !== undefined);
    if (value !== undefined) write(this, value);
    return this;
  }

  /** Appends one event (chain-svm 3.5) without a discriminator. */
  eventRecord(record: EventRecord): this {
    return this.u8(record.eventType)
      .word(record.value)
      .u64(record.timestamp)
      .hex(record.dataHash)
      .u8(record.trustLevel)
      .u64(record.sourceChainId)
      .hex(record.sourceTxHash)
      .blob(record.metadata)
      .text(record.currency);
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }

  #integer(value: bigint, bytes: number): this {
    if (value < 0n || value >> BigInt(8 * bytes) !== 0n)
      throw new RangeError(`${value} does not fit in ${bytes} bytes`);
    return this.raw(Uint8Array.from({ length: bytes }, (_, k) => Number((value >> BigInt(8 * k)) & 255n)));
  }
}

/** Returns a machine id as 32 bytes, big-endian, as programs use it in addresses and accounts. */
export function toWord(value: bigint): Uint8Array {
  if (value < 0n || value >> 256n !== 0n) throw new RangeError('not a word');
  return new Uint8Array(Buffer.from(value.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex'));
}
