/**
 * Errors of the client: every documented error response as one union over `kind` (interface, Errors; http-facts 2 to 10). Texts of bare errors
 * and codes of coded ones are repeated here; a test compares them with the error table of the service.
 */

import { isObject } from '../src/domain/json/json-values.ts';
import type { ValidationIssue } from '../src/http/wire/response-types.ts';

/** Codes of the coded envelope. */
const CODES = [
  'CERTIFICATE_INVALID',
  'CERTIFICATE_UNSUPPORTED',
  'CERTIFICATE_UNTRUSTED',
  'CHAIN_UNAVAILABLE',
  'CHALLENGE_CONSUMED',
  'CHALLENGE_EXPIRED',
  'CHALLENGE_NOT_FOUND',
  'CHIP_PROOF_INVALID',
  'CONTROLLER_CHANGED',
  'CONTROLLER_PROOF_INVALID',
  'EVIDENCE_ALREADY_ACCEPTED',
  'EVIDENCE_MISMATCH',
  'EVIDENCE_NOT_CANONICAL',
  'EVIDENCE_UNSUPPORTED',
  'INTERNAL_ERROR',
  'INVALID_MACHINE_ID',
  'INVALID_REQUEST',
  'INVALID_SIGNATURE',
  'MACHINE_DEACTIVATED',
  'MACHINE_HOMED_ELSEWHERE',
  'MACHINE_NOT_BONDED',
  'MACHINE_NOT_FOUND',
  'MACHINE_UNAVAILABLE',
  'METHOD_NOT_ALLOWED',
  'NOT_ACCEPTABLE',
  'ONBOARDING_AUTH_REQUIRED',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'REQUEST_TOO_LARGE',
  'STALE_SIGNATURE',
  'UNAUTHORIZED_SIGNER',
  'VERIFY_CLOCK_INVALID',
  'VERIFY_READ_UNAVAILABLE',
  'VERIFY_ROUTE_NOT_FOUND',
  'VERIFY_STORE_UNAVAILABLE',
] as const;

/** Texts of the bare envelope that carry no number. */
const DETAILS = {
  'Alt-chain ownership snapshot is out of date': 'alt-snapshot-out-of-date',
  'Bad Request': 'invalid-request',
  'Binding registry unavailable': 'binding-registry-unavailable',
  'Chain unavailable': 'chain-unavailable',
  'Content Too Large': 'request-too-large',
  'Empty DID': 'invalid-operator',
  'Event data is private': 'event-data-private',
  'Home chain unavailable': 'chain-unavailable',
  'Internal Server Error': 'internal-error',
  'Invalid Ethereum address format': 'invalid-operator',
  'Invalid Solana address': 'invalid-wallet',
  'Invalid machine DID format': 'invalid-machine-id',
  'Machine is relocating': 'machine-relocating',
  'Machine not found': 'machine-not-found',
  'Method Not Allowed': 'method-not-allowed',
  'Not Found': 'route-not-found',
  'Request Header Fields Too Large': 'request-too-large',
  'Request Timeout': 'request-timeout',
  'Service clock is not usable now': 'clock-unusable',
  'Service not initialised': 'service-not-initialised',
  'Solana address is not bound': 'wallet-not-bound',
  'Solana binding is revoked': 'binding-revoked',
  'Storage unavailable': 'storage-unavailable',
  'Token not found': 'machine-not-found',
  'Too many new lookups, retry later': 'too-many-lookups',
  'Ownership index is being repaired for this address': 'index-under-repair',
  'Too many open streams, retry later': 'too-many-streams',
} as const;

const SYNCING = /^(Event|Operator) index is syncing: block (\d{1,15}) of (\d{1,15})$/;
const CHANGES_GONE = /^Changes after this cursor are not stored, the oldest are after=\d{1,16}$/;
const STATEMENT = /^Statement unavailable: /;
const STALE = /^Operator index is stale: chain head not read for (\d{1,15}) seconds$/;

export type ErrorCode = (typeof CODES)[number];
type Kebab<T extends string> = T extends `${infer A}_${infer B}` ? `${Lowercase<A>}-${Kebab<B>}` : Lowercase<T>;

