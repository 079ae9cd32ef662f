/**
 * Strict DER parser (X.690; evidence 7, row 1): accepts one encoding per value and checks every element at every depth before
 * anything is read from it. `X509Certificate` would accept lenient encodings.
 */
import { isUtf8 } from 'node:buffer';

/** Error for bytes that are not DER, or not of the expected type. Never leaves this folder. */
export class DerInvalid extends Error {
  constructor() {
    super('not DER of this type');
    this.name = 'DerInvalid';
  }
}

/** Identifier octets. Tag numbers above 30, which need several octets, do not occur in certificates and are rejected. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Tag `[n]` that replaces the tag of a primitive type. */
export const contextPrimitive = (number: number): number => 0x80 | number;
/** Tag `[n]` around elements. */
export const contextConstructed = (number: number): number => 0xa0 | number;

export interface DerElement {
  readonly tag: number;
  /** Tag, length and content. */
  readonly encoded: Uint8Array;
  readonly content: Uint8Array;
  /** Empty for a primitive element. */
  readonly children: readonly DerElement[];
}

const CONSTRUCTED = 0x20;
const CLASS = 0xc0;
const NUMBER = 0x1f;
const LONG_LENGTH = 0x80;
const MAX_LENGTH_OCTETS = 4;
const MAX_DEPTH = 32;
const LAST_CHARACTER = 0x10ffff;

/** Constructed universal types: EXTERNAL, EMBEDDED PDV, SEQUENCE, SET, CHARACTER STRING. All others are primitive. */
const CONSTRUCTED_TYPES: ReadonlySet<number> = new Set([8, 11, 16, 17, 29]);

/** Parses exactly one element without trailing bytes. Throws `DerInvalid`. */
export function parseDer(bytes: Uint8Array): DerElement {
  const { element, end } = readElement(bytes, 0, MAX_DEPTH);
  if (end !== bytes.length) throw new DerInvalid();
  return element;
}

/** Returns the result of `read`, or undefined where it throws `DerInvalid`. Rethrows any other error: it is a defect. */
export function derReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DerInvalid) return undefined;
    throw error;
  }
}

function readElement(bytes: Uint8Array, start: number, depthLeft: number): { element: DerElement; end: number } {
  const tag = bytes[start];
  if (tag === undefined || (tag & NUMBER) === NUMBER || depthLeft === 0) throw new DerInvalid();
  const { length, contentStart } = readLength(bytes, start + 1);
  const end = contentStart + length;
  if (end > bytes.length) throw new DerInvalid();
  const content = bytes.subarray(contentStart, end);
  const isConstructed = (tag & CONSTRUCTED) !== 0;
  if ((tag & CLASS) === 0) requireUniversalForm(tag, content, isConstructed);
  const children = isConstructed ? readElements(content, depthLeft - 1) : [];
  return { element: { tag, encoded: bytes.subarray(start, end), content, children }, end };
}

function readElements(bytes: Uint8Array, depthLeft: number): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const { element, end } = readElement(bytes, at, depthLeft);
    elements.push(element);
    at = end;
  }
  return elements;
}

/** Reads a definite length in its shortest form. */
function readLength(bytes: Uint8Array, start: number): { length: number; contentStart: number } {
  const first = bytes[start];
  if (first === undefined) throw new DerInvalid();
  if (first < LONG_LENGTH) return { length: first, contentStart: start + 1 };
  const octets = first - LONG_LENGTH;
  const contentStart = start + 1 + octets;
  if (octets === 0 || octets > MAX_LENGTH_OCTETS || contentStart > bytes.length) throw new DerInvalid();
  let length = 0;
  for (const octet of bytes.subarray(start + 1, contentStart)) length = length * 256 + octet;
  if (length < LONG_LENGTH || length < 256 ** (octets - 1)) throw new DerInvalid();
  return { length, contentStart };
}

/**
 * Types whose content has rules that need no context. Texts must consist of whole characters; their alphabets are not checked,
 * since names are not compared as texts.
 */
const CONTENT_FORMS: ReadonlyMap<number, (content: Uint8Array) => boolean> = new Map([
  [TAG.boolean, (content) => content.length === 1 && (content[0] === 0x00 || content[0] === 0xff)],
  [TAG.integer, isInteger],
  [TAG.enumerated, isInteger],
  [TAG.bitString, isBitString],
  [TAG.null, (content) => content.length === 0],
  [TAG.objectIdentifier, isObjectIdentifier],
  [TAG.utf8String, isUtf8],
  [TAG.utcTime, matches(/^[0-9]{12}Z$/)],
  [TAG.generalizedTime, matches(/^[0-9]{14}(?:\.[0-9]*[1-9])?Z$/)],
  [TAG.universalString, (content) => isUnicode(content, 4)],
  [TAG.bmpString, (content) => isUnicode(content, 2)],
]);

function requireUniversalForm(tag: number, content: Uint8Array, isConstructed: boolean): void {
  const type = tag & NUMBER;
  requireDer(type !== 0 && isConstructed === CONSTRUCTED_TYPES.has(type));
  const hasForm = CONTENT_FORMS.get(tag);
  requireDer(hasForm === undefined || hasForm(content));
}

export function requireDer(holds: boolean): asserts holds {
  if (!holds) throw new DerInvalid();
}

/** Checks for two's complement in its shortest form. */
export function isInteger(content: Uint8Array): boolean {
  const [first, second] = content;
  if (first === undefined) return false;
  if (second === undefined) return true;
  return !(first === 0x00 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

/** Checks for a count of unused bits, followed by bits of which the unused ones are zero. */
export function isBitString(content: Uint8Array): boolean {
  const unusedBits = content[0];
  if (unusedBits === undefined || unusedBits > 7) return false;
  return content.length === 1 ? unusedBits === 0 : (content.at(-1)! & ((1 << unusedBits) - 1)) === 0;
}

/** Checks for arcs in groups of seven bits, none of which starts with a zero group. */
export function isObjectIdentifier(content: Uint8Array): boolean {
  if (content.length === 0 || content.at(-1)! >= 0x80) return false;
  return content.every((octet, index) => octet !== 0x80 || (index > 0 && content[index - 1]! >= 0x80));
}

/** Checks for big-endian characters of `octets` octets each, without surrogates. */
function isUnicode(content: Uint8Array, octets: 2 | 4): boolean {
  if (content.length % octets !== 0) return false;
  for (let at = 0; at < content.length; at += octets) {
    const character = content.subarray(at, at + octets).reduce((number, octet) => number * 256 + octet, 0);
    if (character > LAST_CHARACTER || (character >= 0xd800 && character <= 0xdfff)) return false;
  }
  return true;
}

export function isAscii(content: Uint8Array): boolean {
  return content.every((octet) => octet < 0x80);
}

function matches(form: RegExp): (content: Uint8Array) => boolean {
  return (content) => form.test(toLatin1(content));
}

export function toLatin1(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
}
