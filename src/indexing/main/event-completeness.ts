/**
 * Whether the index is known to hold all logs up to its checkpoint. A rating is compared with the counters of its own machine, and a proof
 * corrects it later; a verdict on a payment depends on the claims of all machines and is stored for ever, so it waits for the proof.
 */
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import type { BlockId } from '../../domain/machine/machine-facts.ts';
import type { IndexProofStore } from '../../ports/index-proof.ts';
import { findNewestGap } from './absence-proof.ts';
import type { EventTotalCheck } from './event-total-check.ts';

export interface EventCompletenessOptions {
  readonly store: Pick<IndexProofStore, 'areBlocksProven' | 'listProofSegments'>;
  readonly eventTotal: Pick<EventTotalCheck, 'agreesAt'>;
  readonly proof: IndexProof;
  /** First block of the index. */
  readonly startBlock: number;
}

export interface EventCompleteness {
  /**
   * Returns whether the number of events agrees with the contract at the checkpoint and every block up to it is proven, in mode `off`
   * without the proof. Throws `StoreUnavailable`.
   */
  isCompleteThrough(checkpoint: BlockId): Promise<boolean>;
}

export function createEventCompleteness(options: EventCompletenessOptions): EventCompleteness {
  const { store, eventTotal, proof, startBlock } = options;

  async function isProvenThrough(toBlock: number): Promise<boolean> {
    if (!(await store.areBlocksProven(startBlock, toBlock))) return false;
    return findNewestGap({ fromBlock: startBlock, toBlock }, await store.listProofSegments()) === undefined;
  }

  return {
    isCompleteThrough: async (checkpoint) =>
      eventTotal.agreesAt(checkpoint) && (proof === 'off' || (await isProvenThrough(checkpoint.number))),
  };
}
