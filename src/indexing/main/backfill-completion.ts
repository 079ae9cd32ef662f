/**
 * Completes a backfill from logs (design/real-chains.md 1): reads the owners of all machines that logs named, once and at
 * the checkpoint, and the headers of blocks whose time no log reported, newest first. Both resume where they stopped.
 */
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { Store } from '../../ports/store.ts';

export type BackfillStore = Pick<
  Store,
  'listUnreadMachines' | 'storeOwnershipReads' | 'listUntimedBlocks' | 'writeBlockTimes'
>;

export interface BackfillCompletion {
  readonly chain: MainChainLog;
  readonly store: BackfillStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Clock milliseconds at which to stop. */
  readonly endAt: number;
}

/** Bounds one read and one transaction; the adapter splits requests further. */
const MACHINES_PER_READ = 2_000;
const MAX_HEADERS_PER_READ = 500;
/** Headers of the first read; the others take about as long as given, so that times are served while a slow node is read. */
const FIRST_HEADERS = 25;
const READ_MILLISECONDS = 2_000;

/** Returns whether everything was done; false when the time is up or the checkpoint moved. Throws like every chain read. */
export async function completeBackfill(completion: BackfillCompletion, checkpoint: BlockRef): Promise<boolean> {
  return (await readOwners(completion, checkpoint)) && (await readTimes(completion));
}

async function readOwners(completion: BackfillCompletion, checkpoint: BlockRef): Promise<boolean> {
  const { chain, store } = completion;
  const expected = { blockNumber: checkpoint.number, blockHash: checkpoint.hash };
  for (;;) {
    const ids = await store.listUnreadMachines(MACHINES_PER_READ);
    if (ids.length === 0) return true;
    if (isOver(completion)) return false;
    const changes = await chain.readOwnership(checkpoint, ids);
    if (!(await store.storeOwnershipReads(expected, { readAtBlock: checkpoint.number, changes }))) return false;
  }
}

/** Leaves out a block whose hash differs: its logs are of another block, and its proof replaces them. */
async function readTimes(completion: BackfillCompletion): Promise<boolean> {
  const { chain, store, clock } = completion;
  let below = Number.MAX_SAFE_INTEGER;
  let count = FIRST_HEADERS;
  for (;;) {
    const blocks = await store.listUntimedBlocks(below, count);
    if (blocks.length === 0) return true;
    if (isOver(completion)) return false;
    const startedAt = clock.nowMilliseconds();
    const headers = await chain.readHeaders(blocks.map(({ blockNumber }) => blockNumber));
    const times = headers
      .filter(({ hash }, i) => hash === blocks[i]!.blockHash)
      .map(({ number, timestamp }) => ({ blockNumber: number, blockTimestamp: timestamp }));
    await store.writeBlockTimes(times);
    below = blocks.at(-1)!.blockNumber;
    const elapsed = Math.max(1, clock.nowMilliseconds() - startedAt);
    const timely = Math.ceil((blocks.length * READ_MILLISECONDS) / elapsed);
    count = Math.min(timely, 2 * count, MAX_HEADERS_PER_READ);
  }
}

function isOver({ clock, signal, endAt }: BackfillCompletion): boolean {
  return signal.aborted || clock.nowMilliseconds() >= endAt;
}
