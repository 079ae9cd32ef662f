/**
 * Reads the contracts' logs of whole blocks, proven complete: by all logs of each block, whose bloom is compared with that
 * of the header, or by all receipts at a node that lists logs of given addresses only.
 */
import { Fault } from '../../domain/faults.ts';
import { checkBlockComplete, type WatchedContracts } from '../../domain/index-rules/block-checks.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import {
  LogQueryRefused,
  type BlockLogs,
  type ChainLog,
  type Header,
  type MainChainLog,
} from '../../ports/main-chain.ts';

type BlockChain = Pick<MainChainLog, 'readBlockLogs' | 'readProvenLogs' | 'servesReceipts'>;

/** Returns the logs of each block. Throws `ResponseRejected`, `LogQueryRefused` and `ChainUnreadable`. */
export async function readCompleteBlocks(
  chain: BlockChain,
  contracts: WatchedContracts,
  headers: readonly Header[],
): Promise<(readonly ChainLog[])[]> {
  try {
    return checkBlocks(contracts, headers, await chain.readBlockLogs(headers));
  } catch (error) {
    if (!isRefused(error) || !chain.servesReceipts) throw error;
    const proven: (readonly ChainLog[])[] = [];
    if (await chain.readProvenLogs(headers, (logs) => proven.push(logs))) return proven;
    throw error;
  }
}

/** Returns the logs of each block, which must explain its bloom. Throws `ResponseRejected`. */
export function checkBlocks(
  contracts: WatchedContracts,
  headers: readonly Header[],
  blocks: readonly BlockLogs[],
): (readonly ChainLog[])[] {
  if (blocks.length !== headers.length) throw new ResponseRejected('withheld-logs');
  return blocks.map(({ logs, bloom }, i) => {
    checkBlockComplete(contracts, headers[i]!, logs, bloom);
    return logs;
  });
}

/** Returns whether the node answered, but not with logs. */
function isRefused(error: unknown): boolean {
  if (error instanceof LogQueryRefused) return error.reason !== 'rate-limited';
  return error instanceof Fault && 'cause' in error.context && error.context.cause === 'rpc-error';
}
