/** Virtual node of the main chain. It follows the chain with its own lag and limits; the caller decides its faults. */
import { CHAIN_ID } from '../chain/deployment.ts';
import type { LogContent } from '../chain/logs.ts';
import { ancestorAt, finalizedOf, type Block, type VirtualChain } from '../chain/virtual-chain.ts';
import type { Random } from '../random.ts';
import type { RpcCall, RpcResult } from '../transport/network.ts';
import { callContract, hasCode, type CallOutcome, type ChangeInner } from './contract-calls.ts';
import type { Fault } from './faults.ts';
import { restoreUndetectable, corruptLogs, corruptReceipts } from './corrupted-logs.ts';
import { quantity, toHeader, toWireLogs, toWireReceipts, type WireLog } from './wire-blocks.ts';

/** Properties of a node; none of them is a fault. */
export interface NodeProperties {
  readonly maxRange: number;
  /** Number of newest blocks whose state is retained. */
  readonly retainedStates: number;
  /** Whether it rejects a log query that ends above its head. */
  readonly rejectsAboveHead: boolean;
  readonly servesLogTimes: boolean;
  /** Whether its chain encodes receipts differently, so that they never hash to the root in the header. */
  readonly hasOddReceipts: boolean;
}

/** Receives what a response contains, for the oracle's record of what the service could know. */
export interface ResponseObserver {
  /** The node returned this block as the newest. */
  latest(block: Block): void;
  /** The node returned this block as the newest final one, which may be newer than the heads of other nodes. */
  finalized(block: Block): void;
}

/** Block of a call by its hash (EIP-1898). */
interface BlockHash {
  readonly blockHash: string;
}

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  /** Null accepts any topic. */
  readonly topics?: readonly (string | readonly string[] | null)[];
}

const refuse = (code: number, message: string): RpcResult => ({ error: { code, message } });

export class Backend {
  readonly #chain: VirtualChain;
  readonly #random: Random;
  readonly #properties: NodeProperties;
  /** Lag behind the chain in time. */
  lagMilliseconds = 0;
  /** Lag behind its tip in blocks. */
  lagBlocks = 0;
  servesReceipts = true;
  /** Topic that its damaged log index never finds, whichever way logs are queried. */
  lostTopic: string | undefined;
  /** Newest blocks whose logs its index does not contain yet; a query by hash finds them. */
  unindexedBlocks = 0;
  /** Whether it ignores the hash of a call (EIP-1898) and reads its newest block. */
  ignoresHashes = false;

  constructor(chain: VirtualChain, random: Random, properties: NodeProperties) {
    this.#chain = chain;
    this.#random = random;
    this.#properties = properties;
  }

  get tip(): Block {
    const tip = this.lagMilliseconds === 0 ? this.#chain.tip : this.#chain.tipBefore(this.lagMilliseconds);
    return this.lagBlocks === 0 ? tip : ancestorAt(tip, Math.max(1, tip.number - this.lagBlocks))!;
  }

