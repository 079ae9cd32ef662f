/**
 * What happened on the main chain, block by block? Logs and headers for the indexers (chain-evm 4 and 6).
 * A log is believed only if it is one that was asked for; a refused query says whether to ask for less or to wait.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../../domain/machine/machine-facts.ts';
import { buildBloom } from '../../../domain/index-rules/bloom.ts';
import { AnswerRejected } from '../../../domain/index-rules/rejected-answer.ts';
import {
  LogQueryRefused,
  type BlockLogs,
  type ChainLog,
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
import { headerCall, needHeader, type Headers } from './headers.ts';
import { MainRpcError, type RpcAnswer, type MainRpcCall } from '../rpc/json-rpc.ts';
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
  readonly endpoints: MainNodes;
  /** How the newest head is asked for; `endpoints.request` when not given. */
  readonly lead?: MainNodes['request'] | undefined;
  readonly headers: Headers;
  readonly multicall: Multicall;
  readonly counters: MainUpstreamCounters;
  readonly startRead: () => Deadline;
  readonly maxBatchCalls: number;
  /** The most records one call may ask for. */
  readonly readPageLimit: (block: Header, deadline: Deadline) => Promise<number>;
}

export function createMainChainLog(options: MainChainLogOptions): MainChainLog {
  const { addresses, endpoints, headers, multicall, counters, startRead, maxBatchCalls, readPageLimit } = options;
  const effects = createLogEffects(addresses);
  const watched = new Set<string>(effects.addresses);

  function registryOf(generation: EventGeneration): Address {
    const registry = generation === 'second' ? addresses.eventRegistry : addresses.legacy?.eventRegistry;
    if (registry === undefined) throw new Error('no first-generation event registry is configured');
    return registry;
  }

  function logsCall(fromBlock: number, toBlock: number | 'latest', eventsOf?: LogQuery['eventsOf']): MainRpcCall {
    const range = { fromBlock: toQuantity(fromBlock), toBlock: toBlock === 'latest' ? toBlock : toQuantity(toBlock) };
    if (eventsOf === undefined) return { method: 'eth_getLogs', params: [{ ...range, address: effects.addresses }] };
    const topics = [EVENT_TOPICS, `0x${eventsOf.machineId.toString(16).padStart(64, '0')}`];
    return { method: 'eth_getLogs', params: [{ ...range, address: registryOf(eventsOf.generation), topics }] };
  }

  const ownership = createOwnershipReader({ addresses, endpoints, multicall, counters });
  const batcher = createBatcher({ request }, maxBatchCalls);
  /** Receipts are longer than logs: what a node refuses here it may well take there. */
  const receiptsBatcher = createBatcher({ request }, maxBatchCalls);
  let tellsReceipts = true;

  /** Throws `LogQueryRefused` where asking later may help. */
  async function request(
    calls: readonly MainRpcCall[],
    deadline: Deadline,
    send: MainNodes['request'] = endpoints.request,
  ): Promise<readonly RpcAnswer[]> {
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
    const judged = effects.judge(address, raw.topics, raw.data);
    if (judged === undefined) throw chainUnreadable('main', 'malformed');
    if (judged.effect.kind === 'unknown') counters.unknownLogs += 1;
    const { blockNumber, blockHash, logIndex, transactionHash, blockTimestamp } = raw;
    return { address, blockNumber, blockHash, logIndex, transactionHash, blockTimestamp, ...judged };
  }

  /** Logs of the service's contracts, all within the range that was asked. */
  function needLogs(answer: RpcAnswer, fromBlock: number, toBlock: number): ChainLog[] {
    return needRawLogs(answer).map((raw) => {
      if (!watched.has(raw.address) || raw.blockNumber < fromBlock || raw.blockNumber > toBlock) {
        throw chainUnreadable('main', 'malformed');
      }
      return toChainLog(raw, raw.address as Address);
    });
  }

  /** Logs of everyone in one block, which alone can be compared with the bloom of its header. */
  function toBlockLogs(answer: RpcAnswer, block: BlockRef): BlockLogs {
    const raws = needRawLogs(answer);
    const isOfBlock = (raw: RawLog) => raw.blockHash === block.hash && raw.blockNumber === block.number;
    if (!raws.every(isOfBlock)) throw chainUnreadable('main', 'malformed');
    // The logs of a block are numbered through: a gap is a log that is hidden, even where others set the same bits of the bloom.
    if (!raws.every(({ logIndex }, i) => logIndex === i)) throw new AnswerRejected('withheld-logs');
    const logs = raws
      .filter(({ address }) => watched.has(address))
      .map((raw) => toChainLog(raw, raw.address as Address));
    return { logs, bloom: buildBloom(new Set(raws.flatMap(({ address, topics }) => [address, ...topics]))) };
  }

  /** What cannot be of the head, because a new one came in between or the node does not tell, is asked for by hash. */
  function toHeadLogs(answer: RpcAnswer, head: BlockRef): BlockLogs | undefined {
    if (!answer.ok || !Array.isArray(answer.result) || answer.result.length === 0) return undefined;
    const raws = answer.result.map(parseRawLog);
    return raws.every((raw) => raw?.blockHash === head.hash) ? toBlockLogs(answer, head) : undefined;
  }

  function toProvenLogs(answer: RpcAnswer, header: Header): ProvenLog[] | undefined {
    if (!answer.ok && answer.code === METHOD_NOT_FOUND) tellsReceipts = false;
    const raws = answer.ok ? proveReceipts(header, answer.result, watched) : undefined;
    return raws?.map((raw) => toChainLog(raw, raw.address as Address));
  }

  return {
    addresses: effects.addresses,
    get tellsReceipts() {
      return tellsReceipts;
    },
    readHeader: (block) => headers.read(block, startRead()),
    readHeaders: (numbers) => headers.readMany(numbers, startRead()),
    async readLogs({ fromBlock, toBlock, eventsOf }) {
      const [answer] = await request([logsCall(fromBlock, toBlock, eventsOf)], startRead());
      return needLogs(answer!, fromBlock, toBlock);
    },
    async readHeadAndLogs(since, withHeadLogs) {
      // The block `since` is asked for too, because some nodes refuse a range that begins above their head.
      const calls = [headerCall('latest'), logsCall(since, 'latest'), ...(withHeadLogs ? [HEAD_LOGS] : [])];
      const [header, found, whole] = (await request(calls, startRead(), options.lead)) as [
        RpcAnswer,
        RpcAnswer,
        RpcAnswer?,
      ];
      // A refusal of the whole answer is the logs' doing.
      if (!header.ok && !found.ok) needRawLogs(found);
      const head = needHeader(header, 'latest');
      headers.remember(head);
      // A node that is behind may refuse the range; then it has no news.
      if (head.number <= since && !found.ok) return { head, logs: [], headLogs: undefined };
      const logs = needLogs(found, since, Number.MAX_SAFE_INTEGER).filter((log) => log.blockNumber > since);
      return { head, logs, headLogs: whole && toHeadLogs(whole, head) };
    },
    async readBlockLogs(blocks) {
      const calls = blocks.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash }] }));
      const answers = await batcher.request(calls, startRead());
      return answers.map((answer, i) => toBlockLogs(answer, blocks[i]!));
    },
    async readProvenLogs(wanted, take) {
      const calls = wanted.map(({ number }) => receiptsCall(number));
      const answers = await receiptsBatcher.request(calls, startRead());
      for (const [i, answer] of answers.entries()) {
        const logs = toProvenLogs(answer, wanted[i]!);
        if (logs === undefined) return false;
        take(logs);
        // Requests must not wait while many full blocks are hashed.
        if (i % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) await nextTurn();
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

/** Some 10 ms for blocks of 125 logs. */
const BLOCKS_PER_TURN = 16;

function receiptsCall(block: number): MainRpcCall {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(block)], read: readBlockReceipts };
}

/** Everything that the newest block logged. */
const HEAD_LOGS: MainRpcCall = { method: 'eth_getLogs', params: [{ fromBlock: 'latest', toBlock: 'latest' }] };

/** Throws `LogQueryRefused` where asking for less may help. */
function needRawLogs(answer: RpcAnswer): RawLog[] {
  if (!answer.ok) {
    if (answer.hint === 'too-large') throw new LogQueryRefused('range-too-large');
    throw chainUnreadable('main', answer.hint === 'unknown-block' ? 'block-mismatch' : 'rpc-error');
  }
  const logs = Array.isArray(answer.result) ? answer.result.map(parseRawLog) : [undefined];
  if (logs.includes(undefined)) throw chainUnreadable('main', 'malformed');
  return logs as RawLog[];
}
