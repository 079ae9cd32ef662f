/**
 * What really happened in these blocks? Reads logs and headers, and hands on only what withstood every check of
 * `domain/index-rules` (chain-evm 4.5; architecture, rule 5). Everything here throws `AnswerRejected`, `LogQueryRefused` and
 * `ChainUnreadable`.
 */
import {
  checkBlockComplete,
  checkHeaders,
  checkHoldsLogs,
  checkLogOrder,
  checkLogsInBloom,
  checkLogsOfBlock,
  checkSameLogs,
  findSilentContracts,
  watchContracts,
  type BlockRange,
} from '../../domain/index-rules/block-checks.ts';
import { AnswerRejected } from '../../domain/index-rules/rejected-answer.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { BlockLogs, ChainLog, Header, MainChainLog } from '../../ports/main-chain.ts';
import { readProvenWindow } from './proven-window.ts';
import { WindowSummary } from './window-summary.ts';

/** A log that belongs to its block; its time is that of the block's header. */
export type VerifiedLog = ChainLog & { readonly blockTimestamp: number };

/** A range of blocks with what everything says that the contracts logged in it. */
export interface VerifiedWindow extends BlockRange {
  /** Of the block before the range. */
  readonly parentHash: string;
  readonly last: BlockRef;
  readonly news: WindowSummary;
}

/**
 * `proven`: the header of every block is read, and a block whose bloom names a contract must give account of its whole bloom.
 * `believed`: an answer without logs is taken as it is, and only headers of blocks with logs are read. For chains whose headers
 * have no true bloom, and for nodes where a header is dear.
 */
export type Completeness = 'proven' | 'believed';

export interface BlockReader {
  /** Reads a range on its own. */
  readWindow(range: BlockRange): Promise<VerifiedWindow>;
  /**
   * Checks logs that came with the consecutive headers of their blocks, and completes them where a bloom tells of more. `lastLogs` came with
   * them too, and save asking for those of the last block.
   */
  verifyBlocks(
    headers: readonly Header[],
    logs: readonly ChainLog[],
    lastLogs: BlockLogs | undefined,
  ): Promise<readonly VerifiedLog[]>;
  /** Tells whether the logs of the block have to be proven, because its bloom names a contract. */
  isNamed(header: Header): boolean;
}

/** Bounds the memory of one window, not of one request: the adapter splits further. */
const HEADERS_AT_ONCE = 500;
const PROOFS_AT_ONCE = 50;

