/**
 * Delivers calls to one node in as few requests as the node allows. A refused batch is asked again in smaller ones, down
 * to single calls, whatever the refusal says; a batch that is answered in part keeps its good responses. The first and
 * the last part travel alone, so that a caller can check the same block before and after its other calls.
 */
import type { CallOutcome } from '../../../domain/metrics/call-counter.ts';
import type { CallBudget } from '../../rpc/call-budget.ts';
import { pauseWithin } from '../../rpc/node-rate.ts';
import type { Deadline, Stopwatch } from '../../rpc/deadline.ts';
import type { NodePool, PoolNode } from '../../rpc/node-pool.ts';
import { METHOD_NOT_FOUND, RpcFailure } from '../../rpc/rpc-failure.ts';
import type { LargeResponseReader } from './large-response-reader.ts';
import { FIRST_GATEWAY_STATUS, isRateLimited, sendMainRpc, type MainRpcCall, type RpcResponse } from './json-rpc.ts';

export interface BatchDelivery {
  /** Returns the responses in the order of the calls, all from this node. Throws `RpcFailure`. */
  deliver(node: PoolNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcResponse[]>;
  /**
   * Delivers calls whose results prove something together: several nodes may answer behind one URL, so all results are of one request, unless
   * one of the calls fails. At a URL that serves no batches of this size, the calls are sent one by one. Throws `RpcFailure`.
   */
  deliverTogether(node: PoolNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcResponse[]>;
  /** Returns whether the node refused two headers in one request and has answered no batch in this process. */
  lacksBatches(node: PoolNode): boolean;
  /** Returns the number of calls that the node accepts in one request with calls of several methods. */
  batchRoom(node: PoolNode): number;
}

export interface BatchDeliveryOptions {
  readonly pool: Pick<NodePool<unknown>, 'exchange'>;
  /** Reads large responses outside of the main thread. */
  readonly largeResponses?: LargeResponseReader | undefined;
  readonly maxBatchCalls: number;
  readonly budget: Pick<CallBudget, 'maxCalls' | 'partCalls'>;
  readonly stopwatch: Stopwatch;
  readonly counters: { rpcCalls: number };
}

/** Name of the limit for calls of several methods. */
const MIXED = 'mixed';
const HEADER_METHOD = 'eth_getBlockByNumber';
/** Headers that count as one other call: they are short and looked up, not computed. */
const HEADERS_PER_CALL = 10;
/** Requests in flight for one delivery while its parts are small, or wait for a call budget. */
const PARALLEL_PARTS = 4;
const SMALL_PART_CALLS = 10;
/** Delay before rate-limited calls are sent again; doubles while none of them is accepted. */
const FIRST_WAIT_MILLISECONDS = 250;

/** Waits before a call is sent again that failed at a gateway. */
const CALLER_WAITS_MILLISECONDS = [0, 100];
const BACKGROUND_WAITS_MILLISECONDS = [0, 500, 1_000];

/** Requests for calls that belong together before they are sent one by one. */
const JOINT_ATTEMPTS = 2;
/** A node that refuses so many batches in a row and answers their calls one by one does not serve batches of this size. */
const MAX_REFUSED_BATCHES = 3;

/** Failures of the gateway in a row that a delivery survives, besides the repetition of each single call. */
const MAX_GATEWAY_FAILURES = 3;

interface GatewayFailures {
  readonly count: number;
  readonly atMilliseconds: number;
}

interface NodeBatches {
  /** Calls of the largest batch that the node read. */
  readonly largest: number;
  /** Larger batches in a row that it refused, and whose calls it answered one by one. */
  readonly refused: number;
}

const NO_BATCHES: NodeBatches = { largest: 1, refused: 0 };

type Received = readonly (RpcResponse | undefined)[];

export function createBatchDelivery(options: BatchDeliveryOptions): BatchDelivery {
  const { pool, largeResponses, maxBatchCalls, budget, stopwatch, counters } = options;

  /** Failures of the gateway of a node in a row during the deliveries of a deadline. */
  const gatewayFailures = new WeakMap<Deadline, Map<PoolNode, GatewayFailures>>();
  const batches = new WeakMap<PoolNode, NodeBatches>();
  const batchesOf = (node: PoolNode) => batches.get(node) ?? NO_BATCHES;

  function limitOf(node: PoolNode, calls: readonly MainRpcCall[]) {
    const method = calls[0]!.method;
    const isMixed = !calls.every((call) => call.method === method);
    return isMixed ? node.profile.batchLimit(MIXED, maxBatchCalls) : limitOfMethod(node, method);
  }

  function limitOfMethod({ profile }: PoolNode, method: string) {
    return profile.batchLimit(method, (method === HEADER_METHOD ? HEADERS_PER_CALL : 1) * maxBatchCalls);
  }

  async function exchange(node: PoolNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<Received> {
    counters.rpcCalls += calls.length;
    const received: Received = await pool.exchange(
      node,
      {
        methods: calls.map(({ method }) => method),
        send: (target, sendOptions) => sendMainRpc(target, calls, { ...sendOptions, largeResponses }),
        outcomes: (received) => received.map(toOutcome),
        countRateLimited: (received) => received.filter((each) => each !== undefined && isRateLimited(each)).length,
      },
      deadline,
    );
    const { largest } = batchesOf(node);
    if (calls.length > largest && received.some((each) => each?.ok))
      batches.set(node, { largest: calls.length, refused: 0 });
    for (const [i, response] of received.entries()) if (response?.ok) calls[i]!.onResult?.(response.result);
    return received;
  }

  /** Sends calls in parts that the node accepts. */
  async function deliver(node: PoolNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcResponse[]> {
    const responses: RpcResponse[] = [];
    let next = 0;
    const isPaced = calls.length > budget.maxCalls;
    const partSize = () =>
      Math.min(limitOf(node, calls).size, node.profile.rate.maxCalls, isPaced ? budget.partCalls : budget.maxCalls);

    async function sendPart(send = sendBatch): Promise<void> {
      const from = next;
      next += partSize();
      try {
        const received = await send(node, calls.slice(from, next), deadline);
        for (const [i, response] of received.entries()) responses[from + i] = response;
        // A batch records its outcome itself; after many calls sent one by one, a batch is tried again.
        const limit = limitOf(node, calls);
        if (calls.length > 1 && limit.size === 1) limit.recordSuccess(1);
      } catch (error) {
        next = calls.length; // The other lanes stop.
        throw error;
      }
    }

    async function sendMiddle(): Promise<void> {
      while (calls.length - next > partSize()) await sendPart(sendPatiently);
    }

    if (calls.length > 0) await sendPart();
    const lanes = isPaced || partSize() <= SMALL_PART_CALLS ? PARALLEL_PARTS : 1;
    await Promise.all(Array.from({ length: lanes }, sendMiddle));
    while (next < calls.length) await sendPart(sendPatiently);
    return responses;
  }

  /** Returns whether the gateway failed, and not too often since the last part that passed. */
  function mayPass(node: PoolNode, { isOfGateway }: RpcFailure, deadline: Deadline): boolean {
    const now = stopwatch.nowMilliseconds();
    const failures = gatewayFailures.get(deadline) ?? new Map<PoolNode, GatewayFailures>();
    const last = failures.get(node) ?? { count: 0, atMilliseconds: -Infinity };
    // Lanes that fail together count as one failure.
    const isNew = now - last.atMilliseconds >= FIRST_WAIT_MILLISECONDS;
    const count = last.count + Number(isNew);
    if (isNew) gatewayFailures.set(deadline, failures.set(node, { count, atMilliseconds: now }));
    return isOfGateway && count <= MAX_GATEWAY_FAILURES;
  }

  /**
   * Waits within the deadline for the rate limit, for memory, and for a gateway that fails several times in a row, because
   * other calls of the delivery have been answered already: a long one would hardly ever end otherwise.
   */
  async function sendPatiently(
    node: PoolNode,
    calls: readonly MainRpcCall[],
    deadline: Deadline,
  ): Promise<RpcResponse[]> {
    for (let waitMilliseconds = FIRST_WAIT_MILLISECONDS; ; waitMilliseconds *= 2) {
      try {
        const responses = await deliver(node, calls, deadline);
        gatewayFailures.get(deadline)?.delete(node);
        return responses;
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        const isTemporary = error.kind === 'rate' || error.kind === 'local';
        if (!isTemporary && !mayPass(node, error, deadline)) throw error;
        const pause = Math.max(waitMilliseconds, (error.retryAfterSeconds ?? 0) * 1000);
        if (stopwatch.nowMilliseconds() + pause >= deadline.atMilliseconds) throw error;
        await pauseWithin(stopwatch, pause, deadline);
      }
    }
  }

  /**
   * Sends one request, at once again when a gateway in front of the node failed, and again after a wait: the next one often passes. Those
   * of the index and its proof wait longer, because some gateways limit the rate without a word about it.
   */
  async function exchangeRepeatedly(
    node: PoolNode,
    calls: readonly MainRpcCall[],
    deadline: Deadline,
  ): Promise<Received> {
    const { kind } = deadline.purpose.work;
    const waits = kind === 'index' || kind === 'proof' ? BACKGROUND_WAITS_MILLISECONDS : CALLER_WAITS_MILLISECONDS;
    for (const wait of waits) {
      try {
        return await exchange(node, calls, deadline);
      } catch (error) {
        if (!isOfGateway(error) || deadline.signal.aborted) throw error;
        if (wait > 0) await pauseWithin(stopwatch, wait, deadline);
      }
    }
    return exchange(node, calls, deadline);
  }

  /** Sends one call. A log query that fails while its first block can be read was too large, whatever the error says. */
  async function sendOne(node: PoolNode, call: MainRpcCall, deadline: Deadline): Promise<RpcResponse[]> {
    const isRange = async (smallerCalls: readonly MainRpcCall[]) => {
      for (const smaller of smallerCalls) {
        if (deadline.signal.aborted) return false;
        const [response] = await exchange(node, [smaller], deadline).catch(() => []);
        if (response?.ok === true) return true;
      }
      return false;
    };
    try {
      const [response] = await exchangeRepeatedly(node, [call], deadline);
      if (response === undefined) throw new RpcFailure('malformed');
      return isUnclearError(response) && (await isRange(narrow(call).slice(0, 1)))
        ? [{ ...response, hint: 'too-large' }]
        : [response];
    } catch (error) {
      if (!(error instanceof RpcFailure) || !isRefusal(error) || !(await isRange(narrow(call)))) throw error;
      return [RANGE_REFUSED];
    }
  }

  /** Sends one request, and what a refusal or an incomplete answer leaves open in smaller ones. */
  async function sendBatch(node: PoolNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcResponse[]> {
    if (calls.length === 1) return sendOne(node, calls[0]!, deadline);
    const limit = limitOf(node, calls);
    let received: Received | undefined;
    let isUnclear = false;
    try {
      received = await exchange(node, calls, deadline);
    } catch (error) {
      if (!(error instanceof RpcFailure) || deadline.signal.aborted) throw error;
      if (error.unreadable === 'deadline') limit.recordUnclearRefusal(calls.length);
      if (!isRefusal(error)) throw error;
      // A node that was not reached says nothing about the size.
      isUnclear = error.isOfGateway && error.code! >= FIRST_GATEWAY_STATUS;
    }
    if (received !== undefined && !isRefusedBatch(received)) return complete(node, calls, received, deadline);
    // A single call distinguishes a refused batch from calls that fail by themselves, and from a node that is down.
    const [first] = await sendBatch(node, calls.slice(0, 1), deadline);
    if (received !== undefined && isSameError([first, ...received])) return received as RpcResponse[];
    if (isUnclear) limit.recordUnclearRefusal(calls.length);
    else limit.recordRefusal(calls.length);
    return [first!, ...(await sendPatiently(node, calls.slice(1), deadline))];
  }

  /** Asks again for what a batch lacks. */
  async function complete(
    node: PoolNode,
    calls: readonly MainRpcCall[],
    received: Received,
    deadline: Deadline,
  ): Promise<RpcResponse[]> {
    const limit = limitOf(node, calls);
    const open = received.flatMap((response, i) => (isOpen(response) ? [i] : []));
    if (open.length === 0) {
      limit.recordSuccess(calls.length);
      return received as RpcResponse[];
    }
    if (received.some((response) => response !== undefined && isRateLimited(response))) {
      await pauseWithin(stopwatch, FIRST_WAIT_MILLISECONDS, deadline);
    }
    const openCalls = open.map((i) => calls[i]!);
    const again = (await sendPatiently(node, openCalls, deadline)).values();
    const responses = received.map((response) => (isOpen(response) ? again.next().value! : response!));
    const last = calls.at(-1)!;
    if (last.isCheck === true && !isOpen(received.at(-1))) {
      responses.splice(-1, 1, ...(await sendPatiently(node, [last], deadline)));
    }
    const missing = received.filter((response) => response === undefined);
    const isRefused = open.some((i) => isBatchLimit(received[i]) && responses[i]!.ok);
    if (isRefused || 2 * missing.length >= calls.length) limit.recordRefusal(calls.length);
    return responses;
  }

  async function sendSingly(node: PoolNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcResponse[]> {
    const responses: RpcResponse[] = [];
    for (const call of calls) responses.push(...(await sendPatiently(node, [call], deadline)));
    return responses;
  }

  async function deliverTogether(
    node: PoolNode,
    calls: readonly MainRpcCall[],
    deadline: Deadline,
  ): Promise<RpcResponse[]> {
    const isServed = ({ largest, refused }: NodeBatches) => calls.length <= largest || refused < MAX_REFUSED_BATCHES;
    if (calls.length === 1 || !isServed(batchesOf(node))) return sendSingly(node, calls, deadline);
    for (let attempt = 1; attempt <= JOINT_ATTEMPTS; attempt += 1) {
      const received = await exchangeRepeatedly(node, calls, deadline).catch((error: unknown) => {
        if (error instanceof RpcFailure && isRefusal(error) && !deadline.signal.aborted) return [];
        throw error;
      });
      if (received.some((each) => each !== undefined && isRateLimited(each))) throw new RpcFailure('transport', 'rate');
      if (isAnswered(received)) return received;
    }
    // One by one, the calls show which of them fails.
    const responses = await sendSingly(node, calls, deadline);
    if (!responses.every(({ ok }) => ok)) return responses;
    const { largest, refused } = batchesOf(node);
    batches.set(node, { largest, refused: calls.length > largest ? refused + 1 : 0 });
    throw new RpcFailure('malformed', 'refused');
  }

  return {
    deliver,
    deliverTogether,
    lacksBatches: (node) => batchesOf(node).largest === 1 && limitOfMethod(node, HEADER_METHOD).bounds.refused === 2,
    batchRoom: ({ profile }) => Math.min(profile.batchLimit(MIXED, maxBatchCalls).size, budget.maxCalls),
  };
}

/** Returns whether each call has a response, and not only errors, which may be those of the batch. */
function isAnswered(received: Received): received is RpcResponse[] {
  return received.some((each) => each?.ok) && received.every((each) => each !== undefined);
}

function isOfGateway(error: unknown): boolean {
  return error instanceof RpcFailure && error.isOfGateway;
}

/** Returns whether a smaller request may pass, whatever the reason is. */
function isRefusal({ kind, unreadable }: RpcFailure): boolean {
  return kind === 'refused' || (kind === 'failed' && (unreadable === 'transport' || unreadable === 'malformed'));
}

const RANGE_REFUSED: RpcResponse = { ok: false, code: 0, revertData: undefined, hint: 'too-large' };

/**
 * Returns smaller queries in place of a log query over a range of blocks: for its first block, then for one address of a
 * list in it, because a node may refuse lists too. Empty for any other call.
 */
function narrow({ method, params }: MainRpcCall): MainRpcCall[] {
  const filter = params[0] as { readonly fromBlock?: unknown; readonly toBlock?: unknown; readonly address?: unknown };
  if (method !== 'eth_getLogs' || filter.fromBlock === undefined || filter.fromBlock === filter.toBlock) return [];
  const ofFirstBlock = { ...filter, toBlock: filter.fromBlock };
  const { address } = filter;
  const filters = Array.isArray(address)
    ? [ofFirstBlock, { ...ofFirstBlock, address: address[0] as unknown }]
    : [ofFirstBlock];
  return filters.map((each) => ({ method, params: [each] }));
}

/** Returns whether an error may mean anything. */
export function isUnclearError(response: RpcResponse): response is RpcResponse & { readonly ok: false } {
  return (
    !response.ok &&
    response.hint === undefined &&
    response.revertData === undefined &&
    response.code !== METHOD_NOT_FOUND
  );
}

/** Returns whether all calls have the same error, which may be the refusal of the batch. */
function isSameError(received: Received): boolean {
  const [first] = received;
  if (first === undefined || first.ok || first.revertData !== undefined) return false;
  if (first.code === METHOD_NOT_FOUND || first.hint === 'unknown-block') return false;
  return received.every((each) => each?.ok === false && each.code === first.code && each.hint === first.hint);
}

/** Returns whether no call was answered for a reason that a smaller batch may not have: asking again for all would not end. */
function isRefusedBatch(received: Received): boolean {
  return isSameError(received) || received.every((each) => each === undefined || isBatchLimit(each));
}

function isOpen(response: RpcResponse | undefined): boolean {
  return response === undefined || isRateLimited(response) || isBatchLimit(response);
}

/** Returns whether the call may pass in a smaller batch. */
function isBatchLimit(response: RpcResponse | undefined): boolean {
  return response?.ok === false && (response.hint === 'batch' || response.hint === 'too-large');
}

function toOutcome(response: RpcResponse | undefined): CallOutcome {
  if (response === undefined) return 'failed';
  return response.ok ? 'answered' : 'error';
}
