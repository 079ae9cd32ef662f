/**
 * Decision log: every decision that was in force, with what proves it, in one hash chain per machine (design/provable 2). Relative to a head
 * that someone has stored, no earlier row was removed or edited.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalBytes } from '../json/canonical-json.ts';
import type { BlockId } from '../machine/machine-facts.ts';
import { formatSigner, type SignedDecision, type Signer } from './decision.ts';

/** Age at which a signature is published; earlier it could be replayed on a sibling deployment. */
export const PUBLICATION_SECONDS = 330;

/** Who was entitled to decide when a decision was judged, and where it was read. */
export interface DecisionAuthority {
  readonly owner: Signer;
  /** The owner where no controller is set. */
  readonly controller: Signer;
  /** Block of the main chain. */
  readonly block: BlockId;
  /** Slot of an alt-chain machine's account. */
  readonly slot: number | undefined;
}

/** Decision with what proves it. */
export interface ProvenDecision extends SignedDecision {
  /** The signed message, which names header, deployment and home chain; ASCII. */
  readonly message: string;
  /** Signature as sent. */
  readonly signature: string;
  readonly authority: DecisionAuthority;
}

/** What the hash of a row covers, as published. Ids, block numbers and slots are decimal texts. */
export interface DecisionRow {
  readonly machine_id: string;
  readonly opted_in: boolean;
  readonly timestamp: number;
  readonly signer: string;
  readonly signature: string;
  readonly message: string;
  readonly authority: {
    readonly owner: string;
    readonly controller: string;
    readonly block: { readonly number: string; readonly hash: string };
    readonly slot: string | null;
  };
  /** Hash of the row before; null: the first row of the machine. */
  readonly previous: string | null;
}

/** Returns the row of a decision. `previous` is the hash of the machine's row before. */
export function toDecisionRow(decision: ProvenDecision, previous: string | undefined): DecisionRow {
  const { owner, controller, block, slot } = decision.authority;
  return {
    machine_id: String(decision.machineId),
    opted_in: decision.optedIn,
    timestamp: decision.timestamp,
    signer: formatSigner(decision.signer),
    signature: decision.signature,
    message: decision.message,
    authority: {
      owner: formatSigner(owner),
      controller: formatSigner(controller),
      block: { number: String(block.number), hash: block.hash },
      slot: slot === undefined ? null : String(slot),
    },
    previous: previous ?? null,
  };
}

/** Returns SHA-256 of the row's canonical JSON (RFC 8785), `0x` and 64 hex digits. */
export function hashDecisionRow(row: DecisionRow): string {
  const { machine_id, opted_in, timestamp, signer, signature, message, authority, previous } = row;
  const members = { machine_id, opted_in, timestamp, signer, signature, message, authority, previous };
  return `0x${bytesToHex(sha256(canonicalBytes(members)))}`;
}
