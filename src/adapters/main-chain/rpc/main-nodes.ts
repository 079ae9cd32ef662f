/**
 * Nodes of the main chain: the pool with the meaning of this chain's responses. The chain id of a node is checked before
 * any other response of it is accepted.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { NodeProfiles } from '../../../ports/node-profiles.ts';
import { REAL_STOPWATCH, type Deadline } from '../../rpc/deadline.ts';
import { openNodePool, type OnIdentityFailure, type PoolNode, type PoolOptions } from '../../rpc/node-pool.ts';
import type { NodeProfile } from '../../rpc/node-profile.ts';
import { pauseWithin } from '../../rpc/node-rate.ts';
import { RpcFailure, toUnreadableCause } from '../../rpc/rpc-failure.ts';
import { divideAddressLists } from './address-lists.ts';
import { createBatchDelivery } from './batch-delivery.ts';
import { isRefused, lacksMethodMoreSurely, learnFeatures, learnRefusals, rankLack } from './node-features.ts';
import { parseQuantity } from './quantities.ts';
import { isOversized, type MainRpcCall, type RpcResponse } from './json-rpc.ts';
import { createLargeResponseReader } from './large-response-reader.ts';
import type { MainChainLimits } from '../limits.ts';
import type { MainUpstreamCounters } from './upstream-counters.ts';

export interface MainNodes {
  /**
   * Sends all calls to one node, in as few requests as it allows, and to another node if that fails, or refuses one of the first `needed`
   * calls, by default all, with an error that proves nothing about the chain. A node that never knows a method is not asked because others do
   * not know it this time. Where every node refuses, the responses of the first one are returned. A transient error without revert data
   * (-32603, -32000, an unknown block) among the first `needed` responses is tried once more after a delay. Throws `RpcFailure`.
   */
  request(calls: readonly MainRpcCall[], deadline: Deadline, needed?: number): Promise<readonly RpcResponse[]>;
  /** Returns how many calls of several methods the first usable node accepts in one request. */
  batchRoom(): number;
  /** Returns whether the first usable node serves no batches. */
  lacksBatches(): boolean;
  /** Returns whether another node may serve calls with these responses: some of them are errors that prove nothing about the chain. */
  mayReplace(calls: readonly MainRpcCall[], responses: readonly RpcResponse[]): boolean;
  /** Returns what was learned about the first usable node, of those that serve this method where there is one. */
  firstProfile(method?: string): NodeProfile;
  /** Returns whether some node has not refused the method several times in a row of late. */
  mayServe(method: string): boolean;
  /** The nodes in the order of the configuration, each to be used alone. */
  readonly members: readonly MainNode[];
  /** Returns the positions of the nodes that another one replaces because of malformed responses. */
  listMalformed(): readonly number[];
  /** Returns the chain id of every node in the order of the configuration; undefined where a node does not respond. */
  readChainIds(deadline: Deadline, onFailure?: OnIdentityFailure): Promise<readonly (number | undefined)[]>;
  /** Returns what was learned about each node, to be stored. */
  listProfiles(): NodeProfiles;
  close(): Promise<void>;
}

