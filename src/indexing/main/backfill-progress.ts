/** How far is the index, and how fast? A line every ten seconds while it has a way to go, and one when it arrives. */
import type { BlockRange } from '../../domain/index-rules/block-checks.ts';
import type { Clock, Log } from '../../ports/runtime.ts';

const LINE_EVERY_MILLISECONDS = 10_000;
/** Shorter ways are everyday and not worth a line. */
const LEAST_REPORTED_BLOCKS = 1_000;

export interface BackfillProgress {
  reach(block: number): void;
}

/** Watches the way from `fromBlock` to `toBlock`; percents count from `startBlock`, the first block of the index. */
export function watchBackfill(
  { fromBlock, toBlock }: BlockRange,
  startBlock: number,
  clock: Clock,
  log: Log,
): BackfillProgress {
  const begunAt = clock.nowMilliseconds();
  let lineAt = begunAt;
  const isLong = toBlock - fromBlock + 1 >= LEAST_REPORTED_BLOCKS;

  return {
    reach(block) {
      const now = clock.nowMilliseconds();
      const isLineDue = now - lineAt >= LINE_EVERY_MILLISECONDS || (isLong && block === toBlock);
      if (!isLineDue) return;
      lineAt = now;
      const seconds = Math.max(1, now - begunAt) / 1000;
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
