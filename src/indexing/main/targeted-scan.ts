/** Log queries over a long range for a few logs, newest block first, in ranges as wide as the node accepts. */
import { checkLogOrder, watchContracts, type BlockRange } from '../../domain/index-rules/block-checks.ts';
import type { ChainLog, LogQuery, MainChainLog } from '../../ports/main-chain.ts';
import { isRangeRefusal, isTimeout } from './window-stream.ts';

export type Selection = Omit<LogQuery, 'fromBlock' | 'toBlock'>;

/**
 * Yields the logs of every range, those of each selection in chain order. Throws what the queries throw, and `ResponseRejected` for a
 * response that repeats a log.
 */
export type TargetedScan = (range: BlockRange, selections: readonly Selection[]) => AsyncGenerator<readonly ChainLog[]>;

const FIRST_BLOCKS = 50_000;
const MAX_BLOCKS = 1_000_000;
/** One late response narrows the scan; more of them say that the node does not respond. */
const MAX_TIMEOUTS = 1;

export function createTargetedScan(chain: Pick<MainChainLog, 'addresses' | 'readLogs'>): TargetedScan {
  const contracts = watchContracts(chain.addresses);
  /** Width of the next query, as the node has accepted the last ones. */
  let blocks = FIRST_BLOCKS;
  /** Width that the node serves in time; grows again with each scan. */
  let timelyBlocks = MAX_BLOCKS;

  return async function* scan({ fromBlock, toBlock }, selections) {
    let end = toBlock;
    let timeouts = 0;
    while (end >= fromBlock) {
      const range = { fromBlock: Math.max(fromBlock, end - blocks + 1), toBlock: end };
      const logs: ChainLog[] = [];
      try {
        for (const selection of selections) {
          const selected = await chain.readLogs({ ...range, ...selection });
          checkLogOrder(contracts, range, selected);
          for (const log of selected) logs.push(log);
        }
      } catch (error) {
        const isLate = isTimeout(error);
        if ((!isLate && !isRangeRefusal(error)) || range.fromBlock === end) throw error;
        blocks = Math.ceil((end - range.fromBlock + 1) / 4);
        if (isLate) {
          timelyBlocks = 2 * blocks;
          timeouts += 1;
          if (timeouts > MAX_TIMEOUTS) throw error;
        }
        continue;
      }
      blocks = Math.min(2 * blocks, timelyBlocks);
      yield logs;
      end = range.fromBlock - 1;
    }
    timelyBlocks = Math.min(2 * timelyBlocks, MAX_BLOCKS);
  };
}
