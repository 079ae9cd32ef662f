/**
 * EVM chain in memory for payment sources: blocks with transfers of tokens, served by a node whose history, head and
 * limits a test sets.
 */
import { TRANSFER_TOPIC } from '../../src/domain/rating/paid/transfer-log.ts';
import type { ProxyCall, ProxyResponse } from '../harness/rpc-proxy.ts';

export interface FakeTransfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
}

export interface FakeTransaction {
  readonly from: string;
  readonly failed?: boolean;
  readonly transfers?: readonly FakeTransfer[];
}

interface FakeBlock {
  readonly timestamp: number;
  readonly transactions: readonly FakeTransaction[];
}

export const FAKE_CHAIN_ID = 8_453;

/** Blocks without their node. */
export class FakeEvmChain {
  readonly blocks: FakeBlock[] = [];

  /** Adds a block and returns its number. */
  mine(timestamp: number, ...transactions: FakeTransaction[]): number {
    this.blocks.push({ timestamp, transactions });
    return this.blocks.length - 1;
  }

  hashOf(block: number): string {
    return toHash(`b${block + 1}`);
  }

  transactionHash(block: number, index = 0): string {
    return toHash(`c${block}c${index}`);
  }
}

/** One node of a chain. */
export class FakeEvmNode {
  readonly chain: FakeEvmChain;
  /** Blocks after the finalized one that the node also has. */
  unfinalizedBlocks = 0;
  /** Newest block that the node knows; undefined: that of the chain. */
  newestBlock: number | undefined;
  /** Newest block whose logs the node has indexed, which is its latest one, as on Frontier; undefined: the newest one. */
  indexedBlock: number | undefined;
  /** Receipts of earlier blocks are dropped. */
  firstReceiptBlock = 0;
  /** Logs of earlier blocks are dropped: a range of them has none. */
  firstLogBlock = 0;
  maxLogBlocks = Infinity;
  maxLogAddresses = Infinity;
  /** Whether the logs of a block are returned without a filter. */
  servesBlockLogs = true;
  hasBlooms = true;
  readonly calls: ProxyCall[] = [];

  constructor(chain: FakeEvmChain) {
    this.chain = chain;
  }

  get #newest(): number {
    return this.newestBlock ?? this.chain.blocks.length - 1;
  }

  get #indexed(): number {
    return this.indexedBlock ?? this.#newest;
  }

  readonly respond = (call: ProxyCall): ProxyResponse => {
    this.calls.push(call);
    const [first] = call.params;
    switch (call.method) {
      case 'eth_chainId':
        return { result: toHex(FAKE_CHAIN_ID) };
      case 'eth_getBlockByNumber':
        return { result: this.#header(this.#numberOf(first)) };
      case 'eth_getTransactionReceipt':
        return { result: this.#receipt(first as string) };
      case 'eth_getLogs':
        return 'blockHash' in (first as object)
          ? this.#blockLogs((first as { readonly blockHash: string }).blockHash)
          : this.#logs(first as LogFilter);
      default:
        return { error: { code: -32_601, message: 'the method does not exist' } };
    }
  };

  #numberOf(block: unknown): number {
    if (block === 'finalized') return this.#newest - this.unfinalizedBlocks;
    return block === 'latest' ? this.#indexed : Number(block);
  }

  #header(number: number): object | null {
    const block = number <= this.#newest ? this.chain.blocks[number] : undefined;
    if (block === undefined) return null;
    return {
      number: toHex(number),
      hash: this.chain.hashOf(number),
      parentHash: this.chain.hashOf(number - 1),
      timestamp: toHex(block.timestamp),
      logsBloom: `0x${(this.hasBlooms && this.#logsOf(number).length > 0 ? '1' : '0').repeat(512)}`,
      transactions: block.transactions.map((_, index) => this.chain.transactionHash(number, index)),
    };
  }

  #receipt(hash: string): object | null {
    for (let number = this.firstReceiptBlock; number <= this.#newest; number += 1) {
      const { transactions } = this.chain.blocks[number]!;
      const index = transactions.findIndex((_, i) => this.chain.transactionHash(number, i) === hash);
      if (index < 0) continue;
      return {
        transactionHash: hash,
        blockNumber: toHex(number),
        blockHash: this.chain.hashOf(number),
        from: transactions[index]!.from,
        status: transactions[index]!.failed === true ? '0x0' : '0x1',
        logs: this.#logsOf(number).filter((log) => log.transactionHash === hash),
      };
    }
    return null;
  }

  #logsOf(number: number) {
    const places = this.chain.blocks[number]!.transactions.flatMap(({ transfers = [] }, index) =>
      transfers.map((transfer) => ({ transfer, index })),
    );
    return places.map(({ transfer, index }, logIndex) => ({
      address: transfer.token,
      topics: [TRANSFER_TOPIC, toTopic(transfer.from), toTopic(transfer.to)],
      data: `0x${transfer.units.toString(16).padStart(64, '0')}`,
      blockNumber: toHex(number),
      blockHash: this.chain.hashOf(number),
      transactionHash: this.chain.transactionHash(number, index),
      logIndex: toHex(logIndex),
      removed: false,
    }));
  }

  #blockLogs(hash: string): ProxyResponse {
    if (!this.servesBlockLogs) return { error: { code: -32_602, message: 'no' } };
    const number = this.chain.blocks.findIndex((_, each) => this.chain.hashOf(each) === hash);
    return { result: number < this.firstLogBlock ? [] : this.#logsOf(number) };
  }

  #logs({ fromBlock, toBlock, address, topics: [, senders] }: LogFilter): ProxyResponse {
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    if (to - from + 1 > this.maxLogBlocks) return { error: { code: -32_000, message: 'no' } };
    if (senders !== undefined && senders.length > this.maxLogAddresses)
      return { error: { code: -32_000, message: 'no' } };
    const first = Math.max(from, this.firstLogBlock);
    const numbers = Array.from({ length: Math.max(0, Math.min(to, this.#indexed) - first + 1) }, (_, i) => first + i);
    const logs = numbers.flatMap((number) => this.#logsOf(number));
    const isSent = (log: { topics: readonly string[] }) => senders?.includes(log.topics[1]!) ?? true;
    return { result: logs.filter((log) => address.includes(log.address) && isSent(log)) };
  }
}

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address: readonly string[];
  readonly topics: readonly [string, (readonly string[])?];
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}

function toHash(text: string): string {
  return `0x${text.padStart(64, '0')}`;
}

function toTopic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`;
}
