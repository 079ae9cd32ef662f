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
import { isRateRefusal } from './read-failure.ts';

type BlockChain = Pick<MainChainLog, 'readBlockLogs' | 'readProvenLogs' | 'servesReceipts'>;

/** Returns the logs of each block. Throws `ResponseRejected`, `LogQueryRefused` and `ChainUnreadable`. */
export async function readCompleteBlocks(
  chain: BlockChain,
  contracts: WatchedContracts,
  headers: readonly Header[],
): Promise<(readonly ChainLog[])[]> {
  let blocks: readonly BlockLogs[];
  try {
    blocks = await chain.readBlockLogs(headers);
  } catch (error) {
    const proven = isRefused(error) ? await readByReceipts(chain, headers) : undefined;
    if (proven === undefined) throw error;
    return proven;
  }
  return checkBlocks(chain, contracts, headers, blocks);
}

/** Returns the logs of each block, which its bloom or its receipts must prove. Throws like `readCompleteBlocks`. */
export async function checkBlocks(
  chain: BlockChain,
  contracts: WatchedContracts,
  headers: readonly Header[],
  blocks: readonly BlockLogs[],
): Promise<(readonly ChainLog[])[]> {
  if (blocks.length !== headers.length) throw new ResponseRejected('withheld-logs');
  const proven: (readonly ChainLog[])[] = [];
  for (const [i, block] of blocks.entries()) proven.push(await proveBlock(chain, contracts, headers[i]!, block));
  return proven;
}

/** Returns all logs of the contracts in a block. Where its bloom names more than the node returns, its receipts decide. */
async function proveBlock(
  chain: BlockChain,
  contracts: WatchedContracts,
  header: Header,
  { logs, bloom }: BlockLogs,
): Promise<readonly ChainLog[]> {
  try {
    checkBlockComplete(contracts, header, logs, bloom);
    return logs;
  } catch (error) {
    const isIncomplete = error instanceof ResponseRejected && error.problem === 'withheld-logs';
    const proven = isIncomplete ? await readByReceipts(chain, [header]) : undefined;
    if (proven === undefined) throw error;
    return proven[0]!;
  }
}

/** Returns the logs of each block, read from its receipts; undefined where these prove nothing. */
export async function readByReceipts(
  chain: BlockChain,
  headers: readonly Header[],
): Promise<(readonly ChainLog[])[] | undefined> {
  if (!chain.servesReceipts) return undefined;
  const proven: (readonly ChainLog[])[] = [];
  return (await chain.readProvenLogs(headers, (logs) => proven.push(logs))) ? proven : undefined;
}

/** Returns whether the node answered, but not with logs. */
function isRefused(error: unknown): boolean {
  if (error instanceof LogQueryRefused) return !isRateRefusal(error);
  return error instanceof Fault && 'cause' in error.context && error.context.cause === 'rpc-error';
}
