/**
 * Transfers of listed tokens by sender, from the logs of finalized blocks. A query that a node refuses is asked again
 * for fewer blocks, then for fewer addresses, whatever the refusal says; the sizes that pass are remembered.
 */
import { decodeTransfer, TRANSFER_TOPIC } from '../../domain/rating/paid/transfer-log.ts';
import type { SourceTransfer } from '../../domain/rating/paid/source-transaction.ts';
import type { FinalizedHead, TransfersRead } from '../../ports/payment-sources.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { LearnedLimit } from '../rpc/learned-limit.ts';
import { mapInTicks } from '../rpc/map-in-ticks.ts';
import { readLogRows } from '../main-chain/logs/log-rows.ts';
import type { MainRpcCall, RpcResponse } from '../main-chain/rpc/json-rpc.ts';
import { METHOD_NOT_FOUND, RpcFailure } from '../rpc/rpc-failure.ts';
import { toQuantity } from '../main-chain/rpc/quantities.ts';
import { headerCall } from '../main-chain/logs/headers.ts';
import type { AgingRead } from './aging-read.ts';
import type { KnownLog, KnownLogs } from './known-logs.ts';
import { firstOf } from './source-urls.ts';
import { readHeaders, toTagged, toResult, toRows, type EvmRequester } from './evm-blocks.ts';

export const MAX_TRANSFER_ADDRESSES = 500;
export const MAX_TRANSFER_BLOCKS = 5_000;

/** Number of transfers after which a read ends, however many the addresses sent. */
const ENOUGH_TRANSFERS = 20_000;
/** More than a block holds; a node could fill the memory with one long response for each address. */
const MAX_BLOCK_TRANSFERS = 300_000;
/** Headers that are read before one deadline: a few seconds of the calls of a source. */
const HEADERS_PER_READ = 50;

/** Logs read per tick: a few milliseconds. */
const LOGS_PER_TICK = 500;

/** One URL with its finalized head. */
export interface TransferUrl extends EvmRequester {
  readonly head: AgingRead<FinalizedHead>;
  /** As `requestTogether` without a call for the chain id: some URLs allow three calls, and a known receipt or log shows the chain as well. */
  readonly requestKnown: EvmRequester['requestTogether'];
}

export interface EvmTransfersOptions {
  /** The URLs in order. */
  readonly urls: readonly TransferUrl[];
  /** Symbol by contract. */
  readonly symbols: ReadonlyMap<string, string>;
  readonly startRead: () => Deadline;
  readonly knownLogs: KnownLogs;
}

interface Range {
  readonly fromBlock: number;
  readonly throughBlock: number;
}

/** Transfers of one or more queries, without the times of their blocks. */
interface FoundTransfers {
  readonly transfers: Omit<SourceTransfer, 'time'>[];
  /** Hashes of their blocks, by number. */
  readonly hashes: Map<number, string>;
}

