/**
 * How is a long answer read where it stands? Byte by byte, by whoever knows what should come, so that no object is made of the nine tenths that
 * nobody asks for. Whoever finds something else throws `IrregularJson`, and the answer is parsed as a whole.
 */

/** The text is not JSON, or not of the form that was expected. */
export class IrregularJson extends Error {}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, LOWER_X] = [0x30, 0x78];
const SPACE = 0x20;

/** Of so many bytes, whose digits begin at a place. Whether they are digits has not been looked at. */
export interface HexText {
  readonly at: number;
  readonly length: number;
}

export class JsonCursor {
  readonly bytes: Buffer;
  #at = 0;
  /** Nothing of the innermost object or list has been taken yet. */
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

  /** Goes to the value of the object's next member; false: behind its end. */
  nextMember(): boolean {
    if (!this.#next(CLOSE_OBJECT)) return false;
    this.#take(QUOTE);
    this.#nameAt = this.#at;
    this.#nameEnd = this.#endOfText();
    this.#at = this.#nameEnd + 1;
    this.#take(COLON);
    return true;
  }

  /** Goes to the list's next item; false: behind its end. */
  nextItem(): boolean {
    return this.#next(CLOSE_LIST);
  }

  /** Tells whether the member has this name. */
  isNamed(name: Uint8Array): boolean {
    const { bytes } = this;
    const from = this.#nameAt;
    if (this.#nameEnd - from !== name.length) return false;
    for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name[i]) return false;
    return true;
  }

  /** Text as it is written, of one byte for each character; undefined for any other value, which is skipped. */
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

  takeInteger(): number {
    this.#peek();
    const from = this.#at;
    this.skip();
    const text = this.bytes.toString('latin1', from, this.#at);
    if (!/^\d{1,15}$/.test(text)) throw new IrregularJson();
    return Number(text);
  }

  /** The place of `HexText` of so many bytes. */
  takeHex(length: number): number {
    const at = this.#enterHex();
    const end = at + 2 * length;
    if (this.bytes[end] !== QUOTE) throw new IrregularJson();
    this.#at = end + 1;
    return at;
  }

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

  /** Any value. What it holds is not looked at. */
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

  /** The next byte that is no white space, which the cursor then stands on; -1: there is none. */
  #peek(): number {
    const { bytes } = this;
    let at = this.#at;
    while (at < bytes.length && bytes[at]! <= SPACE) at += 1;
    this.#at = at;
    return at < bytes.length ? bytes[at]! : -1;
  }

  /** Where the text that the cursor stands in is closed. Nothing that is read here is ever written with escapes. */
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

/** Numbers, `true`, `false` and `null`. */
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
