/**
 * RLP encoder (Yellow Paper, appendix B) with a reusable buffer. It encodes numbers and hex text; lengths precede the
 * content they measure.
 */

/** First prefix of a string; a single byte below it encodes itself. */
export const FIRST_STRING = 0x80;
export const FIRST_LIST = 0xc0;
/** Longest content whose length fits into the prefix byte. */
export const MAX_SHORT = 55;
const MAX_PREFIX_BYTES = 9;
const FIRST_BYTES = 65_536;
const RETAINED_BYTES = 4_194_304;

function countBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0xff; rest = Math.floor(rest / 0x100)) bytes += 1;
  return bytes;
}

export class RlpBuffer {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Empties the buffer and releases memory that an unusually large response needed. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > RETAINED_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  /** Returns a copy of the content. */
  copyBytes(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  append(other: RlpBuffer): void {
    this.#reserve(other.#length);
    this.#bytes.set(other.#bytes.subarray(0, other.#length), this.#length);
    this.#length += other.#length;
  }

  writeByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Writes the prefix of a list whose items follow. */
  writeListPrefix(length: number): void {
    this.#writePrefix(FIRST_LIST, length);
  }

  /** Writes a non-negative safe integer without leading zeros. */
  writeInteger(value: number): void {
    if (value > 0 && value < FIRST_STRING) return this.writeByte(value);
    const length = value === 0 ? 0 : countBytes(value);
    this.#writePrefix(FIRST_STRING, length);
    this.#writeBytes(value, length);
  }

  /** Writes a string of `length` bytes from the hex digits at `at`. Returns false when not all of them are digits. */
  writeHex(from: Uint8Array, at: number, length: number): boolean {
    const isSingleByte = length === 1 && decodeHexByte(from, at) < FIRST_STRING;
    if (!isSingleByte) this.#writePrefix(FIRST_STRING, length);
    this.#reserve(length);
    const to = this.#bytes;
    let end = this.#length;
    let all = 0;
    for (let place = at; place < at + 2 * length; place += 2) {
      const byte = decodeHexByte(from, place);
      all |= byte;
      to[end++] = byte;
    }
    this.#length = end;
    return all >= 0;
  }

  #writePrefix(first: number, length: number): void {
    this.#reserve(MAX_PREFIX_BYTES);
    if (length <= MAX_SHORT) {
      this.#bytes[this.#length++] = first + length;
      return;
    }
    const bytes = countBytes(length);
    this.#bytes[this.#length++] = first + MAX_SHORT + bytes;
    this.#writeBytes(length, bytes);
  }

  #writeBytes(value: number, bytes: number): void {
    let rest = value;
    for (let at = this.#length + bytes - 1; at >= this.#length; at--) {
      this.#bytes[at] = rest % 0x100;
      rest = Math.floor(rest / 0x100);
    }
    this.#length += bytes;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Values of hex digits by character code; -1, with all bits set, for any other character. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** Returns the byte of two hex digits; negative when one is not a digit. */
export function decodeHexByte(text: Uint8Array, at: number): number {
  return (DIGITS[text[at]!]! << 4) | DIGITS[text[at + 1]!]!;
}
