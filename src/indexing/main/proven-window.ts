/**
 * Reads a range of blocks through its receipts. A header whose bloom excludes every contract settles its block where
 * blooms are known to be real; the receipts of all others are read once, after the adapter verified them against the
 * receipts root. Nothing can be withheld, so no second query is needed.
 */
import {
  checkHeaders,
  checkLogOrder,
  type BlockRange,
  type WatchedContracts,
} from '../../domain/index-rules/block-checks.ts';
import type { Header, MainChainLog } from '../../ports/main-chain.ts';
import type { BloomEvidence } from './bloom-evidence.ts';
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
  evidence: BloomEvidence,
  range: BlockRange,
): Promise<ProvenWindow | undefined> {
  const { fromBlock, toBlock } = range;
  const numbers = Array.from({ length: toBlock - fromBlock + 1 }, (_, i) => fromBlock + i);
  const headers = await chain.readHeaders(numbers);
  checkHeaders(numbers, headers);
  await evidence.seek(headers);
  const unsettled = headers.filter((header) => !evidence.settles(header));
  const summary = new WindowSummary();
  for (let from = 0; from < unsettled.length; from += RECEIPTS_PER_BATCH) {
    const batch = unsettled.slice(from, from + RECEIPTS_PER_BATCH);
    let blocks = 0;
    const isProven = await chain.readProvenLogs(batch, (logs) => {
      const header = batch[blocks++]!;
      checkLogOrder(contracts, { fromBlock: header.number, toBlock: header.number }, logs);
      evidence.record(header, logs);
      summary.add(logs);
    });
    if (!isProven) return undefined;
  }
  return { ...range, headers, summary };
}

/** Bounds the memory of responses that are not proven yet, and of logs not yet summarized. */
const RECEIPTS_PER_BATCH = 100;
