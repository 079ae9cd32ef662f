/**
 * Which face does a route show? Every route belongs to one surface; it decides the shape of its errors (`wire-errors.ts`),
 * whether pages of other origins may read it, and how long an answer may take (http-facts 2, decisions 3, evidence 2).
 */

export type ProfileName =
  | 'read' // mcr, machine, card and their additions
  | 'metadata'
  | 'operator'
  | 'bound-address'
  | 'monetization'
  | 'verify'
  | 'chip-challenge'
  | 'chip-evidence'
  | 'probe'
  | 'page'; // documents, and every path that no route has

/** Which rates and which deadline apply. */
export type DeadlineClass = 'general' | 'verify' | 'chip-challenge' | 'chip-evidence';

export interface RouteProfile {
  /** Whether `Access-Control-Allow-Origin: *` is sent and preflights are answered. */
  readonly crossOrigin: boolean;
  /** Whether a HEAD is answered like a GET without a body. */
  readonly head: boolean;
  /** Headers of every answer, errors included. */
  readonly headers: readonly string[];
  readonly pace: DeadlineClass;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

const EXPOSED = 'Retry-After, ETag, chain-block, chain-block-age';

const OPEN: RouteProfile = {
  crossOrigin: true,
  head: true,
  headers: ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED],
  pace: 'general',
};

const CLOSED = { crossOrigin: false, head: false, headers: ['Pragma', 'no-cache'] };

export const ROUTE_PROFILES: { readonly [S in ProfileName]: RouteProfile } = {
  read: OPEN,
  metadata: OPEN,
  operator: OPEN,
  'bound-address': OPEN,
  monetization: OPEN,
  page: OPEN,
  probe: OPEN,
  verify: { ...CLOSED, pace: 'verify' },
  'chip-challenge': { ...CLOSED, pace: 'chip-challenge' },
  'chip-evidence': { ...CLOSED, pace: 'chip-evidence' },
};

export const VERIFY_PREFIX = '/v1/verify/';

/** The face of a path that no route has. */
export function profileOfUnknownPath(decodedPath: string): ProfileName {
  return decodedPath.startsWith(VERIFY_PREFIX) ? 'verify' : 'page';
}
