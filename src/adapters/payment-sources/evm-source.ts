/**
 * EVM payment source on the node pool of the main chain: receipts and headers of finalized blocks (scoring, Verdict). The
 * block of a receipt counts only below the finalized head of the same URL and with the hash of its header there.
 */
import type { EvmTransaction } from '../../domain/rating/paid/source-transaction.ts';
import type { CitationWindow, FinalizedHead, PaymentSource } from '../../ports/payment-sources.ts';
import type { Header } from '../../ports/main-chain.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { setBounded } from '../../domain/bounded-map.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import { headerCall } from '../main-chain/logs/headers.ts';
import type { RpcResponse } from '../main-chain/rpc/json-rpc.ts';
import type { MainNodes } from '../main-chain/rpc/main-nodes.ts';
import { createAgingRead } from './aging-read.ts';
import { BlockTimes } from './block-times.ts';
import {
  checkChainId,
  readFinalized,
  readHeaders,
  readTransactions,
  receiptCall,
  toTagged,
  toResult,
  type EvmRequester,
} from './evm-blocks.ts';
import { parseReceipt, type EvmReceipt } from './evm-receipt.ts';
import { createEvmTransfers, type TransferUrl } from './evm-transfers.ts';
import { createKnownLogs } from './known-logs.ts';
import { findAtUrls, firstOf, latestHead, type UrlAnswer } from './source-urls.ts';
import type { ConfiguredSource } from './sources-file.ts';

export interface EvmSourceOptions {
  readonly source: ConfiguredSource;
  readonly nodes: Pick<MainNodes, 'members'>;
  readonly clock: Clock;
  readonly startRead: () => Deadline;
}

export interface EvmUrl extends TransferUrl {
  /**
   * Returns the header of a finalized block with this hash, whatever chain the URL serves; several transactions of one block
   * share it. Throws `RpcFailure`.
   */
  readHeader(block: number, hash: string): Promise<Header>;
}

/** Methods of an EVM source; they throw `RpcFailure`. */
export interface EvmSource extends Omit<PaymentSource, 'name' | 'id' | 'kind' | 'tokens'> {
  readonly urls: readonly EvmUrl[];
  /** Returns whether the URL has the receipts of the blocks since the time. Throws `RpcFailure`. */
  reachesBackTo(url: EvmUrl, time: number): Promise<boolean>;
}

/** Headers per request in the search for a block with a transaction, and blocks in one search. */
const SCAN_BATCH = 50;
const MAX_SCAN_BLOCKS = 1_000;
/** Results of searches that are cached. */
const CACHED_SEARCHES = 512;
const CACHED_HEADERS = 1_024;

