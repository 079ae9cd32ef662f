/** What does one node answer? It follows the chain with its own delay and has its own limits; what goes wrong is decided by others. */
import { CHAIN_ID } from '../chain/deployment.ts';
import type { LogContent } from '../chain/logs.ts';
import { ancestorAt, finalizedOf, type Block, type VirtualChain } from '../chain/virtual-chain.ts';
import type { Random } from '../random.ts';
import type { RpcCall, RpcResult } from '../transport/network.ts';
import { callContract, hasCode, type CallAnswer, type ChangeInner } from './contract-answers.ts';
import type { Fault } from './faults.ts';
import { keepUntold, spoilLogs, spoilReceipts } from './spoiled-logs.ts';
import { quantity, toHeader, toWireLogs, toWireReceipts, type WireLog } from './wire-blocks.ts';

/** How a node is made; none of it is a fault. */
export interface Character {
  readonly maxRange: number;
  /** State of older blocks is gone. */
  readonly keptStates: number;
  /** Whether it refuses a log query that ends above its head. */
  readonly refusesAboveHead: boolean;
  readonly tellsLogTimes: boolean;
  /** Its chain encodes receipts in a way of its own, so that they never hash to the root in the header. */
  readonly hasOddReceipts: boolean;
}

/** What an exchange was about, for those who judge what the service could know. */
export interface Witness {
  /** The node has told this block as the newest. */
  latest(block: Block): void;
  /** The node has told this block as the newest final one, which may be newer than any head that another node has told. */
  finalized(block: Block): void;
  /** A whole range of logs was told to one who indexes. */
  range(): void;
}

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[])[];
}

const refuse = (code: number, message: string): RpcResult => ({ error: { code, message } });

export class Backend {
  readonly #chain: VirtualChain;
  readonly #random: Random;
  readonly #character: Character;
  /** How far it is behind the others. */
  lagMilliseconds = 0;
  /** Blocks below its tip that it believes to be the newest one. */
  lagBlocks = 0;
  tellsReceipts = true;
  /** Its index of logs is damaged: what names this is not found, whichever way logs are asked for. */
  lostTopic: string | undefined;

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
      case 'eth_getBlockReceipts':
        return this.#answerReceipts(tip, params[0] as string, fault);
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
      return this.#tellHeader(final);
    }
    if (asked !== 'latest') {
      const block = ancestorAt(tip, Number(asked));
      return block === undefined ? { result: null } : this.#tellHeader(block);
    }
    const isOlder = fault === 'olderHead';
    const told = isOlder ? ancestorAt(tip, Math.max(1, tip.number - this.#random.skewed(20)))! : tip;
    witness.latest(told);
    return this.#tellHeader(told);
  }

  #tellHeader(block: Block): RpcResult {
    return { result: toHeader(block, this.#character.hasOddReceipts) };
  }

  #answerLogs(tip: Block, filter: LogFilter, fault: Fault | undefined, witness: Witness): RpcResult {
    if (filter.topics === undefined && filter.fromBlock !== undefined && filter.toBlock !== 'latest') witness.range();
    const blocks = this.#selectBlocks(tip, filter);
    if ('error' in blocks || 'result' in blocks) return blocks;
    if (fault === 'rangeRefusal' && filter.blockHash === undefined) return refuse(-32_614, 'block range is too large');
    const found = blocks.flatMap((block) =>
      block.logs.length === 0 ? [] : this.#find(toWireLogs(block, this.#character.tellsLogTimes), filter),
    );
    return { result: spoilLogs(found, fault, this.#random) };
  }

  /** In one block. */
  #find(logs: readonly WireLog[], filter: LogFilter): readonly WireLog[] {
    const { lostTopic } = this;
    const found = logs.filter((log) => matches(log, filter));
    if (lostTopic === undefined) return found;
    return keepUntold(
      found.filter(({ topics }) => !topics.includes(lostTopic)),
      found,
    );
  }

  #answerReceipts(tip: Block, asked: string, fault: Fault | undefined): RpcResult {
    if (!this.tellsReceipts || fault === 'noReceipts') return refuse(-32_601, 'the method does not exist');
    if (fault === 'rangeRefusal') return refuse(-32_008, 'response size is too big');
    const number = Number(asked);
    const other = this.#random.pick([ancestorAt(this.#chain.rival, number), ancestorAt(tip, number + 1)]);
    const block = fault === 'otherReceipts' ? other : ancestorAt(tip, number);
    if (block === undefined || fault === 'nullBlock') return { result: null };
    return { result: spoilReceipts(toWireReceipts(block, this.#character.tellsLogTimes), fault, this.#random) };
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

function matches({ address, topics }: LogContent, filter: LogFilter): boolean {
  const isAsked = filter.address === undefined || [filter.address].flat().includes(address);
  return (
    isAsked &&
    (filter.topics ?? []).every((wanted, i) => topics[i] !== undefined && [wanted].flat().includes(topics[i]))
  );
}
