/**
 * Faults that refuse a monetization decision, in the order in which they are judged (http-facts 9.4). The pure rules return
 * them; the action throws them as they are.
 */
/** Context of every kind of refusal. */
export interface DecisionRefusalContexts {
  /** `member` is the first that breaks its rule. */
  readonly DecisionMalformed: { readonly member: DecisionMember | BodyRule };
  readonly DecisionOutsideWindow: Record<never, never>;
  /** The text is well-formed, but no key can be recovered from it. */
  readonly SignatureUnrecoverable: Record<never, never>;
  readonly SignerUnauthorized: { readonly cause: UnauthorizedCause };
  /** The decision in force has the same timestamp or a later one. */
  readonly DecisionNotNewer: Record<never, never>;
  readonly MachineNotBonded: Record<never, never>;
  readonly MachineDeactivated: Record<never, never>;
  readonly MachinePaused: Record<never, never>;
}

/** Members of a request, in the order in which they are judged. */
export type DecisionMember = 'opted_in' | 'timestamp' | 'signature' | 'signer_pubkey';

/** Rules of the whole body: `body` an object with each member once, `nesting` its depth, `text` no half of a surrogate pair. */
export type BodyRule = 'body' | 'nesting' | 'text';

/** Fixed words for logs. Callers only learn that the signer may not decide. */
export type UnauthorizedCause =
  | 'wrong-kind' // the machine's home accepts another kind of signature
  | 'not-verified' // the named key did not sign this message
  | 'not-entitled'; // the signer is neither owner nor controller
