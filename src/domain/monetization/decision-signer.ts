/**
 * Who signed a decision, and may they decide? ("Who may sign" of the interface, http-facts 9.4 and 9.5, chain-evm 3.2.)
 * Main chain: owner or controller, by EIP-191. Alt chain: the owner alone, by Ed25519.
 */
import { Fault } from '../faults.ts';
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import { unwrap, unwrapOptional } from '../read-result.ts';
import type { SignatureChecks } from '../signatures/signature-checks.ts';
import type { Ed25519Signature, RecoverableSignature } from '../signatures/signature-parsing.ts';
import type { DecidingMachine } from './deciding-machine.ts';
import type { Signer } from './decision.ts';
import type { DecisionRefusal, UnauthorizedCause } from './decision-refusal.ts';

/** How a decision claims to be signed. */
export type DecisionProof =
  | { readonly kind: 'eip191'; readonly signature: RecoverableSignature }
  | { readonly kind: 'ed25519'; readonly signerKey: AltKey; readonly signature: Ed25519Signature }
  /** A key of the alt chain beside a signature of the main chain: it fits no home. */
  | { readonly kind: 'mixed' };

export type SignerJudgement =
  | { readonly signer: Signer; readonly refusal?: never }
  | { readonly refusal: DecisionRefusal; readonly signer?: never };

/**
 * Judges the kind of the proof, then the signature over `message`, then the authority of its signer.
 * Throws `ChainUnreadable` where the authority depends on a fact that is unreadable.
 */
export function judgeSigner(
  checks: SignatureChecks,
  message: Uint8Array,
  proof: DecisionProof,
  { home, snapshot }: Pick<DecidingMachine, 'home' | 'snapshot'>,
): SignerJudgement {
  if (home.chain === 'main' && proof.kind === 'eip191') {
    const signer = checks.recoverSigner(message, proof.signature);
    if (signer === undefined) return { refusal: new Fault('SignatureUnrecoverable', {}) };
    const entitled = [unwrap(snapshot.owner), unwrapOptional(snapshot.controller)];
    return entitled.includes(signer) ? { signer } : unauthorized('not-entitled');
  }
  if (home.chain === 'alt' && proof.kind === 'ed25519') {
    const signer = proof.signerKey;
    if (!checks.isSignedBy(signer, message, proof.signature)) return unauthorized('not-verified');
    return signer === home.owner ? { signer } : unauthorized('not-entitled');
  }
  return unauthorized('wrong-kind');
}

function unauthorized(cause: UnauthorizedCause): SignerJudgement {
  return { refusal: new Fault('SignerUnauthorized', { cause }) };
}
