/**
 * Logs and headers of the main chain for the indexers (chain-evm 4 and 6). A log is accepted only within the requested
 * range and contracts; `LogQueryRefused` says whether to request less or to wait.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../../domain/machine/machine-facts.ts';
import { buildBloom, mergeBlooms } from '../../../domain/index-rules/bloom.ts';
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
import { mapInTicks } from '../../rpc/map-in-ticks.ts';
import { METHOD_NOT_FOUND, PAYMENT_REQUIRED, RpcFailure } from '../../rpc/rpc-failure.ts';
import { proveReceipts } from '../receipts/block-receipts.ts';
import { toMainFault, type MainNodes } from '../rpc/main-nodes.ts';
import { isMethodNotFound } from '../rpc/node-features.ts';
import { readEventCounts, readEventTotal } from '../reads/event-counts.ts';
import { readEventRange } from '../reads/event-pages.ts';
import { headerCall, requireHeader, type Headers } from './headers.ts';
import type { RpcResponse, MainRpcCall } from '../rpc/json-rpc.ts';
import { CHIP_TOPICS, CONTROLLER_TOPICS, createLogEffects, EVENT_TOPICS, TOKEN_TRANSFER_TOPIC } from './log-effects.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import type { Multicall } from '../reads/multicall.ts';
import { createOwnershipReader } from '../reads/ownership.ts';
import { toQuantity } from '../rpc/quantities.ts';
import { areLogsOf, type LogFilter } from './log-filter.ts';
import { LogRows, readLogRows } from './log-rows.ts';
import { parseRawLog, type RawLog } from './raw-log.ts';
import { readBlockReceipts } from '../receipts/receipt-bytes.ts';
import type { MainUpstreamCounters } from '../rpc/upstream-counters.ts';

export interface MainChainLogOptions {
  readonly addresses: MainChainAddresses;
  readonly nodes: MainNodes;
  /** Sends reads of state; they agree where several nodes must. */
  readonly stateNodes: MainNodes;
  /** Sends the head poll; defaults to `nodes.request`. */
  readonly requestHead?: MainNodes['request'] | undefined;
  /** Whether the number of calls is limited. */
  readonly isMetered?: (() => boolean) | undefined;
  readonly headers: Headers;
  readonly multicall: Multicall;
  readonly counters: MainUpstreamCounters;
  readonly startRead: () => Deadline;
  readonly witnesses: readonly ChainWitness[];
  readonly countHosts?: MainChainLog['countHosts'];
  /** Returns the largest number of records per call. */
  readonly readPageLimit: (block: Header, deadline: Deadline) => Promise<number>;
}

