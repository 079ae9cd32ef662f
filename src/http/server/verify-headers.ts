/**
 * Header checks of the routes under `/v1/verify/`: bearer token, `Accept` and `Content-Type` (evidence 3.3, 4 and 12; "Request headers" of the
 * interface). They read the raw list, because Node's `headers` object drops a second `Authorization` and joins others.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { judgeMediaType, valuesOf, type RawHeaders } from './accept-header.ts';

/** Returns whether exactly one `Authorization` header has one of the onboarding tokens. */
export type BearerTokenCheck = (headers: RawHeaders) => boolean;

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/;
const JSON_MEDIA_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

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

/** Returns whether the client accepts JSON in UTF-8. */
export function acceptsJson(headers: RawHeaders): boolean {
  return judgeMediaType(headers, 'application/json').weight > 0;
}

/** Returns whether the body is declared as plain JSON: one `Content-Type`, no charset but UTF-8, and no `Content-Encoding`. */
export function declaresPlainJson(headers: RawHeaders): boolean {
  const [type, ...otherTypes] = valuesOf(headers, 'content-type');
  const isJson = type !== undefined && otherTypes.length === 0 && JSON_MEDIA_TYPE.test(type);
  return isJson && valuesOf(headers, 'content-encoding').length === 0;
}

function hash(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}
