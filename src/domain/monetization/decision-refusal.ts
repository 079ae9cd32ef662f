/**
 * Why is a decision refused? Facts, each of its own kind, in the order in which they are judged (http-facts 9.4). That a machine
 * is absent, relocating, homed elsewhere or unreadable is a `Fault`, as for every other route.
 */

/** Context of every kind of refusal. */
export interface DecisionRefusalContexts {
  /** `member` is the first that breaks its rule; `body`: there are no members at all. */
  readonly DecisionMalformed: { readonly member: DecisionMember | 'body' };
  readonly DecisionOutsideWindow: Record<never, never>;
  /** The text is well-formed, and no key can be recovered from it. */
  readonly SignatureUnrecoverable: Record<never, never>;
  readonly SignerUnauthorized: { readonly cause: UnauthorizedCause };
  /** A decision of the same second or a later one is in force. */
  readonly DecisionNotNewer: Record<never, never>;
  readonly MachineNotBonded: Record<never, never>;
  readonly MachineDeactivated: Record<never, never>;
  readonly MachinePaused: Record<never, never>;
}

/** The members of a request, in the order in which they are judged. */
export type DecisionMember = 'opted_in' | 'timestamp' | 'signature' | 'signer_pubkey';

/** Fixed words for logs; callers are told no more than that the signer may not decide. */
export type UnauthorizedCause =
  | 'wrong-kind' // not the kind of signature that the machine's home takes
  | 'not-verified' // the key that is named did not sign this message
  | 'not-entitled'; // whoever signed this message is neither owner nor controller

export type DecisionRefusalKind = keyof DecisionRefusalContexts;

export type DecisionRefusal = {
  readonly [K in DecisionRefusalKind]: { readonly kind: K; readonly context: DecisionRefusalContexts[K] };
}[DecisionRefusalKind];

export function refuse<K extends DecisionRefusalKind>(
  kind: K,
  context: DecisionRefusalContexts[K],
): { readonly kind: K; readonly context: DecisionRefusalContexts[K] } {
  return { kind, context };
}
