/**
 * Aggregates the contract calls of one tick, by block, into as few eth_calls as their weight allows, and proves that
 * one block served all of them (chain-evm 5.1 row 0 and 5.4). A chain without Multicall3 is read by single
 * eth_calls between two reads of the block's header.
 */
import type { Hex } from 'viem';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { CallBudget, CallPurpose } from '../../rpc/call-budget.ts';
import { latestDeadline, withPurpose, type Deadline, type Stopwatch } from '../../rpc/deadline.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { createSharedTurns } from '../../rpc/shared-turns.ts';
import { arbSysAbi, multicall3Abi } from './abis.ts';
import { createAggregateDecoder, decodeAggregate3, encodeAggregate3, type CallResult } from './aggregate3.ts';
import { contractFunction } from './contract-function.ts';
import { toMainFault, type MainNodes } from '../rpc/main-nodes.ts';
import { isUnclearError } from '../rpc/batch-delivery.ts';
import { headerCall, requireHeader } from '../logs/headers.ts';
import type { RpcResponse, MainRpcCall } from '../rpc/json-rpc.ts';
import type { MainChainLimits } from '../limits.ts';
import { isHexData, toQuantity } from '../rpc/quantities.ts';
import type { MainUpstreamCounters } from '../rpc/upstream-counters.ts';

export interface ContractCall {
  readonly target: Address;
  readonly data: Hex;
  /** Share of an eth_call's bound that this call may need; defaults to 1. */
  readonly weight?: number;
}

/** The calls exceed what one eth_call of this node can do, even when sent alone. */
export type TooLarge = 'too-large';

export type { CallResult } from './aggregate3.ts';

