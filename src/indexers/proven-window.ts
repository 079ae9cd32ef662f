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
} from '../domain/index-rules/block-checks.ts';
import type { Header, MainChainLog, ProvenLog } from '../ports/main-chain-log.ts';

export interface ProvenWindow extends BlockRange {
  readonly headers: readonly Header[];
  readonly logs: readonly ProvenLog[];
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
  const found = await chain.readProvenLogs(named);
  if (found === undefined) return undefined;
  const logs = found.flat();
  checkLogOrder(contracts, range, logs);
  return { ...range, headers, logs };
}
