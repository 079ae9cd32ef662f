/**
 * Node pool of one chain: nodes in the order of the configuration, each with its identity, circuit breaker and learned
 * profile, over shared HTTP connections. The first node that serves a request is used. What a response means is decided
 * by each chain.
 */
import { createHash } from 'node:crypto';
import type { CallOutcome } from '../../domain/metrics/call-counter.ts';
import type { NodeProfiles } from '../../ports/node-profiles.ts';
import { nowSeconds, SILENT_LOG, type Clock, type Log } from '../../ports/runtime.ts';
import { createCallBudget, type CallBudget, type CallPurpose } from './call-budget.ts';
import { createChainIdentity, type ChainIdentity } from './chain-identity.ts';
import { createCircuitBreaker, type BreakerLimits, type CircuitBreaker } from './circuit-breaker.ts';
import { HEAD_WORK, REAL_STOPWATCH, withPurpose, type Deadline, type Stopwatch } from './deadline.ts';
import { openConnections, parseRpcUrl, type ConnectionLimits, type PostRpc, type RpcNode } from './http-post.ts';
import type { SendOptions } from './http-post.ts';
import { NodeProfile } from './node-profile.ts';
import type { PoolCounters } from './pool-counters.ts';
import { isNodeFailure, isTransientFailure, isUsedUp, RpcFailure } from './rpc-failure.ts';