export function createEvmTransfers({ urls, symbols, startRead, knownLogs }: EvmTransfersOptions) {
  const blockLimit = new LearnedLimit(MAX_TRANSFER_BLOCKS);
  const addressLimit = new LearnedLimit(MAX_TRANSFER_ADDRESSES);

  /** Returns the transfers of one query; undefined when the node refuses its size. Throws `RpcFailure`. */
  async function query(
    url: TransferUrl,
    senders: readonly string[],
    range: Range,
    known: KnownLog | undefined,
  ): Promise<FoundTransfers | undefined> {
    // A node ends a range at its latest indexed block without an error.
    const { head } = url;
    const isIndexed =
      (await head.get()).block >= range.throughBlock || (await head.renew()).block >= range.throughBlock;
    if (!isIndexed) throw new RpcFailure('block-mismatch', 'no-block');
    // All from one node: it must have finalized the blocks whose logs it returns, and must not have pruned them.
    const calls = [headerCall('finalized'), transfersCall(senders, range, [...symbols.keys()])];
    const [finalized, found, control] =
      known === undefined
        ? await url.requestTogether(calls, startRead())
        : await url.requestKnown([...calls, knownLogCall(known)], startRead());
    if (!found!.ok) {
      if (found!.code === METHOD_NOT_FOUND || found!.hint === 'rate') toResult(found!);
      return undefined;
    }
    if (toTagged(finalized!).number < range.throughBlock) throw new RpcFailure('block-mismatch', 'no-block');
    if (known !== undefined && !hasLog(control!, known)) {
      // The log may be the fault: the URL that returned it may have been wrong, or has pruned less.
      knownLogs.forget(known);
      throw new RpcFailure('block-mismatch', 'no-block');
    }
    return readTransfers(found!, range, senders, symbols);
  }

  /**
   * Returns the transfers of all senders in a range; undefined when it has too many blocks, of which the next range has
   * fewer. Throws `RpcFailure`.
   */
  async function readRange(
    senders: readonly string[],
    range: Range,
    known: KnownLog | undefined,
  ): Promise<FoundTransfers | undefined> {
    const blocks = range.throughBlock - range.fromBlock + 1;
    const found: FoundTransfers = { transfers: [], hashes: new Map() };
    for (let from = 0; from < senders.length;) {
      const part = senders.slice(from, from + addressLimit.size);
      const read = await firstOf(urls, (url) => query(url, part, range, known));
      const isTooLong = found.transfers.length + (read?.transfers.length ?? 0) > MAX_BLOCK_TRANSFERS;
      if (blocks > 1 && (read === undefined || isTooLong)) {
        blockLimit.recordRefusal(blocks);
        return undefined;
      }
      if (isTooLong) throw new RpcFailure('malformed');
      if (read === undefined) {
        if (part.length === 1) throw new RpcFailure('rpc-error', 'refused');
        addressLimit.recordRefusal(part.length);
        continue;
      }
      append(found, read);
      blockLimit.recordSuccess(blocks);
      if (blocks === 1) addressLimit.recordSuccess(part.length);
      from += part.length;
    }
    return found;
  }

  /** Returns the times of the blocks, which must have these hashes. Throws `RpcFailure`. */
  async function readTimes(hashes: ReadonlyMap<number, string>): Promise<ReadonlyMap<number, number>> {
    const blocks = [...hashes.keys()];
    const times = new Map<number, number>();
    for (let from = 0; from < blocks.length; from += HEADERS_PER_READ) {
      const part = blocks.slice(from, from + HEADERS_PER_READ);
      const headers = await firstOf(urls, async (url) => {
        const read = await readHeaders(url, part, startRead());
        if (read.some(({ number, hash }) => hashes.get(number) !== hash)) throw new RpcFailure('block-mismatch');
        return read;
      });
      for (const { number, timestamp } of headers) times.set(number, timestamp);
    }
    return times;
  }

  return async (senders: readonly string[], { fromBlock, throughBlock }: Range): Promise<TransfersRead> => {
    const known = await knownLogs.find(fromBlock, throughBlock);
    const unique = [...new Set(senders)];
    const found: FoundTransfers = { transfers: [], hashes: new Map() };
    let from = fromBlock;
    while (from <= throughBlock && found.transfers.length < ENOUGH_TRANSFERS) {
      const through = Math.min(throughBlock, from + blockLimit.size - 1);
      const part = await readRange(unique, { fromBlock: from, throughBlock: through }, known);
      if (part === undefined) continue;
      append(found, part);
      from = through + 1;
    }
    const { transfers, hashes } = found;
    const times = await readTimes(hashes);
    transfers.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
    return {
      transfers: await mapInTicks(transfers, LOGS_PER_TICK, (row) => ({ ...row, time: times.get(row.block)! })),
      throughBlock: from - 1,
    };
  };
}

/** Throws `RpcFailure` for two hashes of one block. */
function append(to: FoundTransfers, { transfers, hashes }: FoundTransfers): void {
  for (const transfer of transfers) to.transfers.push(transfer);
  for (const [block, hash] of hashes) recordHash(to.hashes, block, hash);
}

/** Throws `RpcFailure` when the block has another hash already. */
function recordHash(hashes: Map<number, string>, block: number, hash: string): void {
  if ((hashes.get(block) ?? hash) !== hash) throw new RpcFailure('malformed');
  hashes.set(block, hash);
}

function transfersCall(senders: readonly string[], range: Range, contracts: readonly string[]): MainRpcCall {
  return logsCall(range, contracts, [TRANSFER_TOPIC, senders.map(toTopic)]);
}

function knownLogCall({ blockNumber, address, topics }: KnownLog): MainRpcCall {
  return logsCall({ fromBlock: blockNumber, throughBlock: blockNumber }, [address], topics.slice(0, 1));
}

function logsCall(
  { fromBlock, throughBlock }: Range,
  address: readonly string[],
  topics: readonly (string | readonly string[])[],
): MainRpcCall {
  const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(throughBlock) };
  return { method: 'eth_getLogs', params: [{ ...range, address, topics }], read: readLogRows };
}

/** Returns whether the response has the log. Throws `RpcFailure` for an error. */
function hasLog(response: RpcResponse, { blockHash, logIndex }: KnownLog): boolean {
  for (const log of toRows(toResult(response))) {
    if (log?.blockHash === blockHash && log.logIndex === logIndex) return true;
  }
  return false;
}

/**
 * Reads the transfers of more than 0 units in a response. Throws `RpcFailure` for a log that was not asked for, for one
 * that is repeated, and for two hashes of one block.
 */
async function readTransfers(
  response: RpcResponse,
  { fromBlock, throughBlock }: Range,
  senders: readonly string[],
  symbols: ReadonlyMap<string, string>,
): Promise<FoundTransfers> {
  const rows = toRows(toResult(response));
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
    const transfer = decodeTransfer(log, symbols);
    // Anyone can emit a transfer of 0 units from any address.
    if (transfer === undefined || transfer.units === 0n) return;
    recordHash(found.hashes, log.blockNumber, log.blockHash);
    found.transfers.push({ ...transfer, block: log.blockNumber, logIndex: log.logIndex });
  });
  return found;
}

function toTopic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`;
}
