/**
 * Which node answers? The first healthy one in the order of the configuration.
 * A node that failed is left alone for a pause that grows with each failure and is then asked again, so the service heals without
 * a restart. A node of another cluster is never believed: its genesis hash is asked before anything else. An answer of an older
 * slot than one seen before the question is none.
 */
import { Agent } from 'undici';
import type { AltKey } from '../../domain/alt-identifiers.ts';
import type { CallOutcome } from '../../domain/call-tally.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { isYounger } from '../rpc/age.ts';
import { REAL_STOPWATCH, type Deadline, type Stopwatch } from '../rpc/deadline.ts';
import { createHttpPost, parseRpcUrl, type PostRpc, type RpcNode } from '../rpc/http-post.ts';
import { Undecodable } from './byte-reader.ts';
import { RpcFailure, sendRpc } from './json-rpc.ts';
import type { SvmLimits } from './limits.ts';
import { askGenesisHash, type Question } from './questions.ts';
import type { SlotFloor } from './slot-floor.ts';
import type { UpstreamCounters } from './upstream-counters.ts';

export interface Endpoints {
  /** Asks each healthy node at most once, until one answers. Throws `RpcFailure`. */
  ask<T>(question: Question<T>, deadline: Deadline): Promise<T>;
  /** The same; asks again, a few times within the deadline, when the nodes ask to wait. Throws `RpcFailure`. */
  askPatiently<T>(question: Question<T>, deadline: Deadline): Promise<T>;
  /**
   * Genesis hash of every node by its position in the configuration, asked anew; undefined where it does not answer. A node that
   * names another one is not used until it names the right one.
   */
  readGenesisHashes(deadline: Deadline): Promise<readonly (AltKey | undefined)[]>;
  close(): Promise<void>;
}

interface Endpoint {
  readonly node: RpcNode;
  readonly position: number;
  chainVerified: boolean;
  verification: Promise<unknown> | undefined;
  failures: number;
  /** The pause that began with the last failure. */
  pausedAtMilliseconds: number;
  pauseMilliseconds: number;
  lastFailure: RpcFailure;
}

export interface EndpointsOptions {
  readonly rpcUrls: readonly string[];
  readonly genesisHash: AltKey;
  readonly floor: SlotFloor;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: SvmLimits;
  readonly counters: UpstreamCounters;
  /** Instead of HTTP and real time, for simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { genesisHash, floor, clock, log, limits, counters, stopwatch = REAL_STOPWATCH } = options;
  const dispatcher = new Agent({
    connections: limits.connectionsPerNode,
    keepAliveTimeout: 30_000,
    connect: { timeout: limits.requestTimeoutMilliseconds },
  });
  const post = options.post ?? createHttpPost(dispatcher);
  let isClosed = false;
  const endpoints: Endpoint[] = options.rpcUrls.map((url, position) => ({
    node: parseRpcUrl(url),
    position,
    chainVerified: false,
    verification: undefined,
    failures: 0,
    pausedAtMilliseconds: 0,
    pauseMilliseconds: 0,
    lastFailure: new RpcFailure('transport'),
  }));

  async function send<T>(endpoint: Endpoint, question: Question<T>, deadline: Deadline): Promise<T> {
    if (deadline.signal.aborted) throw new RpcFailure('deadline');
    counters.httpRequests += 1;
    const seen = floor.slot;
    const call = { method: question.method, params: question.params(seen) };
    const signal = AbortSignal.any([deadline.signal, stopwatch.startTimeout(deadline.requestMilliseconds)]);
    const result = await count(call.method, () =>
      sendRpc(endpoint.node, call, { post, signal, maxResponseBytes: limits.maxResponseBytes }),
    );
    const value = readAnswer(question, result);
    const slot = question.slotOf?.(value);
    if (slot === undefined) return value;
    if (slot < seen) throw new RpcFailure('block-mismatch', 'behind');
    const now = stopwatch.nowMilliseconds();
    if (!floor.isWithinReach(slot, now)) throw new RpcFailure('malformed');
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

  async function readGenesisHash(endpoint: Endpoint, deadline: Deadline): Promise<AltKey> {
    const actual = await send(endpoint, askGenesisHash, deadline);
    endpoint.chainVerified = actual === genesisHash;
    return actual;
  }

  /** Asked once in the life of a node that gives the right answer; requests that wait for it share the question. */
  async function verifyChain(endpoint: Endpoint, deadline: Deadline): Promise<void> {
    if (endpoint.chainVerified) return;
    endpoint.verification ??= readGenesisHash(endpoint, deadline).finally(() => {
      endpoint.verification = undefined;
    });
    if ((await endpoint.verification) !== genesisHash) throw new RpcFailure('wrong-chain');
  }

