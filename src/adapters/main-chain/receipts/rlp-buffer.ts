/**
 * How does the chain write what it hashes? In RLP (Yellow Paper, appendix B), where every length stands before what it measures. Into a buffer that
 * is used again and again, from numbers and from hex text.
 */

/** Below it a byte is its own text. */
export const FIRST_TEXT = 0x80;
export const FIRST_LIST = 0xc0;
/** Longer ones name their length in bytes of its own. */
export const MAX_SHORT = 55;
const MAX_PREFIX_BYTES = 9;
const FIRST_BYTES = 65_536;
const KEPT_BYTES = 4_194_304;

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

  /** What an unusual answer made large is not kept. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  /** In memory of their own. */
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

  /** The items follow. */
  writeListPrefix(length: number): void {
    this.#writePrefix(FIRST_LIST, length);
  }

  /** A safe integer that is not negative, as a text without leading zeros. */
  writeInteger(value: number): void {
    if (value > 0 && value < FIRST_TEXT) return this.writeByte(value);
    const length = value === 0 ? 0 : countBytes(value);
    this.#writePrefix(FIRST_TEXT, length);
    this.#writeBytes(value, length);
  }

  /** The text of so many bytes, from the hex digits at a place. False: not all of them are digits. */
  writeHex(from: Uint8Array, at: number, length: number): boolean {
    const isOwnText = length === 1 && toByte(from, at) < FIRST_TEXT;
    if (!isOwnText) this.#writePrefix(FIRST_TEXT, length);
    this.#reserve(length);
    const to = this.#bytes;
    let end = this.#length;
    let all = 0;
    for (let place = at; place < at + 2 * length; place += 2) {
      const byte = toByte(from, place);
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

/** What the characters of hex text stand for; -1, all of whose bits are set, for those that stand for nothing. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** Negative: not two digits. */
function toByte(text: Uint8Array, at: number): number {
  return (DIGITS[text[at]!]! << 4) | DIGITS[text[at + 1]!]!;
}
