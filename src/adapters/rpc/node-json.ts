/**
 * Parser for JSON of an untrusted node. It refuses what no sound node sends before `JSON.parse` creates any value:
 * invalid UTF-8, deep nesting, member names that repeat or contain escapes, very many different names, very many short
 * values, and very long numbers.
 */
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../domain/json/json-values.ts';

/** Deepest nesting of objects and lists that is accepted from a node. */
export const MAX_JSON_DEPTH = 64;

/** Exceeds the different names in all documented results together; `JSON.parse` takes long for each of them. */
const MAX_NAMES = 256;
/** Sound bodies have far fewer values for their length; each value takes many times the memory of its text. */
const FREE_VALUES = 4_096;
const BYTES_PER_VALUE = 16;
/** Exceeds the longest exact form of every number that a node may send. */
const MAX_WORD_CHARACTERS = 100;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;
const PROTO = Buffer.from('__proto__');
/** In place of the number of an object. */
const LIST = 0;

/** Returns the parsed value; undefined if the body is refused or is not JSON. */
export function parseNodeJson(body: Buffer | string): unknown {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return isUtf8(bytes) && isAcceptable(bytes) ? parseJson(bytes.toString()) : undefined;
}

/** Returns whether the text follows the limits; text that is not JSON may pass. */
function isAcceptable(bytes: Buffer): boolean {
  const names = new MemberNames(bytes);
  /** Numbers of the open objects, which count from 1, and lists. */
  const open: number[] = [];
  let objects = 0;
  let isNameNext = false;
  let values = 0;
  const maxValues = FREE_VALUES + bytes.length / BYTES_PER_VALUE;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfText(bytes, at + 1);
      if (isNameNext && !names.add(at + 1, end, open.at(-1)!, open.length)) return false;
      isNameNext = false;
      at = end + 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      values += 1;
      if (open.length === MAX_JSON_DEPTH || values > maxValues) return false;
      isNameNext = byte === OPEN_OBJECT;
      open.push(isNameNext ? (objects += 1) : LIST);
      at += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      open.pop();
      isNameNext = false;
      at += 1;
    } else if (byte === COMMA) {
      values += 1;
      if (values > maxValues) return false;
      isNameNext = (open.at(-1) ?? LIST) !== LIST;
      at += 1;
    } else if (byte <= SPACE || byte === COLON) {
      at += 1;
    } else {
      const end = endOfWord(bytes, at);
      if (end - at > MAX_WORD_CHARACTERS) return false;
      at = end;
    }
  }
  return true;
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

interface MemberName {
  /** Offsets of its first occurrence. */
  readonly from: number;
  readonly end: number;
  readonly hash: number;
  /** Number of the last object with this name, by depth. */
  readonly objects: number[];
  /** Name that followed this one the last time. */
  next: MemberName | undefined;
}

/**
 * Different member names of one text. Each name is compared with at most two others, whatever the text is: with the one
 * that followed the last name before, and with the one that has its hash. Two names with one hash are refused.
 */
class MemberNames {
  readonly #bytes: Buffer;
  readonly #names: MemberName[] = [];
  #last: MemberName | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Records a name of the object, which is open at this depth; false if the object may not have it. */
  add(from: number, end: number, object: number, depth: number): boolean {
    const last = this.#last;
    const next = last?.next;
    const name = next !== undefined && this.#isAt(next, from, end) ? next : this.#findOrAdd(from, end);
    if (name === undefined || name.objects[depth] === object) return false;
    name.objects[depth] = object;
    if (last !== undefined) last.next = name;
    this.#last = name;
    return true;
  }

  #findOrAdd(from: number, end: number): MemberName | undefined {
    const bytes = this.#bytes;
    let hash = FNV_OFFSET;
    for (let at = from; at < end; at++) {
      if (bytes[at] === BACKSLASH) return undefined;
      hash = Math.imul(hash ^ bytes[at]!, FNV_PRIME);
    }
    for (const name of this.#names) if (name.hash === hash) return this.#isAt(name, from, end) ? name : undefined;
    if (this.#names.length === MAX_NAMES || equals(bytes, from, end, PROTO, 0, PROTO.length)) return undefined;
    const name: MemberName = { from, end, hash, objects: [], next: undefined };
    this.#names.push(name);
    return name;
  }

  #isAt(name: MemberName, from: number, end: number): boolean {
    return equals(this.#bytes, from, end, this.#bytes, name.from, name.end);
  }
}

/** FNV-1a with 32 bits. */
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** Compares two ranges. Names of one object often share a prefix, so the comparison starts at the end. */
function equals(a: Buffer, aFrom: number, aEnd: number, b: Buffer, bFrom: number, bEnd: number): boolean {
  const length = aEnd - aFrom;
  if (length !== bEnd - bFrom) return false;
  for (let i = length - 1; i >= 0; i--) if (a[aFrom + i] !== b[bFrom + i]) return false;
  return true;
}
