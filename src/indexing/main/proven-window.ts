/**
 * Reads a range of blocks through its receipts. A header whose bloom excludes every contract settles its block; the
 * receipts of all others are read once, after the adapter verified them against the receipts root. Nothing can be
 * withheld, so no second query is needed.
 */
import {
  checkHeaders,
  checkLogOrder,
  findContractsMissingLogs,
  type BlockRange,
  type WatchedContracts,
} from '../../domain/index-rules/block-checks.ts';
import type { Header, MainChainLog } from '../../ports/main-chain.ts';
import { WindowSummary } from './window-summary.ts';

export interface ProvenWindow extends BlockRange {
  readonly headers: readonly Header[];
  readonly summary: WindowSummary;
}

/**
 * Reads the window. Undefined: the node serves no receipts, or none that match the headers. Throws `ResponseRejected`
 * and `ChainUnreadable`.
 */
export async function readProvenWindow(
  chain: MainChainLog,
  contracts: WatchedContracts,
  range: BlockRange,
): Promise<ProvenWindow | undefined> {
  const { fromBlock, toBlock } = range;
  const numbers = Array.from({ length: toBlock - fromBlock + 1 }, (_, i) => fromBlock + i);
  const headers = await chain.readHeaders(numbers);
  checkHeaders(numbers, headers);
  const bloomMatches = headers.filter((header) => findContractsMissingLogs(contracts, header, []).length > 0);
  const summary = new WindowSummary();
  for (let from = 0; from < bloomMatches.length; from += RECEIPTS_PER_BATCH) {
    const batch = bloomMatches.slice(from, from + RECEIPTS_PER_BATCH);
    let blocks = 0;
    const isProven = await chain.readProvenLogs(batch, (logs) => {
      const { number } = batch[blocks++]!;
      checkLogOrder(contracts, { fromBlock: number, toBlock: number }, logs);
      summary.add(logs);
    });
    if (!isProven) return undefined;
  }
  return { ...range, headers, summary };
}

/** Bounds the memory of responses that are not proven yet, and of logs not yet summarized. */
const RECEIPTS_PER_BATCH = 100;
