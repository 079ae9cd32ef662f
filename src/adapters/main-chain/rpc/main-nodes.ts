/**
 * Fail-over between the nodes of the main chain: the first node in the order of the configuration whose circuit breaker
 * is closed serves. The chain id of a node is checked before any other response of it is accepted.
 */
import type { CallOutcome } from '../../../domain/metrics/call-counter.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { CallBudget } from '../../rpc/call-budget.ts';
import { openNodes, type ChainNode, type NodesOptions } from '../../rpc/chain-nodes.ts';
import { REAL_STOPWATCH, type Deadline } from '../../rpc/deadline.ts';
import type { RpcNode } from '../../rpc/http-post.ts';
import { parseQuantity } from './quantities.ts';
import { MainRpcError, sendMainRpc } from './json-rpc.ts';
import type { RpcResponse, MainRpcCall } from './json-rpc.ts';
import type { MainChainLimits } from '../limits.ts';
import type { MainUpstreamCounters } from './upstream-counters.ts';

export interface MainNodes {
  /**
   * Sends all calls in one HTTP request to one node, to another node if that fails. A transient error without revert
   * data (-32603, -32000, an unknown block) among the first `needed` responses, by default all, is tried once more
   * after a delay. Throws `MainRpcError`.
   */
  request(calls: readonly MainRpcCall[], deadline: Deadline, needed?: number): Promise<readonly RpcResponse[]>;
  /** Returns the chain id of every node in the order of the configuration; undefined where a node does not respond. */
  readChainIds(deadline: Deadline): Promise<readonly (number | undefined)[]>;
  close(): Promise<void>;
}

type Node = ChainNode<number, MainRpcError>;

export interface MainNodesOptions extends NodesOptions {
  readonly chainId: number;
  readonly limits: MainChainLimits;
  readonly counters: MainUpstreamCounters;
  readonly budget: CallBudget;
}

export function createMainNodes(options: MainNodesOptions): MainNodes {
  const { chainId, limits, counters, budget, stopwatch = REAL_STOPWATCH } = options;
  let isClosed = false;
  const { nodes, post, readIdentities, close } = openNodes(options, {
    chain: 'main',
    expected: chainId,
    readIdentity: readChainId,
    initialFailure: new MainRpcError('transport'),
  });

  async function send(node: RpcNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcResponse[]> {
    const turn = budget.admit(calls.length, deadline);
    if (turn !== undefined) await turn;
    if (deadline.signal.aborted) throw new MainRpcError('deadline');
    counters.httpRequests += 1;
    counters.rpcCalls += calls.length;
    const signal = AbortSignal.any([deadline.signal, stopwatch.startTimeout(deadline.requestMilliseconds)]);
    const sentAtMilliseconds = stopwatch.nowMilliseconds();
    let responses: RpcResponse[] | undefined;
    try {
      responses = await sendMainRpc(node, calls, { post, signal, maxResponseBytes: limits.maxResponseBytes });
      return responses;
    } finally {
      counters.durations.add((stopwatch.nowMilliseconds() - sentAtMilliseconds) / 1000);
      for (const [index, { method }] of calls.entries()) counters.calls.add(method, toOutcome(responses?.[index]));
    }
  }

  async function readChainId(node: RpcNode, deadline: Deadline): Promise<number> {
    const [response] = await send(node, [{ method: 'eth_chainId', params: [] }], deadline);
    const actual = parseQuantity(response?.ok === true ? response.result : undefined);
    if (actual === undefined) throw new MainRpcError('malformed');
    return actual;
  }

  function recordFailure({ breaker }: Node, failure: MainRpcError): void {
    counters.failures[failure.unreadable] = (counters.failures[failure.unreadable] ?? 0) + 1;
    breaker.recordFailure(failure);
  }

  /** Tries each node with a closed breaker at most once, in order, `avoid` last. */
  async function requestOnce(
    calls: readonly MainRpcCall[],
    deadline: Deadline,
    avoid: Node | undefined,
  ): Promise<{ readonly served: Node; readonly responses: readonly RpcResponse[] }> {
    let failure = nodes[0]!.breaker.lastFailure;
    const healthy = nodes.filter(({ breaker }) => !breaker.isOpen());
    const order = avoid === undefined ? healthy : [...healthy.filter((each) => each !== avoid), avoid];
    for (const each of order) {
      try {
        if (!(await each.chain.isExpected(deadline))) throw new MainRpcError('wrong-chain');
        const responses = await send(each.node, calls, deadline);
        each.breaker.recordSuccess();
        return { served: each, responses };
      } catch (error) {
        if (!(error instanceof MainRpcError)) throw error;
        failure = error;
        // An expired deadline says nothing about the node.
        if (deadline.signal.aborted) throw new MainRpcError('deadline');
        if (isClosed) throw error;
        recordFailure(each, error);
      }
    }
    // While another node serves, the rate of one is no reason to send less.
    if (failure.rateLimited && order.length > 0) budget.recordRefusal(failure.isDayExhausted ? 'day' : 'rate');
    throw failure;
  }

  return {
    async request(calls, deadline, needed = calls.length) {
      const { served, responses } = await requestOnce(calls, deadline, undefined);
      if (!responses.slice(0, needed).some(isTransient)) return responses;
      counters.retries += 1;
      await stopwatch.pause(limits.retryDelayMilliseconds, deadline.signal).catch(() => {
        throw new MainRpcError('deadline');
      });
      return (await requestOnce(calls, deadline, served)).responses;
    },
    readChainIds: readIdentities,
    close() {
      isClosed = true;
      return close();
    },
  };
}

function toOutcome(response: RpcResponse | undefined): CallOutcome {
  if (response === undefined) return 'failed';
  return response.ok ? 'answered' : 'error';
}

const TRANSIENT_CODES = new Set([-32603, -32000]);

/** Returns whether the same call may succeed later. */
export function isTransient(response: RpcResponse): boolean {
  if (response.ok || response.revertData !== undefined || response.hint === 'too-large') return false;
  return response.hint === 'unknown-block' || TRANSIENT_CODES.has(response.code);
}

/** Converts a `MainRpcError` into the fault `ChainUnreadable`; returns any other error unchanged. */
export function toMainFault(error: unknown): unknown {
  return error instanceof MainRpcError ? chainUnreadable('main', error.unreadable) : error;
}