  function isPaused({ pausedAtMilliseconds, pauseMilliseconds }: Endpoint): boolean {
    return isYounger(clock, pausedAtMilliseconds, pauseMilliseconds);
  }

  function noteFailure(endpoint: Endpoint, failure: RpcFailure): void {
    counters.failures[failure.unreadable] = (counters.failures[failure.unreadable] ?? 0) + 1;
    if (failure.kind !== 'failed' && failure.kind !== 'busy') return;
    endpoint.lastFailure = failure;
    // Requests that were under way together are one failure of the node, not several.
    if (isPaused(endpoint)) return;
    const grown = limits.firstPauseMilliseconds * 2 ** Math.min(endpoint.failures, 16);
    const asked = Math.min((failure.retryAfterSeconds ?? 0) * 1000, limits.maxRetryAfterMilliseconds);
    endpoint.pausedAtMilliseconds = clock.nowMilliseconds();
    endpoint.pauseMilliseconds = Math.max(Math.min(grown, limits.maxPauseMilliseconds), asked);
    endpoint.failures += 1;
    const { position, failures } = endpoint;
    log.warn({ chain: 'alt', endpoint: position, cause: failure.unreadable, failures }, 'rpc endpoint failed');
  }

  function noteSuccess(endpoint: Endpoint): void {
    if (endpoint.failures === 0) return;
    endpoint.failures = 0;
    log.info({ chain: 'alt', endpoint: endpoint.position }, 'rpc endpoint recovered');
  }

  async function ask<T>(question: Question<T>, deadline: Deadline): Promise<T> {
    let failure: RpcFailure | undefined;
    for (const endpoint of endpoints) {
      if (isPaused(endpoint)) continue;
      try {
        await verifyChain(endpoint, deadline);
        const value = await send(endpoint, question, deadline);
        noteSuccess(endpoint);
        return value;
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        // A read whose own time is over says nothing about the node.
        if (deadline.signal.aborted) throw new RpcFailure('deadline');
        if (isClosed) throw error;
        noteFailure(endpoint, error);
        if (failure === undefined || mayPass(error)) failure = error;
      }
    }
    throw failure ?? describePause(endpoints, clock);
  }

  return {
    ask,
    async askPatiently(question, deadline) {
      for (let waits = 0; ; waits++) {
        try {
          return await ask(question, deadline);
        } catch (error) {
          if (!(error instanceof RpcFailure) || !mayPass(error) || waits === limits.maxWaits) throw error;
          const wait = Math.max(limits.waitMilliseconds, (error.retryAfterSeconds ?? 0) * 1000);
          if (stopwatch.nowMilliseconds() + wait >= deadline.atMilliseconds) throw error;
          counters.waits += 1;
          await stopwatch.pause(wait, deadline.signal).catch(() => {
            throw new RpcFailure('deadline');
          });
        }
      }
    },
    readGenesisHashes: (deadline) =>
      Promise.all(endpoints.map((endpoint) => readGenesisHash(endpoint, deadline).catch(() => undefined))),
    close() {
      isClosed = true;
      return dispatcher.destroy();
    },
  };
}

function readAnswer<T>(question: Question<T>, result: unknown): T {
  try {
    return question.read(result);
  } catch (error) {
    if (error instanceof Undecodable) throw new RpcFailure('malformed');
    throw error;
  }
}

/** Whether the same question may be answered a little later. */
export function mayPass({ kind }: RpcFailure): boolean {
  return kind === 'busy' || kind === 'behind' || kind === 'no-block';
}

/** Every node is left alone: the failure of the one whose pause ends first, with the rest of its pause. */
function describePause(endpoints: readonly Endpoint[], clock: Clock): RpcFailure {
  const left = (endpoint: Endpoint) =>
    endpoint.pausedAtMilliseconds + endpoint.pauseMilliseconds - clock.nowMilliseconds();
  const first = endpoints.reduce((one, other) => (left(other) < left(one) ? other : one));
  const { unreadable, kind } = first.lastFailure;
  return new RpcFailure(unreadable, kind, { retryAfterSeconds: Math.max(0, Math.ceil(left(first) / 1000)) });
}

/** The fault that a failure of a request is to everyone outside. */
export function toFault(error: unknown): unknown {
  return error instanceof RpcFailure ? chainUnreadable('alt', error.unreadable) : error;
}
