/**
 * What did a range of blocks log, by its receipts? A header whose bloom denies every contract settles its block; of all others the receipts are
 * read once, and the adapter has held them against the root in the header. Nothing can be hidden there, so nothing is asked twice.
 */
import {
  checkHeaders,
  checkLogOrder,
  findSilentContracts,
  type BlockRange,
  type WatchedContracts,
} from '../../domain/index-rules/block-checks.ts';
import type { Header, MainChainLog } from '../../ports/main-chain.ts';
import { WindowSummary } from './window-summary.ts';

export interface ProvenWindow extends BlockRange {
  readonly headers: readonly Header[];
  readonly news: WindowSummary;
}

/** Undefined: the node does not tell receipts, or none that fit. Throws `AnswerRejected` and `ChainUnreadable`. */
export async function readProvenWindow(
  chain: MainChainLog,
  contracts: WatchedContracts,
  range: BlockRange,
): Promise<ProvenWindow | undefined> {
  const { fromBlock, toBlock } = range;
  const numbers = Array.from({ length: toBlock - fromBlock + 1 }, (_, i) => fromBlock + i);
  const headers = await chain.readHeaders(numbers);
  checkHeaders(numbers, headers);
  const named = headers.filter((header) => findSilentContracts(contracts, header, []).length > 0);
  const news = new WindowSummary();
  for (let from = 0; from < named.length; from += RECEIPTS_AT_ONCE) {
    const asked = named.slice(from, from + RECEIPTS_AT_ONCE);
    let blocks = 0;
    const isProven = await chain.readProvenLogs(asked, (logs) => {
      const { number } = asked[blocks++]!;
      checkLogOrder(contracts, { fromBlock: number, toBlock: number }, logs);
      news.add(logs);
    });
    if (!isProven) return undefined;
  }
  return { ...range, headers, news };
}

/** Bounds the memory of answers that are not yet proven, and of logs that are not yet gathered. */
const RECEIPTS_AT_ONCE = 100;
