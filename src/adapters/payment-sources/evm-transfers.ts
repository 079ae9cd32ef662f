/**
 * Transfers of listed tokens by sender, from the logs of finalized blocks. A query that a node refuses is asked again
 * for fewer blocks, then for fewer addresses, whatever the refusal says; the sizes that pass are remembered.
 */
import { decodeTransfer, TRANSFER_TOPIC } from '../../domain/rating/paid/transfer-log.ts';
import type { SourceTransfer } from '../../domain/rating/paid/source-transaction.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { LearnedLimit } from '../rpc/learned-limit.ts';
import { LogRows, readLogRows } from '../main-chain/logs/log-rows.ts';
import { parseRawLog, type RawLog } from '../main-chain/logs/raw-log.ts';
import type { MainRpcCall, RpcResponse } from '../main-chain/rpc/json-rpc.ts';
import { METHOD_NOT_FOUND, RpcFailure } from '../rpc/rpc-failure.ts';
import { toQuantity } from '../main-chain/rpc/quantities.ts';
import { headerCall } from '../main-chain/logs/headers.ts';
import { firstOf } from './source-urls.ts';
import { readHeaders, toFinalized, toResult, type EvmRequester } from './evm-blocks.ts';

export const MAX_TRANSFER_ADDRESSES = 500;
export const MAX_TRANSFER_BLOCKS = 5_000;

export interface EvmTransfersOptions {
  /** The URLs in order. */
  readonly urls: readonly EvmRequester[];
  /** Symbol by contract. */
  readonly symbols: ReadonlyMap<string, string>;
  readonly startRead: () => Deadline;
}

interface Range {
  readonly fromBlock: number;
  readonly throughBlock: number;
}

export function createEvmTransfers({ urls, symbols, startRead }: EvmTransfersOptions) {
  const blockLimit = new LearnedLimit(MAX_TRANSFER_BLOCKS);
  const addressLimit = new LearnedLimit(MAX_TRANSFER_ADDRESSES);

  /** Returns the logs of one query; undefined when the node refuses its size. Throws `RpcFailure`. */
  async function query(
    url: EvmRequester,
    senders: readonly string[],
    range: Range,
  ): Promise<readonly RawLog[] | undefined> {
    // Both from one node: it must have finalized the blocks whose logs it returns.
    const calls = [headerCall('finalized'), logsCall(senders, range, [...symbols.keys()])];
    const [finalized, found] = await url.requestTogether(calls, startRead());
    if (!found!.ok) {
      if (found!.code === METHOD_NOT_FOUND || found!.hint === 'rate') toResult(found!);
      return undefined;
    }
    if (toFinalized(finalized!).number < range.throughBlock) throw new RpcFailure('block-mismatch', 'no-block');
    return toLogs(found!, range, senders, symbols);
  }

  async function readBlocks(senders: readonly string[], range: Range): Promise<readonly RawLog[]> {
    const { fromBlock, throughBlock } = range;
    const blocks = throughBlock - fromBlock + 1;
    if (blocks > blockLimit.size) return readParts(senders, range, blockLimit.size);
    if (senders.length > addressLimit.size) return readSenders(senders, range, addressLimit.size);
    const logs = await firstOf(urls, (url) => query(url, senders, range));
    if (logs !== undefined) {
      blockLimit.recordSuccess(blocks);
      if (blocks === 1) addressLimit.recordSuccess(senders.length);
      return logs;
    }
    if (blocks > 1) {
      blockLimit.recordRefusal(blocks);
      return readParts(senders, range, Math.ceil(blocks / 2));
    }
    if (senders.length === 1) throw new RpcFailure('rpc-error', 'refused');
    addressLimit.recordRefusal(senders.length);
    return readSenders(senders, range, Math.ceil(senders.length / 2));
  }

  async function readParts(senders: readonly string[], { fromBlock, throughBlock }: Range, blocks: number) {
    const logs: RawLog[] = [];
    for (let from = fromBlock; from <= throughBlock; from += blocks) {
      const part = { fromBlock: from, throughBlock: Math.min(throughBlock, from + blocks - 1) };
      for (const log of await readBlocks(senders, part)) logs.push(log);
    }
    return logs;
  }

  async function readSenders(senders: readonly string[], range: Range, count: number) {
    const logs: RawLog[] = [];
    for (let from = 0; from < senders.length; from += count) {
      for (const log of await readBlocks(senders.slice(from, from + count), range)) logs.push(log);
    }
    return logs;
  }

  /** Returns the times of the blocks, whose hashes must be those of the logs. Throws `RpcFailure`. */
  async function readTimes(logs: readonly RawLog[]): Promise<ReadonlyMap<number, number>> {
    const hashes = new Map<number, string>();
    for (const { blockNumber, blockHash } of logs) {
      if ((hashes.get(blockNumber) ?? blockHash) !== blockHash) throw new RpcFailure('malformed');
      hashes.set(blockNumber, blockHash);
    }
    if (hashes.size === 0) return new Map();
    return firstOf(urls, async (url) => {
      const headers = await readHeaders(url, [...hashes.keys()], startRead());
      if (headers.some(({ number, hash }) => hashes.get(number) !== hash)) throw new RpcFailure('block-mismatch');
      return new Map(headers.map(({ number, timestamp }) => [number, timestamp]));
    });
  }

  return async (senders: readonly string[], range: Range): Promise<readonly SourceTransfer[]> => {
    if (senders.length === 0 || range.throughBlock < range.fromBlock) return [];
    const logs = (await readBlocks([...new Set(senders)], range)).toSorted(
      (a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex,
    );
    const times = await readTimes(logs);
    return logs.flatMap((log) => {
      const transfer = decodeTransfer(log, symbols);
      if (transfer === undefined) return [];
      return [{ ...transfer, block: log.blockNumber, logIndex: log.logIndex, time: times.get(log.blockNumber)! }];
    });
  };
}

function logsCall(
  senders: readonly string[],
  { fromBlock, throughBlock }: Range,
  contracts: readonly string[],
): MainRpcCall {
  const topics = [TRANSFER_TOPIC, senders.map(toTopic)];
  const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(throughBlock) };
  return { method: 'eth_getLogs', params: [{ ...range, address: contracts, topics }], read: readLogRows };
}

/** Returns the logs of a response. Throws `RpcFailure` for a log that was not asked for, or that is repeated. */
function toLogs(
  response: RpcResponse,
  { fromBlock, throughBlock }: Range,
  senders: readonly string[],
  symbols: ReadonlyMap<string, string>,
): readonly RawLog[] {
  const result = toResult(response);
  const rows = result instanceof LogRows ? result : Array.isArray(result) ? result.map(parseRawLog) : [undefined];
  const wanted = new Set(senders.map(toTopic));
  const places = new Set<string>();
  return Array.from(rows, (log) => {
    if (log === undefined || log.blockNumber < fromBlock || log.blockNumber > throughBlock)
      throw new RpcFailure('malformed');
    const isWanted = symbols.has(log.address) && log.topics[0] === TRANSFER_TOPIC && wanted.has(log.topics[1] ?? '');
    const place = `${log.blockNumber}/${log.logIndex}`;
    if (!isWanted || places.has(place)) throw new RpcFailure('malformed');
    places.add(place);
    return log;
  });
}

function toTopic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`;
}