export interface MainNode {
  readonly position: number;
  /** False while its circuit breaker is open. */
  isAvailable(): boolean;
  readonly profile: NodeProfile;
  /** Sends the calls to this node alone, once. Throws `RpcFailure`, after recording the failure. */
  request(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcResponse[]>;
  /** As `request`; the results prove something together, so they are of one request (`BatchDelivery.deliverTogether`). */
  requestTogether(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcResponse[]>;
  /** Opens its circuit breaker. */
  leaveOut(failure: RpcFailure): void;
}

export interface MainNodesOptions extends PoolOptions {
  readonly chainId: number;
  /** Name of the chain in the log; defaults to `main`. */
  readonly chain?: string | undefined;
  readonly limits: MainChainLimits;
  readonly counters: MainUpstreamCounters;
}

export function createMainNodes(options: MainNodesOptions): MainNodes {
  const { chainId, chain = 'main', limits, counters, budget, stopwatch = REAL_STOPWATCH } = options;
  const largeResponses = createLargeResponseReader();
  const pool = openNodePool(options, { chain, expected: chainId, readIdentity: readChainId });
  const { nodes, firstUsable, tryNodes } = pool;
  const delivery = createBatchDelivery({ ...limits, pool, largeResponses, budget, stopwatch, counters });
  // Rows take less than half of the bytes of their JSON, so that those of one query are as many as one response may hold.
  const maxRowBytes = limits.maxResponseBytes / 2;
  const deliverDivided = divideAddressLists(delivery.deliver, maxRowBytes);
  const deliverTogether = divideAddressLists(delivery.deliverTogether, maxRowBytes);

  async function readChainId(node: PoolNode, deadline: Deadline): Promise<number> {
    const [response] = await deliver(node, [{ method: 'eth_chainId', params: [] }], deadline);
    if (response?.ok === false) throw new RpcFailure('rpc-error', 'failed', { code: response.code });
    const actual = parseQuantity(response?.result);
    if (actual === undefined) throw new RpcFailure('malformed');
    return actual;
  }

  async function deliver(
    node: PoolNode,
    calls: readonly MainRpcCall[],
    deadline: Deadline,
    send = deliverDivided,
  ): Promise<RpcResponse[]> {
    const responses = await send(node, calls, deadline);
    for (const [i, call] of calls.entries()) {
      const isAccepted = isSound(call, responses[i]!);
      if (isAccepted === true || (await isAccepted)) continue;
      throw new RpcFailure('malformed', 'unsound', { retryAfterSeconds: UNSOUND_SECONDS });
    }
    learnFeatures(node.profile, calls, responses);
    return responses.map((response) => (response.ok ? { ...response, node: node.position } : response));
  }

  /** Sends the calls to the nodes in this order, those last that lack something for them, above all for the first `needed`. */
  function request(calls: readonly MainRpcCall[], deadline: Deadline, order = nodes, needed = calls.length) {
    const compare = (one: PoolNode, other: PoolNode, ofCalls: readonly MainRpcCall[]) =>
      rankLack(one.profile, ofCalls) - rankLack(other.profile, ofCalls);
    const fitFirst = order.toSorted(
      (one, other) => compare(one, other, calls.slice(0, needed)) || compare(one, other, calls),
    );
    return tryNodes(deadline, (node) => deliver(node, calls, deadline), fitFirst);
  }

  /**
   * Sends the calls to the nodes in this order until one serves the first `needed` calls; returns the responses of the first node where
   * none does. A hostile node sends endless responses, so another one is asked before a query is made smaller. Those that
   * do not know a method are not asked while only nodes that may serve it did not know it this time.
   */
  async function requestServed(
    calls: readonly MainRpcCall[],
    deadline: Deadline,
    needed: number,
    order = nodes,
  ): ReturnType<typeof request> {
    const isServed = (responses: readonly RpcResponse[]) =>
      !responses.every(isOversized) && !isReplaceable(calls.slice(0, needed), responses);
    const lacksMore = (other: PoolNode, { node, value }: Awaited<ReturnType<typeof request>>) =>
      lacksMethodMoreSurely(other.profile, node.profile, calls.slice(0, needed), value);
    const first = await request(calls, deadline, order, needed);
    const asked = [first];
    let last = first;
    while (!isServed(last.value)) {
      const unasked = order.filter((each) => asked.every(({ node }) => node !== each));
      const others = unasked.filter((each) => !asked.every((other) => lacksMore(each, other)));
      if (others.length === 0) return first;
      try {
        last = await request(calls, deadline, others, needed);
      } catch (error) {
        if (error instanceof RpcFailure) return first;
        throw error;
      }
      asked.push(last);
    }
    for (const { node, value } of asked.slice(0, -1)) recordReplaced(node, calls, value, last.value);
    return last;
  }

  /** Records that another node served the calls. Where it returned a result, a query was not too large. */
  function recordReplaced(
    node: PoolNode,
    calls: readonly MainRpcCall[],
    responses: readonly RpcResponse[],
    served: readonly RpcResponse[],
  ): void {
    if (!responses.every(isOversized)) learnRefusals(node.profile, calls, responses, served);
    else if (served.some(({ ok }) => ok)) node.breaker.recordFailure(new RpcFailure('malformed'));
  }

  return {
    async request(calls, deadline, needed = calls.length) {
      const { node, value } = await requestServed(calls, deadline, needed);
      if (!value.slice(0, needed).some(isTransient)) return value;
      counters.retries += 1;
      await pauseWithin(stopwatch, limits.retryDelayMilliseconds, deadline);
      // The node that responded comes last.
      const order = [...nodes.filter((each) => each !== node), node];
      const again = await requestServed(calls, deadline, needed, order);
      if (again.node !== node) learnRefusals(node.profile, calls, value, again.value);
      return again.value;
    },
    mayReplace: (calls, responses) => nodes.length > 1 && isReplaceable(calls, responses),
    batchRoom: () => delivery.batchRoom(firstUsable()),
    lacksBatches: () => delivery.lacksBatches(firstUsable()),
    firstProfile(method) {
      const isServing = ({ profile }: PoolNode) => method === undefined || !profile.lacksMethod(method);
      const node = nodes.find((each) => !each.breaker.isOpen() && isServing(each));
      return (node ?? firstUsable()).profile;
    },
    mayServe: (method) => nodes.some(({ profile }) => !profile.lacksMethod(method)),
    members: nodes.map((node) => ({
      position: node.position,
      isAvailable: () => !node.breaker.isOpen(),
      profile: node.profile,
      request: async (calls, deadline) => (await request(calls, deadline, [node])).value,
      requestTogether: async (calls, deadline) =>
        (await tryNodes(deadline, (each) => deliver(each, calls, deadline, deliverTogether), [node])).value,
      leaveOut: (failure) => node.breaker.recordFailure(failure),
    })),
    listMalformed() {
      const malformed = nodes.filter(({ breaker }) => breaker.hasFailed('malformed', MALFORMED_MILLISECONDS));
      const isReplaced = nodes.some((node) => !malformed.includes(node) && !node.breaker.isOpen());
      return isReplaced ? malformed.map(({ position }) => position) : [];
    },
    readChainIds: pool.readIdentities,
    listProfiles: pool.listProfiles,
    async close() {
      await Promise.all([pool.close(), largeResponses.close()]);
    },
  };
}

/** Time for which a node with unsound results is left to others: it serves other calls well, so it looks healthy soon. */
const UNSOUND_SECONDS = 10;
/** Exceeds the time after which each node is tried again. */
const MALFORMED_MILLISECONDS = 60_000;

function isSound({ accepts }: MainRpcCall, response: RpcResponse): boolean | Promise<boolean> {
  return accepts === undefined || !response.ok || accepts(response.result);
}

const TRANSIENT_CODES = new Set([-32603, -32000]);

/** Returns whether a call was refused for a reason that may be that of its node, and that does not pass by itself. */
function isReplaceable(calls: readonly MainRpcCall[], responses: readonly RpcResponse[]): boolean {
  return calls.some((call, i) => isRefused(call, responses[i]!) && !isTransient(responses[i]!));
}

/** Returns whether the same call may succeed later. */
export function isTransient(response: RpcResponse): boolean {
  if (response.ok || response.revertData !== undefined || response.hint === 'too-large') return false;
  return response.hint === 'unknown-block' || TRANSIENT_CODES.has(response.code);
}

/** Converts a `RpcFailure` into the fault `ChainUnreadable`; returns any other error unchanged. */
export function toMainFault(error: unknown): unknown {
  return error instanceof RpcFailure ? chainUnreadable('main', toUnreadableCause(error)) : error;
}
