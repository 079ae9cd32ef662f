/**
 * Logs and headers of the main chain for the indexers (chain-evm 4 and 6). A log is accepted only within the requested
 * range and contracts; `LogQueryRefused` says whether to request less or to wait.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../../domain/machine/machine-facts.ts';
import { buildBloom } from '../../../domain/index-rules/bloom.ts';
import { ResponseRejected } from '../../../domain/index-rules/rejected-response.ts';
import {
  LogQueryRefused,
  type BlockLogs,
  type ChainLog,
  type ChainWitness,
  type EventGeneration,
  type Header,
  type LogQuery,
  type MainChainLog,
  type ProvenLog,
} from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { createBatcher, METHOD_NOT_FOUND } from '../rpc/batch-size.ts';
import { proveReceipts } from '../receipts/block-receipts.ts';
import { toMainFault, type MainNodes } from '../rpc/main-nodes.ts';
import { readEventRange } from '../reads/event-pages.ts';
import { headerCall, requireHeader, type Headers } from './headers.ts';
import { MainRpcError, type RpcResponse, type MainRpcCall } from '../rpc/json-rpc.ts';
import { createLogEffects, EVENT_TOPICS } from './log-effects.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import type { Multicall } from '../reads/multicall.ts';
import { createOwnershipReader } from '../reads/ownership.ts';
import { toQuantity } from '../rpc/quantities.ts';
import { parseRawLog, type RawLog } from './raw-log.ts';
import { readBlockReceipts } from '../receipts/receipt-bytes.ts';
import type { MainUpstreamCounters } from '../rpc/upstream-counters.ts';

export interface MainChainLogOptions {
  readonly addresses: MainChainAddresses;
  readonly nodes: MainNodes;
  /** Sends the head poll; defaults to `nodes.request`. */
  readonly requestHead?: MainNodes['request'] | undefined;
  readonly headers: Headers;
  readonly multicall: Multicall;
  readonly counters: MainUpstreamCounters;
  readonly startRead: () => Deadline;
  readonly witnesses: readonly ChainWitness[];
  readonly maxBatchCalls: number;
  /** Returns the largest number of records per call. */
  readonly readPageLimit: (block: Header, deadline: Deadline) => Promise<number>;
}

