/**
 * Scan of JSON of an untrusted node. It refuses what no sound node sends before `JSON.parse` creates any value of it:
 * deep nesting, member names that repeat or contain escapes, very many different names, very many short values, and very
 * long numbers. Text that is not JSON may pass.
 */
import { MemberNames } from './member-names.ts';

/** Deepest nesting of objects and lists that is accepted from a node. */
export const MAX_JSON_DEPTH = 64;

/** Sound bodies have far fewer values for their length; each value takes many times the memory of its text. */
const FREE_VALUES = 4_096;
const BYTES_PER_VALUE = 16;
/** Exceeds the longest exact form of every number that a node may send. */
const MAX_WORD_CHARACTERS = 100;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;
/** In place of the number of an object. */
const LIST = 0;

/** An object or list that is open, or the text as a list of one value. */
export interface OpenContainer {
  readonly isObject: boolean;
  /** Offset after its opening bracket. */
  readonly from: number;
  /** Offset of its last comma; below `from` if there is none. */
  readonly comma: number;
}

class ContainerPlace implements OpenContainer {
  /** Number of the object, which counts from 1, or `LIST`. */
  object = LIST;
  from = 0;
  comma = -1;

  get isObject(): boolean {
    return this.object !== LIST;
  }
}

export class JsonScan {
  readonly #bytes: Buffer;
  readonly #names: MemberNames;
  readonly #maxValues: number;
  /** Containers by depth; those below the current depth are closed. */
  readonly #places = [new ContainerPlace()];
  #at = 0;
  #depth = 0;
  #objects = 0;
  #values = 0;
  #isNameNext = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#names = new MemberNames(bytes);
    this.#maxValues = FREE_VALUES + bytes.length / BYTES_PER_VALUE;
  }

  /** Offset of the next byte. */
  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Number of open objects and lists. */
  get depth(): number {
    return this.#depth;
  }

  /** Returns the open container at this depth; 0: the text itself. */
  containerAt(depth: number): OpenContainer {
    return this.#places[depth]!;
  }

  /**
   * Moves on until `end`, or until fewer than `minDepth` containers are open. It moves beyond `end` to that of a string
   * or another word. Returns false when the text is refused.
   */
  moveTo(end: number, minDepth = 0): boolean {
    const bytes = this.#bytes;
    const places = this.#places;
    const maxValues = this.#maxValues;
    const stopAt = Math.min(end, bytes.length);
    let at = this.#at;
    let depth = this.#depth;
    let place = places[depth]!;
    let values = this.#values;
    let isNameNext = this.#isNameNext;
    while (at < stopAt && depth >= minDepth) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        const textEnd = endOfText(bytes, at + 1);
        if (isNameNext && !this.#names.add(at + 1, textEnd, place.object, depth)) return false;
        isNameNext = false;
        at = textEnd + 1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        values += 1;
        if (depth === MAX_JSON_DEPTH || values > maxValues) return false;
        isNameNext = byte === OPEN_OBJECT;
        depth += 1;
        place = places[depth] ??= new ContainerPlace();
        place.object = isNameNext ? (this.#objects += 1) : LIST;
        place.comma = at;
        at += 1;
        place.from = at;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (depth === 0 || place.isObject !== (byte === CLOSE_OBJECT)) return false;
        depth -= 1;
        place = places[depth]!;
        isNameNext = false;
        at += 1;
      } else if (byte === COMMA) {
        values += 1;
        if (depth === 0 || values > maxValues) return false;
        place.comma = at;
        isNameNext = place.isObject;
        at += 1;
      } else if (byte <= SPACE || byte === COLON) {
        at += 1;
      } else {
        const wordEnd = endOfWord(bytes, at);
        if (wordEnd - at > MAX_WORD_CHARACTERS) return false;
        at = wordEnd;
      }
    }
    this.#at = at;
    this.#depth = depth;
    this.#values = values;
    this.#isNameNext = isNameNext;
    return true;
  }
}

/** Returns the offset of the quote that closes the string; the length of the text if there is none. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, bytes.length);
}

/** Returns the offset after a number, `true`, `false` or `null`. */
function endOfWord(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && !isDelimiter(bytes[at]!)) at += 1;
  return at;
}

function isDelimiter(byte: number): boolean {
  if (byte <= SPACE || byte === QUOTE || byte === COMMA || byte === COLON) return true;
  return byte === OPEN_OBJECT || byte === CLOSE_OBJECT || byte === OPEN_LIST || byte === CLOSE_LIST;
}
