/**
 * Known logs of an EVM source. A node that has pruned its logs, or their index, returns an empty list for an old range, as if nothing had
 * happened in it. Nodes prune the oldest logs first, so one log at or before a range shows that the node has those of the range.
 */
import { setBounded } from '../../domain/bounded-map.ts';
import { chunk } from '../../domain/chunk.ts';
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { isObject } from '../../domain/json/json-values.ts';
import { readLogRows } from '../main-chain/logs/log-rows.ts';
import type { RawLog } from '../main-chain/logs/raw-log.ts';
import { parseHash } from '../main-chain/rpc/quantities.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import {
  readTransactions,
  receiptCall,
  toResult,
  toRows,
  type BlockTransactions,
  type EvmRequester,
} from './evm-blocks.ts';
import { firstOf } from './source-urls.ts';

export type KnownLog = Pick<RawLog, 'address' | 'topics' | 'blockNumber' | 'blockHash' | 'logIndex'>;

export interface KnownLogs {
  /**
   * Returns a log at or before the block; where there is none, the first one up to `through`; undefined where there is none either. Throws
   * `RpcFailure`, also after many blocks without a log; the next search continues there.
   */
  find(block: number, through: number): Promise<KnownLog | undefined>;
  /** Forgets a log that no URL returns. */
  forget(log: KnownLog): void;
}

export interface KnownLogsOptions {
  /** The URLs in order. */
  readonly urls: readonly Pick<EvmRequester, 'request'>[];
  readonly startRead: () => Deadline;
}

/** An older log needs more history than the range does, so a newer one is searched for. */
const MAX_DISTANCE_BLOCKS = 50_000;
const MAX_SEARCH_BLOCKS = 1_000;
const HEADERS_PER_REQUEST = 50;
const CALLS_PER_REQUEST = 10;
const CACHED_LOGS = 1_024;
const CACHED_SEARCHES = 512;

export function createKnownLogs({ urls, startRead }: KnownLogsOptions): KnownLogs {
  const logs = new Map<number, KnownLog>();
  /** Next block of the backward search from a block. */
  const searches = new Map<number, number>();
  /** No block up to this one has a log. */
  let silentThrough = -1;

  async function find(block: number, through: number): Promise<KnownLog | undefined> {
    const nearest = findNearest(block);
    if (nearest !== undefined && block - nearest.blockNumber <= MAX_DISTANCE_BLOCKS) return nearest;
    const floor = nearest?.blockNumber ?? silentThrough;
    const from = searches.get(block) ?? block;
    const last = Math.max(floor + 1, from - MAX_SEARCH_BLOCKS + 1);
    const recordNext = (next: number) => setBounded(searches, block, next, CACHED_SEARCHES);
    const found = from < last ? undefined : await search(from, last, recordNext);
    if (found !== undefined) return found;
    if (nearest !== undefined) return nearest;
    if (last > silentThrough + 1) throw new RpcFailure('deadline', 'busy');
    silentThrough = Math.max(silentThrough, block);
    return findFirst(through);
  }

  function findNearest(block: number): KnownLog | undefined {
    const before = [...logs.keys()].filter((number) => number <= block);
    return logs.get(Math.max(...before));
  }

  /** Returns the first log of the chain; undefined where there is none up to the block. */
  async function findFirst(through: number): Promise<KnownLog | undefined> {
    const last = Math.min(through, silentThrough + MAX_SEARCH_BLOCKS);
    const first = silentThrough + 1;
    const found = first > last ? undefined : await search(first, last, (next) => void (silentThrough = next - 1));
    if (found === undefined && silentThrough < through) throw new RpcFailure('deadline', 'busy');
    return found;
  }

  /** Returns a log of the first block with one, from a block to the last one in either direction. */
  async function search(from: number, last: number, recordNext: (next: number) => void): Promise<KnownLog | undefined> {
    const step = last < from ? -1 : 1;
    const blocks = Math.abs(last - from) + 1;
    // On most chains the first block has a log.
    for (let done = 0, count = 1; done < blocks; done += count, count = Math.min(2 * count, HEADERS_PER_REQUEST)) {
      count = Math.min(count, blocks - done);
      const first = from + step * done;
      const numbers = Array.from({ length: count }, (_, i) => first + step * i);
      const found = await searchBlocks(numbers);
      if (found !== undefined) {
        setBounded(logs, found.blockNumber, found, CACHED_LOGS);
        return found;
      }
      recordNext(first + step * count);
    }
    return undefined;
  }

  async function searchBlocks(numbers: readonly number[]): Promise<KnownLog | undefined> {
    const blocks = await firstOf(urls, (url) => readTransactions(url, numbers, startRead()));
    const filled = blocks.filter(({ transactions }) => transactions.length > 0);
    for (const part of chunk(filled, CALLS_PER_REQUEST)) {
      const found = await firstOf(urls, (url) => readFirstLog(url, part, startRead));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    find,
    forget({ blockNumber }) {
      logs.delete(blockNumber);
    },
  };
}

/**
 * Returns the first log of the blocks. Where a node refuses all logs of a block, or has none and no bloom contradicts, the receipts decide:
 * many nodes keep logs longer than the index of receipts. Throws `RpcFailure`, also for a node that lacks logs or receipts.
 */
async function readFirstLog(
  url: Pick<EvmRequester, 'request'>,
  blocks: readonly BlockTransactions[],
  startRead: () => Deadline,
): Promise<KnownLog | undefined> {
  const calls = blocks.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash }], read: readLogRows }));
  const responses = await url.request(calls, startRead());
  for (const [i, { hash, logsBloom, transactions }] of blocks.entries()) {
    const response = responses[i]!;
    const log = response.ok ? toFirstLog(response.result, hash) : undefined;
    if (log !== undefined) return log;
    if (response.ok && logsBloom !== ZERO_BLOOM) throw new RpcFailure('block-mismatch', 'no-block');
    for (const part of chunk(transactions, CALLS_PER_REQUEST)) {
      const log = await readLogOfReceipts(url, part, hash, startRead());
      if (log !== undefined) return log;
    }
  }
  return undefined;
}

/** Returns the first log in the receipts of transactions of one block. Throws `RpcFailure`, also for a node that lacks one of them. */
async function readLogOfReceipts(
  url: Pick<EvmRequester, 'request'>,
  transactions: readonly string[],
  blockHash: string,
  deadline: Deadline,
): Promise<KnownLog | undefined> {
  const responses = await url.request(transactions.map(receiptCall), deadline);
  const logs = responses.map(toResult).map((receipt, i) => {
    if (receipt === null) throw new RpcFailure('block-mismatch', 'no-block');
    if (!isObject(receipt) || parseHash(receipt['transactionHash']) !== transactions[i])
      throw new RpcFailure('malformed');
    if (parseHash(receipt['blockHash']) !== blockHash) throw new RpcFailure('block-mismatch');
    return toFirstLog(receipt['logs'], blockHash);
  });
  return logs.find((log) => log !== undefined);
}

/** Returns the first of the logs of one block; undefined where there is none. Throws `RpcFailure`. */
function toFirstLog(list: unknown, blockHash: string): KnownLog | undefined {
  for (const log of toRows(list)) {
    if (log?.blockHash !== blockHash) throw new RpcFailure('malformed');
    return log;
  }
  return undefined;
}
