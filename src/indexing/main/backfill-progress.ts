/** Progress log of a backfill: one line every ten seconds, and one when a long range is complete. */
import type { BlockRange } from '../../domain/index-rules/block-checks.ts';
import type { Clock, Log } from '../../ports/runtime.ts';

const LOG_INTERVAL_MILLISECONDS = 10_000;
/** Shorter ranges are routine and not logged on completion. */
const MIN_REPORTED_BLOCKS = 1_000;

export interface BackfillProgress {
  reach(block: number): void;
}

/** Tracks progress from `fromBlock` to `toBlock`; percentages count from `startBlock`, the first block of the index. */
export function watchBackfill(
  { fromBlock, toBlock }: BlockRange,
  startBlock: number,
  clock: Clock,
  log: Log,
): BackfillProgress {
  const startedAt = clock.nowMilliseconds();
  let loggedAt = startedAt;
  const isLong = toBlock - fromBlock + 1 >= MIN_REPORTED_BLOCKS;

  return {
    reach(block) {
      const now = clock.nowMilliseconds();
      const isDue = now - loggedAt >= LOG_INTERVAL_MILLISECONDS || (isLong && block === toBlock);
      if (!isDue) return;
      loggedAt = now;
      const seconds = Math.max(1, now - startedAt) / 1000;
      const fields = {
        indexedBlock: block,
        finalizedBlock: toBlock,
        percent: Math.floor((1000 * (block - startBlock + 1)) / (toBlock - startBlock + 1)) / 10,
        blocksPerSecond: Math.round((block - fromBlock + 1) / seconds),
      };
      log.info(fields, block === toBlock ? 'main-chain index has caught up' : 'main-chain index is catching up');
    },
  };
}
