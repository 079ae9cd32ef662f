/**
 * Reads logs and headers of blocks and returns only what passed every check of `domain/index-rules` (chain-evm 4.5;
 * architecture, rule 5). All functions throw `ResponseRejected`, `LogQueryRefused` and `ChainUnreadable`.
 */
import { chunk } from '../../domain/chunk.ts';
import {
  checkHeaders,
  checkContainsLogs,
  checkLogOrder,
  checkLogsInBloom,
  checkLogsOfBlock,
  checkSameLogs,
  findContractsMissingLogs,
  watchContracts,
  type BlockRange,
} from '../../domain/index-rules/block-checks.ts';
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { EMPTY_RECEIPTS_ROOT } from '../../domain/index-rules/receipts-root.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { BlockLogs, ChainLog, Header, MainChainLog } from '../../ports/main-chain.ts';
import type { LogBlock } from '../../ports/index-proof.ts';
import { BloomEvidence } from './bloom-evidence.ts';
import { checkBlocks, readCompleteBlocks } from './complete-blocks.ts';
import { listLogBlocks } from './log-window.ts';
import { readProvenWindow } from './proven-window.ts';
import type { VerifiedLog } from './verified-log.ts';
import { WindowSummary } from './window-summary.ts';

/** Range of blocks with a summary of everything that the contracts logged in it. */
export interface VerifiedWindow extends BlockRange {
  /** Hash of the block before the range. */
  readonly parentHash: string;
  readonly last: BlockRef;
  readonly summary: WindowSummary;
  /** Blocks with logs of a range that was trusted, ascending; undefined: the range is proven. */
  readonly unprovenBlocks: readonly LogBlock[] | undefined;
}

/**
 * `proven`: reads the header of every block, and a block whose bloom names a contract must account for its whole bloom.
 * `trusted`: accepts an empty response as it is and reads only headers of blocks with logs. `trusted` is for chains
 * whose headers have no real bloom and for nodes where headers are expensive.
 */
export type Completeness = 'proven' | 'trusted';

export interface BlockReader {
  /** Reads one range independently of others. */
  readWindow(range: BlockRange): Promise<VerifiedWindow>;
  /**
   * Verifies logs that came with the consecutive headers of their blocks, and completes them when a bloom indicates
   * more. `lastLogs` came with them and saves a query for the logs of the last block.
   */
  verifyBlocks(
    headers: readonly Header[],
    logs: readonly ChainLog[],
    lastLogs: BlockLogs | undefined,
  ): Promise<readonly VerifiedLog[]>;
  /** Returns whether the logs of the block must be proven because its bloom does not exclude the contracts. */
  matchesBloom(header: Header): boolean;
}

/** Bounds the memory of one window; the adapter splits requests further. */
const HEADERS_PER_BATCH = 500;
const PROOFS_PER_BATCH = 50;

/**
 * With `requiresReceipts`, a chain is refused whose receipts do not match its headers, or without them a window with a block of which
 * neither bloom nor receipts root says anything.
 */