export function createMainChainLog(options: MainChainLogOptions): MainChainLog {
  const { addresses, nodes, headers, multicall, counters, startRead, maxBatchCalls, readPageLimit } = options;
  const effects = createLogEffects(addresses);
  const watched = new Set<string>(effects.addresses);

  function registryOf(generation: EventGeneration): Address {
    const registry = generation === 'current' ? addresses.eventRegistry : addresses.legacy?.eventRegistry;
    if (registry === undefined) throw new Error('no first-generation event registry is configured');
    return registry;
  }

  function logsCall(fromBlock: number, toBlock: number | 'latest', eventsOf?: LogQuery['eventsOf']): MainRpcCall {
    const range = { fromBlock: toQuantity(fromBlock), toBlock: toBlock === 'latest' ? toBlock : toQuantity(toBlock) };
    if (eventsOf === undefined) return { method: 'eth_getLogs', params: [{ ...range, address: effects.addresses }] };
    const topics = [EVENT_TOPICS, `0x${eventsOf.machineId.toString(16).padStart(64, '0')}`];
    return { method: 'eth_getLogs', params: [{ ...range, address: registryOf(eventsOf.generation), topics }] };
  }

  const ownership = createOwnershipReader({ addresses, nodes, multicall, counters });
  const batcher = createBatcher({ request }, maxBatchCalls);
  /** Has its own size: receipts are longer than logs, so a node may refuse a batch of them that it accepts for logs. */
  const receiptsBatcher = createBatcher({ request }, maxBatchCalls);
  let servesReceipts = true;

  /** Sends the calls. Throws `LogQueryRefused` when the node limits the rate. */
  async function request(
    calls: readonly MainRpcCall[],
    deadline: Deadline,
    send: MainNodes['request'] = nodes.request,
  ): Promise<readonly RpcResponse[]> {
    try {
      return await send(calls, deadline);
    } catch (error) {
      if (error instanceof MainRpcError && error.rateLimited) {
        throw new LogQueryRefused('rate-limited', error.retryAfterSeconds);
      }
      throw toMainFault(error);
    }
  }

  function toChainLog<Time>(
    raw: RawLog & { readonly blockTimestamp: Time },
    address: Address,
  ): ChainLog & { readonly blockTimestamp: Time } {
    const decoded = effects.decode(address, raw.topics, raw.data);
    if (decoded === undefined) throw chainUnreadable('main', 'malformed');
    const { blockNumber, blockHash, logIndex, transactionHash, blockTimestamp } = raw;
    return { address, blockNumber, blockHash, logIndex, transactionHash, blockTimestamp, ...decoded };
  }

  /** Returns the logs of a response. Throws `ChainUnreadable` for a log outside the requested range and contracts. */
  function requireLogs(response: RpcResponse, fromBlock: number, toBlock: number): ChainLog[] {
    return requireRawLogs(response).map((raw) => {
      if (!watched.has(raw.address) || raw.blockNumber < fromBlock || raw.blockNumber > toBlock) {
        throw chainUnreadable('main', 'malformed');
      }
      return toChainLog(raw, raw.address as Address);
    });
  }

  /** Returns the watched logs of one block, and the bloom of all its logs for comparison with the header. */
  function toBlockLogs(response: RpcResponse, block: BlockRef): BlockLogs {
    const raws = requireRawLogs(response);
    const isOfBlock = (raw: RawLog) => raw.blockHash === block.hash && raw.blockNumber === block.number;
    if (!raws.every(isOfBlock)) throw chainUnreadable('main', 'malformed');
    // Log indexes are consecutive: a gap is a withheld log, even where others set the same bits of the bloom.
    if (!raws.every(({ logIndex }, i) => logIndex === i)) throw new ResponseRejected('withheld-logs');
    const logs = raws
      .filter(({ address }) => watched.has(address))
      .map((raw) => toChainLog(raw, raw.address as Address));
    return { logs, bloom: buildBloom(new Set(raws.flatMap(({ address, topics }) => [address, ...topics]))) };
  }

  /** Returns undefined when the logs may belong to another block than the head; they are then requested by hash. */
  function toHeadLogs(response: RpcResponse, head: BlockRef): BlockLogs | undefined {
    if (!response.ok || !Array.isArray(response.result) || response.result.length === 0) return undefined;
    const raws = response.result.map(parseRawLog);
    return raws.every((raw) => raw?.blockHash === head.hash) ? toBlockLogs(response, head) : undefined;
  }

  function toProvenLogs(response: RpcResponse, header: Header): ProvenLog[] | undefined {
    if (!response.ok && response.code === METHOD_NOT_FOUND) servesReceipts = false;
    const raws = response.ok ? proveReceipts(header, response.result, watched) : undefined;
    return raws?.map((raw) => toChainLog(raw, raw.address as Address));
  }

  return {
    addresses: effects.addresses,
    witnesses: options.witnesses,
    get servesReceipts() {
      return servesReceipts;
    },
    readHeader: (block) => headers.read(block, startRead()),
    readHeaders: (numbers) => headers.readMany(numbers, startRead()),
    async readLogs({ fromBlock, toBlock, eventsOf }) {
      const [response] = await request([logsCall(fromBlock, toBlock, eventsOf)], startRead());
      return requireLogs(response!, fromBlock, toBlock);
    },
    async readHeadAndLogs(since, withHeadLogs) {
      // The range includes `since`, because some nodes refuse a range that begins above their head.
      const calls = [headerCall('latest'), logsCall(since, 'latest'), ...(withHeadLogs ? [HEAD_LOGS] : [])];
      const [header, found, whole] = (await request(calls, startRead(), options.requestHead)) as [
        RpcResponse,
        RpcResponse,
        RpcResponse?,
      ];
      // An error for both calls is a refusal of the log query.
      if (!header.ok && !found.ok) requireRawLogs(found);
      const head = requireHeader(header, 'latest');
      headers.remember(head);
      // A node that lags behind may refuse the range; there are no new logs then.
      if (head.number <= since && !found.ok) return { head, logs: [], headLogs: undefined };
      const logs = requireLogs(found, since, Number.MAX_SAFE_INTEGER).filter((log) => log.blockNumber > since);
      return { head, logs, headLogs: whole && toHeadLogs(whole, head) };
    },
    async readBlockLogs(blocks) {
      const calls = blocks.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash }] }));
      const responses = await batcher.request(calls, startRead());
      return responses.map((response, i) => toBlockLogs(response, blocks[i]!));
    },
    async readProvenLogs(wanted, take) {
      const calls = wanted.map(({ number }) => receiptsCall(number));
      const responses = await receiptsBatcher.request(calls, startRead());
      for (const [i, response] of responses.entries()) {
        const logs = toProvenLogs(response, wanted[i]!);
        if (logs === undefined) return false;
        take(logs);
        // Yields to other requests while many full blocks are hashed.
        if (i % BLOCKS_PER_TICK === BLOCKS_PER_TICK - 1) await nextTick();
      }
      return true;
    },
    async readOwnership(block, ids) {
      const deadline = startRead();
      return ownership.read(await headers.readExactly(block, deadline), ids, deadline);
    },
    async readEventRecords(block, wanted) {
      const deadline = startRead();
      const pinned = await headers.readExactly(block, deadline);
      const pageLimit = await readPageLimit(pinned, deadline);
      return Promise.all(
        wanted.map(({ generation, id, from, to }) =>
          readEventRange(multicall, pinned, { registry: registryOf(generation), id, from, to }, pageLimit, deadline),
        ),
      );
    },
  };
}

/** About 10 ms for blocks of 125 logs. */
const BLOCKS_PER_TICK = 16;

function receiptsCall(block: number): MainRpcCall {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(block)], read: readBlockReceipts };
}

/** All logs of the newest block. */
const HEAD_LOGS: MainRpcCall = { method: 'eth_getLogs', params: [{ fromBlock: 'latest', toBlock: 'latest' }] };

/** Parses the logs of a response. Throws `LogQueryRefused` when a smaller range may pass, else `ChainUnreadable`. */
function requireRawLogs(response: RpcResponse): RawLog[] {
  if (!response.ok) {
    if (response.hint === 'too-large') throw new LogQueryRefused('range-too-large');
    throw chainUnreadable('main', response.hint === 'unknown-block' ? 'block-mismatch' : 'rpc-error');
  }
  const logs = Array.isArray(response.result) ? response.result.map(parseRawLog) : [undefined];
  if (logs.includes(undefined)) throw chainUnreadable('main', 'malformed');
  return logs as RawLog[];
}
