/**
 * Progress of the main-chain index and of its proof. Implements `IndexStatus` from what the worker and the prover last
 * wrote, whichever process they run in, and from the head follower of this process.
 */
import { MAX_REPORTED_SEGMENTS, type IndexProof } from '../../domain/index-rules/index-proof.ts';
import type { IndexProofStatus, IndexStatus } from '../../ports/indexes.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Checkpoint, Store } from '../../ports/store.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';
import type { HeadFollower } from '../head/head-follower.ts';
import type { ProofGate } from './proof-gate.ts';

export interface IndexStatusOptions {
  readonly store: Pick<
    Store,
    | 'readMainChainCheckpoint'
    | 'readHeadObservation'
    | 'readUnprovenExtent'
    | 'listProofSegments'
    | 'listUntimedBlocks'
    | 'listUnreadMachines'
  >;
  readonly integrity: IndexIntegrity;
  readonly clock: Clock;
  readonly proof: IndexProof;
  readonly gate: ProofGate;
  readonly follower: Pick<HeadFollower, 'recent' | 'isCurrent'>;
}

/** Age up to which the proof is reported without reading it again. */
const PROOF_AGE_MILLISECONDS = 5_000;
/** With fast finality the index may pass the followed head by this much for a moment. */
const MAX_BLOCKS_AHEAD = 64;

export function createIndexStatus({ store, integrity, clock, proof, gate, follower }: IndexStatusOptions): IndexStatus {
  let cached: { readonly atMilliseconds: number; readonly status: Promise<IndexProofStatus> } | undefined;

  function readProof(): Promise<IndexProofStatus> {
    const now = clock.nowMilliseconds();
    if (cached !== undefined && Math.abs(now - cached.atMilliseconds) < PROOF_AGE_MILLISECONDS) return cached.status;
    const status = loadProof();
    cached = { atMilliseconds: now, status };
    // A failed read is not cached.
    status.catch(() => (cached = undefined));
    return status;
  }

  async function loadProof(): Promise<IndexProofStatus> {
    const [unproven, segments, untimed, unread] = await Promise.all([
      store.readUnprovenExtent(),
      store.listProofSegments(),
      store.listUntimedBlocks(Number.MAX_SAFE_INTEGER, 1),
      store.listUnreadMachines(undefined, 1),
    ]);
    return {
      mode: proof,
      isBackfilled: untimed.length === 0 && unread.length === 0,
      unprovenBlocks: unproven?.blocks ?? 0,
      segmentCount: segments.length,
      segments: segments.toReversed().slice(0, MAX_REPORTED_SEGMENTS),
    };
  }

  /** Returns whether the followed blocks join the index to the head, so that events above the index are known. */
  function isFollowed({ blockNumber, blockHash }: Checkpoint): boolean {
    const blocks = follower.recent();
    if (blocks === undefined || !follower.isCurrent()) return false;
    const ahead = blockNumber - blocks.headNumber;
    return ahead > 0 ? ahead <= MAX_BLOCKS_AHEAD : blocks.hashAt(blockNumber) === blockHash;
  }

  return {
    async readMainChainIndex() {
      integrity.check();
      const [checkpoint, observation, proofStatus, isOpen] = await Promise.all([
        store.readMainChainCheckpoint(),
        store.readHeadObservation(),
        readProof(),
        gate.isOpen(),
      ]);
      return {
        indexedBlock: checkpoint?.blockNumber,
        headBlock: observation?.blockNumber,
        headObservedAtMilliseconds: observation?.observedAtMilliseconds,
        isHeldBack: !isOpen,
        servesRatings: isOpen && checkpoint !== undefined && proofStatus.isBackfilled && isFollowed(checkpoint),
        proof: proofStatus,
      };
    },
  };
}