export interface Multicall {
  /** Returns the results in order, all at exactly this block. Throws `ChainUnreadable`. */
  readAt(block: Header, calls: readonly ContractCall[], deadline: Deadline): Promise<readonly CallResult[]>;
  /** Like `readAt`, for calls that the caller can split further. */
  tryReadAt(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | TooLarge>;
  /** Uses aggregates again at once: Multicall3 was found at the configured address. */
  useAggregate(): void;
  /** Returns whether the calls of one read share an eth_call. */
  isAggregate(): boolean;
}

const getBlockNumber = contractFunction(multicall3Abi, 'getBlockNumber');
const getCurrentBlockTimestamp = contractFunction(multicall3Abi, 'getCurrentBlockTimestamp');
const getLastBlockHash = contractFunction(multicall3Abi, 'getLastBlockHash');
const arbBlockNumber = contractFunction(arbSysAbi, 'arbBlockNumber');
const arbBlockHash = contractFunction(arbSysAbi, 'arbBlockHash');

/** The canonical deployment. */
export const MULTICALL3_ADDRESS = '0xca11bde05977b3631167028862be2a173976ca11' as Address;
/** Precompile of Arbitrum chains. */
export const ARB_SYS_ADDRESS = '0x0000000000000000000000000000000000000064' as Address;

/** Most small calls that are divided although none of them was seen to be served. */
const MAX_DIVIDED_BLINDLY = 4;

interface Group {
  readonly block: Header;
  readonly calls: readonly ContractCall[];
  readonly weight: number;
  readonly deadline: Deadline;
  readonly resolve: (results: readonly CallResult[] | TooLarge) => void;
  readonly reject: (error: unknown) => void;
}

export interface MulticallOptions {
  readonly nodes: Pick<MainNodes, 'request' | 'firstProfile'>;
  readonly address: Address;
  readonly limits: MainChainLimits;
  readonly counters: MainUpstreamCounters;
  /** Undefined: the nodes hold the calls back and count them when they are sent. */
  readonly budget: CallBudget | undefined;
  readonly stopwatch: Pick<Stopwatch, 'nowMilliseconds'>;
}

/** Time after which an aggregate is tried again where single calls replaced it: nodes of another chain may have answered for a moment. */
export const AGGREGATE_RETRY_MILLISECONDS = 600_000;

export function createMulticall(options: MulticallOptions): Multicall {
  const { nodes, address, limits, counters, budget, stopwatch } = options;
  /** When single calls last replaced an aggregate; undefined: aggregates are used. */
  let replacedAtMilliseconds: number | undefined;
  const isReplaced = () =>
    replacedAtMilliseconds !== undefined &&
    stopwatch.nowMilliseconds() - replacedAtMilliseconds < AGGREGATE_RETRY_MILLISECONDS;

  /** Returns the limit of the weight of one eth_call, learned from calls that were divided. */
  const weightLimit = () => nodes.firstProfile().weightLimit('eth_call of many', limits.maxMulticallWeight);
  /** Returns the same for the calls of one read, which are divided last. */
  const ownWeightLimit = () => nodes.firstProfile().weightLimit('eth_call of one', limits.maxMulticallWeight);

  const turns = createSharedTurns<Group>({
    budget,
    send(lead, { purpose }) {
      let room = weightLimit().size - lead.weight;
      const others = turns.take(({ block, weight }) => {
        const isFitting = block.hash === lead.block.hash && weight <= room;
        if (isFitting) room -= weight;
        return isFitting;
      });
      void readChunk([lead, ...others], purpose);
    },
    refuse: (group, error) => group.reject(error),
  });

  /** Returns whether each read was served: one that is too large alone says nothing about how many others fit. */
  async function readChunk(chunk: readonly Group[], purpose: CallPurpose): Promise<boolean> {
    const calls = chunk.flatMap((group) => group.calls);
    const deadline = withPurpose(latestDeadline(chunk.map((group) => group.deadline)), purpose);
    try {
      const readParts = chunk.length === 1 ? readDivided : readProven;
      const results = await readParts(chunk[0]!.block, calls, deadline);
      const weight = Math.ceil(chunk.reduce((sum, group) => sum + group.weight, 0));
      if (results !== 'too-large') weightLimit().recordSuccess(weight);
      if (results === 'too-large' && chunk.length > 1) {
        const half = Math.ceil(chunk.length / 2);
        const halves = [chunk.slice(0, half), chunk.slice(half)];
        const areServed = (await Promise.all(halves.map((each) => readChunk(each, purpose)))).every(Boolean);
        if (areServed) weightLimit().recordRefusal(weight);
        return areServed;
      }
      let from = 0;
      for (const { calls: own, resolve } of chunk) {
        resolve(results === 'too-large' ? results : results.slice(from, (from += own.length)));
      }
      return results !== 'too-large';
    } catch (error) {
      for (const group of chunk) group.reject(toMainFault(error));
      return false;
    }
  }

  /**
   * Reads the calls in parts that the node can execute, each proven to be of the block. Ends at the first single call that
   * is too large.
   */
  async function readDivided(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | TooLarge> {
    const weight = Math.ceil(weigh(calls));
    const isWhole = calls.length === 1 || weight <= ownWeightLimit().size;
    if (isWhole) {
      const results = await readProven(block, calls, deadline);
      if (results !== 'too-large') ownWeightLimit().recordSuccess(weight);
      if (results !== 'too-large' || calls.length === 1) return results;
    }
    const half = Math.ceil(calls.length / 2);
    const first = await readDivided(block, calls.slice(0, half), deadline);
    if (first === 'too-large') return first;
    const second = await readDivided(block, calls.slice(half), deadline);
    if (second === 'too-large') return second;
    // A call that is too large alone says nothing about how many others fit.
    if (isWhole) ownWeightLimit().recordRefusal(weight);
    return [...first, ...second];
  }

  /** Reads once more when the results are of another block: nodes behind one address may disagree. */
  async function readProven(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | TooLarge> {
    for (let attempt = 0; attempt < 2; attempt++) {
      counters.contractCalls += calls.length;
      // Decides only which read is tried first.
      const readAt = nodes.firstProfile().lacks('own-block-numbers') ? readPinned : readAggregate;
      const read = isReplaced() ? readCalls : readAt;
      const results = await read(block, calls, deadline);
      if (results !== 'other-block') return results;
    }
    throw chainUnreadable('main', 'block-mismatch');
  }

  /** Sends one aggregate. The hosts of a quorum return no errors, so that theirs is an unclear one. */
  async function request(call: MainRpcCall, deadline: Deadline): Promise<RpcResponse> {
    try {
      return (await nodes.request([call], deadline))[0]!;
    } catch (error) {
      if (error instanceof RpcFailure && error.unreadable === 'rpc-error') return UNCLEAR_ERROR;
      throw error;
    }
  }

  async function readAggregate(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | TooLarge | 'other-block'> {
    const proofs = [getBlockNumber, getCurrentBlockTimestamp, getLastBlockHash];
    const inner = [...proofs.map(({ selector }) => ({ target: address, data: selector })), ...calls];
    const decode = createAggregateDecoder();
    const accepts = (result: unknown) => result === '0x' || decode(result)?.length === inner.length;
    const call = { ...ethCall(address, encodeAggregate3(inner), toQuantity(block.number)), accepts };
    const response = await request(call, deadline);
    if (!response.ok) return classifyRefusal(response, block, calls, deadline);
    if (response.result === '0x') return readWithoutAggregate(block, calls, deadline, 'malformed');
    const results = decode(response.result);
    if (results?.length !== inner.length) throw chainUnreadable('main', 'malformed');
    replacedAtMilliseconds = undefined;
    const [number, timestamp, parentHash, ...own] = results;
    if (valueOf(timestamp, getCurrentBlockTimestamp) !== BigInt(block.timestamp)) return 'other-block';
    const isNumber = valueOf(number, getBlockNumber) === BigInt(block.number);
    if (isNumber) return valueOf(parentHash, getLastBlockHash) === block.parentHash ? own : 'other-block';
    nodes.firstProfile().recordFeature('own-block-numbers', false);
    return readPinned(block, calls, deadline);
  }

  /**
   * Classifies an error of the aggregate. Inner calls may fail individually, so the whole reverts only when it exceeds a
   * limit. An aggregate that fails while its proofs alone are served was too large, whatever the error says, also with a single call;
   * but a node that serves none of several small calls reads no state. Where the proofs fail too, Multicall3 may have no code: some nodes
   * return an error for that.
   */
  async function classifyRefusal(
    response: RpcResponse & { readonly ok: false },
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | TooLarge | 'other-block'> {
    if (isTooLarge(response)) return 'too-large';
    if (response.hint === 'unknown-block') throw chainUnreadable('main', 'block-mismatch');
    if (!isUnclearError(response)) throw chainUnreadable('main', 'rpc-error');
    if (calls.length > 0) {
      const proven = await readAggregate(block, [], deadline);
      if (proven === 'other-block') return proven;
      if (proven !== 'too-large') {
        const small = calls.filter(({ weight = 1 }) => weight <= 1);
        if (small.length > MAX_DIVIDED_BLINDLY) await requireServed(block, small, deadline);
        return 'too-large';
      }
    }
    return readWithoutAggregate(block, calls, deadline, 'rpc-error');
  }

  /** Throws `ChainUnreadable` where neither the first of the calls, nor one in the middle, nor the last is served alone. */
  async function requireServed(block: Header, calls: readonly ContractCall[], deadline: Deadline): Promise<void> {
    for (const at of [0, Math.floor(calls.length / 2), calls.length - 1]) {
      if ((await readAggregate(block, [calls[at]!], deadline)) !== 'too-large') return;
    }
    throw chainUnreadable('main', 'rpc-error');
  }

  /**
   * Reads at the hash of the block (EIP-1898) where `block.number` in contracts is that of another chain. Some nodes ignore
   * hashes, also one of several behind an address, so `ArbSys` proves the block in the same call.
   */
  async function readPinned(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | TooLarge | 'other-block'> {
    // Nothing proves the first block, which a node far behind shows.
    if (block.number === 0) return 'other-block';
    const proofs = [
      { target: address, data: getCurrentBlockTimestamp.selector },
      { target: ARB_SYS_ADDRESS, data: arbBlockNumber.selector },
      { target: ARB_SYS_ADDRESS, data: arbBlockHash.encode([BigInt(block.number - 1)]) },
    ];
    const inner = [...proofs, ...calls];
    const response = await request(ethCall(address, encodeAggregate3(inner), atHash(block.hash)), deadline);
    const results = response.ok ? decodeAggregate3(response.result) : undefined;
    const [timestamp, number, parentHash, ...own] = results ?? [];
    const isExact =
      results?.length === inner.length &&
      valueOf(timestamp, getCurrentBlockTimestamp) === BigInt(block.timestamp) &&
      valueOf(number, arbBlockNumber) === BigInt(block.number) &&
      valueOf(parentHash, arbBlockHash) === block.parentHash;
    if (isExact) return own;
    if (!response.ok && isTooLarge(response)) return 'too-large';
    nodes.firstProfile().recordFeature('own-block-numbers', true);
    return 'other-block';
  }

  /**
   * Falls back to single calls when Multicall3 has no code. Empty data or an error alone may be a faulty node, so the code is checked; the
   * calls must have results of the block, because the code may be that of another chain. Proofs without calls are left to the aggregate
   * with calls. Throws `ChainUnreadable` with the cause where it has code.
   */
  async function readWithoutAggregate(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
    cause: 'malformed' | 'rpc-error',
  ): Promise<readonly CallResult[] | TooLarge | 'other-block'> {
    if (calls.length === 0) return 'too-large';
    const getCode = { method: 'eth_getCode', params: [address, toQuantity(block.number)] };
    const [code] = await nodes.request([getCode], deadline);
    if (!code!.ok || code!.result !== '0x') throw chainUnreadable('main', cause);
    const results = await readCalls(block, calls, deadline);
    const isServed = results !== 'other-block' && results.some(({ data }) => data !== '0x');
    if (isServed) replacedAtMilliseconds = stopwatch.nowMilliseconds();
    return results;
  }

  /** Reads without Multicall3. The block's header before and after the calls shows that all were of this block. */
  async function readCalls(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | 'other-block'> {
    const header = headerCall(block.number);
    const requests = calls.map(({ target, data }) => ethCall(target, data, toQuantity(block.number)));
    const [before, ...responses] = await nodes.request([header, ...requests, { ...header, isCheck: true }], deadline);
    const after = responses.pop();
    for (const each of [before!, after!]) {
      if (each.ok && each.result === null) return 'other-block';
      const { hash, timestamp, parentHash } = requireHeader(each, block.number);
      const isSame = hash === block.hash && timestamp === block.timestamp && parentHash === block.parentHash;
      if (!isSame) return 'other-block';
    }
    return responses.map(toCallResult);
  }

  function tryReadAt(
    block: Header,
    calls: readonly ContractCall[],
    deadline: Deadline,
  ): Promise<readonly CallResult[] | TooLarge> {
    if (calls.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      turns.add({ block, calls, weight: weigh(calls), deadline, resolve, reject });
    });
  }

  return {
    tryReadAt,
    async readAt(block, calls, deadline) {
      const results = await tryReadAt(block, calls, deadline);
      if (results === 'too-large') throw chainUnreadable('main', 'rpc-error');
      return results;
    },
    useAggregate() {
      replacedAtMilliseconds = undefined;
    },
    isAggregate: () => replacedAtMilliseconds === undefined,
  };
}

function weigh(calls: readonly ContractCall[]): number {
  return calls.reduce((sum, call) => sum + (call.weight ?? 1), 0);
}

function ethCall(to: Address, data: Hex, block: string | object): MainRpcCall {
  return { method: 'eth_call', params: [{ to, data }, block] };
}

const UNCLEAR_ERROR: RpcResponse = { ok: false, code: 0, revertData: undefined, hint: undefined };

/** Returns the block parameter that only the block with this hash satisfies (EIP-1898). */
function atHash(blockHash: string): object {
  return { blockHash, requireCanonical: true };
}

function isTooLarge({ hint, revertData }: RpcResponse & { readonly ok: false }): boolean {
  return hint === 'too-large' || revertData !== undefined;
}

/** Converts a response; a node's own error becomes a failed call without data, which is unreadable, never absent. */
function toCallResult(response: RpcResponse): CallResult {
  if (!response.ok && response.revertData !== undefined) return { success: false, data: response.revertData };
  if (response.ok && isHexData(response.result)) return { success: true, data: response.result };
  return { success: false, data: '0x', isOfNode: true };
}

/** Returns the decoded value of a successful call; undefined otherwise. */
export function valueOf<T>(
  result: CallResult | undefined,
  called: { decode(data: Hex): T | undefined },
): T | undefined {
  return result?.success === true ? called.decode(result.data) : undefined;
}
