/**
 * Solana payment source on the node pool of the alt chain: finalized transactions with their token balances (scoring,
 * Verdict).
 */
import type { SolanaTransaction } from '../../domain/rating/paid/source-transaction.ts';
import type { CitationWindow, FinalizedHead, PaymentSource } from '../../ports/payment-sources.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Deadline } from '../rpc/deadline.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import type { AltNode, AltNodes } from '../alt-chain/rpc/alt-nodes.ts';
import { Undecodable } from '../alt-chain/accounts/byte-reader.ts';
import { expectArray, expectCount, expectObject, expectOptional } from '../alt-chain/rpc/json-shape.ts';
import {
  getBlockTime,
  getFirstAvailableBlock,
  getGenesisHash,
  getTransaction,
  type RpcMethod,
} from '../alt-chain/rpc/rpc-methods.ts';
import { createAgingRead, type AgingRead } from './aging-read.ts';
import { createSolanaHistory, isRefusal } from './solana-history.ts';
import { parseSolanaTransaction, type SolanaExecution } from './solana-transaction.ts';
import { findAtUrls, latestHead, type UrlAnswer } from './source-urls.ts';
import type { ConfiguredSource } from './sources-file.ts';

export interface SolanaSourceOptions {
  readonly source: ConfiguredSource;
  readonly nodes: Pick<AltNodes, 'members'>;
  readonly clock: Clock;
  readonly startRead: () => Deadline;
}

/** One URL with its finalized head. */
export interface SolanaUrl extends AltNode {
  readonly head: AgingRead<FinalizedHead>;
}

/** Methods of a Solana source; they throw `RpcFailure`. */
export interface SolanaSource extends Omit<PaymentSource, 'name' | 'id' | 'kind' | 'tokens'> {
  readonly urls: readonly SolanaUrl[];
  /** Returns whether the URL has the transactions since the time. Throws `RpcFailure`. */
  reachesBackTo(url: SolanaUrl, time: number): Promise<boolean>;
  /** Returns whether the URL alone serves what proves the absence of a transaction since the time. Throws `RpcFailure`. */
  provesAbsence(url: SolanaUrl, time: number): Promise<boolean>;
}

/** Slots before the finalized one whose time is tried: the newest ones may have none yet. */
const HEAD_SLOTS = 4;
/** Delay after which a node that reads transactions from long-term storage has stored them. */
const STORAGE_DELAY_SECONDS = 300;
/** Known transactions in a request: some plans allow five signatures. */
const ASKED_KNOWN = 4;
const UNSUPPORTED_VERSION = -32_015;

/** Unlike that of the alt chain, this call accepts any slot: each URL reports its own head. */
const getFinalizedSlot: RpcMethod<number> = {
  name: 'getSlot',
  params: () => [{ commitment: 'finalized' }],
  parse: expectCount,
};

