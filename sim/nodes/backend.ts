/** What does one node answer? It follows the chain with its own delay and has its own limits; what goes wrong is decided by others. */
import { CHAIN_ID } from '../chain/deployment.ts';
import type { SimLog } from '../chain/logs.ts';
import { ancestorAt, finalizedOf, type Block, type VirtualChain } from '../chain/virtual-chain.ts';
import type { Random } from '../random.ts';
import { callContract, hasCode, type CallAnswer, type ChangeInner } from './contract-answers.ts';
import type { Fault } from './faults.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcResult =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: string } };

/** How a node is made; none of it is a fault. */
export interface Character {
  readonly maxRange: number;
  /** State of older blocks is gone. */
  readonly keptStates: number;
  /** Whether it refuses a log query that ends above its head. */
  readonly refusesAboveHead: boolean;
  readonly tellsLogTimes: boolean;
}

/** What an exchange was about, for those who judge what the service could know. */
export interface Witness {
  /** The node has told this block as the newest. */
  latest(block: Block): void;
  /** The node has told this block as the newest final one, which may be newer than any head that another node has told. */
  finalized(block: Block): void;
  /** Logs were left out of an answer that still looks whole. */
  hidLogs(): void;
}

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[])[];
}

type WireLog = ReturnType<typeof toWireLog>;

const quantity = (value: number) => `0x${value.toString(16)}`;
const refuse = (code: number, message: string): RpcResult => ({ error: { code, message } });

export class Backend {
  readonly #chain: VirtualChain;
  readonly #random: Random;
  readonly #character: Character;
  /** How far it is behind the others. */
  lagMilliseconds = 0;
  /** Blocks below its tip that it believes to be the newest one. */
  lagBlocks = 0;

  constructor(chain: VirtualChain, random: Random, character: Character) {
    this.#chain = chain;
    this.#random = random;
    this.#character = character;
  }

  get tip(): Block {
    const tip = this.lagMilliseconds === 0 ? this.#chain.tip : this.#chain.tipBefore(this.lagMilliseconds);
    return this.lagBlocks === 0 ? tip : ancestorAt(tip, Math.max(1, tip.number - this.lagBlocks))!;
  }

  answer({ method, params }: RpcCall, fault: Fault | undefined, witness: Witness): RpcResult {
    if (fault === 'callError' && this.#random.chance(0.7)) {
      return refuse(this.#random.pick([-32_603, -32_000, -32_601, -32_005]), 'something went wrong');
    }
    const tip = fault === 'rivalFork' && this.#random.chance(0.5) ? this.#chain.rival : this.tip;
    switch (method) {
      case 'eth_chainId':
        return { result: quantity(CHAIN_ID) };
      case 'eth_getBlockByNumber':
        return this.#answerHeader(tip, params[0] as string, fault, witness);
      case 'eth_getLogs':
        return this.#answerLogs(tip, params[0] as LogFilter, fault, witness);
      case 'eth_call':
        return this.#answerCall(tip, params[0] as { to: string; data: string }, params[1] as string, fault);
      case 'eth_getCode':
        return { result: hasCode(params[0] as string) ? '0x60' : '0x' };
      default:
        return refuse(-32_601, 'the method does not exist');
    }
  }

  #answerHeader(tip: Block, asked: string, fault: Fault | undefined, witness: Witness): RpcResult {
    if (fault === 'nullBlock') return { result: null };
    if (asked === 'finalized') {
      const final = finalizedOf(tip, this.#chain.finalityDepth);
      witness.finalized(final);
      return { result: toHeader(final) };
    }
    if (asked !== 'latest') {
      const block = ancestorAt(tip, Number(asked));
      return { result: block === undefined ? null : toHeader(block) };
    }
    const isOlder = fault === 'olderHead';
    const told = isOlder ? ancestorAt(tip, Math.max(1, tip.number - this.#random.skewed(20)))! : tip;
    witness.latest(told);
    return { result: toHeader(told) };
  }

  #answerLogs(tip: Block, filter: LogFilter, fault: Fault | undefined, witness: Witness): RpcResult {
    const blocks = this.#selectBlocks(tip, filter);
    if ('error' in blocks || 'result' in blocks) return blocks;
    if (fault === 'rangeRefusal' && filter.blockHash === undefined) return refuse(-32_614, 'block range is too large');
    const logs = blocks.flatMap((block) =>
      block.logs.flatMap((log, index) => (matches(log, filter) ? [toWireLog(block, log, index, this.#character)] : [])),
    );
    return { result: this.#spoilLogs(logs, fault, witness) };
  }

  #selectBlocks(tip: Block, { blockHash, fromBlock, toBlock }: LogFilter): readonly Block[] | RpcResult {
    if (blockHash !== undefined) {
      for (let block: Block | undefined = tip; block !== undefined; block = block.parent) {
        if (block.hash === blockHash) return [block];
      }
      return refuse(-32_000, 'unknown block');
    }
    const from = Number(fromBlock);
    const to = toBlock === 'latest' ? tip.number : Number(toBlock);
    const { refusesAboveHead, maxRange } = this.#character;
    if (refusesAboveHead && (from > tip.number || to > tip.number)) {
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

  #spoilLogs(logs: WireLog[], fault: Fault | undefined, witness: Witness): WireLog[] {
    if (logs.length === 0) return logs;
    const at = this.#random.integer(0, logs.length - 1);
    switch (fault) {
      case 'emptyLogs':
        witness.hidLogs();
        return [];
      case 'partialLogs':
        witness.hidLogs();
        return logs.filter((_, i) => i !== at);
      case 'repeatedLogs':
        return logs.toSpliced(at, 0, logs[at]!);
      case 'reorderedLogs':
        return logs.toReversed();
      case 'alienLogs':
        return logs.with(at, { ...logs[at]!, ...this.#drawAlien() });
      default:
        return logs;
    }
  }

  #drawAlien(): Partial<WireLog> & { readonly removed?: boolean } {
    return this.#random.pick([
      { blockHash: `0x${this.#random.hex(32)}` },
      { address: `0x${this.#random.hex(20)}` },
      { removed: true },
      { blockTimestamp: '0x1' },
      { logIndex: '0x0' },
    ]);
  }

  #answerCall(tip: Block, call: { to: string; data: string }, asked: string, fault: Fault | undefined): RpcResult {
    const number = Number(asked);
    let block = ancestorAt(tip, number);
    if (block !== undefined && tip.number - number > this.#character.keptStates) {
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
    return (answer: CallAnswer, position) => {
      if (position !== at) return answer;
      return fault === 'loseInner' ? undefined : { success: false, data: '' };
    };
  }
}

function matches({ address, topics }: SimLog, filter: LogFilter): boolean {
  const isAsked = filter.address === undefined || [filter.address].flat().includes(address);
  return (
    isAsked &&
    (filter.topics ?? []).every((wanted, i) => topics[i] !== undefined && [wanted].flat().includes(topics[i]))
  );
}

function toHeader(block: Block) {
  return {
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parent?.hash ?? `0x${'0'.repeat(64)}`,
    timestamp: quantity(block.timestamp),
    logsBloom: block.bloom,
  };
}

function toWireLog(block: Block, log: SimLog, index: number, { tellsLogTimes }: Character) {
  return {
    ...log,
    blockNumber: quantity(block.number),
    blockHash: block.hash,
    logIndex: quantity(index),
    transactionHash: `0x${index.toString(16).padStart(8, '0')}${block.hash.slice(10)}`,
    ...(tellsLogTimes && { blockTimestamp: quantity(block.timestamp) }),
  };
}
