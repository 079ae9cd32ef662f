/** Virtual node of the payment source. It follows the chain with its own lag and gaps; the caller decides its faults. */
import type { Random } from '../random.ts';
import { quantity } from '../nodes/wire-blocks.ts';
import type { TransportFault } from '../transport/faults.ts';
import type { RpcCall, RpcResult } from '../transport/network.ts';
import type { SourceDeployment } from './deployment.ts';
import { toSolanaBlock, toSolanaTransaction } from './solana-wire.ts';
import {
  finalizedOf,
  findPayment,
  type MinedPayment,
  type PaymentBlock,
  type PaymentChain,
  type PaymentView,
} from './payment-chain.ts';
import { toPaymentHeader, toPaymentLogs, toPaymentReceipt } from './payment-wire.ts';

/** Faults of single calls. */
export const PAYMENT_FAULTS = { callError: 3, nullBlock: 2, loseResponse: 2 } as const;
export type PaymentFault = keyof typeof PAYMENT_FAULTS | TransportFault;

interface LogFilter {
  /** Without the other members: the logs of this block. */
  readonly blockHash?: string;
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address: readonly string[];
  readonly topics: readonly [string, (readonly string[])?];
}

const refuse = (code: number, message: string): RpcResult => ({ error: { code, message } });

export class PaymentBackend {
  readonly #deployment: SourceDeployment;
  readonly #chain: PaymentChain;
  readonly #random: Random;
  /** Largest range of a log query. */
  readonly #maxRange: number;
  /** Lag behind the chain in time: it may show a fork that was abandoned since. */
  lagMilliseconds = 0;
  /** Lag behind the tip in blocks of the same fork. */
  lagBlocks = 0;
  /** Receipts of this block and newer ones are answered with null, from a time on. */
  omitsFrom = Infinity;
  omitsSinceMilliseconds = 0;
  /** Receipts of older blocks are answered with null, and their logs are left out. */
  prunedBefore = 0;

  constructor(deployment: SourceDeployment, chain: PaymentChain, random: Random, maxRange: number) {
    this.#deployment = deployment;
    this.#chain = chain;
    this.#random = random;
    this.#maxRange = maxRange;
  }

  get view(): PaymentView {
    const { blocks, length } = this.#chain.viewBefore(this.lagMilliseconds);
    return { blocks, length: Math.max(1, length - this.lagBlocks) };
  }

  respond({ method, params }: RpcCall, fault: PaymentFault | undefined): RpcResult {
    if (fault === 'callError') return refuse(this.#random.pick([-32_603, -32_000, -32_005]), 'something went wrong');
    const { view } = this;
    switch (method) {
      case 'getGenesisHash':
        return { result: this.#deployment.genesis };
      case 'getSlot':
        return { result: this.#slotAt(view, (params[0] as { commitment: string }).commitment) };
      case 'getFirstAvailableBlock':
        return { result: Math.min(this.prunedBefore, view.length - 1) };
      case 'getBlockTime':
        return this.#readSlot(view, params[0] as number, view.length - 1, fault, ({ timestamp }) => timestamp);
      case 'getBlock': {
        const [slot, { commitment }] = params as [number, { commitment: string }];
        return this.#readSlot(view, slot, this.#slotAt(view, commitment), fault, toSolanaBlock);
      }
      case 'getTransaction': {
        const [signature, { commitment }] = params as [string, { commitment: string }];
        const slot = this.#slotAt(view, commitment);
        return { result: this.#readTransaction(view, signature, slot, fault !== 'nullBlock') };
      }
      case 'getSignatureStatuses': {
        const [signatures] = params as [readonly string[]];
        const slots = signatures.map((signature) => this.#find(view, signature)?.block.number);
        const value = slots.map((slot) => (slot === undefined ? null : { slot }));
        return { result: { context: { slot: view.length - 1 }, value } };
      }
      case 'eth_chainId':
        return { result: quantity(Number(this.#deployment.id)) };
      case 'eth_getBlockByNumber':
        return fault === 'nullBlock' ? { result: null } : this.#readHeader(view, params[0] as string);
      case 'eth_getTransactionReceipt':
        return this.#readReceipt(view, params[0] as string);
      case 'eth_getLogs':
        return this.#readLogs(view, params[0] as LogFilter);
      default:
        return refuse(-32_601, 'the method does not exist');
    }
  }

  #readHeader(view: PaymentView, requested: string): RpcResult {
    const { blocks, length } = view;
    if (requested === 'finalized') return { result: toPaymentHeader(finalizedOf(view, this.#chain.finalityDepth)) };
    const number = requested === 'latest' ? length - 1 : Number(requested);
    return { result: number < length ? toPaymentHeader(blocks[number]!) : null };
  }

  /** Returns the newest slot of a commitment: slots above the finalized one may still be replaced. */
  #slotAt(view: PaymentView, commitment: string): number {
    return commitment === 'finalized' ? finalizedOf(view, this.#chain.finalityDepth).number : view.length - 1;
  }

  /** Reads a block that is not pruned. */
  #readSlot(
    view: PaymentView,
    slot: number,
    newestSlot: number,
    fault: PaymentFault | undefined,
    encode: (block: PaymentBlock) => unknown,
  ): RpcResult {
    if (slot < this.prunedBefore) return refuse(-32_001, 'the block was cleaned up');
    if (slot > newestSlot) return refuse(-32_004, 'the block is not available');
    return { result: fault === 'nullBlock' ? null : encode(view.blocks[slot]!) };
  }

  #readTransaction(view: PaymentView, signature: string, newestSlot: number, hasBalances: boolean): unknown {
    const mined = this.#find(view, signature);
    return mined === undefined || mined.block.number > newestSlot ? null : toSolanaTransaction(mined, hasBalances);
  }

  /** Returns a transaction that the node has. */
  #find(view: PaymentView, reference: string): MinedPayment | undefined {
    const mined = findPayment(view, reference);
    if (mined === undefined || mined.block.number < this.prunedBefore) return undefined;
    const omits = this.#chain.nowMilliseconds >= this.omitsSinceMilliseconds;
    return omits && mined.block.number >= this.omitsFrom ? undefined : mined;
  }

  #readReceipt(view: PaymentView, hash: string): RpcResult {
    const mined = this.#find(view, hash);
    return { result: mined === undefined ? null : toPaymentReceipt(mined) };
  }

  /** Like many nodes, returns what it has of a range that ends above its head. */
  #readLogs({ blocks, length }: PaymentView, { blockHash, fromBlock, toBlock, address, topics }: LogFilter): RpcResult {
    if (blockHash !== undefined) {
      const own = blocks.slice(this.prunedBefore, length).filter(({ hash }) => hash === blockHash);
      return { result: own.flatMap(toPaymentLogs) };
    }
    const from = Number(fromBlock);
    if (Number(toBlock) - from + 1 > this.#maxRange) return refuse(-32_005, 'block range is too large');
    const found = blocks
      .slice(Math.max(from, this.prunedBefore), Math.min(length, Number(toBlock) + 1))
      .flatMap(toPaymentLogs);
    const [topic, senders] = topics;
    const isSent = (sender: string) => senders?.includes(sender) ?? true;
    return {
      result: found.filter((log) => address.includes(log.address) && log.topics[0] === topic && isSent(log.topics[1]!)),
    };
  }
}
