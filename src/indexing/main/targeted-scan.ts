/** Log queries over a long range for a few logs, newest block first, in ranges as wide as the node accepts. */
import { checkLogOrder, watchContracts, type BlockRange } from '../../domain/index-rules/block-checks.ts';
import type { ChainLog, LogQuery, MainChainLog } from '../../ports/main-chain.ts';
import { isRangeRefusal } from './window-stream.ts';

type Selection = Omit<LogQuery, 'fromBlock' | 'toBlock'>;

/**
 * Yields the logs of every range, those of each selection in chain order. Throws what the queries throw, and `ResponseRejected` for a
 * response that repeats a log.
 */
export type TargetedScan = (range: BlockRange, selections: readonly Selection[]) => AsyncGenerator<readonly ChainLog[]>;

const FIRST_BLOCKS = 50_000;
const MAX_BLOCKS = 1_000_000;

export function createTargetedScan(chain: Pick<MainChainLog, 'addresses' | 'readLogs'>): TargetedScan {
  const contracts = watchContracts(chain.addresses);
  /** Width of the next query, as the node has accepted the last ones. */
  let blocks = FIRST_BLOCKS;

  return async function* scan({ fromBlock, toBlock }, selections) {
    let end = toBlock;
    while (end >= fromBlock) {
      const range = { fromBlock: Math.max(fromBlock, end - blocks + 1), toBlock: end };
      const logs: ChainLog[] = [];
      try {
        for (const selection of selections) {
          const selected = await chain.readLogs({ ...range, ...selection });
          checkLogOrder(contracts, range, selected);
          logs.push(...selected);
        }
      } catch (error) {
        if (!isRangeRefusal(error) || range.fromBlock === end) throw error;
        blocks = Math.ceil((end - range.fromBlock + 1) / 4);
        continue;
      }
      blocks = Math.min(2 * blocks, MAX_BLOCKS);
      yield logs;
      end = range.fromBlock - 1;
    }
  };
}