export function createSolanaSource({ source, nodes, clock, startRead }: SolanaSourceOptions): SolanaSource {
  const mints = new Set(source.tokens.map(({ address }) => address));
  const urls = nodes.members.map(({ call }): SolanaUrl => {
    const head = createAgingRead(clock, () => readHead({ call }));
    return { call, head };
  });
  const history = createSolanaHistory({ urls, clock, startRead, checkCluster });
  let turn = 0;

  async function readHead(node: AltNode): Promise<FinalizedHead> {
    const slot = await node.call(getFinalizedSlot, startRead());
    for (let block = slot; block > Math.max(0, slot - HEAD_SLOTS); block -= 1) {
      const time = await readTime(node, block);
      if (time !== undefined) return { block, time };
    }
    throw new RpcFailure('block-mismatch', 'no-block');
  }

  /** Returns the time of a slot; undefined where the node has no block or no time. */
  async function readTime(node: AltNode, slot: number): Promise<number | undefined> {
    try {
      return (await node.call(getBlockTime(slot), startRead())).seconds;
    } catch (error) {
      if (error instanceof RpcFailure && error.kind === 'no-block') return undefined;
      throw error;
    }
  }

  async function requireTime(node: AltNode, slot: number): Promise<number> {
    const time = await readTime(node, slot);
    if (time === undefined) throw new RpcFailure('block-mismatch', 'no-block');
    return time;
  }

  /** Returns the finalized transaction; null when the node does not have it. */
  async function readExecution(url: SolanaUrl, signature: string): Promise<SolanaExecution | null> {
    const method = getTransaction(signature, (result) =>
      parseSolanaTransaction(result, signature, (mint) => mints.has(mint)),
    );
    try {
      return await url.call(method, startRead());
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.code !== UNSUPPORTED_VERSION) throw error;
      const [slot] = (await url.call(getSignatureSlots([signature]), startRead())).slots;
      if (slot === undefined) throw new RpcFailure('block-mismatch', 'no-block');
      return { slot, success: false, signers: [], pre: null, post: null };
    }
  }

  async function ask(url: SolanaUrl, signature: string, window: CitationWindow): Promise<UrlAnswer<SolanaTransaction>> {
    // The head comes first: what is not found after it is not in the blocks up to it.
    let head = await url.head.get();
    const execution = await readExecution(url, signature);
    if (execution === null) return { found: undefined, isWitness: () => isWitness(url, signature, head, window) };
    const { slot, ...facts } = execution;
    if (slot > head.block) head = await url.head.renew();
    if (slot > head.block) throw new RpcFailure('block-mismatch', 'no-block');
    const time = await requireTime(url, slot);
    await checkCluster(url);
    return { found: { kind: 'solana', block: slot, time, ...facts } };
  }

  /** Returns other transactions each time, because a URL may have only some of them. */
  function takeInTurn(signatures: readonly string[]): readonly string[] {
    if (signatures.length <= ASKED_KNOWN) return signatures;
    turn += 1;
    return Array.from({ length: ASKED_KNOWN }, (_, i) => signatures[(turn * ASKED_KNOWN + i) % signatures.length]!);
  }

  /** Throws `RpcFailure` when the URL leads to another cluster by now: what it lacks there proves nothing. */
  async function checkCluster(url: AltNode): Promise<void> {
    const hash = await url.call(getGenesisHash, startRead());
    if (!hash.startsWith(source.reference)) throw new RpcFailure('wrong-chain');
  }

  /**
   * Returns whether the transaction is in no block of the window. Behind a URL several nodes may answer, so one of them must have reached the
   * head, lack the transaction, and know one that shows that its history reaches back to the start of the window: its one response says all.
   */
  async function isWitness(
    url: SolanaUrl,
    signature: string,
    head: FinalizedHead,
    window: CitationWindow,
  ): Promise<boolean> {
    if (head.time <= window.throughTime + STORAGE_DELAY_SECONDS) return false;
    const known = await history.findKnown(window.fromTime, head);
    const asked = takeInTurn(known.signatures);
    const { contextSlot, slots } = await url.call(getSignatureSlots([signature, ...asked]), startRead());
    await checkCluster(url);
    const [cited, ...others] = slots;
    const isDeep = known.signatures.length === 0 || others.includes(known.slot);
    return isDeep && cited === undefined && contextSlot >= head.block;
  }

  /**
   * Informs an operator; it proves nothing of a URL behind which nodes differ. The first block at or after the time is available when the first
   * available one is not later than the time.
   */
  async function reachesBackTo(url: SolanaUrl, time: number): Promise<boolean> {
    const first = await url.call(getFirstAvailableBlock, startRead());
    if (first === 0) return true;
    const firstTime = await readTime(url, first);
    return firstTime !== undefined && firstTime <= time;
  }

  /** Informs an operator: sends the calls of a proof. One that the node refuses makes every proof fail. */
  async function provesAbsence(url: SolanaUrl, time: number): Promise<boolean> {
    try {
      const own = createSolanaHistory({ urls: [url], clock, startRead, checkCluster });
      const { signatures } = await own.findKnown(time, await url.head.get());
      if (signatures.length > 0) await url.call(getSignatureSlots(takeInTurn(signatures)), startRead());
      return true;
    } catch (error) {
      if (error instanceof RpcFailure && isRefusal(error)) return false;
      throw error;
    }
  }

  return {
    urls,
    readFinalizedHead: () => latestHead(urls),
    readTransaction: (signature, window) => findAtUrls(urls, (url) => ask(url, signature, window)),
    reachesBackTo,
    provesAbsence,
    transfers: undefined,
  };
}

interface SignatureSlots {
  /** Newest slot of the node that answers. */
  readonly contextSlot: number;
  /** Slots of the transactions; undefined: the node does not have it. */
  readonly slots: readonly (number | undefined)[];
}

/** Reads the slots of up to 256 transactions in one response. */
function getSignatureSlots(signatures: readonly string[]): RpcMethod<SignatureSlots> {
  return {
    name: 'getSignatureStatuses',
    params: () => [signatures, { searchTransactionHistory: true }],
    parse(result) {
      const { context, value } = expectObject(result);
      const statuses = expectArray(value);
      if (statuses.length !== signatures.length) throw new Undecodable();
      return {
        contextSlot: expectCount(expectObject(context)['slot']),
        slots: statuses.map((status) => expectOptional(status, (each) => expectCount(expectObject(each)['slot']))),
      };
    },
  };
}
