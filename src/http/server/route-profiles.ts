/**
 * Route profiles: each route has one, which decides the shape of its errors (`error-responses.ts`), whether pages of other origins may read
 * it, and its deadline (http-facts 2, decisions 3, evidence 2).
 */
import type { Media } from '../images/svg-media.ts';

export type ProfileName =
  | 'read' // rating, profile, card and their additions
  | 'metadata'
  | 'operator'
  | 'bound-address'
  | 'monetization'
  | 'verify'
  | 'chip-challenge'
  | 'chip-evidence'
  | 'health'
  | 'page'; // documents, and every path without a route

/** General rate limit: requests a minute per address and path. */
export const GENERAL_REQUESTS_PER_MINUTE = 90;

/** Selects the rate limit and the deadline. */
export type DeadlineClass = 'general' | 'verify' | 'chip-challenge' | 'chip-evidence';

export interface RouteProfile {
  /** Whether `Access-Control-Allow-Origin: *` is sent and preflights are answered. */
  readonly crossOrigin: boolean;
  /** Whether a HEAD is answered like a GET without a body. */
  readonly head: boolean;
  /** Headers of every response, errors included. */
  readonly headers: readonly string[];
  readonly deadlineClass: DeadlineClass;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
export const JSON_MEDIA: Media = { type: JSON_TYPE, headers: {} };

/** Documented headers that a browser hides from pages of other origins unless they are named. */
const EXPOSED_HEADERS = 'Retry-After, ETag, Link, Allow, Content-Disposition, chain-block, chain-block-age';

const OPEN: RouteProfile = {
  crossOrigin: true,
  head: true,
  headers: ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED_HEADERS],
  deadlineClass: 'general',
};

const CLOSED = { crossOrigin: false, head: false, headers: ['Pragma', 'no-cache'] };

export const ROUTE_PROFILES: { readonly [N in ProfileName]: RouteProfile } = {
  read: OPEN,
  metadata: OPEN,
  operator: OPEN,
  'bound-address': OPEN,
  monetization: OPEN,
  page: OPEN,
  health: OPEN,
  verify: { ...CLOSED, deadlineClass: 'verify' },
  'chip-challenge': { ...CLOSED, deadlineClass: 'chip-challenge' },
  'chip-evidence': { ...CLOSED, deadlineClass: 'chip-evidence' },
};

export const VERIFY_PREFIX = '/v1/verify/';

/** Returns the profile of a path without a route. */
export function profileOfUnknownPath(decodedPath: string): ProfileName {
  return decodedPath.startsWith(VERIFY_PREFIX) ? 'verify' : 'page';
}
