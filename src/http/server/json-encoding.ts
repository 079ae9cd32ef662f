/**
 * JSON encoding of responses: numbers with every digit, and a strong ETag over exactly the bytes that are sent
 * (http-facts 2 "numbers", decisions 4).
 */
import { hash } from 'node:crypto';

/**
 * A text ready to send. It stays a string because Node writes a string together with the headers, and a buffer separately.
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
 * Encodes plain data. A bigint becomes a JSON number with all its digits; members that are undefined are left out.
 * Throws `RangeError` on NaN and the infinities.
 */
export function encodeJson(value: object): EncodedJson {
  return encodeText(JSON.stringify(value, exactNumbers));
}

/** Returns an encoder that encodes each result once; the cached text lives as long as the result. */
export function createCachedEncoder<T extends object>(toWire: (result: T) => object): (result: T) => EncodedJson {
  const encoded = new WeakMap<T, EncodedJson>();
  return (result) => {
    const cached = encoded.get(result);
    if (cached !== undefined) return cached;
    const fresh = encodeJson(toWire(result));
    encoded.set(result, fresh);
    return fresh;
  };
}

export function encodeText(text: string): EncodedText {
  return { text, byteLength: Buffer.byteLength(text), etag: toEntityTag(text) };
}

/** Returns the strong tag of a text. */
export function toEntityTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, ETAG_CHARACTERS)}"`;
}

/** ES2025 `JSON.rawJSON`, which the configured library types lack. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function exactNumbers(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON has no such number');
  return value;
}
