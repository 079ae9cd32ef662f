/**
 * What can keep the service from giving a plain answer?
 * A fault states a fact of the rules or of the world, never a status or a text for callers: `http/wire-errors.ts` alone
 * turns it into an answer. `cause` members are short fixed words for logs; they never hold text of an SDK or a caller.
 */

import type { EvidenceRefusalKind } from './evidence/refusal.ts';
import type { DecisionRefusalContexts } from './monetization/decision-refusal.ts';

export type ChainName = 'main' | 'alt';

/** Why a chain could not be read. Fixed words, so that logs and metrics can count them. */
export type UnreadableCause =
  | 'transport' // no answer, a refused connection, an HTTP failure
  | 'deadline' // no answer in time
  | 'rpc-error' // the node answered with an error that carries no revert data
  | 'malformed' // the answer is not what the method promises
  | 'wrong-chain' // chain id or genesis hash differ from the configuration
  | 'block-mismatch' // the node answered for another block than the one asked for
  | 'undecodable' // an inner result has no known form
  | 'contradiction' // two facts that must agree do not
  | 'events' // the event history has a gap or disagrees with its logs
  | 'no-head'; // no head of the chain has been seen yet

/** One invalid parameter, in the shape that the wire's 422 list has. */
export interface ParameterIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, string | number>>;
}

/** Names the class and nothing else. */
type EvidenceRefusalContexts = Readonly<Record<EvidenceRefusalKind, Record<never, never>>>;

/** Context of every kind of fault. A kind that is missing in `http/wire-errors.ts` does not compile. */
export interface FaultContexts extends DecisionRefusalContexts, EvidenceRefusalContexts {
  readonly MachineDidMalformed: Record<never, never>;
  readonly OperatorMalformed: Record<never, never>;
  /** Nothing stands after the method of the DID. */
  readonly OperatorDidEmpty: Record<never, never>;
  readonly ParametersInvalid: { readonly issues: readonly ParameterIssue[] };
  readonly MachineAbsent: Record<never, never>;
  readonly MachineRelocating: Record<never, never>;
  readonly MachineHomedElsewhere: { readonly ordinal: number };
  readonly EventDataPrivate: Record<never, never>;
  /** Not base58 of 32 bytes. */
  readonly AltAddressMalformed: Record<never, never>;
  readonly WalletNotBound: Record<never, never>;
  readonly BindingRevoked: Record<never, never>;
  readonly BindingRegistryUnreadable: { readonly cause: UnreadableCause };
  readonly ServiceNotInitialised: Record<never, never>;
  readonly ChainUnreadable: { readonly chain: ChainName; readonly cause: UnreadableCause };
  readonly EventIndexSyncing: { readonly indexedBlock: number; readonly headBlock: number };
  readonly OperatorIndexSyncing: { readonly indexedBlock: number; readonly headBlock: number };
  /** The worker has not read the head of the chain for so long. */
  readonly OperatorIndexStale: { readonly ageSeconds: number };
  /** The alt chain has not been seen for so long, or never, that nobody knows what its half of a list is. */
  readonly AltSnapshotOutOfDate: Record<never, never>;
  readonly StoreUnavailable: Record<never, never>;
  readonly RateLimited: { readonly retryAfterSeconds: number };
  readonly RouteUnknown: Record<never, never>;
  readonly MethodNotAllowed: { readonly allow: readonly string[] };
  /** The caller takes no JSON. */
  readonly NotAcceptable: Record<never, never>;
  readonly RequestTooLarge: { readonly part: 'head' | 'body' };
  readonly RequestMalformed: Record<never, never>;
  readonly RequestTimeout: Record<never, never>;
  /** Not exactly one header with an onboarding token. */
  readonly OnboardingUnauthorized: Record<never, never>;
  /** As many challenges are open as may be. */
  readonly ChallengesExhausted: Record<never, never>;
}

export type FaultKind = keyof FaultContexts;

/** The one error type that rules, actions and adapters throw. */
export class Fault<K extends FaultKind = FaultKind> extends Error {
  readonly kind: K;
  readonly context: FaultContexts[K];

  constructor(kind: K, context: FaultContexts[K]) {
    super(kind);
    this.name = 'Fault';
    this.kind = kind;
    this.context = context;
  }
}

export function chainUnreadable(chain: ChainName, cause: UnreadableCause): Fault<'ChainUnreadable'> {
  return new Fault('ChainUnreadable', { chain, cause });
}
