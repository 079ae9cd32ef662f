/**
 * Header checks of the routes under `/v1/verify/`: bearer token, `Accept` and `Content-Type` (evidence 3.3, 4 and 12; "Request headers" of the
 * interface). They read the raw list, because Node's `headers` object drops a second `Authorization` and joins others.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Alternating names and values, as `IncomingMessage.rawHeaders`. */
export type RawHeaders = readonly string[];

/** Returns whether exactly one `Authorization` header has one of the onboarding tokens. */
export type BearerTokenCheck = (headers: RawHeaders) => boolean;

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/;
const JSON_MEDIA_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
const CHARSET_UTF8 = /^charset=(?:utf-8|"utf-8")$/i;
const WEIGHT = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/i;

/** Media ranges that include `application/json`, from the most specific to the least. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/** Compares SHA-256 hashes (in hex), all of them and in constant time. Without tokens no request passes. */
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
 * Returns whether the client accepts JSON in UTF-8: there is no `Accept`, or the most specific range that includes JSON has a weight above 0
 * (RFC 9110, 12.5.1). Elements that cannot be parsed are ignored.
 */
export function acceptsJson(headers: RawHeaders): boolean {
  const values = valuesOf(headers, 'accept');
  if (values.length === 0) return true;
  // A quoted comma splits its element, which is then ignored.
  const ranges = values.flatMap((value) => value.split(',')).map(judgeRange);
  const mostSpecific = ranges.reduce((most, { specificity }) => Math.max(most, specificity), 0);
  return ranges.some(({ specificity, weight }) => specificity === mostSpecific && weight > 0);
}

/** Returns whether the body is declared as plain JSON: one `Content-Type`, no charset but UTF-8, and no `Content-Encoding`. */
export function declaresPlainJson(headers: RawHeaders): boolean {
  const [type, ...otherTypes] = valuesOf(headers, 'content-type');
  const isJson = type !== undefined && otherTypes.length === 0 && JSON_MEDIA_TYPE.test(type);
  return isJson && valuesOf(headers, 'content-encoding').length === 0;
}

interface JudgedRange {
  /** How specific the range is; 0: it does not include JSON. */
  readonly specificity: number;
  readonly weight: number;
}

const NO_RANGE: JudgedRange = { specificity: 0, weight: 0 };

/** Judges a range and its parameters; what follows the weight is not part of the range. */
function judgeRange(element: string): JudgedRange {
  const [range = '', ...rest] = element.split(';').map((part) => part.trim());
  const parts = rest.filter((part) => part !== '');
  const weightAt = parts.findIndex((part) => /^q=/i.test(part));
  const parameters = weightAt === -1 ? parts : parts.slice(0, weightAt);
  const weight = weightAt === -1 ? 1 : Number(WEIGHT.exec(parts[weightAt]!)?.[1]);
  const index = JSON_RANGES.indexOf(range.toLowerCase());
  const includesJson = index !== -1 && parameters.every((parameter) => CHARSET_UTF8.test(parameter));
  if (!includesJson || Number.isNaN(weight)) return NO_RANGE;
  return { specificity: 2 * (JSON_RANGES.length - index) + (parameters.length > 0 ? 1 : 0), weight };
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
