/**
 * Parser for JSON of an untrusted node. It refuses what no sound node sends before `JSON.parse` creates any value:
 * invalid UTF-8, deep nesting, member names that repeat or contain escapes, objects with very many members, very many
 * short values, and very long numbers.
 */
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../domain/json/json-values.ts';

/** Deepest nesting of objects and lists that is accepted from a node. */
export const MAX_JSON_DEPTH = 64;

/** Exceeds the members of every documented object several times. */
const MAX_MEMBERS = 128;
/** Sound bodies have far fewer values for their length; each value takes many times the memory of its text. */
const FREE_VALUES = 4_096;
const BYTES_PER_VALUE = 16;
/** Exceeds the longest exact form of every number that a node may send. */
const MAX_WORD_CHARACTERS = 100;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;
const PROTO = Buffer.from('__proto__');

/** Returns the parsed value; undefined if the body is refused or is not JSON. */
export function parseNodeJson(body: Buffer | string): unknown {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return isUtf8(bytes) && isAcceptable(bytes) ? parseJson(bytes.toString()) : undefined;
}

/** Returns whether the text follows the limits; text that is not JSON may pass. */
function isAcceptable(bytes: Buffer): boolean {
  /** Offsets of the first byte and the end of each member name read so far, by depth; undefined for a list. */
  const names: (number[] | undefined)[] = [];
  let isNameNext = false;
  let values = 0;
  const maxValues = FREE_VALUES + bytes.length / BYTES_PER_VALUE;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfText(bytes, at + 1);
      if (isNameNext && !addName(bytes, names.at(-1)!, at + 1, end)) return false;
      isNameNext = false;
      at = end + 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      values += 1;
      if (names.length === MAX_JSON_DEPTH || values > maxValues) return false;
      isNameNext = byte === OPEN_OBJECT;
      names.push(isNameNext ? [] : undefined);
      at += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      names.pop();
      isNameNext = false;
      at += 1;
    } else if (byte === COMMA) {
      values += 1;
      if (values > maxValues) return false;
      isNameNext = names.at(-1) !== undefined;
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

/** Records a member name; false if the object may not have it. */
function addName(bytes: Buffer, names: number[], from: number, end: number): boolean {
  if (names.length === 2 * MAX_MEMBERS || equals(bytes, from, end, PROTO, 0, PROTO.length)) return false;
  for (let at = from; at < end; at++) if (bytes[at] === BACKSLASH) return false;
  for (let i = 0; i < names.length; i += 2) {
    if (equals(bytes, from, end, bytes, names[i]!, names[i + 1]!)) return false;
  }
  names.push(from, end);
  return true;
}

/** Compares two ranges. Names of one object often share a prefix, so the comparison starts at the end. */
function equals(a: Buffer, aFrom: number, aEnd: number, b: Buffer, bFrom: number, bEnd: number): boolean {
  const length = aEnd - aFrom;
  if (length !== bEnd - bFrom) return false;
  for (let i = length - 1; i >= 0; i--) if (a[aFrom + i] !== b[bFrom + i]) return false;
  return true;
}
