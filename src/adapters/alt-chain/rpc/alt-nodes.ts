/**
 * Alt-chain node pool with fail-over: calls go to the first healthy node in configuration order.
 * A circuit breaker per node opens after a failure, longer with each one. A node of another cluster is never used: its genesis
 * hash is verified before any other call. A response older than a slot already seen is rejected.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { CallOutcome } from '../../../domain/metrics/call-counter.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { CallBudget } from '../../rpc/call-budget.ts';
import { openNodes, type ChainNode, type NodesOptions } from '../../rpc/chain-nodes.ts';
import { REAL_STOPWATCH, type Deadline } from '../../rpc/deadline.ts';
import type { RpcNode } from '../../rpc/http-post.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { AltRpcError, sendAltRpc } from './json-rpc.ts';
import type { AltChainLimits } from '../limits.ts';
import { getGenesisHash, type RpcMethod } from './rpc-methods.ts';
import type { MinContextSlot } from './min-context-slot.ts';
import type { AltUpstreamCounters } from './upstream-counters.ts';

export interface AltNodes {
  /** Calls each healthy node at most once, until one succeeds. Throws `AltRpcError`. */
  call<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /** Like `call`, and retries transient failures within the deadline, up to `maxWaits` times. Throws `AltRpcError`. */
  callWithRetry<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /**
   * Reads the genesis hash of every node again, by position in the configuration; undefined where a node is unreachable. A node
   * with another hash is not used until it reports the configured one.
   */
  readGenesisHashes(deadline: Deadline): Promise<readonly (AltKey | undefined)[]>;
  close(): Promise<void>;
}

type Endpoint = ChainNode<AltKey, AltRpcError>;

export interface AltNodesOptions extends NodesOptions {
  readonly genesisHash: AltKey;
  readonly minContextSlot: MinContextSlot;
  readonly limits: AltChainLimits;
  readonly counters: AltUpstreamCounters;
  readonly budget: CallBudget;
}

export function createAltNodes(options: AltNodesOptions): AltNodes {
  const { genesisHash, minContextSlot, limits, counters, budget, stopwatch = REAL_STOPWATCH } = options;
  let isClosed = false;
  const { nodes, post, readIdentities, close } = openNodes(options, {
    chain: 'alt',
    expected: genesisHash,
    readIdentity: (node, deadline) => send(node, getGenesisHash, deadline),
    initialFailure: new AltRpcError('transport'),
  });

  async function send<T>(node: RpcNode, method: RpcMethod<T>, deadline: Deadline): Promise<T> {
    const turn = budget.admit(1, deadline);
    if (turn !== undefined) await turn;
    if (deadline.signal.aborted) throw new AltRpcError('deadline');
    counters.httpRequests += 1;
    const seen = minContextSlot.slot;
    const call = { method: method.name, params: method.params(seen) };
    const signal = AbortSignal.any([deadline.signal, stopwatch.startTimeout(deadline.requestMilliseconds)]);
    const result = await count(call.method, () =>
      sendAltRpc(node, call, { post, signal, maxResponseBytes: limits.maxResponseBytes }),
    );
    const value = parseResult(method, result);
    const slot = method.slotOf?.(value);
    if (slot === undefined) return value;
    if (slot < seen) throw new AltRpcError('block-mismatch', 'behind');
    const now = stopwatch.nowMilliseconds();
    if (!minContextSlot.isPlausible(slot, now)) throw new AltRpcError('malformed');
    minContextSlot.observe(slot, now);
    return value;
  }

  async function count<T>(method: string, request: () => Promise<T>): Promise<T> {
    const sentAtMilliseconds = stopwatch.nowMilliseconds();
    let outcome: CallOutcome = 'failed';
    try {
      const result = await request();
      outcome = 'answered';
      return result;
    } finally {
      counters.durations.add((stopwatch.nowMilliseconds() - sentAtMilliseconds) / 1000);
      counters.calls.add(method, outcome);
    }
  }

  function recordFailure({ breaker }: Endpoint, failure: AltRpcError): void {
    counters.failures[failure.unreadable] = (counters.failures[failure.unreadable] ?? 0) + 1;
    if (failure.kind === 'failed' || failure.kind === 'busy') breaker.recordFailure(failure);
  }

  async function callOnce<T>(method: RpcMethod<T>, deadline: Deadline): Promise<T> {
    let failure: AltRpcError | undefined;
    for (const endpoint of nodes) {
      if (endpoint.breaker.isOpen()) continue;
      try {
        if (!(await endpoint.chain.isExpected(deadline))) throw new AltRpcError('wrong-chain');
        const value = await send(endpoint.node, method, deadline);
        endpoint.breaker.recordSuccess();
        return value;
      } catch (error) {
        if (!(error instanceof AltRpcError)) throw error;
        // An expired deadline says nothing about the node.
        if (deadline.signal.aborted) throw new AltRpcError('deadline');
        if (isClosed) throw error;
        recordFailure(endpoint, error);
        if (failure === undefined || isTransientFailure(error)) failure = error;
      }
    }
    // While another node serves, the rate of one is no reason to send less.
    if (failure?.isRateLimited === true) budget.recordRefusal('rate');
    throw failure ?? describeOpenBreakers(nodes);
  }

  return {
    call: callOnce,
    async callWithRetry(method, deadline) {
      for (let waits = 0; ; waits++) {
        try {
          return await callOnce(method, deadline);
        } catch (error) {
          if (!(error instanceof AltRpcError) || !isTransientFailure(error) || waits === limits.maxWaits) throw error;
          const wait = Math.max(limits.waitMilliseconds, (error.retryAfterSeconds ?? 0) * 1000);
          if (stopwatch.nowMilliseconds() + wait >= deadline.atMilliseconds) throw error;
          counters.waits += 1;
          await stopwatch.pause(wait, deadline.signal).catch(() => {
            throw new AltRpcError('deadline');
          });
        }
      }
    },
    readGenesisHashes: readIdentities,
    close() {
      isClosed = true;
      return close();
    },
  };
}

function parseResult<T>(method: RpcMethod<T>, result: unknown): T {
  try {
    return method.parse(result);
  } catch (error) {
    if (error instanceof Undecodable) throw new AltRpcError('malformed');
    throw error;
  }
}

/** Returns whether the same call may succeed later. */
export function isTransientFailure({ kind }: AltRpcError): boolean {
  return kind === 'busy' || kind === 'behind' || kind === 'no-block';
}

/** Returns the last failure of the node whose breaker closes first, with its remaining time. */
function describeOpenBreakers(nodes: readonly Endpoint[]): AltRpcError {
  const breakers = nodes.map(({ breaker }) => breaker);
  const first = breakers.reduce((one, other) =>
    other.remainingMilliseconds() < one.remainingMilliseconds() ? other : one,
  );
  const { unreadable, kind } = first.lastFailure;
  return new AltRpcError(unreadable, kind, {
    retryAfterSeconds: Math.max(0, Math.ceil(first.remainingMilliseconds() / 1000)),
  });
}

/** Converts `AltRpcError` to the `ChainUnreadable` fault; returns any other error unchanged. */
export function toAltFault(error: unknown): unknown {
  return error instanceof AltRpcError ? chainUnreadable('alt', error.unreadable) : error;
}
