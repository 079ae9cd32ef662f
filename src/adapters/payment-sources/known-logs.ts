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
  /** Forgets a log that a URL lacks. */
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
const RECEIPTS_PER_REQUEST = 10;
const CACHED_LOGS = 1_024;

export function createKnownLogs({ urls, startRead }: KnownLogsOptions): KnownLogs {
  const logs = new Map<number, KnownLog>();
  const silent = new SilentBlocks();
  /** Whether a block of the chain has a bloom: one whose bloom is empty has no logs then. */
  let hasBlooms = false;

  async function find(block: number, through: number): Promise<KnownLog | undefined> {
    const nearest = findNearest(block);
    if (nearest !== undefined && block - nearest.blockNumber <= MAX_DISTANCE_BLOCKS) return nearest;
    try {
      const before = await search(block, (nearest?.blockNumber ?? -1) + 1);
      // Where no block up to the range has a log, the first one of the chain must do.
      return before ?? nearest ?? (await search(block + 1, through));
    } catch (error) {
      if (nearest === undefined || !(error instanceof RpcFailure)) throw error;
      return nearest;
    }
  }

  function findNearest(block: number): KnownLog | undefined {
    const before = [...logs.keys()].filter((number) => number <= block);
    return logs.get(Math.max(...before));
  }

  /** Returns the first log between two blocks, in either direction. Throws `RpcFailure` where there may be one. */
  async function search(from: number, last: number): Promise<KnownLog | undefined> {
    const step = last < from ? -1 : 1;
    /** Number of blocks from this one on. */
    const countFrom = (block: number) => (last - block) * step + 1;
    let undecided: RpcFailure | undefined;
    let block = silent.skip(from, step);
    // On most chains the first block has a log.
    for (
      let read = 0, count = 1;
      countFrom(block) > 0;
      read += count, count = Math.min(2 * count, HEADERS_PER_REQUEST)
    ) {
      if (read >= MAX_SEARCH_BLOCKS) throw undecided ?? new RpcFailure('deadline', 'busy');
      count = Math.min(count, countFrom(block));
      const numbers = Array.from({ length: count }, (_, i) => block + step * i);
      for (const each of await readHeadersOf(numbers)) {
        const isBloomEmpty = each.logsBloom === ZERO_BLOOM;
        if (each.transactions.length === 0 || (isBloomEmpty && (hasBlooms || undecided !== undefined))) continue;
        const log = await firstOf(urls, (url) => readLogOfBlock(url, each, startRead)).catch((error: unknown) => {
          if (!isBloomEmpty || !(error instanceof RpcFailure)) throw error;
          undecided = error;
        });
        if (log !== undefined) {
          setBounded(logs, log.blockNumber, log, CACHED_LOGS);
          return log;
        }
      }
      if (hasBlooms) undecided = undefined;
      if (undecided === undefined) silent.add(numbers);
      block = silent.skip(block + step * count, step);
    }
    if (undecided !== undefined) throw undecided;
    return undefined;
  }

  async function readHeadersOf(numbers: readonly number[]): Promise<readonly BlockTransactions[]> {
    const blocks = await firstOf(urls, (url) => readTransactions(url, numbers, startRead()));
    hasBlooms ||= blocks.some(({ logsBloom }) => logsBloom !== ZERO_BLOOM);
    return blocks;
  }

  return {
    find,
    forget({ blockNumber }) {
      logs.delete(blockNumber);
    },
  };
}

const MAX_INTERVALS = 512;

/** Blocks that are known to have no log. */
class SilentBlocks {
  #intervals: readonly { readonly from: number; readonly through: number }[] = [];

  /** Adds consecutive blocks. */
  add(numbers: readonly number[]): void {
    const [from, through] = [Math.min(...numbers), Math.max(...numbers)];
    const touches = (each: { from: number; through: number }) => each.from <= through + 1 && each.through >= from - 1;
    const joined = [{ from, through }, ...this.#intervals.filter(touches)];
    const whole = {
      from: Math.min(...joined.map((each) => each.from)),
      through: Math.max(...joined.map((each) => each.through)),
    };
    this.#intervals = [whole, ...this.#intervals.filter((each) => !touches(each))].slice(0, MAX_INTERVALS);
  }

  /** Returns the block, or the next one in this direction that may have a log. */
  skip(block: number, step: number): number {
    const interval = this.#intervals.find(({ from, through }) => from <= block && block <= through);
    if (interval === undefined) return block;
    return step < 0 ? interval.from - 1 : interval.through + 1;
  }
}

/**
 * Returns the first log of a block with transactions. Where a node refuses all logs of a block, or has none and the bloom does not
 * contradict, the receipts decide: many nodes keep logs longer than the index of receipts. Throws `RpcFailure`, also for a node that lacks
 * logs or receipts.
 */
async function readLogOfBlock(
  url: Pick<EvmRequester, 'request'>,
  { hash, logsBloom, transactions }: BlockTransactions,
  startRead: () => Deadline,
): Promise<KnownLog | undefined> {
  const call = { method: 'eth_getLogs', params: [{ blockHash: hash }], read: readLogRows };
  const [response] = await url.request([call], startRead());
  const log = response!.ok ? toFirstLog(response!.result, hash) : undefined;
  if (log !== undefined) return log;
  if (response!.ok && logsBloom !== ZERO_BLOOM) throw new RpcFailure('block-mismatch', 'no-block');
  for (const part of chunk(transactions, RECEIPTS_PER_REQUEST)) {
    const found = await readLogOfReceipts(url, part, hash, startRead());
    if (found !== undefined) return found;
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
