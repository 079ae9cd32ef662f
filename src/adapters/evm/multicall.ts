/**
 * How are many contract calls answered by one request, and how is it proven that one block answered all of them?
 * (chain-evm 5.1 row 0 and 5.4.) The calls of one tick are gathered, by block, into as few eth_calls as their weight allows.
 * A chain without Multicall3 is read by a JSON-RPC batch that carries the block's header.
 */
import { chainUnreadable } from '../../domain/faults.ts';
import type { Address } from '../../domain/identifiers.ts';
import type { Header } from '../../ports/main-chain-log.ts';
import type { Hex } from 'viem';
import { multicall3Abi } from './abis.ts';
import { contractFunction } from './contract-function.ts';
import { toFault, type Endpoints } from './endpoints.ts';
import { headerCall, needHeader, toQuantity } from './headers.ts';
import type { RpcAnswer, RpcCall } from './json-rpc.ts';
import type { EvmLimits } from './limits.ts';
import type { UpstreamCounters } from './upstream-counters.ts';

export interface ContractCall {
  readonly target: Address;
  readonly data: Hex;
  /** 1 when not given; how much of an eth_call's bound this call may need. */
  readonly weight?: number;
}

/** `success` with the returned bytes, or what it reverted with. An address without code succeeds with `0x`. */
export interface CallResult {
  readonly success: boolean;
  readonly data: Hex;
}

/** The calls are too much for one eth_call of this node. Never leaves the adapter. */
export class CallsTooLarge extends Error {}

export interface Multicall {
  /** All results in order, all of exactly this block. Throws `ChainUnreadable`, or `CallsTooLarge`. */
  readAt(block: Header, calls: readonly ContractCall[], deadline: AbortSignal): Promise<readonly CallResult[]>;
  /** True when a contract answers at the configured address; otherwise batches are used from now on. */
  useAggregate(exists: boolean): void;
}

const aggregate3 = contractFunction(multicall3Abi, 'aggregate3');
const getBlockNumber = contractFunction(multicall3Abi, 'getBlockNumber');
const getCurrentBlockTimestamp = contractFunction(multicall3Abi, 'getCurrentBlockTimestamp');
const getLastBlockHash = contractFunction(multicall3Abi, 'getLastBlockHash');

/** The canonical deployment. */
export const MULTICALL3_ADDRESS = '0xca11bde05977b3631167028862be2a173976ca11' as Address;