export function createBlockReader(
  chain: MainChainLog,
  completeness: Completeness,
  requiresReceipts = false,
): BlockReader {
  const contracts = watchContracts(chain.addresses);
  const isProven = completeness === 'proven';
  const evidence = new BloomEvidence(chain, contracts);

  async function readWindow(range: BlockRange): Promise<VerifiedWindow> {
    const proven =
      isProven && chain.servesReceipts ? await readProvenWindow(chain, contracts, evidence, range) : undefined;
    if (proven === undefined) {
      // Without the method there are no receipts to compare; here they contradict the headers.
      if (requiresReceipts && chain.servesReceipts) throw new ResponseRejected('unproven-receipts');
      return readCrossCheckedWindow(range);
    }
    const { headers, summary } = proven;
    const { number, hash, timestamp } = headers.at(-1)!;
    const { parentHash } = headers[0]!;
    return { ...range, parentHash, last: { number, hash, timestamp }, summary, unprovenBlocks: undefined };
  }

  /** Queries the range, and by hash every block that may hold logs. */
  async function readCrossCheckedWindow(range: BlockRange): Promise<VerifiedWindow> {
    const logs = await chain.readLogs(range);
    checkLogOrder(contracts, range, logs);
    const logsByBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
    const numbers = isProven ? listBlocks(range) : listEndsAnd(range, logsByBlock.keys());

    const summary = new WindowSummary();
    const timed: VerifiedLog[] = [];
    let isTrusted = !isProven;
    let first: Header | undefined;
    let last: Header | undefined;
    for (const batch of chunk(numbers, HEADERS_PER_BATCH)) {
      const headers = await chain.readHeaders(batch);
      checkHeaders(batch, headers, last);
      if (headers.some(commitsToNothing)) {
        if (requiresReceipts) throw new ResponseRejected('unproven-receipts');
        isTrusted = true;
      }
      first ??= headers[0]!;
      last = headers.at(-1)!;
      const verified = await verifyWindowPart(headers, logsByBlock);
      summary.add(verified);
      for (const log of verified) timed.push(log);
    }
    const { number, hash, timestamp } = last!;
    const { parentHash } = first!;
    return {
      ...range,
      parentHash,
      last: { number, hash, timestamp },
      summary,
      unprovenBlocks: isTrusted ? listLogBlocks(timed) : undefined,
    };
  }

  async function verifyWindowPart(
    headers: readonly Header[],
    logsByBlock: ReadonlyMap<number, readonly ChainLog[]>,
  ): Promise<VerifiedLog[]> {
    const bloomMatches: Header[] = [];
    for (const header of headers) {
      const logs = logsByBlock.get(header.number) ?? [];
      checkLogsOfBlock(header, logs);
      if (isProven && !isProvenEmpty(header, logs)) bloomMatches.push(header);
    }
    // The range query may have other contents than the logs that the bloom was compared with.
    const proofsByBlock = new Map<number, readonly ChainLog[]>();
    for (const batch of chunk(bloomMatches, PROOFS_PER_BATCH)) {
      const proofs = await readProofs(batch);
      batch.forEach((header, i) => {
        checkSameLogs(logsByBlock.get(header.number) ?? [], proofs[i]!);
        proofsByBlock.set(header.number, proofs[i]!);
      });
    }
    return headers.flatMap((header) => {
      const { number } = header;
      return timeLogs(header, proofsByBlock.get(number) ?? logsByBlock.get(number) ?? []);
    });
  }

  /**
   * Returns true when the node returned no logs and the bloom names no contract; a zero bloom also needs the receipts
   * root of a block without receipts. Logs that explain the whole bloom
   * prove nothing: other logs of the block may have set the bits of a hidden one (same machine, same position of
   * another).
   */
  function isProvenEmpty(header: Header, logs: readonly ChainLog[]): boolean {
    if (isZeroBloom(header)) return logs.length === 0 && header.receiptsRoot === EMPTY_RECEIPTS_ROOT;
    return logs.length === 0 && findContractsMissingLogs(contracts, header, logs).length === 0;
  }

  async function verifyBlocks(
    headers: readonly Header[],
    logs: readonly ChainLog[],
    lastLogs: BlockLogs | undefined,
  ): Promise<readonly VerifiedLog[]> {
    if (headers.length === 0) return [];
    checkLogOrder(contracts, { fromBlock: headers[0]!.number, toBlock: headers.at(-1)!.number }, logs);
    const logsByBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
    const bloomMatches = isProven
      ? headers.filter((header) => {
          const blockLogs = logsByBlock.get(header.number) ?? [];
          checkLogsOfBlock(header, blockLogs);
          checkLogsInBloom(contracts, header, blockLogs);
          return !isProvenEmpty(header, blockLogs);
        })
      : [];
    const isPrefetched = lastLogs !== undefined && bloomMatches.at(-1) === headers.at(-1);
    const prefetched = isPrefetched ? [bloomMatches.pop()!] : [];
    for (const batch of [prefetched, ...chunk(bloomMatches, PROOFS_PER_BATCH)]) {
      const proofs =
        batch === prefetched
          ? await checkBlocks(chain, contracts, batch, isPrefetched ? [lastLogs] : [])
          : await readProofs(batch);
      batch.forEach((header, i) => {
        checkContainsLogs(proofs[i]!, logsByBlock.get(header.number) ?? []);
        logsByBlock.set(header.number, [...proofs[i]!]);
      });
    }
    return headers.flatMap((header) => timeLogs(header, logsByBlock.get(header.number) ?? []));
  }

  /** Reads all logs of the contracts in the given blocks and proves each list against its block's bloom. */
  function readProofs(headers: readonly Header[]): Promise<(readonly ChainLog[])[]> {
    return readCompleteBlocks(chain, contracts, headers);
  }

  function isNamed(header: Header): boolean {
    return isProven && !isProvenEmpty(header, []);
  }

  return { readWindow, verifyBlocks, matchesBloom: isNamed };
}

function isZeroBloom({ logsBloom }: Header): boolean {
  return logsBloom === ZERO_BLOOM;
}

/** Returns whether nothing in the header says which logs its block has: two queries for them are the word of a node. */
function commitsToNothing(header: Header): boolean {
  return isZeroBloom(header) && header.receiptsRoot === undefined;
}

/** Checks that the logs belong to the header's block and adds its timestamp. */
function timeLogs(header: Header, logs: readonly ChainLog[]): VerifiedLog[] {
  checkLogsOfBlock(header, logs);
  return logs.map((log) => ({ ...log, blockTimestamp: header.timestamp }));
}

export function listBlocks({ fromBlock, toBlock }: BlockRange): number[] {
  return Array.from({ length: Math.max(0, toBlock - fromBlock + 1) }, (_, i) => fromBlock + i);
}

/** Lists the blocks with logs, and both ends of the range, which link it to its neighbors. */
function listEndsAnd({ fromBlock, toBlock }: BlockRange, withLogs: Iterable<number>): number[] {
  return [...new Set([fromBlock, ...withLogs, toBlock])].sort((a, b) => a - b);
}
