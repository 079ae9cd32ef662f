/**
 * Strict JSON parser for request bodies (evidence 15, http-facts 9.4): RFC 8259 without anything that parsers interpret differently,
 * such as repeated members, lone surrogates, a byte-order mark or invalid UTF-8.
 * Numbers keep their text, so that nothing is rounded and their notation can be validated.
 */

export type JsonValue = string | boolean | null | JsonNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
/** Members in the order of the text. A map, because a member may be named `__proto__`. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number as written, such as `1e9` or `-0.10`. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Reasons why the bytes are not JSON, or nest too deep. */
export type JsonFault =
  | 'invalid UTF-8'
  | 'unexpected end'
  | 'unexpected character'
  | 'control character in a string'
  | 'invalid escape'
  | 'nested too deep'
  | 'text after the value';

/** Reasons why parsers interpret a valid JSON text differently. Reported only where there is no fault. */
export type JsonAmbiguity = 'repeated member' | 'lone surrogate';

/** `position` counts characters from the start, not bytes and not UTF-16 units. */
export type JsonProblem =
  | { readonly kind: 'fault'; readonly text: JsonFault; readonly position: number }
  | { readonly kind: 'ambiguity'; readonly text: JsonAmbiguity; readonly position: number };

export type JsonParseResult =
  { readonly value: JsonValue; readonly problem?: never } | { readonly problem: JsonProblem; readonly value?: never };

export const DEFAULT_MAX_DEPTH = 32;

/** Parses a JSON text. Total: never throws. A scalar has depth 0, an object or array of scalars 1. */
export function parseStrictJson(bytes: Uint8Array, maxDepth = DEFAULT_MAX_DEPTH): JsonParseResult {
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    return { problem: { kind: 'fault', text: 'invalid UTF-8', position: countDecodable(bytes) } };
  }
  const scanner = new Scanner(text, maxDepth);
  try {
    const value = scanner.document();
    const { ambiguity } = scanner;
    if (ambiguity === undefined) return { value };
    return { problem: { kind: 'ambiguity', text: ambiguity.text, position: countCharacters(text, ambiguity.at) } };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { problem: { kind: 'fault', text: error.fault, position: countCharacters(text, error.at) } };
  }
}

/** Error at the position where the text is no longer JSON. Never leaves this file. */
class Stop extends Error {
  readonly fault: JsonFault;
  readonly at: number;

  constructor(fault: JsonFault, at: number) {
    super(fault);
    this.fault = fault;
    this.at = at;
  }
}

// Sticky: each matches at one position only, and none can backtrack over more than one character.
const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const FOUR_HEX_DIGITS = /[0-9a-fA-F]{4}/y;

const LITERALS: ReadonlyMap<string, JsonValue> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Recursive-descent parser for one text; positions are UTF-16 units. Recursion is bounded by `maxDepth`. */
class Scanner {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;
  /** First ambiguity. Parsing continues, since a later fault takes precedence. */
  ambiguity: { readonly text: JsonAmbiguity; readonly at: number } | undefined;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  document(): JsonValue {
    const value = this.#value(this.#maxDepth);
    this.#skip(BLANKS);
    if (this.#at < this.#text.length) throw new Stop('text after the value', this.#at);
    return value;
  }

  #value(depthLeft: number): JsonValue {
    this.#skip(BLANKS);
    const first = this.#text[this.#at];
    if (first === '"') return this.#string();
    if (first === '{') return this.#object(depthLeft);
    if (first === '[') return this.#array(depthLeft);
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    const number = this.#take(NUMBER);
    return number === '' ? this.#stop() : new JsonNumber(number);
  }

  #object(depthLeft: number): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#open(depthLeft);
    if (this.#consume('}')) return members;
    do {
      this.#skip(BLANKS);
      const nameAt = this.#at;
      if (this.#text[nameAt] !== '"') this.#stop();
      const name = this.#string();
      if (members.has(name)) this.ambiguity ??= { text: 'repeated member', at: nameAt };
      if (!this.#consume(':')) this.#stop();
      members.set(name, this.#value(depthLeft - 1));
    } while (this.#consume(','));
    if (!this.#consume('}')) this.#stop();
    return members;
  }

  #array(depthLeft: number): JsonArray {
    const items: JsonValue[] = [];
    this.#open(depthLeft);
    if (this.#consume(']')) return items;
    do items.push(this.#value(depthLeft - 1));
    while (this.#consume(','));
    if (!this.#consume(']')) this.#stop();
    return items;
  }

  #open(depthLeft: number): void {
    if (depthLeft === 0) throw new Stop('nested too deep', this.#at);
    this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    let value = this.#take(PLAIN_CHARACTERS);
    if (this.#text[this.#at] === '"') {
      this.#at++;
      return value; // no lone surrogate without an escape: UTF-8 has none
    }
    while (this.#text[this.#at] !== '"') value += this.#escape() + this.#take(PLAIN_CHARACTERS);
    this.#at++;
    if (!value.isWellFormed()) this.ambiguity ??= { text: 'lone surrogate', at: start };
    return value;
  }

  #escape(): string {
    const start = this.#at;
    if (start === this.#text.length) this.#stop();
    if (this.#text[start] !== '\\') throw new Stop('control character in a string', start);
    const letter = this.#text[start + 1];
    if (letter === undefined) throw new Stop('unexpected end', start + 1);
    this.#at += 2;
    const escaped = ESCAPES.get(letter);
    if (escaped !== undefined) return escaped;
    const digits = letter === 'u' ? this.#take(FOUR_HEX_DIGITS) : '';
    if (digits === '') throw new Stop('invalid escape', start);
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  /** Skips blanks, and one character if it is the given one. */
  #consume(character: string): boolean {
    this.#skip(BLANKS);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** Consumes and returns what the pattern matches at this position; empty without a match. */
  #take(pattern: RegExp): string {
    const start = this.#at;
    this.#skip(pattern);
    return this.#text.slice(start, this.#at);
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
  }

  #stop(): never {
    const isAtEnd = this.#at >= this.#text.length;
    throw new Stop(isAtEnd ? 'unexpected end' : 'unexpected character', this.#at);
  }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Counts the characters before the first invalid UTF-8 byte, by bisection: the decoder does not report its position. */
function countDecodable(bytes: Uint8Array): number {
  let known = '';
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const text = decodeStart(bytes.subarray(0, middle));
    if (text === undefined) bad = middle;
    else {
      good = middle;
      known = text;
    }
  }
  return countCharacters(known, known.length);
}

/** Decodes a prefix, ignoring an incomplete last character. */
function decodeStart(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

function countCharacters(text: string, units: number): number {
  return Array.from(text.slice(0, units)).length;
}
