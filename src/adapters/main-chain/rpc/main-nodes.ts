/**
 * Which node answers? The first healthy one in the order of the configuration.
 * A node that failed is left alone for a pause that grows with each failure and is then asked again, so the service heals without
 * a restart. A node of another chain is never believed: its chain id is asked before anything else.
 */
import type { CallOutcome } from '../../../domain/metrics/call-counter.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import { openNodes, type ChainNode, type NodesOptions } from '../../rpc/chain-nodes.ts';
import { REAL_STOPWATCH, type Deadline } from '../../rpc/deadline.ts';
import type { RpcNode } from '../../rpc/http-post.ts';
import { parseQuantity } from './quantities.ts';
import { MainRpcError, sendMainRpc } from './json-rpc.ts';
import type { RpcAnswer, MainRpcCall } from './json-rpc.ts';
import type { MainChainLimits } from '../limits.ts';
import type { MainUpstreamCounters } from './upstream-counters.ts';

export interface MainNodes {
  /**
   * Sends all calls in one HTTP request to one node, another node if that fails. An error without revert data that may pass
   * (-32603, -32000, an unknown block) is tried once more after a pause, where it is among the first `needed`: all, when not given.
   * Throws `AltRpcError`.
   */
  request(calls: readonly MainRpcCall[], deadline: Deadline, needed?: number): Promise<readonly RpcAnswer[]>;
  /** Chain id of every node by its position in the configuration; undefined where it does not answer. */
  readChainIds(deadline: Deadline): Promise<readonly (number | undefined)[]>;
  close(): Promise<void>;
}

type Endpoint = ChainNode<number, MainRpcError>;

export interface MainNodesOptions extends NodesOptions {
  readonly chainId: number;
  readonly limits: MainChainLimits;
  readonly counters: MainUpstreamCounters;
}

export function createMainNodes(options: MainNodesOptions): MainNodes {
  const { chainId, limits, counters, stopwatch = REAL_STOPWATCH } = options;
  let isClosed = false;
  const { nodes, post, readNames, close } = openNodes(options, {
    chain: 'main',
    expected: chainId,
    askName: readChainId,
    noFailure: new MainRpcError('transport'),
  });

  async function send(node: RpcNode, calls: readonly MainRpcCall[], deadline: Deadline): Promise<RpcAnswer[]> {
    if (deadline.signal.aborted) throw new MainRpcError('deadline');
    counters.httpRequests += 1;
    counters.rpcCalls += calls.length;
    const signal = AbortSignal.any([deadline.signal, stopwatch.startTimeout(deadline.requestMilliseconds)]);
    const sentAtMilliseconds = stopwatch.nowMilliseconds();
    let answers: RpcAnswer[] | undefined;
    try {
      answers = await sendMainRpc(node, calls, { post, signal, maxResponseBytes: limits.maxResponseBytes });
      return answers;
    } finally {
      counters.durations.add((stopwatch.nowMilliseconds() - sentAtMilliseconds) / 1000);
      for (const [index, { method }] of calls.entries()) counters.calls.add(method, judge(answers?.[index]));
    }
  }

  async function readChainId(node: RpcNode, deadline: Deadline): Promise<number> {
    const [answer] = await send(node, [{ method: 'eth_chainId', params: [] }], deadline);
    const actual = parseQuantity(answer?.ok === true ? answer.result : undefined);
    if (actual === undefined) throw new MainRpcError('malformed');
    return actual;
  }

  function noteFailure({ pause }: Endpoint, failure: MainRpcError): void {
    counters.failures[failure.unreadable] = (counters.failures[failure.unreadable] ?? 0) + 1;
    pause.noteFailure(failure);
  }

  /** The first healthy node answers; each node is tried at most once. */
  async function requestOnce(
    calls: readonly MainRpcCall[],
    deadline: Deadline,
    avoid: Endpoint | undefined,
  ): Promise<{ readonly endpoint: Endpoint; readonly answers: readonly RpcAnswer[] }> {
    let failure = nodes[0]!.pause.lastFailure;
    const healthy = nodes.filter(({ pause }) => !pause.isPaused());
    const order = avoid === undefined ? healthy : [...healthy.filter((each) => each !== avoid), avoid];
    for (const endpoint of order) {
      try {
        if (!(await endpoint.chain.isExpected(deadline))) throw new MainRpcError('wrong-chain');
        const answers = await send(endpoint.node, calls, deadline);
        endpoint.pause.noteSuccess();
        return { endpoint, answers };
      } catch (error) {
        if (!(error instanceof MainRpcError)) throw error;
        failure = error;
        // A read whose own time is over says nothing about the node.
        if (deadline.signal.aborted) throw new MainRpcError('deadline');
        if (isClosed) throw error;
        noteFailure(endpoint, error);
      }
    }
    throw failure;
  }

  return {
    async request(calls, deadline, needed = calls.length) {
      const { endpoint, answers } = await requestOnce(calls, deadline, undefined);
      if (!answers.slice(0, needed).some(mayPassLater)) return answers;
      counters.retries += 1;
      await stopwatch.pause(limits.retryDelayMilliseconds, deadline.signal).catch(() => {
        throw new MainRpcError('deadline');
      });
      return (await requestOnce(calls, deadline, endpoint)).answers;
    },
    readChainIds: readNames,
    close() {
      isClosed = true;
      return close();
    },
  };
}

function judge(answer: RpcAnswer | undefined): CallOutcome {
  if (answer === undefined) return 'failed';
  return answer.ok ? 'answered' : 'error';
}

const PASSING_CODES = new Set([-32603, -32000]);

/** A later answer to the same call may be another. */
export function mayPassLater(answer: RpcAnswer): boolean {
  if (answer.ok || answer.revertData !== undefined || answer.hint === 'too-large') return false;
  return answer.hint === 'unknown-block' || PASSING_CODES.has(answer.code);
}

/** The fault that a failure of a request is to everyone outside. */
export function toMainFault(error: unknown): unknown {
  return error instanceof MainRpcError ? chainUnreadable('main', error.unreadable) : error;
}
