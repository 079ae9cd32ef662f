/**
 * May a request under `/v1/verify/` be read further, by its headers? (evidence 3.3, 4 and 12; "Request headers" of the interface.)
 * Judged on the raw list of names and values, because Node's `headers` object drops a second `Authorization` and joins others.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Names and values in turn, as `IncomingMessage.rawHeaders`. */
export type RawHeaders = readonly string[];

/** Tells whether exactly one header carries one of the onboarding tokens. */
export type BearerTokenCheck = (headers: RawHeaders) => boolean;

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/;
const JSON_MEDIA_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
const CHARSET_UTF8 = /^charset=(?:utf-8|"utf-8")$/i;
const WEIGHT = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/i;

/** Ranges that `application/json` is in, from the most telling to the least. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/** Compares hashes (SHA-256 in hex), all of them and in constant time. Without tokens the gate is closed to everyone. */
export function createBearerTokenCheck(tokens: readonly { readonly sha256: string }[]): BearerTokenCheck {
  const admitted = tokens.map(({ sha256 }) => Buffer.from(sha256, 'hex'));
  return (headers) => {
    const [value, ...others] = valuesOf(headers, 'authorization');
    const token = value === undefined || others.length > 0 ? undefined : BEARER.exec(value)?.[1];
    if (token === undefined) return false;
    const presented = hash(token);
    return admitted.map((each) => timingSafeEqual(each, presented)).includes(true);
  };
}

/**
 * Tells whether the caller takes JSON in UTF-8: no `Accept`, or the most telling range that JSON is in has a weight above 0
 * (RFC 9110, 12.5.1). An element that cannot be read is passed over.
 */
export function acceptsJson(headers: RawHeaders): boolean {
  const values = valuesOf(headers, 'accept');
  if (values.length === 0) return true;
  // A quoted comma tears its element, which is then passed over.
  const ranges = values.flatMap((value) => value.split(',')).map(judgeRange);
  const finest = ranges.reduce((most, { precision }) => Math.max(most, precision), 0);
  return ranges.some(({ precision, weight }) => precision === finest && weight > 0);
}

/** Tells whether the body is declared as plain JSON: one `Content-Type`, no charset but UTF-8, and no `Content-Encoding`. */
export function declaresPlainJson(headers: RawHeaders): boolean {
  const [type, ...otherTypes] = valuesOf(headers, 'content-type');
  const isJson = type !== undefined && otherTypes.length === 0 && JSON_MEDIA_TYPE.test(type);
  return isJson && valuesOf(headers, 'content-encoding').length === 0;
}

interface JudgedRange {
  /** How telling: 0 is not about JSON at all. */
  readonly precision: number;
  readonly weight: number;
}

const NO_RANGE: JudgedRange = { precision: 0, weight: 0 };

/** A range and its parameters; what stands after the weight is no part of the range. */
function judgeRange(element: string): JudgedRange {
  const [range = '', ...rest] = element.split(';').map((part) => part.trim());
  const parts = rest.filter((part) => part !== '');
  const weightAt = parts.findIndex((part) => /^q=/i.test(part));
  const parameters = weightAt === -1 ? parts : parts.slice(0, weightAt);
  const weight = weightAt === -1 ? 1 : Number(WEIGHT.exec(parts[weightAt]!)?.[1]);
  const place = JSON_RANGES.indexOf(range.toLowerCase());
  const isAboutJson = place !== -1 && parameters.every((parameter) => CHARSET_UTF8.test(parameter));
  if (!isAboutJson || Number.isNaN(weight)) return NO_RANGE;
  return { precision: 2 * (JSON_RANGES.length - place) + (parameters.length > 0 ? 1 : 0), weight };
}

function valuesOf(headers: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() === name) values.push(headers[at + 1]!);
  }
  return values;
}

function hash(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}
