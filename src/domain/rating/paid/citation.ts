/** Citations: which payment an event cites, and whether it is followed at all (design/scoring.md, Verdict 1). */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { fromHex } from '../../evidence/signed-bytes.ts';
import type { EventRecord } from '../../machine/machine-facts.ts';
import { PAYMENT } from '../constants.ts';
import { parseBase58Exactly } from '../../identifiers/base58.ts';
import { parseMetadataTexts } from './metadata-object.ts';

const SIGNATURE_BYTES = 64;
const ZERO_HASH = `0x${'0'.repeat(64)}`;

/** What a citation depends on of a source. */
export interface CitedSource {
  readonly name: string;
  readonly id: bigint;
  readonly kind: 'evm' | 'solana';
}

export interface CitingEvent {
  readonly trust: number;
  readonly sourceChainId: bigint;
  /** `0x` and 64 hex digits. */
  readonly sourceTxHash: string;
  readonly metadata: Uint8Array;
}

/** Converts a record to what its citation depends on. */
export function toCitingEvent({ trustLevel, sourceChainId, sourceTxHash, metadata }: EventRecord): CitingEvent {
  return { trust: trustLevel, sourceChainId, sourceTxHash, metadata: fromHex(metadata) };
}

export interface Citation<S extends CitedSource = CitedSource> {
  readonly source: S;
  /** Transaction hash (EVM) or signature (Solana). */
  readonly reference: string;
}

/** Returns the transaction that an event cites on one of the sources; undefined: its verdict is `declared`. */
export function findCitation<S extends CitedSource>(
  event: CitingEvent,
  sources: readonly S[],
): Citation<S> | undefined {
  const hash = event.sourceTxHash.toLowerCase();
  if (event.trust === 0 || hash === ZERO_HASH) return undefined;
  const source = sources.find(({ id }) => id === event.sourceChainId);
  if (source === undefined) return undefined;
  const reference = source.kind === 'evm' ? hash : findSignature(event.metadata, hash);
  return reference === undefined ? undefined : { source, reference };
}

/** Returns whether a citation is followed: a claim is in force, and the machine's limit of the day is not reached. */
export function isFollowed(claimsInForce: number, citedToday: number): boolean {
  return claimsInForce > 0 && citedToday < PAYMENT.maxDailyCitations;
}

function findSignature(metadata: Uint8Array, hash: string): string | undefined {
  const signature = parseMetadataTexts(metadata)?.get('sig');
  const bytes = signature === undefined ? undefined : parseBase58Exactly(signature, SIGNATURE_BYTES);
  return bytes !== undefined && `0x${bytesToHex(keccak_256(bytes))}` === hash ? signature : undefined;
}
