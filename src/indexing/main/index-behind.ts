/** Error of a read for which the index has not caught up with its block. */
import { Fault } from '../../domain/faults.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { Checkpoint } from '../../ports/store.ts';
import type { RecentBlocks } from '../head/recent-blocks.ts';

/** Returns `EventIndexSyncing`; the head is the newest block that is known. */
export function createIndexBehind(
  checkpoint: Checkpoint | undefined,
  block: BlockRef,
  recent: Pick<RecentBlocks, 'headNumber'> | undefined,
): Fault {
  const indexedBlock = checkpoint?.blockNumber ?? 0;
  const headBlock = Math.max(indexedBlock, block.number, recent?.headNumber ?? 0);
  return new Fault('EventIndexSyncing', { indexedBlock, headBlock });
}
