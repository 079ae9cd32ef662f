/**
 * How does a value become the text of an answer? Once, with every digit, and with a strong ETag over exactly its bytes
 * (http-facts 2 "numbers", decisions 4).
 */
import { hash } from 'node:crypto';

/**
 * A text as it is sent. It stays a string because Node writes a string together with the headers in one go, a buffer in two.
 * `etag` is strong and quoted; equal bytes have equal tags, on every replica.
 */
export interface EncodedText {
  readonly text: string;
  readonly byteLength: number;
  readonly etag: string;
}

export type EncodedJson = EncodedText;

const ETAG_CHARACTERS = 22;

/**
 * Encodes a value that holds plain data. A bigint becomes a JSON number with all its digits; members that are undefined are left out.
 * Throws on what JSON has no number for: NaN and the infinities.
 */
export function encodeJson(value: object): EncodedJson {
  return encodeText(JSON.stringify(value, exactNumbers));
}

/** Encodes an answer once; the bytes live as long as the answer does. */
export function createCachedEncoder<T extends object>(toWire: (answer: T) => object): (answer: T) => EncodedJson {
  const encoded = new WeakMap<T, EncodedJson>();
  return (answer) => {
    const known = encoded.get(answer);
    if (known !== undefined) return known;
    const fresh = encodeJson(toWire(answer));
    encoded.set(answer, fresh);
    return fresh;
  };
}

export function encodeText(text: string): EncodedText {
  return { text, byteLength: Buffer.byteLength(text), etag: toEntityTag(text) };
}

/** The strong tag of whatever this text alone decides. */
export function toEntityTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, ETAG_CHARACTERS)}"`;
}

/** ES2025 `JSON.rawJSON`, which the configured library types do not know yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function exactNumbers(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON has no such number');
  return value;
}
