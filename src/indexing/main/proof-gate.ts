/**
 * Holds back what another mode of `INDEX_PROOF` stored until it is proven. Only mode `before` does: it serves proven blocks
 * only, and its own imports are proven before they are stored.
 */
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Checkpoint, Store } from '../../ports/store.ts';
import { findNewestGap, isReadByHeaders } from './absence-proof.ts';

export interface ProofGate {
  /** Returns whether the index can be served. Throws `StoreUnavailable`. */
  isOpen(): Promise<boolean>;
}

export interface ProofGateOptions {
  readonly store: Pick<Store, 'readMainChainCheckpoint' | 'readUnprovenExtent' | 'listProofSegments'>;
  readonly clock: Clock;
  readonly proof: IndexProof;
  readonly startBlock: number;
}

/** Age up to which a closed gate is not examined again. */
const CLOSED_MILLISECONDS = 5_000;

export function createProofGate({ store, clock, proof, startBlock }: ProofGateOptions): ProofGate {
  // What is repaired later is proven by the block, and holds back nothing else.
  let isOpened = proof !== 'before';
  let closed: { readonly atMilliseconds: number } | undefined;

  async function isProven({ blockNumber }: Checkpoint): Promise<boolean> {
    const segments = (await store.listProofSegments()).filter(isReadByHeaders);
    const gap = findNewestGap({ fromBlock: startBlock, toBlock: blockNumber }, segments);
    return gap === undefined && (await store.readUnprovenExtent()) === undefined;
  }

  return {
    async isOpen() {
      const now = clock.nowMilliseconds();
      if (isOpened) return true;
      if (closed !== undefined && Math.abs(now - closed.atMilliseconds) < CLOSED_MILLISECONDS) return false;
      const checkpoint = await store.readMainChainCheckpoint();
      if (checkpoint === undefined) return true;
      isOpened = await isProven(checkpoint);
      closed = isOpened ? undefined : { atMilliseconds: now };
      return isOpened;
    },
  };
}