export function createBlockReader(chain: MainChainLog, completeness: Completeness): BlockReader {
  const contracts = watchContracts(chain.addresses);
  const isProven = completeness === 'proven';

  async function readWindow(range: BlockRange): Promise<VerifiedWindow> {
    const proven = isProven && chain.tellsReceipts ? await readProvenWindow(chain, contracts, range) : undefined;
    if (proven === undefined) return readToldWindow(range);
    const { headers, news } = proven;
    const { number, hash, timestamp } = headers.at(-1)!;
    return { ...range, parentHash: headers[0]!.parentHash, last: { number, hash, timestamp }, news };
  }

  /** Asks for the range, and once more by hash for every block that may hold logs. */
  async function readToldWindow(range: BlockRange): Promise<VerifiedWindow> {
    const logs = await chain.readLogs(range);
    checkLogOrder(contracts, range, logs);
    const logsByBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
    const numbers = isProven ? listBlocks(range) : listEndsAnd(range, logsByBlock.keys());

    const news = new WindowSummary();
    let first: Header | undefined;
    let last: Header | undefined;
    for (const asked of chunk(numbers, HEADERS_AT_ONCE)) {
      const headers = await chain.readHeaders(asked);
      checkHeaders(asked, headers, last);
      first ??= headers[0]!;
      last = headers.at(-1)!;
      news.add(await verifyWindowPart(headers, logsByBlock));
    }
    const { number, hash, timestamp } = last!;
    return { ...range, parentHash: first!.parentHash, last: { number, hash, timestamp }, news };
  }

  async function verifyWindowPart(
    headers: readonly Header[],
    logsByBlock: ReadonlyMap<number, readonly ChainLog[]>,
  ): Promise<VerifiedLog[]> {
    const verified: VerifiedLog[] = [];
    const named: Header[] = [];
    for (const header of headers) {
      const logs = logsByBlock.get(header.number) ?? [];
      for (const log of timeLogs(header, logs)) verified.push(log);
      if (isProven && !isAccountedFor(header, logs)) named.push(header);
    }
    for (const asked of chunk(named, PROOFS_AT_ONCE)) {
      const proofs = await readProofs(asked);
      asked.forEach((header, i) => checkSameLogs(logsByBlock.get(header.number) ?? [], proofs[i]!));
    }
    return verified;
  }

  /**
   * Nothing was told, and the bloom names no contract. Logs that explain the whole bloom prove nothing: what a hidden log sets, others of
   * the block may have set too (the same machine, the same position of another).
   */
  function isAccountedFor(header: Header, logs: readonly ChainLog[]): boolean {
    return logs.length === 0 && findSilentContracts(contracts, header, logs).length === 0;
  }

  async function verifyBlocks(
    headers: readonly Header[],
    logs: readonly ChainLog[],
    lastLogs: BlockLogs | undefined,
  ): Promise<readonly VerifiedLog[]> {
    if (headers.length === 0) return [];
    checkLogOrder(contracts, { fromBlock: headers[0]!.number, toBlock: headers.at(-1)!.number }, logs);
    const logsByBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
    const named = isProven
      ? headers.filter((header) => {
          const told = logsByBlock.get(header.number) ?? [];
          checkLogsOfBlock(header, told);
          checkLogsInBloom(contracts, header, told);
          return !isAccountedFor(header, told);
        })
      : [];
    const isCarried = lastLogs !== undefined && named.at(-1) === headers.at(-1);
    const carried = isCarried ? [named.pop()!] : [];
    for (const asked of [carried, ...chunk(named, PROOFS_AT_ONCE)]) {
      const proofs = asked === carried ? checkProofs(asked, isCarried ? [lastLogs] : []) : await readProofs(asked);
      asked.forEach((header, i) => {
        checkHoldsLogs(proofs[i]!, logsByBlock.get(header.number) ?? []);
        logsByBlock.set(header.number, [...proofs[i]!]);
      });
    }
    return headers.flatMap((header) => timeLogs(header, logsByBlock.get(header.number) ?? []));
  }

  /** All logs of the contracts in the given blocks, each list proven against its block's bloom. */
  async function readProofs(headers: readonly Header[]): Promise<(readonly ChainLog[])[]> {
    return checkProofs(headers, await chain.readBlockLogs(headers));
  }

  function checkProofs(headers: readonly Header[], proofs: readonly BlockLogs[]): (readonly ChainLog[])[] {
    if (proofs.length !== headers.length) throw new AnswerRejected('withheld-logs');
    return proofs.map(({ logs, bloom }, i) => {
      checkBlockComplete(contracts, headers[i]!, logs, bloom);
      return logs;
    });
  }

  function isNamed(header: Header): boolean {
    return isProven && findSilentContracts(contracts, header, []).length > 0;
  }

  return { readWindow, verifyBlocks, isNamed };
}

/** Checks that the logs are of the header's block, and gives them its time. */
export function timeLogs(header: Header, logs: readonly ChainLog[]): VerifiedLog[] {
  checkLogsOfBlock(header, logs);
  return logs.map((log) => ({ ...log, blockTimestamp: header.timestamp }));
}

export function listBlocks({ fromBlock, toBlock }: BlockRange): number[] {
  return Array.from({ length: Math.max(0, toBlock - fromBlock + 1) }, (_, i) => fromBlock + i);
}

/** The blocks with logs, and the ends of the range, where it links to its neighbours. */
function listEndsAnd({ fromBlock, toBlock }: BlockRange, withLogs: Iterable<number>): number[] {
  return [...new Set([fromBlock, ...withLogs, toBlock])].sort((a, b) => a - b);
}

function* chunk<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
