/**
 * Claims of payout accounts by one machine (design/scoring.md, Claims). Applying the machine's records in chain order is the only way a
 * claim is made or ended, so the claims depend on the home chain alone.
 */
import { PAYMENT } from '../constants.ts';
import type { MachineId } from '../../identifiers/identifiers.ts';
import type { SignatureChecks } from '../../signatures/signature-checks.ts';
import {
  isEvmAccount,
  isPayoutProofSigned,
  isSolanaAccount,
  parsePayoutProof,
  type PayoutNamespace,
  type PayoutProof,
} from './payout-proof.ts';

/** Home chain of a machine. */
export type HomeChain = 'main' | 'alt';

/** The end of a claim: by a change of hands or a burn. */
export interface ClaimEnd {
  /** Block time in Unix seconds. */
  readonly at: number;
  /** Number of events of the machine before it. */
  readonly seq: number;
}

export interface Claim {
  readonly account: string;
  readonly owner: string;
  /** Block time of the event with the proof. */
  readonly since: number;
  /** Position of that event. */
  readonly seq: number;
  /** Undefined while in force. */
  readonly end: ClaimEnd | undefined;
}

export interface ClaimContext {
  readonly id: MachineId;
  readonly namespace: PayoutNamespace;
  readonly checks: Pick<SignatureChecks, 'recoverSigner'>;
}

/** Record of the home chain that can make or end claims. */
export type ClaimRecord =
  | {
      readonly kind: 'event';
      readonly seq: number;
      readonly blockTimestamp: number;
      /** Owner of the machine at the event's position; undefined on the alt chain, where the proof names it. */
      readonly owner: string | undefined;
      readonly metadata: Uint8Array;
    }
  /** A change of hands on the main chain, or a burn. `seq` is the number of events before it. */
  | { readonly kind: 'end'; readonly seq: number; readonly blockTimestamp: number };

/** Applies the next record of a machine; returns the same list when it makes or ends no claim. */
export function applyClaimRecord(
  claims: readonly Claim[],
  record: ClaimRecord,
  context: ClaimContext,
): readonly Claim[] {
  if (record.kind === 'end') return endClaims(claims, record);
  const proof = parsePayoutProof(record.metadata);
  if (proof === undefined || !isAddressed(proof, record.owner)) return claims;
  const { account, owner } = proof;
  const ofOwner = claims.filter((claim) => claim.owner === owner);
  const isUsed = ofOwner.some((claim) => claim.account === account);
  const inForce = ofOwner.filter(({ end }) => end === undefined).length;
  if (isUsed || inForce >= PAYMENT.maxClaims) return claims;
  if (!isPayoutProofSigned(context.id, proof, context.namespace, context.checks)) return claims;
  const { seq, blockTimestamp } = record;
  const before = namesNewOwner(claims, owner) ? endClaims(claims, record) : claims;
  return [...before, { account, owner, since: blockTimestamp, seq, end: undefined }];
}

/** Positions of the changes of hands that the claims of an alt-chain machine show: each before the event of a claim. */
export function listClaimedHands(claims: readonly Claim[]): readonly number[] {
  return claims.flatMap(({ owner, seq }, index) => (index > 0 && claims[index - 1]!.owner !== owner ? [seq] : []));
}

/** Returns the claims that are in force at an event, its own included. */
export function claimsInForceAt(claims: readonly Claim[], eventSeq: number): readonly Claim[] {
  return claims.filter(({ seq, end }) => seq <= eventSeq && (end === undefined || end.seq > eventSeq));
}

function namesNewOwner(claims: readonly Claim[], owner: string): boolean {
  const newest = claims.at(-1);
  return newest !== undefined && newest.owner !== owner;
}

/** Returns whether the account is an address, and the owner the one of the machine (on the alt chain: a Solana address). */
function isAddressed({ account, owner }: PayoutProof, ownerOfMachine: string | undefined): boolean {
  if (!isEvmAccount(account) && !isSolanaAccount(account)) return false;
  return ownerOfMachine === undefined ? isSolanaAccount(owner) : owner === ownerOfMachine;
}

function endClaims(
  claims: readonly Claim[],
  { seq, blockTimestamp: at }: Pick<ClaimRecord, 'seq' | 'blockTimestamp'>,
): readonly Claim[] {
  if (claims.every(({ end }) => end !== undefined)) return claims;
  return claims.map((claim) => (claim.end === undefined ? { ...claim, end: { at, seq } } : claim));
}