  respond({ method, params }: RpcCall, fault: Fault | undefined, observer: ResponseObserver): RpcResult {
    if (fault === 'callError' && this.#random.chance(0.7)) {
      return refuse(this.#random.pick([-32_603, -32_000, -32_601, -32_005]), 'something went wrong');
    }
    const tip = fault === 'rivalFork' && this.#random.chance(0.5) ? this.#chain.rival : this.tip;
    switch (method) {
      case 'eth_chainId':
        return { result: quantity(CHAIN_ID) };
      case 'eth_getBlockByNumber':
        return this.#readHeader(tip, params[0] as string, fault, observer);
      case 'eth_getLogs':
        return this.#readLogs(tip, params[0] as LogFilter, fault);
      case 'eth_getBlockReceipts':
        return this.#readReceipts(tip, params[0] as string, fault);
      case 'eth_call':
        return this.#readCall(tip, params[0] as { to: string; data: string }, params[1] as string | BlockHash, fault);
      case 'eth_getCode':
        return { result: hasCode(params[0] as string) ? '0x60' : '0x' };
      default:
        return refuse(-32_601, 'the method does not exist');
    }
  }

  #readHeader(tip: Block, requested: string, fault: Fault | undefined, observer: ResponseObserver): RpcResult {
    if (fault === 'nullBlock') return { result: null };
    if (requested === 'finalized') {
      const final = finalizedOf(tip, this.#chain.finalityDepth);
      observer.finalized(final);
      return this.#serveHeader(final);
    }
    if (requested !== 'latest') {
      const block = ancestorAt(tip, Number(requested));
      return block === undefined ? { result: null } : this.#serveHeader(block);
    }
    const isOlder = fault === 'olderHead';
    const head = isOlder ? ancestorAt(tip, Math.max(1, tip.number - this.#random.skewed(20)))! : tip;
    observer.latest(head);
    return this.#serveHeader(head);
  }

  #serveHeader(block: Block): RpcResult {
    return { result: toHeader(block, this.#properties.hasOddReceipts) };
  }

  #readLogs(tip: Block, filter: LogFilter, fault: Fault | undefined): RpcResult {
    const blocks = this.#selectBlocks(tip, filter);
    if ('error' in blocks || 'result' in blocks) return blocks;
    if (fault === 'rangeRefusal' && filter.blockHash === undefined) return refuse(-32_614, 'block range is too large');
    const isIndexed = ({ number }: Block) =>
      filter.blockHash !== undefined || number <= tip.number - this.unindexedBlocks;
    const found = blocks.flatMap((block) =>
      block.logs.length === 0 || !isIndexed(block)
        ? []
        : this.#find(toWireLogs(block, this.#properties.servesLogTimes), filter),
    );
    return { result: corruptLogs(found, fault, this.#random) };
  }

  /** Returns the matching logs of one block. */
  #find(logs: readonly WireLog[], filter: LogFilter): readonly WireLog[] {
    const { lostTopic } = this;
    const found = logs.filter((log) => matches(log, filter));
    if (lostTopic === undefined) return found;
    return restoreUndetectable(
      found.filter(({ topics }) => !topics.includes(lostTopic)),
      found,
    );
  }

  #readReceipts(tip: Block, requested: string, fault: Fault | undefined): RpcResult {
    if (!this.servesReceipts || fault === 'noReceipts') return refuse(-32_601, 'the method does not exist');
    if (fault === 'rangeRefusal') return refuse(-32_008, 'response size is too big');
    const number = Number(requested);
    const other = this.#random.pick([ancestorAt(this.#chain.rival, number), ancestorAt(tip, number + 1)]);
    const block = fault === 'otherReceipts' ? other : ancestorAt(tip, number);
    if (block === undefined || fault === 'nullBlock') return { result: null };
    return { result: corruptReceipts(toWireReceipts(block, this.#properties.servesLogTimes), fault, this.#random) };
  }

  #selectBlocks(tip: Block, { blockHash, fromBlock, toBlock }: LogFilter): readonly Block[] | RpcResult {
    if (blockHash !== undefined) {
      const block = findBlock(tip, blockHash);
      return block === undefined ? refuse(-32_000, 'unknown block') : [block];
    }
    const from = Number(fromBlock);
    const to = toBlock === 'latest' ? tip.number : Number(toBlock);
    const { rejectsAboveHead, maxRange } = this.#properties;
    if (rejectsAboveHead && (from > tip.number || to > tip.number)) {
      return refuse(-32_000, 'block range extends beyond current head block');
    }
    const last = Math.min(to, tip.number);
    if (last - from + 1 > maxRange) return refuse(-32_005, `block range is limited to ${maxRange}`);
    const blocks: Block[] = [];
    for (let block = ancestorAt(tip, last); block !== undefined && block.number >= from; block = block.parent) {
      blocks.push(block);
    }
    return blocks.reverse();
  }

  #readCall(
    tip: Block,
    call: { to: string; data: string },
    requested: string | BlockHash,
    fault: Fault | undefined,
  ): RpcResult {
    const named = () =>
      typeof requested === 'string' ? ancestorAt(tip, Number(requested)) : findBlock(tip, requested.blockHash);
    let block = this.ignoresHashes && typeof requested !== 'string' ? tip : named();
    const number = block?.number ?? Number(requested);
    if (block !== undefined && tip.number - number > this.#properties.retainedStates) {
      return refuse(-32_000, 'missing trie node');
    }
    if (fault === 'newestState') block = tip;
    if (fault === 'olderState') block = ancestorAt(tip, Math.max(1, Math.min(number, tip.number) - 1));
    if (block === undefined) return refuse(-32_000, 'header not found');
    if (fault === 'emptyCall') return { result: '0x' };
    if (fault === 'outOfGas') return refuse(-32_000, 'out of gas');
    const { success, data } = callContract(call.to, call.data, block, this.#drawInnerFault(fault));
    if (success) return { result: `0x${data}` };
    return { error: { code: 3, message: 'execution reverted', data: `0x${data}` } };
  }

  #drawInnerFault(fault: Fault | undefined): ChangeInner | undefined {
    if (fault !== 'loseInner' && fault !== 'failInner') return undefined;
    const at = this.#random.integer(0, 24);
    return (outcome: CallOutcome, position) => {
      if (position !== at) return outcome;
      return fault === 'loseInner' ? undefined : { success: false, data: '' };
    };
  }
}

function findBlock(tip: Block, hash: string): Block | undefined {
  let block: Block | undefined = tip;
  while (block !== undefined && block.hash !== hash) block = block.parent;
  return block;
}

function matches({ address, topics }: LogContent, filter: LogFilter): boolean {
  const isQueried = filter.address === undefined || [filter.address].flat().includes(address);
  return (
    isQueried &&
    (filter.topics ?? []).every((wanted, i) => wanted === null || [wanted].flat().includes(topics[i] ?? ''))
  );
}
