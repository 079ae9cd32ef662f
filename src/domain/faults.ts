/**
 * Faults: the typed errors of rules, actions and adapters.
 * A fault states a fact, never a status, a header or a text for callers: only `http/error-responses.ts` turns it into a response.
 * `cause` members are short fixed words for logs; they never contain text of an SDK or a caller.
 */

import type { EvidenceRefusalKind } from './evidence/refusal.ts';
import type { DecisionRefusalContexts } from './monetization/decision-refusal.ts';

export type ChainName = 'main' | 'alt';

/** Why a chain could not be read. Fixed words, so that logs and metrics can count them. */
export const UNREADABLE_CAUSES = [
  'transport', // no response, a refused connection, an HTTP failure
  'deadline', // no response in time
  'rate-limited', // the node refused calls beyond its rate limit
  'calls-used-up', // the calls that the provider grants per day or month are used up
  'own-calls-used-up', // the calls of the day that the configuration allows this process are used up
  'rpc-error', // the node returned an error without revert data
  'malformed', // the response does not have the form that the method promises
  'wrong-chain', // chain id or genesis hash differ from the configuration
  'wrong-deployment', // contracts or programs differ from the configuration
  'block-mismatch', // the node responded for another block than the requested one
  'undecodable', // an inner result has no known form
  'disagreement', // several nodes must agree and do not
  'contradiction', // two facts that must agree do not
  'events', // the event history has a gap or disagrees with its logs
  'no-head', // no head of the chain has been seen yet
] as const;

export type UnreadableCause = (typeof UNREADABLE_CAUSES)[number];

/** Causes that affect one machine only. Any other cause affects the whole chain. */
export const CAUSES_OF_ONE_MACHINE: ReadonlySet<UnreadableCause> = new Set(['undecodable', 'contradiction', 'events']);

/** Why a rating is not signed. */
export type StatementRefusal =
  | 'clock' // the clock cannot be trusted
  | 'key' // the signing key is revoked or was replaced
  | 'index' // the newest finalized block that is indexed is too old
  | 'unproven' // logs of blocks up to it are not proven yet
  | 'not-final' // the machine does not exist at that block
  | 'degraded' // amounts could not be converted
  | 'pending' // an amount may still change
  | 'unrated'; // no rating can be computed

/** One request parameter that breaks its rule. `at` is its path, for example `['query', 'limit']`. */
export interface InvalidParameter {
  readonly at: readonly (string | number)[];
  readonly problem:
    | { readonly kind: 'not-an-integer'; readonly text: string }
    | { readonly kind: 'below-minimum'; readonly text: string; readonly minimum: number }
    /** The maximum is a text where it does not fit a JSON number. */
    | { readonly kind: 'above-maximum'; readonly text: string; readonly maximum: number | string }
    | { readonly kind: 'not-a-word'; readonly text: string; readonly words: readonly string[] }
    | { readonly kind: 'malformed'; readonly text: string; readonly expected: string }
    | { readonly kind: 'not-json'; readonly reason: string };
}

/** Context of every kind of fault. `http/error-responses.ts` does not compile without a row for each kind. */
export interface FaultContexts
  extends DecisionRefusalContexts, Readonly<Record<EvidenceRefusalKind, Record<never, never>>> {
  readonly MachineDidMalformed: Record<never, never>;
  readonly OperatorMalformed: Record<never, never>;
  /** The method of the DID is followed by nothing. */
  readonly OperatorDidEmpty: Record<never, never>;
  readonly ParametersInvalid: { readonly parameters: readonly InvalidParameter[] };
  readonly MachineAbsent: Record<never, never>;
  readonly MachineRelocating: Record<never, never>;
  readonly MachineHomedElsewhere: { readonly ordinal: number };
  readonly EventDataPrivate: Record<never, never>;
  /** The text is not the base58 form of 32 bytes. */
  readonly AltAddressMalformed: Record<never, never>;
  readonly WalletNotBound: Record<never, never>;
  readonly BindingRevoked: Record<never, never>;
  readonly BindingRegistryUnreadable: { readonly cause: UnreadableCause };
  readonly ServiceNotInitialised: Record<never, never>;
  readonly ChainUnreadable: { readonly chain: ChainName; readonly cause: UnreadableCause };
  /** The caller's turn in the call budget did not come in time. */
  readonly LookupsExceeded: { readonly retryAfterSeconds: number };
  readonly EventIndexSyncing: { readonly indexedBlock: number; readonly headBlock: number };
  readonly StatementUnavailable: { readonly cause: StatementRefusal };
  readonly OperatorIndexSyncing: { readonly indexedBlock: number; readonly headBlock: number };
  /** The worker has not read the head of the chain for `ageSeconds`. */
  readonly OperatorIndexStale: { readonly ageSeconds: number };
  /** The index holds another number of tokens of the address than `balanceOf` counts. */
  readonly OwnershipIndexRepairing: Record<never, never>;
  /** The last snapshot of the alt chain's fleet is too old, or there is none. */
  readonly AltSnapshotOutOfDate: Record<never, never>;
  /** The changes after a cursor are not stored any more, or the cursor is of another database. */
  readonly ChangesGone: { readonly oldestAfter: number };
  /** The limit on open streams is reached. */
  readonly StreamsExceeded: Record<never, never>;
  readonly StoreUnavailable: Record<never, never>;
  readonly RateLimited: { readonly retryAfterSeconds: number };
  readonly RouteUnknown: Record<never, never>;
  readonly MethodNotAllowed: { readonly allow: readonly string[] };
  /** The caller does not accept JSON. */
  readonly NotAcceptable: Record<never, never>;
  readonly RequestTooLarge: { readonly part: 'head' | 'body' };
  readonly RequestMalformed: Record<never, never>;
  readonly RequestTimeout: Record<never, never>;
  /** The request does not carry exactly one valid onboarding token. */
  readonly OnboardingUnauthorized: Record<never, never>;
  /** The limit on open challenges is reached. */
  readonly ChallengesExhausted: Record<never, never>;
}

export type FaultKind = keyof FaultContexts;

/** A fault of one kind. Without a type argument: the union of all, which `kind` narrows. */
export type Fault<K extends FaultKind = FaultKind> = {
  readonly [P in K]: Error & { readonly kind: P; readonly context: FaultContexts[P] };
}[K];

/** A fault that refuses a monetization decision. */
export type DecisionRefusal = Fault<keyof DecisionRefusalContexts>;

interface FaultConstructor {
  /** Makes `instanceof` narrow to the union. */
  readonly prototype: Fault;
  new <K extends FaultKind>(kind: K, context: FaultContexts[K]): Fault<K>;
}

/** The one error type that rules, actions and adapters throw. */
export const Fault = class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;
  readonly context: object;

  constructor(kind: FaultKind, context: object) {
    super(kind);
    this.kind = kind;
    this.context = context;
  }
} as unknown as FaultConstructor;

export function chainUnreadable(chain: ChainName, cause: UnreadableCause): Fault<'ChainUnreadable'> {
  return new Fault('ChainUnreadable', { chain, cause });
}
