/**
 * Batches non-urgent calls with the next head poll, so that a block costs one HTTP request. The head poll is not
 * delayed by them: its own calls come first, their errors cause no second attempt of it, and a batch that fails is sent
 * again without them.
 */
import type { Deadline, Stopwatch } from '../../rpc/deadline.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { isTransient, type MainNodes } from './main-nodes.ts';
import type { RpcResponse, MainRpcCall } from './json-rpc.ts';

export interface PiggybackRequests {
  /** Sends the calls at once, together with waiting calls. Throws `RpcFailure`. */
  flushWith: MainNodes['request'];
  /**
   * Returns what `MainNodes.request` returns, but waits for the next `flushWith`; sends the calls alone when none comes
   * in time.
   */
  request: MainNodes['request'];
  /** Sends all waiting calls alone; from now on no call waits. */
  drain(): void;
}

export interface PiggybackRequestsOptions {
  readonly nodes: Pick<MainNodes, 'request' | 'batchRoom' | 'mayReplace'>;
  readonly stopwatch: Stopwatch;
  /** Upper bound for a request that carries waiting calls. */
  readonly requestTimeoutMilliseconds: number;
}

/** The head is polled more often than this. */
export const PIGGYBACK_MILLISECONDS = 20_000;

/** Backoff after a failed batch, in which no calls are carried; doubles with each further failure. */
const FIRST_BACKOFF_MILLISECONDS = 60_000;
const MAX_BACKOFF_MILLISECONDS = 3_600_000;

interface WaitingRequest {
  readonly calls: readonly MainRpcCall[];
  readonly deadline: Deadline;
  readonly settle: (responses: Promise<readonly RpcResponse[]>) => void;
  /** Cancels the timeout after which it is sent alone. */
  readonly timeout: AbortController;
}

export function createPiggybackRequests(options: PiggybackRequestsOptions): PiggybackRequests {
  const { nodes, stopwatch, requestTimeoutMilliseconds } = options;
  let waiting: WaitingRequest[] = [];
  let isDraining = false;
  let backoffUntilMilliseconds = -Infinity;
  let backoffMilliseconds = FIRST_BACKOFF_MILLISECONDS;

  function isBackingOff(): boolean {
    return stopwatch.nowMilliseconds() < backoffUntilMilliseconds;
  }

  function backOff(): void {
    backoffUntilMilliseconds = stopwatch.nowMilliseconds() + backoffMilliseconds;
    backoffMilliseconds = Math.min(backoffMilliseconds * 2, MAX_BACKOFF_MILLISECONDS);
  }

  /** Removes and returns the oldest waiting requests that fit. */
  function takeWaiting(room: number): WaitingRequest[] {
    const taken: WaitingRequest[] = [];
    let left = isBackingOff() ? 0 : room;
    waiting = waiting.filter((each) => {
      if (each.calls.length > left) return true;
      left -= each.calls.length;
      each.timeout.abort();
      taken.push(each);
      return false;
    });
    return taken;
  }

  function sendAlone(each: WaitingRequest): void {
    each.settle(nodes.request(each.calls, each.deadline));
  }

  function settleCarried(carried: readonly WaitingRequest[], responses: readonly RpcResponse[]): void {
    let from = 0;
    for (const each of carried) {
      const own = responses.slice(from, (from += each.calls.length));
      if (own.some(isTransient) || nodes.mayReplace(each.calls, own)) sendAlone(each);
      else each.settle(Promise.resolve(own));
    }
  }

  async function flushWith(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcResponse[]> {
    const carried = takeWaiting(nodes.batchRoom() - calls.length);
    if (carried.length === 0) return nodes.request(calls, deadline);
    const all = [...calls, ...carried.flatMap((each) => each.calls)];
    const { signal, atMilliseconds, purpose } = deadline;
    const requestMilliseconds = Math.min(deadline.requestMilliseconds, requestTimeoutMilliseconds);
    try {
      const responses = await nodes.request(
        all,
        { signal, atMilliseconds, requestMilliseconds, purpose },
        calls.length,
      );
      backoffMilliseconds = FIRST_BACKOFF_MILLISECONDS;
      settleCarried(carried, responses.slice(calls.length));
      return responses.slice(0, calls.length);
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.kind === 'rate') {
        for (const each of carried) each.settle(Promise.reject(error));
        throw error;
      }
    }
    backOff();
    const responses = nodes.request(calls, deadline);
    for (const each of carried) sendAlone(each);
    return responses;
  }

  return {
    flushWith,
    request(calls, deadline) {
      const isTooLong = calls.length > nodes.batchRoom() / 2;
      if (isDraining || isTooLong || isBackingOff()) return nodes.request(calls, deadline);
      return new Promise((resolve) => {
        const timeout = new AbortController();
        const entry: WaitingRequest = { calls, deadline, settle: resolve, timeout };
        waiting.push(entry);
        stopwatch.pause(PIGGYBACK_MILLISECONDS, timeout.signal).then(
          () => {
            waiting = waiting.filter((each) => each !== entry);
            sendAlone(entry);
          },
          () => undefined,
        );
      });
    },
    drain() {
      isDraining = true;
      for (const each of waiting.splice(0)) {
        each.timeout.abort();
        sendAlone(each);
      }
    },
  };
}