interface Group {
  readonly block: Header;
  readonly calls: readonly ContractCall[];
  readonly weight: number;
  readonly deadline: AbortSignal;
  readonly resolve: (results: readonly CallResult[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface MulticallOptions {
  readonly endpoints: Endpoints;
  readonly address: Address;
  readonly limits: EvmLimits;
  readonly counters: UpstreamCounters;
}

export function createMulticall({ endpoints, address, limits, counters }: MulticallOptions): Multicall {
  let waiting: Group[] = [];
  let isAggregate = true;

  function flush(): void {
    const groups = waiting;
    waiting = [];
    for (const ofBlock of Map.groupBy(groups, (group) => group.block.hash).values()) {
      for (const chunk of toChunks(ofBlock, limits.maxMulticallWeight)) void answerChunk(chunk);
    }
  }

  async function answerChunk(chunk: readonly Group[]): Promise<void> {
    const { block, deadline } = chunk[0]!;
    const calls = chunk.flatMap((group) => group.calls);
    try {
      const results = await readProven(block, calls, deadline);
      let from = 0;
      for (const group of chunk) group.resolve(results.slice(from, (from += group.calls.length)));
    } catch (error) {
      if (error instanceof CallsTooLarge && chunk.length > 1) {
        const half = Math.ceil(chunk.length / 2);
        await Promise.all([answerChunk(chunk.slice(0, half)), answerChunk(chunk.slice(half))]);
        return;
      }
      for (const group of chunk) group.reject(toFault(error));
    }
  }

  /** Nodes behind one address may disagree, so another block's answer is asked for once more. */
  async function readProven(
    block: Header,
    calls: readonly ContractCall[],
    deadline: AbortSignal,
  ): Promise<readonly CallResult[]> {
    for (let attempt = 0; attempt < 2; attempt++) {
      counters.contractCalls += calls.length;
      const results = isAggregate
        ? await readAggregate(block, calls, deadline)
        : await readBatches(block, calls, deadline);
      if (results !== undefined) return results;
    }
    throw chainUnreadable('main', 'block-mismatch');
  }

  /** Undefined: another block answered. */
  async function readAggregate(
    block: Header,
    calls: readonly ContractCall[],
    deadline: AbortSignal,
  ): Promise<readonly CallResult[] | undefined> {
    const proof = [getBlockNumber, getCurrentBlockTimestamp, getLastBlockHash];
    const inner = [...proof.map(({ selector }) => ({ target: address, data: selector })), ...calls].map(
      ({ target, data }) => ({ target, allowFailure: true, callData: data }),
    );
    const [answer] = await endpoints.request([ethCall(address, aggregate3.encode([inner]), block)], deadline);
    if (!answer!.ok) return refuse(answer!);
    if (answer!.result === '0x') return readWithoutAggregate(block, calls, deadline);
    const results = isHex(answer!.result) ? aggregate3.decode(answer!.result) : undefined;
    if (results?.length !== inner.length) throw chainUnreadable('main', 'malformed');
    const [number, timestamp, parentHash, ...answers] = results.map(({ success, returnData }) => ({
      success,
      data: returnData,
    }));
    const isProven =
      valueOf(number, getBlockNumber) === BigInt(block.number) &&
      valueOf(timestamp, getCurrentBlockTimestamp) === BigInt(block.timestamp) &&
      valueOf(parentHash, getLastBlockHash) === block.parentHash;
    return isProven ? answers : undefined;
  }

  /** Empty data is what an address without code answers; a node that only garbles is told from it by asking for the code. */
  async function readWithoutAggregate(
    block: Header,
    calls: readonly ContractCall[],
    deadline: AbortSignal,
  ): Promise<readonly CallResult[] | undefined> {
    const [code] = await endpoints.request(
      [{ method: 'eth_getCode', params: [address, toQuantity(block.number)] }],
      deadline,
    );
    if (!code!.ok || code!.result !== '0x') throw chainUnreadable('main', 'malformed');
    isAggregate = false;
    return readBatches(block, calls, deadline);
  }

  async function readBatches(
    block: Header,
    calls: readonly ContractCall[],
    deadline: AbortSignal,
  ): Promise<readonly CallResult[] | undefined> {
    const size = limits.maxBatchCalls - 1;
    const batches = Array.from({ length: Math.ceil(calls.length / size) }, (_, i) =>
      calls.slice(i * size, (i + 1) * size),
    );
    const results = await Promise.all(batches.map((batch) => readBatch(block, batch, deadline)));
    return results.includes(undefined) ? undefined : results.flatMap((batch) => batch!);
  }

  async function readBatch(
    block: Header,
    calls: readonly ContractCall[],
    deadline: AbortSignal,
  ): Promise<readonly CallResult[] | undefined> {
    const requests = calls.map(({ target, data }) => ethCall(target, data, block));
    const [head, ...answers] = await endpoints.request([headerCall(block.number), ...requests], deadline);
    if (!head!.ok || head!.result === null) return undefined;
    return needHeader(head!, block.number).hash === block.hash ? answers.map(toCallResult) : undefined;
  }

  return {
    readAt(block, calls, deadline) {
      if (calls.length === 0) return Promise.resolve([]);
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        const weight = calls.reduce((sum, call) => sum + (call.weight ?? 1), 0);
        waiting.push({ block, calls, weight, deadline, resolve, reject });
      });
    },
    useAggregate(exists) {
      isAggregate = exists;
    },
  };
}

function toChunks(groups: readonly Group[], maxWeight: number): Group[][] {
  const chunks: Group[][] = [];
  let room = 0;
  for (const group of groups) {
    if (group.weight > room || chunks.length === 0) {
      chunks.push([]);
      room = maxWeight;
    }
    chunks.at(-1)!.push(group);
    room -= group.weight;
  }
  return chunks;
}

function ethCall(to: Address, data: Hex, block: Header): RpcCall {
  return { method: 'eth_call', params: [{ to, data }, toQuantity(block.number)] };
}

function refuse(answer: RpcAnswer & { readonly ok: false }): undefined {
  if (answer.hint === 'unknown-block') return undefined;
  // aggregate3 lets every call fail, so the whole reverts only when it runs out of something.
  if (answer.hint === 'too-large' || answer.revertData !== undefined) throw new CallsTooLarge();
  throw chainUnreadable('main', 'rpc-error');
}

/** A call that a node answers with an error of its own is a failed call without data: unreadable, never absent. */
function toCallResult(answer: RpcAnswer): CallResult {
  if (answer.ok) return isHex(answer.result) ? { success: true, data: answer.result } : { success: false, data: '0x' };
  return { success: false, data: answer.revertData ?? '0x' };
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(value);
}

/** The decoded value of a call that succeeded. */
export function valueOf<T>(
  result: CallResult | undefined,
  called: { decode(data: Hex): T | undefined },
): T | undefined {
  return result?.success === true ? called.decode(result.data) : undefined;
}
