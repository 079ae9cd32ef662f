/**
 * EVM payment source on the node pool of the main chain: receipts and headers of finalized blocks (scoring, Verdict). The
 * block of a receipt counts only below the finalized head of the same URL and with the hash of its header there.
 */
import type { EvmTransaction } from '../../domain/rating/paid/source-transaction.ts';
import type { CitationWindow, FinalizedHead, PaymentSource } from '../../ports/payment-sources.ts';
import type { Header } from '../../ports/main-chain.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { setBounded } from '../rpc/bounded-map.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import type { MainNodes } from '../main-chain/rpc/main-nodes.ts';
import { createAgingRead, type AgingRead } from './aging-read.ts';
import { BlockTimes } from './block-times.ts';
import {
  checkChainId,
  readFinalized,
  readFirstTransactions,
  readHeaders,
  toResult,
  type EvmRequester,
} from './evm-blocks.ts';
import { parseReceipt, type EvmReceipt } from './evm-receipt.ts';
import { createEvmTransfers } from './evm-transfers.ts';
import { findAtUrls, firstOf, latestHead, type UrlAnswer } from './source-urls.ts';
import type { ConfiguredSource } from './sources-file.ts';

export interface EvmSourceOptions {
  readonly source: ConfiguredSource;
  readonly nodes: Pick<MainNodes, 'members'>;
  readonly clock: Clock;
  readonly startRead: () => Deadline;
}

/** One URL with its finalized head. */
export interface EvmUrl extends EvmRequester {
  readonly head: AgingRead<FinalizedHead>;
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

const HEAD_AGE_MILLISECONDS = 10_000;
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
      head: createAgingRead(clock, HEAD_AGE_MILLISECONDS, read),
      readHeader: shareHeaders(node.request, startRead),
    };
  });
  const times = new BlockTimes(async (block) => {
    const [header] = await firstOf(urls, (url) => readHeaders(url, [block], startRead()));
    return header!.timestamp;
  });
  const readTransfers = createEvmTransfers({ urls, symbols, startRead });
  /** Where the search for the first transaction from a block on stands. */
  const searches = new Map<number, { readonly nextBlock: number; readonly transaction: string | undefined }>();

  async function readReceipt(url: EvmUrl, hash: string): Promise<EvmReceipt | null> {
    const [response] = await url.request([{ method: 'eth_getTransactionReceipt', params: [hash] }], startRead());
    const receipt = parseReceipt(toResult(response!), hash, isListed);
    if (receipt === undefined) throw new RpcFailure('malformed');
    return receipt;
  }

  async function ask(url: EvmUrl, hash: string, window: CitationWindow): Promise<UrlAnswer<EvmTransaction>> {
    // The head comes first: what is not found after it is not in the blocks up to it.
    let head = await url.head.get();
    const receipt = await readReceipt(url, hash);
    if (receipt !== null && receipt.block > head.block) head = await url.head.renew();
    if (receipt === null || receipt.block > head.block)
      return { found: undefined, isWitness: () => isWitness(url, head, window, receipt !== null) };
    const header = await url.readHeader(receipt.block, receipt.blockHash);
    const { success, block, from, logs } = receipt;
    return { found: { kind: 'evm', success, block, time: header.timestamp, from, logs } };
  }

  async function isWitness(
    url: EvmUrl,
    head: FinalizedHead,
    { fromTime, throughTime }: CitationWindow,
    isInLaterBlock: boolean,
  ): Promise<boolean> {
    if (head.time > throughTime) return isInLaterBlock || reachesBackTo(url, fromTime);
    return false;
  }

  async function reachesBackTo(url: EvmUrl, time: number): Promise<boolean> {
    const head = await url.head.get();
    const first = await times.findFirst(time, head);
    if (first === undefined) return false;
    const transaction = await findTransaction(first, head);
    // Without a transaction since, there is no receipt that the URL could lack.
    if (transaction === undefined) return true;
    const receipt = await readReceipt(url, transaction);
    return receipt !== null && receipt.block <= head.block;
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
      const hashes = await firstOf(urls, (url) => readFirstTransactions(url, numbers, startRead()));
      transaction = hashes.find((hash) => hash !== undefined);
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
      async findBlock(time) {
        return times.findFirst(time, await latestHead(urls));
      },
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