export function createMainChainLog(options: MainChainLogOptions): MainChainLog {
  const { addresses, nodes, stateNodes, headers, multicall, counters, startRead, readPageLimit } = options;
  const effects = createLogEffects(addresses);
  const watched = new Set<string>(effects.addresses);
  /** Block after which the last poll of the head found none. */
  let emptySince: number | undefined;

  function registryOf(generation: EventGeneration): Address {
    const registry = generation === 'current' ? addresses.eventRegistry : addresses.legacy?.eventRegistry;
    if (registry === undefined) throw new Error('no first-generation event registry is configured');
    return registry;
  }

  function logsCall(
    fromBlock: number,
    toBlock: number | 'latest',
    { eventsOf, transfersOf, registryLogsOf }: Omit<LogQuery, 'fromBlock' | 'toBlock'> = {},
  ): MainRpcCall {
    const range = { fromBlock: toQuantity(fromBlock), toBlock: toBlock === 'latest' ? toBlock : toQuantity(toBlock) };
    if (transfersOf !== undefined) {
      const holder = `0x${transfersOf.holder.slice(2).padStart(64, '0')}`;
      const topics = [TOKEN_TRANSFER_TOPIC, ...(transfersOf.side === 'to' ? [null] : []), holder];
      return getLogs({ ...range, address: addresses.machineRegistry, topics });
    }
    if (registryLogsOf !== undefined) {
      const { group, machineId } = registryLogsOf;
      const address = group === 'chip' ? addresses.attestationRegistry : addresses.machineRegistry;
      const id = toTopic(machineId);
      const topics = {
        transfers: [TOKEN_TRANSFER_TOPIC, null, null, id],
        controllers: [CONTROLLER_TOPICS, id],
        chip: [CHIP_TOPICS, id],
      };
      return getLogs({ ...range, address, topics: topics[group] });
    }
    if (eventsOf === undefined) return getLogs({ ...range, address: effects.addresses });
    const topics = [EVENT_TOPICS, toTopic(eventsOf.machineId)];
    return getLogs({ ...range, address: registryOf(eventsOf.generation), topics });
  }

  const ownership = createOwnershipReader({ addresses, nodes: stateNodes, multicall, counters });

  /** Sends the calls. Throws `LogQueryRefused` when the node limits the rate. */
  async function request(
    calls: readonly MainRpcCall[],
    deadline: Deadline,
    send: MainNodes['request'] = nodes.request,
  ): Promise<readonly RpcResponse[]> {
    try {
      return await send(calls, deadline);
    } catch (error) {
      if (error instanceof RpcFailure && error.kind === 'rate') {
        const reason = error.code === PAYMENT_REQUIRED ? 'calls-used-up' : 'rate-limited';
        throw new LogQueryRefused(reason, error.retryAfterSeconds);
      }
      throw toMainFault(error);
    }
  }

  async function readNewest(deadline: Deadline): Promise<Header> {
    const [response] = await request([headerCall('latest')], deadline, options.requestHead);
    const newest = await headers.confirm(requireHeader(response!, 'latest'), deadline);
    headers.remember(newest);
    return newest;
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

  /**
   * Returns the logs of a response. Throws `ChainUnreadable` for a log outside the requested range and contracts, and
   * for more logs than one block can hold; `LogQueryRefused` where more blocks have as many.
   */
  async function requireLogs(response: RpcResponse, fromBlock: number, toBlock: number): Promise<ChainLog[]> {
    return mapInTicks(requireRawLogs(response), LOGS_PER_TICK, (raw, i) => {
      if (i === MAX_LOGS) {
        throw toBlock > fromBlock ? new LogQueryRefused('range-too-large') : chainUnreadable('main', 'malformed');
      }
      if (!watched.has(raw.address) || raw.blockNumber < fromBlock || raw.blockNumber > toBlock) {
        throw chainUnreadable('main', 'malformed');
      }
      return toChainLog(raw, raw.address as Address);
    });
  }

  /** Returns the watched logs of one block, and the bloom of all its logs for comparison with the header. */
  async function toBlockLogs(response: RpcResponse, block: BlockRef): Promise<BlockLogs> {
    const items = new Set<string>();
    let inPlace = 0;
    const watchedOrNone = await mapInTicks(requireRawLogs(response), LOGS_PER_TICK, (raw, i) => {
      if (raw.blockHash !== block.hash || raw.blockNumber !== block.number) throw chainUnreadable('main', 'malformed');
      if (raw.logIndex === i) inPlace += 1;
      items.add(raw.address);
      for (const topic of raw.topics) items.add(topic);
      return watched.has(raw.address) ? raw : undefined;
    });
    // Log indexes are consecutive: a gap is a withheld log, even where others set the same bits of the bloom.
    if (inPlace < watchedOrNone.length) throw new ResponseRejected('withheld-logs');
    const ours = watchedOrNone.filter((raw) => raw !== undefined);
    const logs = await mapInTicks(ours, LOGS_PER_TICK, (raw) => toChainLog(raw, raw.address as Address));
    const bloom = await buildBloomInTicks(items);
    return { logs, bloom };
  }

  /** Returns undefined when the logs may belong to another block than the head; they are then requested by hash. */
  async function toHeadLogs(response: RpcResponse, head: BlockRef): Promise<BlockLogs | undefined> {
    const raws = response.ok ? parseRawLogs(response.result) : [];
    const hashes = new Set<string | undefined>();
    await mapInTicks(raws, LOGS_PER_TICK, (raw) => hashes.add(raw?.blockHash));
    return hashes.size === 1 && hashes.has(head.hash) ? toBlockLogs(response, head) : undefined;
  }

  /**
   * Nodes behind one URL may differ in whether they serve receipts, so what some of them lack is requested again: one
   * block where none was served, while some are served and until no node may serve the method.
   */
  async function requestReceipts(blocks: readonly Header[]): Promise<readonly RpcResponse[]> {
    const calls = blocks.map(({ number }) => receiptsCall(number));
    const deadline = startRead();
    const responses = [...(await request(calls, deadline))];
    for (let failures = 0; failures < MAX_RECEIPTS_FAILURES;) {
      const missing = responses.flatMap((each, i) => (isMethodNotFound(each) ? [i] : []));
      if (missing.length === 0 || !nodes.mayServe(RECEIPTS_METHOD)) break;
      const repeated = missing.length === responses.length ? missing.slice(0, 1) : missing;
      const again = await request(
        repeated.map((i) => calls[i]!),
        deadline,
      );
      repeated.forEach((i, place) => (responses[i] = again[place]!));
      failures = again.every(isMethodNotFound) ? failures + 1 : 0;
    }
    return responses;
  }

  /** Returns the watched logs of the block; undefined when they are not proven. */
  async function toProvenLogs(response: RpcResponse, header: Header): Promise<ProvenLog[] | undefined> {
    const raws = response.ok ? proveReceipts(header, response.result, watched) : undefined;
    if (raws === undefined) return undefined;
    const logs = await mapInTicks(raws, LOGS_PER_TICK, (raw) => raw && toChainLog(raw, raw.address as Address));
    return logs.filter((log) => log !== undefined);
  }

  return {
    addresses: effects.addresses,
    witnesses: options.witnesses,
    countHosts: options.countHosts,
    listMalformedNodes: nodes.listMalformed,
    listLacks: () => [
      ...(nodes.lacksBatches() ? (['batches'] as const) : []),
      ...(multicall.isAggregate() ? [] : (['multicall'] as const)),
    ],
    get logLimits() {
      return nodes.firstProfile('eth_getLogs').logLimits;
    },
    get servesReceipts() {
      return nodes.mayServe(RECEIPTS_METHOD);
    },
    readHeader: (block) => headers.read(block, startRead()),
    readHeaders: (numbers) => headers.readMany(numbers, startRead()),
    async readLogs({ fromBlock, toBlock, ...only }) {
      const [response] = await request([logsCall(fromBlock, toBlock, only)], startRead());
      // An unclear refusal may be a limit; only a smaller range shows whether it is one.
      const isDivisible = toBlock > fromBlock && Object.keys(only).length === 0;
      if (isDivisible && isUnclear(response!)) throw new LogQueryRefused('range-too-large');
      return requireLogs(response!, fromBlock, toBlock);
    },
    async readHeadAndLogs(since, wantsHeadLogs) {
      const withHeadLogs = wantsHeadLogs && !nodes.firstProfile('eth_getLogs').lacks('logs-of-any-address');
      // The range includes `since`, because some nodes refuse a range that begins above their head.
      const calls = [headerCall('latest'), logsCall(since, 'latest'), ...(withHeadLogs ? [HEAD_LOGS] : [])];
      const deadline = startRead();
      // Where calls are counted, waiting for a late block costs one call a poll.
      if (emptySince === since && options.isMetered?.() === true) {
        const newest = await readNewest(deadline);
        if (newest.number <= since) return { head: newest, logs: [], headLogs: undefined };
      }
      const [header, found, whole] = (await request(calls, deadline, options.requestHead)) as [
        RpcResponse,
        RpcResponse,
        RpcResponse?,
      ];
      // An error for both calls is a refusal of the log query.
      if (!header.ok && !found.ok) requireRawLogs(found);
      const named = requireHeader(header, 'latest');
      const head = await headers.confirm(named, deadline);
      // The logs end at the block of a node that is behind, which is left out from now on.
      if (head.number > named.number) throw chainUnreadable('main', 'disagreement');
      headers.remember(head);
      emptySince = head.number <= since ? since : undefined;
      // A node that lags behind may refuse the range; there are no new logs then.
      if (head.number <= since && !found.ok) return { head, logs: [], headLogs: undefined };
      if (isUnclear(found)) throw new LogQueryRefused('range-too-large');
      const logs = (await requireLogs(found, since, Number.MAX_SAFE_INTEGER)).filter((log) => log.blockNumber > since);
      return { head, logs, headLogs: whole && (await toHeadLogs(whole, head)) };
    },
    async readBlockLogs(blocks) {
      const calls = blocks.map(({ hash }) => getLogs({ blockHash: hash }));
      const responses = await request(calls, startRead());
      const found: BlockLogs[] = [];
      for (const [i, response] of responses.entries()) found.push(await toBlockLogs(response, blocks[i]!));
      return found;
    },
    async readProvenLogs(wanted, take) {
      const responses = await requestReceipts(wanted);
      for (const [i, response] of responses.entries()) {
        const logs = await toProvenLogs(response, wanted[i]!);
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
    async readEventTotal(block) {
      const deadline = startRead();
      return readEventTotal(multicall, addresses.eventRegistry, await headers.readExactly(block, deadline), deadline);
    },
    async readEventCounts(block, ids) {
      const deadline = startRead();
      const pinned = await headers.readExactly(block, deadline);
      return readEventCounts(multicall, addresses.eventRegistry, ids, pinned, deadline);
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

/** Code of geth and reth for history that they have dropped (EIP-4444). */
const HISTORY_PRUNED = 4_444;

function toTopic(id: MachineId): string {
  return `0x${id.toString(16).padStart(64, '0')}`;
}

const RECEIPTS_METHOD = 'eth_getBlockReceipts';
/** Repeated requests in a row for receipts that none of the nodes behind a URL served. */
const MAX_RECEIPTS_FAILURES = 4;
/** About 10 ms for blocks of 125 logs. */
const BLOCKS_PER_TICK = 16;

function receiptsCall(block: number): MainRpcCall {
  return { method: RECEIPTS_METHOD, params: [toQuantity(block)], read: readBlockReceipts };
}

/** All logs of the newest block, which are not needed. */
const HEAD_LOGS: MainRpcCall = {
  method: 'eth_getLogs',
  params: [{ fromBlock: 'latest', toBlock: 'latest' }],
  read: readLogRows,
};

function getLogs(filter: LogFilter): MainRpcCall {
  const accepts = (result: unknown) => areLogsOf(filter, result);
  return { method: 'eth_getLogs', params: [filter], read: readLogRows, accepts };
}

/** Parses the logs of a result one by one; undefined in place of anything else. */
function parseRawLogs(result: unknown): Iterable<RawLog | undefined> {
  if (result instanceof LogRows) return result;
  return Array.isArray(result) ? result.map(parseRawLog) : [undefined];
}

/** Logs that are handled without yielding to other requests: a few milliseconds. */
const LOGS_PER_TICK = 500;

/** Logs of one response: what follows handles them in one tick. The contracts of a block emit far fewer. */
const MAX_LOGS = 50_000;

/** Builds the bloom of the given addresses and topics, which are hashed in ticks. */
async function buildBloomInTicks(items: Iterable<string>): Promise<string> {
  let bloom = buildBloom([]);
  let part: string[] = [];
  await mapInTicks(items, LOGS_PER_TICK, (item) => {
    part.push(item);
    if (part.length < LOGS_PER_TICK) return;
    bloom = mergeBlooms(bloom, buildBloom(part));
    part = [];
  });
  return mergeBlooms(bloom, buildBloom(part));
}

/**
 * Returns the logs of a response, which throw `ChainUnreadable` where one is malformed. Throws `LogQueryRefused` when a
 * smaller range may pass, else `ChainUnreadable`.
 */
function requireRawLogs(response: RpcResponse): Iterable<RawLog> {
  if (!response.ok) {
    if (response.code === HISTORY_PRUNED) throw new LogQueryRefused('history-pruned');
    if (response.hint === 'too-large') throw new LogQueryRefused('range-too-large');
    if (response.code === METHOD_NOT_FOUND) throw new LogQueryRefused('logs-refused');
    throw chainUnreadable('main', response.hint === 'unknown-block' ? 'block-mismatch' : 'rpc-error');
  }
  return requireAll(parseRawLogs(response.result));
}

/** Returns whether an error says neither what the limit is nor that the query can never succeed. */
function isUnclear(response: RpcResponse): boolean {
  if (response.ok || response.hint !== undefined) return false;
  return response.code !== METHOD_NOT_FOUND && response.code !== HISTORY_PRUNED;
}

function* requireAll(logs: Iterable<RawLog | undefined>): Generator<RawLog> {
  for (const log of logs) {
    if (log === undefined) throw chainUnreadable('main', 'malformed');
    yield log;
  }
}