export function createEvmSource({ source, nodes, clock, startRead }: EvmSourceOptions): EvmSource {
  const symbols = new Map(source.tokens.map(({ symbol, address }) => [address, symbol]));
  const isListed = (contract: string) => symbols.has(contract);
  const urls = nodes.members.map((node): EvmUrl => {
    const checked = checkChainId(node, Number(source.reference));
    const read = async () => {
      const { number, timestamp } = await readFinalized(checked, startRead());
      return { block: number, time: timestamp };
    };
    return {
      ...checked,
      requestKnown: node.requestTogether,
      head: createAgingRead(clock, read),
      readHeader: shareHeaders(node.request, startRead),
    };
  });
  const times = new BlockTimes(async (block) => {
    const [header] = await firstOf(urls, (url) => readHeaders(url, [block], startRead()));
    return header!.timestamp;
  });
  const readTransfers = createEvmTransfers({
    urls,
    symbols,
    startRead,
    knownLogs: createKnownLogs({ urls, startRead }),
  });
  /** Where the search for the first transaction from a block on stands. */
  const searches = new Map<number, { readonly nextBlock: number; readonly transaction: string | undefined }>();

  async function readReceipt(url: EvmUrl, hash: string): Promise<EvmReceipt | null> {
    const [response] = await url.request([receiptCall(hash)], startRead());
    return toReceipt(response!, hash);
  }

  function toReceipt(response: RpcResponse, hash: string): EvmReceipt | null {
    const receipt = parseReceipt(toResult(response), hash, isListed);
    if (receipt === undefined) throw new RpcFailure('malformed');
    return receipt;
  }

  async function ask(url: EvmUrl, hash: string, window: CitationWindow): Promise<UrlAnswer<EvmTransaction>> {
    // The head comes first: what is not found after it is not in the blocks up to it.
    let head = await url.head.get();
    const receipt = await readReceipt(url, hash);
    if (receipt !== null && receipt.block > head.block) head = await url.head.renew();
    if (receipt === null || receipt.block > head.block)
      return { found: undefined, isWitness: () => isWitness(url, hash, window) };
    const header = await url.readHeader(receipt.block, receipt.blockHash);
    const { success, block, from, logs } = receipt;
    return { found: { kind: 'evm', success, block, time: header.timestamp, from, logs } };
  }

  /**
   * Returns whether the transaction is in no block of the window. Behind a URL several nodes may answer, so one of them must have finalized
   * the window, lack the transaction, and know the first one since its start.
   */
  async function isWitness(url: EvmUrl, hash: string, { fromTime, throughTime }: CitationWindow): Promise<boolean> {
    const head = await url.head.get();
    if (head.time <= throughTime) return false;
    const known = await findTransactionSince(fromTime, head);
    if (known === undefined) return false;
    const hashes = [hash, ...known];
    const request = known.length > 0 ? url.requestKnown : url.requestTogether;
    const [header, ...responses] = await request([headerCall('finalized'), ...hashes.map(receiptCall)], startRead());
    const finalized = toTagged(header!);
    const [hasCited, ...hasFirst] = responses.map((response, i) => {
      const receipt = toReceipt(response, hashes[i]!);
      return receipt !== null && receipt.block <= finalized.number;
    });
    return finalized.timestamp > throughTime && hasCited === false && !hasFirst.includes(false);
  }

  async function reachesBackTo(url: EvmUrl, time: number): Promise<boolean> {
    const head = await url.head.get();
    const known = await findTransactionSince(time, head);
    if (known === undefined) return false;
    const receipts = await Promise.all(known.map((hash) => readReceipt(url, hash)));
    return receipts.every((receipt) => receipt !== null && receipt.block <= head.block);
  }

  /** Returns the first transaction at or after the time, none where no block up to the head has one; undefined when the head is earlier. */
  async function findTransactionSince(time: number, head: FinalizedHead): Promise<readonly string[] | undefined> {
    const first = await times.findFirst(time, head);
    if (first === undefined) return undefined;
    const transaction = await findTransaction(first, head);
    return transaction === undefined ? [] : [transaction];
  }

  /**
   * Returns the hash of the first transaction from the block on; undefined when there is none up to the head. Throws
   * `RpcFailure` after many blocks without one; the next search continues there.
   */
  async function findTransaction(from: number, head: FinalizedHead): Promise<string | undefined> {
    let { nextBlock, transaction } = searches.get(from) ?? { nextBlock: from, transaction: undefined };
    const end = Math.min(head.block + 1, nextBlock + MAX_SCAN_BLOCKS);
    while (transaction === undefined && nextBlock < end) {
      const count = Math.min(SCAN_BATCH, end - nextBlock);
      const numbers = Array.from({ length: count }, (_, i) => nextBlock + i);
      const blocks = await firstOf(urls, (url) => readTransactions(url, numbers, startRead()));
      transaction = blocks.find(({ transactions }) => transactions.length > 0)?.transactions[0];
      nextBlock += count;
      setBounded(searches, from, { nextBlock, transaction }, CACHED_SEARCHES);
    }
    if (transaction === undefined && nextBlock <= head.block) throw new RpcFailure('deadline', 'busy');
    return transaction;
  }

  return {
    urls,
    readFinalizedHead: () => latestHead(urls),
    readTransaction: (hash, window) => findAtUrls(urls, (url) => ask(url, hash, window)),
    reachesBackTo,
    transfers: {
      findBlock: (time, head) => times.findFirst(time, head),
      readTransfersFrom: (senders, fromBlock, throughBlock) => readTransfers(senders, { fromBlock, throughBlock }),
    },
  };
}

/** Caches headers of finalized blocks; concurrent reads of one share a request, and failures are not cached. */
function shareHeaders(request: EvmRequester['request'], startRead: () => Deadline): EvmUrl['readHeader'] {
  const headers = new Map<string, Promise<Header>>();

  async function read(block: number, hash: string): Promise<Header> {
    const [header] = await readHeaders({ request }, [block], startRead());
    if (header!.hash !== hash) throw new RpcFailure('block-mismatch');
    return header!;
  }

  return (block, hash) => {
    const key = `${block} ${hash}`;
    const known = headers.get(key);
    if (known !== undefined) return known;
    const reading = read(block, hash);
    setBounded(headers, key, reading, CACHED_HEADERS);
    reading.catch(() => {
      if (headers.get(key) === reading) headers.delete(key);
    });
    return reading;
  };
}
