/**
 * Authentication and authorization of a decision's signer ("Who may sign" of the interface, http-facts 9.4 and 9.5, chain-evm 3.2).
 * Main chain: owner or controller, by EIP-191. Alt chain: only the owner, by Ed25519.
 */
import { Fault, type DecisionRefusal } from '../faults.ts';
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import { unwrap, unwrapOptional } from '../read-result.ts';
import type { SignatureChecks } from '../signatures/signature-checks.ts';
import type { Ed25519Signature, RecoverableSignature } from '../signatures/signature-parsing.ts';
import type { DecidingMachine } from './deciding-machine.ts';
import type { Signer } from './decision.ts';
import type { UnauthorizedCause } from './decision-refusal.ts';

/** The claimed signature of a decision. */
export type DecisionProof =
  | { readonly kind: 'eip191'; readonly signature: RecoverableSignature }
  | { readonly kind: 'ed25519'; readonly signerKey: AltKey; readonly signature: Ed25519Signature }
  /** An alt-chain key with a main-chain signature, which no home accepts. */
  | { readonly kind: 'mixed' };

export type SignerJudgement =
  | { readonly signer: Signer; readonly refusal?: never }
  | { readonly refusal: DecisionRefusal; readonly signer?: never };

/**
 * Judges the kind of the proof, then the signature over `message`, then the authority of its signer.
 * Throws `ChainUnreadable` when the authority depends on an unreadable fact.
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

/** Returns whether the signer may decide now; undefined when that depends on an unreadable fact. */
export function isEntitled(
  signer: Signer,
  { home, snapshot: { owner, controller } }: Pick<DecidingMachine, 'home' | 'snapshot'>,
): boolean | undefined {
  if (home.chain === 'alt') return signer === home.owner;
  const facts = [owner, controller];
  if (facts.some((fact) => fact.state === 'present' && fact.value === signer)) return true;
  return facts.some(({ state }) => state === 'unreadable') ? undefined : false;
}

function unauthorized(cause: UnauthorizedCause): SignerJudgement {
  return { refusal: new Fault('SignerUnauthorized', { cause }) };
}
