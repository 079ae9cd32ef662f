/**
 * Pull parser for large JSON responses: the caller reads the expected members in place, so that no objects are created
 * for the nine tenths it does not need. Anything unexpected throws `IrregularJson`; the response is then parsed with
 * `JSON.parse`.
 */

import { MAX_JSON_DEPTH } from '../../rpc/json-scan.ts';
import { parseResponseId } from '../../rpc/response-id.ts';

/** The text is not JSON or not of the expected form. */
export class IrregularJson extends Error {}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, LOWER_X] = [0x30, 0x78];
const SPACE = 0x20;

/**
 * Hex text in the buffer: `at` is the offset of its first digit, `length` counts bytes. The digits are not validated.
 */
export interface HexText {
  readonly at: number;
  readonly length: number;
}

export class JsonCursor {
  readonly bytes: Buffer;
  #at = 0;
  /** Whether nothing of the innermost object or list has been read yet. */
  #isFresh = true;
  #nameAt = 0;
  #nameEnd = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get isAtList(): boolean {
    return this.#peek() === OPEN_LIST;
  }

  get isAtEnd(): boolean {
    return this.#peek() === -1;
  }

  enterObject(): void {
    this.#take(OPEN_OBJECT);
    this.#isFresh = true;
  }

  enterList(): void {
    this.#take(OPEN_LIST);
    this.#isFresh = true;
  }

  /** Moves to the value of the object's next member; false after the last one. */
  nextMember(): boolean {
    if (!this.#next(CLOSE_OBJECT)) return false;
    this.#take(QUOTE);
    this.#nameAt = this.#at;
    this.#nameEnd = this.#endOfText();
    this.#at = this.#nameEnd + 1;
    this.#take(COLON);
    return true;
  }

  /** Moves to the list's next item; false after the last one. */
  nextItem(): boolean {
    return this.#next(CLOSE_LIST);
  }

  /** Returns whether the current member has this name. */
  isNamed(name: Uint8Array): boolean {
    const { bytes } = this;
    const from = this.#nameAt;
    if (this.#nameEnd - from !== name.length) return false;
    for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name[i]) return false;
    return true;
  }

  /** Reads a string of single-byte characters without escapes; undefined for any other value, which is skipped. */
  takeText(): string | undefined {
    if (this.#peek() !== QUOTE) {
      this.skip();
      return undefined;
    }
    const from = this.#at + 1;
    this.#at = from;
    const end = this.#endOfText();
    this.#at = end + 1;
    return this.bytes.toString('latin1', from, end);
  }

  /** Reads the id of a response: a positive integer of at most 15 digits, or its text. */
  takeId(): number {
    const text = this.#peek() === QUOTE ? this.takeText() : this.takeSlice().toString('latin1');
    const id = parseResponseId(text);
    if (typeof id !== 'number') throw new IrregularJson();
    return id;
  }

  /** Reads `0x` hex of exactly this many bytes and returns the offset of its first digit. */
  takeHex(length: number): number {
    const at = this.#enterHex();
    const end = at + 2 * length;
    if (this.bytes[end] !== QUOTE) throw new IrregularJson();
    this.#at = end + 1;
    return at;
  }

  /** Reads `0x` hex of any number of bytes. */
  takeHexText(): HexText {
    const at = this.#enterHex();
    const end = this.#endOfText();
    if (end < at || (end - at) % 2 !== 0) throw new IrregularJson();
    this.#at = end + 1;
    return { at, length: (end - at) / 2 };
  }

  #enterHex(): number {
    this.#take(QUOTE);
    const at = this.#at + 2;
    if (this.bytes[at - 2] !== ZERO || this.bytes[at - 1] !== LOWER_X) throw new IrregularJson();
    return at;
  }

  /** Skips any value and returns its text. */
  takeSlice(): Buffer {
    this.#peek();
    const from = this.#at;
    this.skip();
    return this.bytes.subarray(from, this.#at);
  }

  /** Skips any value without validating its content. Throws `IrregularJson` when it is nested too deep. */
  skip(): void {
    const { bytes } = this;
    let depth = 0;
    do {
      const byte = this.#peek();
      if (byte === -1) throw new IrregularJson();
      this.#at += 1;
      if (byte === QUOTE) this.#at = this.#endOfAnyText() + 1;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      else if (byte !== COMMA && byte !== COLON) while (isOfWord(bytes[this.#at])) this.#at += 1;
      if (depth > MAX_JSON_DEPTH) throw new IrregularJson();
    } while (depth > 0);
    if (depth < 0) throw new IrregularJson();
  }

  #next(close: number): boolean {
    const byte = this.#peek();
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    if (byte === close) this.#at += 1;
    else if (!isFresh) this.#take(COMMA);
    return byte !== close;
  }

  #take(byte: number): void {
    if (this.#peek() !== byte) throw new IrregularJson();
    this.#at += 1;
  }

  /** Skips white space and returns the byte at the cursor; -1 at the end. */
  #peek(): number {
    const { bytes } = this;
    let at = this.#at;
    while (at < bytes.length && bytes[at]! <= SPACE) at += 1;
    this.#at = at;
    return at < bytes.length ? bytes[at]! : -1;
  }

  /** Returns the offset of the quote that closes the current string. Throws at an escape: no expected value has one. */
  #endOfText(): number {
    const { bytes } = this;
    let at = this.#at;
    for (; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) throw new IrregularJson();
    if (at >= bytes.length) throw new IrregularJson();
    return at;
  }

  #endOfAnyText(): number {
    const { bytes } = this;
    let at = this.#at;
    while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at >= bytes.length) throw new IrregularJson();
    return at;
  }
}

/** Returns whether the byte continues a number, `true`, `false` or `null`. */
function isOfWord(byte: number | undefined): boolean {
  return (
    byte !== undefined &&
    byte > SPACE &&
    byte !== COMMA &&
    byte !== CLOSE_OBJECT &&
    byte !== CLOSE_LIST &&
    byte !== QUOTE
  );
}
