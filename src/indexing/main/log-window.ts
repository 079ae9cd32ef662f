/**
 * Reads a range of blocks from logs alone (design/real-chains.md 1): one query and no header. Nothing is proven yet; the
 * window lists its blocks for the proof.
 */
import { checkLogOrder, type BlockRange, type WatchedContracts } from '../../domain/index-rules/block-checks.ts';
import { digestLogs } from '../../domain/index-rules/log-digest.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { UNKNOWN_BLOCK_TIME, type LogBlock } from '../../ports/index-proof.ts';
import type { ChainLog, MainChainLog } from '../../ports/main-chain.ts';
import { readByReceipts } from './complete-blocks.ts';
import { isRangeRefusal } from './window-stream.ts';
import { WindowSummary } from './window-summary.ts';

export interface LogWindow extends BlockRange {
  readonly summary: WindowSummary;
  /** Blocks with logs, ascending. */
  readonly blocks: readonly LogBlock[];
}

/** Reads the window. Throws `ResponseRejected`, `LogQueryRefused` and `ChainUnreadable`. */
export async function readLogWindow(
  chain: MainChainLog,
  contracts: WatchedContracts,
  range: BlockRange,
): Promise<LogWindow> {
  const logs = await readLogs(chain, range);
  checkLogOrder(contracts, range, logs);
  const summary = new WindowSummary();
  summary.add(logs.map((log) => ({ ...log, blockTimestamp: log.blockTimestamp ?? UNKNOWN_BLOCK_TIME })));
  return { ...range, summary, blocks: listLogBlocks(logs) };
}

/** Smallest limit of results that providers have: a block with fewer logs was refused for another reason. */
const MIN_RESULT_LIMIT = 1_000;

/** Returns the logs of the range; those of one block with more logs than the node returns are read from its receipts. */
async function readLogs(chain: MainChainLog, range: BlockRange): Promise<readonly ChainLog[]> {
  try {
    return await chain.readLogs(range);
  } catch (error) {
    if (range.fromBlock < range.toBlock || !isRangeRefusal(error) || !chain.servesReceipts) throw error;
    const headers = await chain.readHeaders([range.fromBlock]);
    const [logs] = (await readByReceipts(chain, headers)) ?? [];
    if (logs === undefined || logs.length < MIN_RESULT_LIMIT) throw error;
    return logs;
  }
}

/** Lists the blocks of logs, which are to be proven. Throws `ResponseRejected`. */
export function listLogBlocks(logs: readonly ChainLog[]): LogBlock[] {
  return [...Map.groupBy(logs, ({ blockNumber }) => blockNumber).values()].map(toLogBlock);
}

/** Summarizes the logs of one block, which must agree on its hash and time. */
function toLogBlock(logs: readonly ChainLog[]): LogBlock {
  const { blockNumber, blockHash, blockTimestamp } = logs[0]!;
  for (const log of logs) {
    if (log.blockHash !== blockHash) throw new ResponseRejected('hash-mismatch');
    if (log.blockTimestamp !== blockTimestamp) throw new ResponseRejected('time-mismatch');
  }
  return {
    blockNumber,
    blockHash,
    blockTimestamp: blockTimestamp ?? UNKNOWN_BLOCK_TIME,
    digest: digestLogs(logs),
  };
}