interface ErrorFacts {
  readonly status: number;
  /** The message of the service, for people. Branch on `kind` instead. */
  readonly text: string;
  /** The code of a coded error. */
  readonly code?: ErrorCode;
  /** Present when the service sends `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** Errors with further members. */
interface SpecialErrors {
  /** The ordinal of the home chain. */
  readonly 'machine-homed-elsewhere': { readonly homeProtocolChainId: number };
  readonly 'invalid-parameters': { readonly issues: readonly ValidationIssue[] };
  readonly 'index-syncing': {
    readonly index: 'event' | 'operator';
    readonly indexedBlock: number;
    readonly headBlock: number;
  };
  readonly 'index-stale': { readonly ageSeconds: number };
}

type SpecialKind = keyof SpecialErrors;
type PlainKind = Exclude<
  Kebab<ErrorCode> | (typeof DETAILS)[keyof typeof DETAILS] | 'changes-gone' | 'statement-unavailable',
  SpecialKind
>;

/** Errors that the service documents. */
export type DocumentedError =
  | { readonly [K in PlainKind]: ErrorFacts & { readonly kind: K } }[PlainKind]
  | { readonly [K in SpecialKind]: ErrorFacts & SpecialErrors[K] & { readonly kind: K } }[SpecialKind];

/** Errors that are not responses of the service. */
export type UndocumentedError =
  /** No complete response in time. */
  | { readonly kind: 'unreachable'; readonly text: string }
  /** The argument names no machine or account. Nothing was sent. */
  | { readonly kind: 'invalid-argument'; readonly text: string }
  /** The service does not send this response, or not to this request: the address may belong to something else. */
  | { readonly kind: 'unexpected-response'; readonly status: number; readonly text: string };

export type ServiceError = DocumentedError | UndocumentedError;

/** Parses an error response. `retryAfter` is the value of the header. */
export function toServiceError(status: number, body: unknown, retryAfter: string | null): ServiceError {
  const facts = { status, ...(/^\d{1,9}$/.test(retryAfter ?? '') && { retryAfterSeconds: Number(retryAfter) }) };
  const { detail, error } = isObject(body) ? body : {};
  if (Array.isArray(detail) && status === 422) {
    return { kind: 'invalid-parameters', ...facts, text: 'Invalid parameters', issues: detail as ValidationIssue[] };
  }
  if (typeof error === 'string' && status === 429) return { kind: 'rate-limited', ...facts, text: error };
  const found = typeof detail === 'string' ? readBare(detail, facts) : readCoded(detail, facts);
  return found ?? { kind: 'unexpected-response', status, text: `HTTP ${status}` };
}

/** Returns whether the same request may succeed later. A machine that relocates, or lives on the alt chain, may stay unavailable for long. */
export function isRetryable(error: ServiceError): boolean {
  return error.kind === 'unreachable' || ('status' in error && [429, 502, 503, 504].includes(error.status));
}

function readBare(text: string, facts: Omit<ErrorFacts, 'text'>): DocumentedError | undefined {
  const [, name, indexed, head] = SYNCING.exec(text) ?? [];
  if (name !== undefined) {
    const index = name === 'Event' ? 'event' : 'operator';
    return { kind: 'index-syncing', ...facts, text, index, indexedBlock: Number(indexed), headBlock: Number(head) };
  }
  const age = STALE.exec(text)?.[1];
  if (age !== undefined) return { kind: 'index-stale', ...facts, text, ageSeconds: Number(age) };
  if (CHANGES_GONE.test(text)) return { kind: 'changes-gone', ...facts, text };
  if (STATEMENT.test(text)) return { kind: 'statement-unavailable', ...facts, text };
  return Object.hasOwn(DETAILS, text) ? { kind: DETAILS[text as keyof typeof DETAILS], ...facts, text } : undefined;
}

function readCoded(detail: unknown, facts: Omit<ErrorFacts, 'text'>): DocumentedError | undefined {
  const { code: word, message, home_protocol_chain_id: home } = isObject(detail) ? detail : {};
  const code = CODES.find((each) => each === word);
  if (code === undefined) return undefined;
  const text = typeof message === 'string' ? message : code;
  if (code !== 'MACHINE_HOMED_ELSEWHERE') return { kind: toKind(code), ...facts, text, code } as DocumentedError;
  if (typeof home !== 'number') return undefined;
  return { kind: 'machine-homed-elsewhere', ...facts, text, code, homeProtocolChainId: home };
}

function toKind(code: ErrorCode): string {
  return code.toLowerCase().replaceAll('_', '-');
}
