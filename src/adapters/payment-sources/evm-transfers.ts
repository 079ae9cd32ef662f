/**
 * Transfers of listed tokens by sender, from the logs of finalized blocks. A query that a node refuses is asked again
 * for fewer blocks, then for fewer addresses, whatever the refusal says; the sizes that pass are remembered.
 */
import { decodeTransfer, TRANSFER_TOPIC } from '../../domain/rating/paid/transfer-log.ts';
import type { SourceTransfer } from '../../domain/rating/paid/source-transaction.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { LearnedLimit } from '../rpc/learned-limit.ts';
import { mapInTicks } from '../rpc/map-in-ticks.ts';
import { LogRows, readLogRows } from '../main-chain/logs/log-rows.ts';
import { parseRawLog } from '../main-chain/logs/raw-log.ts';
import type { MainRpcCall, RpcResponse } from '../main-chain/rpc/json-rpc.ts';
import { METHOD_NOT_FOUND, RpcFailure } from '../rpc/rpc-failure.ts';
import { toQuantity } from '../main-chain/rpc/quantities.ts';
import { headerCall } from '../main-chain/logs/headers.ts';
import { firstOf } from './source-urls.ts';
import { readHeaders, toFinalized, toResult, type EvmRequester } from './evm-blocks.ts';

export const MAX_TRANSFER_ADDRESSES = 500;
export const MAX_TRANSFER_BLOCKS = 5_000;

/** More than a sound window holds; a node could fill the memory with one long response for each block. */
const MAX_TRANSFERS = 300_000;

/** Logs read per tick: a few milliseconds. */
const LOGS_PER_TICK = 500;

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

/** Transfers of one or more queries, without the times of their blocks. */
interface FoundTransfers {
  readonly transfers: Omit<SourceTransfer, 'time'>[];
  /** Hashes of the blocks with logs, by number. */
  readonly hashes: Map<number, string>;
}

export function createEvmTransfers({ urls, symbols, startRead }: EvmTransfersOptions) {
  const blockLimit = new LearnedLimit(MAX_TRANSFER_BLOCKS);
  const addressLimit = new LearnedLimit(MAX_TRANSFER_ADDRESSES);

  /** Returns the transfers of one query; undefined when the node refuses its size. Throws `RpcFailure`. */
  async function query(
    url: EvmRequester,
    senders: readonly string[],
    range: Range,
  ): Promise<FoundTransfers | undefined> {
    // Both from one node: it must have finalized the blocks whose logs it returns.
    const calls = [headerCall('finalized'), logsCall(senders, range, [...symbols.keys()])];
    const [finalized, found] = await url.requestTogether(calls, startRead());
    if (!found!.ok) {
      if (found!.code === METHOD_NOT_FOUND || found!.hint === 'rate') toResult(found!);
      return undefined;
    }
    if (toFinalized(finalized!).number < range.throughBlock) throw new RpcFailure('block-mismatch', 'no-block');
    return readTransfers(found!, range, senders, symbols);
  }

  async function readBlocks(senders: readonly string[], range: Range): Promise<FoundTransfers> {
    const { fromBlock, throughBlock } = range;
    const blocks = throughBlock - fromBlock + 1;
    if (blocks > blockLimit.size) return readParts(senders, range, blockLimit.size);
    if (senders.length > addressLimit.size) return readSenders(senders, range, addressLimit.size);
    const found = await firstOf(urls, (url) => query(url, senders, range));
    if (found !== undefined) {
      blockLimit.recordSuccess(blocks);
      if (blocks === 1) addressLimit.recordSuccess(senders.length);
      return found;
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
    const found: FoundTransfers = { transfers: [], hashes: new Map() };
    for (let from = fromBlock; from <= throughBlock; from += blocks) {
      const part = { fromBlock: from, throughBlock: Math.min(throughBlock, from + blocks - 1) };
      append(found, await readBlocks(senders, part));
    }
    return found;
  }

  async function readSenders(senders: readonly string[], range: Range, count: number) {
    const found: FoundTransfers = { transfers: [], hashes: new Map() };
    for (let from = 0; from < senders.length; from += count) {
      append(found, await readBlocks(senders.slice(from, from + count), range));
    }
    return found;
  }

  /** Returns the times of the blocks, which must have these hashes. Throws `RpcFailure`. */
  async function readTimes(hashes: ReadonlyMap<number, string>): Promise<ReadonlyMap<number, number>> {
    if (hashes.size === 0) return new Map();
    return firstOf(urls, async (url) => {
      const headers = await readHeaders(url, [...hashes.keys()], startRead());
      if (headers.some(({ number, hash }) => hashes.get(number) !== hash)) throw new RpcFailure('block-mismatch');
      return new Map(headers.map(({ number, timestamp }) => [number, timestamp]));
    });
  }

  return async (senders: readonly string[], range: Range): Promise<readonly SourceTransfer[]> => {
    if (senders.length === 0 || range.throughBlock < range.fromBlock) return [];
    const { transfers, hashes } = await readBlocks([...new Set(senders)], range);
    const times = await readTimes(hashes);
    transfers.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
    return mapInTicks(transfers, LOGS_PER_TICK, (transfer) => ({ ...transfer, time: times.get(transfer.block)! }));
  };
}

/** Throws `RpcFailure` when there are more than `MAX_TRANSFERS`. */
function append(to: FoundTransfers, { transfers, hashes }: FoundTransfers): void {
  if (to.transfers.length + transfers.length > MAX_TRANSFERS) throw new RpcFailure('malformed');
  for (const transfer of transfers) to.transfers.push(transfer);
  for (const [block, hash] of hashes) recordHash(to.hashes, block, hash);
}

/** Throws `RpcFailure` when the block has another hash already. */
function recordHash(hashes: Map<number, string>, block: number, hash: string): void {
  if ((hashes.get(block) ?? hash) !== hash) throw new RpcFailure('malformed');
  hashes.set(block, hash);
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

/**
 * Reads the transfers in a response. Throws `RpcFailure` for a log that was not asked for, for one that is repeated, and
 * for two hashes of one block.
 */
async function readTransfers(
  response: RpcResponse,
  { fromBlock, throughBlock }: Range,
  senders: readonly string[],
  symbols: ReadonlyMap<string, string>,
): Promise<FoundTransfers> {
  const result = toResult(response);
  const rows = result instanceof LogRows ? result : Array.isArray(result) ? result.map(parseRawLog) : [undefined];
  const wanted = new Set(senders.map(toTopic));
  const places = new Set<string>();
  const found: FoundTransfers = { transfers: [], hashes: new Map() };
  await mapInTicks(rows, LOGS_PER_TICK, (log) => {
    if (log === undefined || log.blockNumber < fromBlock || log.blockNumber > throughBlock)
      throw new RpcFailure('malformed');
    const isWanted = symbols.has(log.address) && log.topics[0] === TRANSFER_TOPIC && wanted.has(log.topics[1] ?? '');
    const place = `${log.blockNumber}/${log.logIndex}`;
    if (!isWanted || places.has(place)) throw new RpcFailure('malformed');
    places.add(place);
    recordHash(found.hashes, log.blockNumber, log.blockHash);
    const transfer = decodeTransfer(log, symbols);
    if (transfer !== undefined) found.transfers.push({ ...transfer, block: log.blockNumber, logIndex: log.logIndex });
  });
  return found;
}

function toTopic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`;
}
