/**
 * Which node answers? The first healthy one in the order of the configuration.
 * A node that failed is left alone for a pause that grows with each failure and is then asked again, so the service heals without
 * a restart. A node of another cluster is never believed: its genesis hash is asked before anything else. An answer of an older
 * slot than one seen before the question is none.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { CallOutcome } from '../../../domain/metrics/call-counter.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
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
  /** Asks each healthy node at most once, until one answers. Throws `AltRpcError`. */
  ask<T>(question: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /** The same; asks again, a few times within the deadline, when the nodes ask to wait. Throws `AltRpcError`. */
  askPatiently<T>(question: RpcMethod<T>, deadline: Deadline): Promise<T>;
  /**
   * Genesis hash of every node by its position in the configuration, asked anew; undefined where it does not answer. A node that
   * names another one is not used until it names the right one.
   */
  readGenesisHashes(deadline: Deadline): Promise<readonly (AltKey | undefined)[]>;
  close(): Promise<void>;
}

type Endpoint = ChainNode<AltKey, AltRpcError>;

export interface AltNodesOptions extends NodesOptions {
  readonly genesisHash: AltKey;
  readonly floor: MinContextSlot;
  readonly limits: AltChainLimits;
  readonly counters: AltUpstreamCounters;
}

export function createAltNodes(options: AltNodesOptions): AltNodes {
  const { genesisHash, floor, limits, counters, stopwatch = REAL_STOPWATCH } = options;
  let isClosed = false;
  const { nodes, post, readNames, close } = openNodes(options, {
    chain: 'alt',
    expected: genesisHash,
    askName: (node, deadline) => send(node, getGenesisHash, deadline),
    noFailure: new AltRpcError('transport'),
  });

  async function send<T>(node: RpcNode, question: RpcMethod<T>, deadline: Deadline): Promise<T> {
    if (deadline.signal.aborted) throw new AltRpcError('deadline');
    counters.httpRequests += 1;
    const seen = floor.slot;
    const call = { method: question.method, params: question.params(seen) };
    const signal = AbortSignal.any([deadline.signal, stopwatch.startTimeout(deadline.requestMilliseconds)]);
    const result = await count(call.method, () =>
      sendAltRpc(node, call, { post, signal, maxResponseBytes: limits.maxResponseBytes }),
    );
    const value = readAnswer(question, result);
    const slot = question.slotOf?.(value);
    if (slot === undefined) return value;
    if (slot < seen) throw new AltRpcError('block-mismatch', 'behind');
    const now = stopwatch.nowMilliseconds();
    if (!floor.isWithinReach(slot, now)) throw new AltRpcError('malformed');
    floor.note(slot, now);
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

  function noteFailure({ pause }: Endpoint, failure: AltRpcError): void {
    counters.failures[failure.unreadable] = (counters.failures[failure.unreadable] ?? 0) + 1;
    if (failure.kind === 'failed' || failure.kind === 'busy') pause.noteFailure(failure);
  }

  async function ask<T>(question: RpcMethod<T>, deadline: Deadline): Promise<T> {
    let failure: AltRpcError | undefined;
    for (const endpoint of nodes) {
      if (endpoint.pause.isPaused()) continue;
      try {
        if (!(await endpoint.chain.isExpected(deadline))) throw new AltRpcError('wrong-chain');
        const value = await send(endpoint.node, question, deadline);
        endpoint.pause.noteSuccess();
        return value;
      } catch (error) {
        if (!(error instanceof AltRpcError)) throw error;
        // A read whose own time is over says nothing about the node.
        if (deadline.signal.aborted) throw new AltRpcError('deadline');
        if (isClosed) throw error;
        noteFailure(endpoint, error);
        if (failure === undefined || mayPass(error)) failure = error;
      }
    }
    throw failure ?? describePause(nodes);
  }

  return {
    ask,
    async askPatiently(question, deadline) {
      for (let waits = 0; ; waits++) {
        try {
          return await ask(question, deadline);
        } catch (error) {
          if (!(error instanceof AltRpcError) || !mayPass(error) || waits === limits.maxWaits) throw error;
          const wait = Math.max(limits.waitMilliseconds, (error.retryAfterSeconds ?? 0) * 1000);
          if (stopwatch.nowMilliseconds() + wait >= deadline.atMilliseconds) throw error;
          counters.waits += 1;
          await stopwatch.pause(wait, deadline.signal).catch(() => {
            throw new AltRpcError('deadline');
          });
        }
      }
    },
    readGenesisHashes: readNames,
    close() {
      isClosed = true;
      return close();
    },
  };
}

function readAnswer<T>(question: RpcMethod<T>, result: unknown): T {
  try {
    return question.read(result);
  } catch (error) {
    if (error instanceof Undecodable) throw new AltRpcError('malformed');
    throw error;
  }
}

/** Whether the same question may be answered a little later. */
export function mayPass({ kind }: AltRpcError): boolean {
  return kind === 'busy' || kind === 'behind' || kind === 'no-block';
}

/** Every node is left alone: the failure of the one whose pause ends first, with the rest of its pause. */
function describePause(endpoints: readonly Endpoint[]): AltRpcError {
  const pauses = endpoints.map(({ pause }) => pause);
  const first = pauses.reduce((one, other) => (other.leftMilliseconds() < one.leftMilliseconds() ? other : one));
  const { unreadable, kind } = first.lastFailure;
  return new AltRpcError(unreadable, kind, {
    retryAfterSeconds: Math.max(0, Math.ceil(first.leftMilliseconds() / 1000)),
  });
}

/** The fault that a failure of a request is to everyone outside. */
export function toAltFault(error: unknown): unknown {
  return error instanceof AltRpcError ? chainUnreadable('alt', error.unreadable) : error;
}