export interface PoolOptions {
  readonly rpcUrls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: ConnectionLimits & BreakerLimits & { readonly maxResponseBytes: number };
  readonly counters: PoolCounters;
  readonly budget: CallBudget;
  /** Nodes that answer together; one can be replaced while so many others are usable. Defaults to 1. */
  readonly needed?: number | undefined;
  /** Profiles that an earlier process stored. */
  readonly profiles?: NodeProfiles | undefined;
  /** Replaces HTTP and real time in simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

/** What differs between the nodes of the two chains. */
export interface ChainKind<Name> {
  /** Name of the chain in the log. */
  readonly chain: string;
  /** Identity of the configured chain: a chain id or a genesis hash. */
  readonly expected: Name;
  readonly readIdentity: (node: PoolNode, deadline: Deadline) => Promise<Name>;
}

export interface PoolNode {
  /** Position in the configuration, which identifies the node in logs. */
  readonly position: number;
  readonly node: RpcNode;
  readonly breaker: CircuitBreaker;
  readonly profile: NodeProfile;
  /** Paces the calls to this node by its learned rate, while another node is the first usable one. */
  readonly pace: Pick<CallBudget, 'admit'>;
  /** HTTP requests that wait for its response. */
  requestsInFlight: number;
}

/** One HTTP request that carries these calls. */
export interface Exchange<T> {
  readonly methods: readonly string[];
  /** Sends the request. Throws `RpcFailure`. */
  readonly send: (node: RpcNode, options: SendOptions) => Promise<T>;
  /** Returns the outcome of each call for the metrics. */
  readonly outcomes: (result: T) => readonly CallOutcome[];
  /** Returns how many calls of a batch the rate limit refused. */
  readonly countRateLimited: (result: T) => number;
}

export interface NodePool<Name> {
  readonly nodes: readonly PoolNode[];
  /** Returns the first node whose circuit breaker is closed, or the one that is waited for. */
  firstUsable(): PoolNode;
  /** Sends one HTTP request to one node within its rate, and counts it. Throws `RpcFailure`. */
  exchange<T>(node: PoolNode, exchange: Exchange<T>, deadline: Deadline): Promise<T>;
  /**
   * Runs the attempt with each of the nodes whose circuit breaker is closed, in order, until one succeeds. A node must
   * serve the expected chain. For the head, nodes that failed it come last. Throws `RpcFailure`, a transient one where
   * there is one.
   */
  tryNodes<T>(
    deadline: Deadline,
    attempt: (node: PoolNode) => Promise<T>,
    order?: readonly PoolNode[],
  ): Promise<{ readonly node: PoolNode; readonly value: T }>;
  /** Queries the identity of every node; undefined where a node does not respond, whose failure `onFailure` receives. */
  readIdentities(deadline: Deadline, onFailure?: OnIdentityFailure): Promise<readonly (Name | undefined)[]>;
  /** Returns what was learned about each node, to be stored. */
  listProfiles(): NodeProfiles;
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Receives why the identity of the node at this position was not read. */
export type OnIdentityFailure = (position: number, failure: RpcFailure) => void;

/**
 * How long callers and the head wait for a node that another one can replace, so that a silent node costs less than two
 * seconds.
 */
const REPLACEABLE_MILLISECONDS = 1_500;

/**
 * Time for which the head asks a node last that failed it; doubles with each further failure. Its circuit breaker does
 * not grow while it serves other calls.
 */
const HEAD_LIMITS: BreakerLimits = {
  firstOpenMilliseconds: 5_000,
  maxOpenMilliseconds: 60_000,
  maxRetryAfterMilliseconds: 60_000,
};

/** Concurrent reads share one query of an identity, so it does not wait for the turn of any caller. */
const IDENTITY: CallPurpose = { work: HEAD_WORK, isKnown: true };
const IDENTITY_OF_EACH: CallPurpose = { ...IDENTITY, isForOneNode: true };

/** Opens the nodes without sending a request. */
export function openNodePool<Name>(
  options: PoolOptions,
  { chain, expected, readIdentity }: ChainKind<Name>,
): NodePool<Name> {
  const { clock, log, limits, counters, budget, stopwatch = REAL_STOPWATCH, needed = 1 } = options;
  const connections = openConnections(limits);
  const post = options.post ?? connections.post;
  const identities = new Map<PoolNode, ChainIdentity<Name>>();
  /** Open while the head asks a node last. */
  const headBreakers = new Map<PoolNode, CircuitBreaker>();
  let isClosed = false;
  const nodes = options.rpcUrls.map((url, position): PoolNode => {
    const breaker = createCircuitBreaker({ chain, position, clock, log, limits });
    const stored = options.profiles?.get(hashUrl(url));
    const profile = new NodeProfile({ stopwatch, nowSeconds: () => nowSeconds(clock), stored });
    const pace = createCallBudget({ clock, stopwatch });
    pace.limitTo(() => profile.rate);
    const node = { position, node: parseRpcUrl(url), breaker, profile, pace, requestsInFlight: 0 };
    identities.set(
      node,
      createChainIdentity(expected, (deadline) => readIdentity(node, deadline)),
    );
    headBreakers.set(node, createCircuitBreaker({ chain, position, clock, log: SILENT_LOG, limits: HEAD_LIMITS }));
    return node;
  });
  const isReplaceable = (node: PoolNode, { work, isForOneNode }: CallPurpose) => {
    if (isForOneNode === true || (work.kind !== 'caller' && work.kind !== 'head')) return false;
    return nodes.filter((each) => each !== node && !each.breaker.isOpen()).length >= needed;
  };
  const hasOther = (node: PoolNode, among: readonly PoolNode[] = nodes) =>
    among.some((each) => each !== node && !each.breaker.isOpen());
  const firstUsable = () =>
    nodes.find(({ breaker }) => !breaker.isOpen()) ?? nodes.find(({ profile }) => !profile.rate.isUsedUp) ?? nodes[0]!;
  // Where another node can be used, a silent one is left to it soon; it must be asked to be found silent.
  budget.limitTo(
    () => firstUsable().profile.rate,
    (further) => {
      const first = firstUsable();
      return first.requestsInFlight + further < limits.connectionsPerNode || hasOther(first);
    },
  );

  /**
   * A node that refuses calls for their rate, or as overloaded while it accepts others, is left to others; without another one it is paced,
   * never left out. The same holds for a node whose results cannot be those of the calls: what else it serves would be lost. One whose
   * calls are used up is left to the others of the pool also by requests that no other one can serve.
   */
  function recordFailure(node: PoolNode, failure: RpcFailure, order: readonly PoolNode[]): void {
    counters.failures[failure.unreadable] = (counters.failures[failure.unreadable] ?? 0) + 1;
    if (!isNodeFailure(failure)) return;
    const isRefusing = failure.kind === 'rate' || (failure.isOverload && node.profile.rate.isAccepting);
    if (isRefusing && !hasOther(node, isUsedUp(failure) ? nodes : order)) return;
    if (failure.kind === 'unsound' && !hasOther(node)) return;
    node.breaker.recordFailure(failure);
  }

  /** Returns the nodes in the same order, those that failed the head last. */
  function putFailedLast(order: readonly PoolNode[]): readonly PoolNode[] {
    const hasFailed = (node: PoolNode) => Number(headBreakers.get(node)!.isOpen());
    return order.toSorted((one, other) => hasFailed(one) - hasFailed(other));
  }

  return {
    nodes,
    firstUsable,
    async exchange(target, { methods, send, outcomes, countRateLimited }, deadline) {
      const { node, profile, pace } = target;
      if (target !== firstUsable()) {
        const { work, isKnown } = deadline.purpose;
        await pace.admit(methods.length, withPurpose(deadline, { work, isKnown }));
      }
      // Last, because a turn that is granted counts from now on.
      const firstTurn = budget.admit(methods.length, deadline);
      if (firstTurn !== undefined) await firstTurn;
      if (deadline.signal.aborted) throw new RpcFailure('deadline');
      let isRepeated = false;
      /** Sends the request; the calls of one that is repeated, because its connection was lost, take another turn. */
      const postInTurn: PostRpc = (...request) => {
        const sendNow = () => {
          counters.httpRequests += 1;
          return post(...request);
        };
        if (isRepeated) return takeTurnAgain().then(sendNow);
        isRepeated = true;
        return sendNow();
      };
      /** Holds no connection while it waits: the turn may be granted only when one is free. */
      const takeTurnAgain = async () => {
        target.requestsInFlight -= 1;
        try {
          await budget.admit(methods.length, deadline);
        } finally {
          target.requestsInFlight += 1;
        }
        // The time went by before the node was asked again.
        if (signal.aborted) throw new RpcFailure('transport', 'local');
      };
      const longest = isReplaceable(target, deadline.purpose) ? REPLACEABLE_MILLISECONDS : Infinity;
      const milliseconds = Math.min(deadline.requestMilliseconds, longest);
      const signal = AbortSignal.any([deadline.signal, stopwatch.startTimeout(milliseconds)]);
      const sentAtMilliseconds = stopwatch.nowMilliseconds();
      target.requestsInFlight += 1;
      const used = Promise.withResolvers<unknown>();
      let result: readonly CallOutcome[] | undefined;
      try {
        const { maxResponseBytes } = limits;
        const value = await send(node, { post: postInTurn, signal, maxResponseBytes, used: used.promise });
        result = outcomes(value);
        const limited = countRateLimited(value);
        if (limited > 0) profile.rate.recordRefusal(limited, sentAtMilliseconds);
        profile.rate.recordAccepted(methods.length - limited, sentAtMilliseconds);
        return value;
      } catch (error) {
        if (error instanceof RpcFailure) {
          if (isUsedUp(error)) profile.rate.recordUsedUp(sentAtMilliseconds, limits.maxRetryAfterMilliseconds);
          else if (error.kind === 'rate') profile.rate.recordRefusal(methods.length, sentAtMilliseconds);
          if (error.isOverload) profile.rate.recordUnclearRefusal(methods.length, sentAtMilliseconds);
        }
        throw error;
      } finally {
        used.resolve(undefined);
        target.requestsInFlight -= 1;
        budget.resume();
        counters.durations.add((stopwatch.nowMilliseconds() - sentAtMilliseconds) / 1000);
        for (const [i, method] of methods.entries()) counters.calls.add(method, result?.[i] ?? 'failed');
      }
    },
    async tryNodes(deadline, attempt, order = nodes) {
      let failure: RpcFailure | undefined;
      // Calls to one node alone say nothing about which node is best for the others.
      const isHead = deadline.purpose.work.kind === 'head' && order.length > 1;
      for (const node of isHead ? putFailedLast(order) : order) {
        if (node.breaker.isOpen()) continue;
        try {
          const identityDeadline = withPurpose(deadline, IDENTITY);
          if (!(await identities.get(node)!.isExpected(identityDeadline))) throw new RpcFailure('wrong-chain');
          const value = await attempt(node);
          node.breaker.recordSuccess();
          if (isHead) headBreakers.get(node)!.recordSuccess();
          return { node, value };
        } catch (error) {
          if (!(error instanceof RpcFailure)) throw error;
          // An expired deadline says nothing about the node.
          if (deadline.signal.aborted)
            throw error.unreadable === 'own-calls-used-up' ? error : new RpcFailure('deadline');
          if (isClosed) throw error;
          recordFailure(node, error, order);
          if (isHead && isNodeFailure(error)) headBreakers.get(node)!.recordFailure(error);
          if (failure === undefined || isTransientFailure(error)) failure = error;
        }
      }
      if (failure?.kind === 'rate') budget.recordRefusal();
      throw failure ?? describeOpenBreakers(order);
    },
    readIdentities: (deadline, onFailure) =>
      Promise.all(
        nodes.map((node) =>
          identities
            .get(node)!
            .read(withPurpose(deadline, IDENTITY_OF_EACH))
            .catch((error: unknown) => {
              if (error instanceof RpcFailure) onFailure?.(node.position, error);
              return undefined;
            }),
        ),
      ),
    listProfiles: () =>
      new Map(
        nodes.flatMap(({ position, profile }) => {
          const text = profile.toText();
          return text === undefined ? [] : [[hashUrl(options.rpcUrls[position]!), text] as const];
        }),
      ),
    close() {
      isClosed = true;
      return connections.close();
    },
  };
}

/** Returns the name under which the profile of a node is stored: a URL may hold a key. */
function hashUrl(url: string): string {
  return createHash('sha256').update(url).digest('hex');
}

/** Returns the last failure of the node whose breaker closes first, with its remaining time. */
function describeOpenBreakers(nodes: readonly PoolNode[]): RpcFailure {
  const { lastFailure, remainingMilliseconds } = nodes
    .map(({ breaker }) => ({
      lastFailure: breaker.lastFailure,
      remainingMilliseconds: breaker.remainingMilliseconds(),
    }))
    .reduce((one, other) => (other.remainingMilliseconds < one.remainingMilliseconds ? other : one));
  return new RpcFailure(lastFailure.unreadable, lastFailure.kind, {
    code: lastFailure.code,
    retryAfterSeconds: Math.max(0, Math.ceil(remainingMilliseconds / 1000)),
  });
}
