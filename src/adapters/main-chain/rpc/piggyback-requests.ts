/**
 * How do questions travel that can wait? In the batch that asks for the next head, so that a block costs one request. The head pays nothing
 * for them: its own calls come first, an error of theirs delays it no second time, and a batch that fails is sent again without them.
 */
import type { Deadline, Stopwatch } from '../../rpc/deadline.ts';
import { mayPassLater, type MainNodes } from './main-nodes.ts';
import { MainRpcError, type RpcAnswer, type MainRpcCall } from './json-rpc.ts';

export interface PiggybackRequests {
  /** Sends the calls at once, and whatever waits with them. Throws `AltRpcError`. */
  lead: MainNodes['request'];
  /** The same answer as from `Endpoints.request`, but when the next calls lead; on its own when none do in time. */
  request: MainNodes['request'];
  /** What waits is sent on its own, and nothing waits from now on. */
  hurry(): void;
}

export interface PiggybackRequestsOptions {
  readonly endpoints: Pick<MainNodes, 'request'>;
  readonly stopwatch: Stopwatch;
  readonly maxBatchCalls: number;
  /** Of one request that carries more than what leads. */
  readonly requestTimeoutMilliseconds: number;
}

/** The head is asked for more often than that. */
export const PIGGYBACK_MILLISECONDS = 20_000;

/** After a batch that failed nothing is carried; doubles with each further one. */
const FIRST_REST_MILLISECONDS = 60_000;
const MAX_REST_MILLISECONDS = 3_600_000;

interface Waiting {
  readonly calls: readonly MainRpcCall[];
  readonly deadline: Deadline;
  readonly settle: (answers: Promise<readonly RpcAnswer[]>) => void;
  /** Ends its patience. */
  readonly leave: AbortController;
}

export function createPiggybackRequests(options: PiggybackRequestsOptions): PiggybackRequests {
  const { endpoints, stopwatch, maxBatchCalls, requestTimeoutMilliseconds } = options;
  let waiting: Waiting[] = [];
  let isHurried = false;
  let restUntilMilliseconds = -Infinity;
  let restMilliseconds = FIRST_REST_MILLISECONDS;

  function isResting(): boolean {
    return stopwatch.nowMilliseconds() < restUntilMilliseconds;
  }

  function rest(): void {
    restUntilMilliseconds = stopwatch.nowMilliseconds() + restMilliseconds;
    restMilliseconds = Math.min(restMilliseconds * 2, MAX_REST_MILLISECONDS);
  }

  /** Those for which there is room, the first that came first. */
  function takeWaiting(room: number): Waiting[] {
    const taken: Waiting[] = [];
    let left = isResting() ? 0 : room;
    waiting = waiting.filter((each) => {
      if (each.calls.length > left) return true;
      left -= each.calls.length;
      each.leave.abort();
      taken.push(each);
      return false;
    });
    return taken;
  }

  function sendApart(each: Waiting): void {
    each.settle(endpoints.request(each.calls, each.deadline));
  }

  function deal(carried: readonly Waiting[], answers: readonly RpcAnswer[]): void {
    let from = 0;
    for (const each of carried) {
      const own = answers.slice(from, (from += each.calls.length));
      if (own.some(mayPassLater)) sendApart(each);
      else each.settle(Promise.resolve(own));
    }
  }

  async function lead(calls: readonly MainRpcCall[], deadline: Deadline): Promise<readonly RpcAnswer[]> {
    const carried = takeWaiting(maxBatchCalls - calls.length);
    if (carried.length === 0) return endpoints.request(calls, deadline);
    const all = [...calls, ...carried.flatMap((each) => each.calls)];
    const { signal, atMilliseconds, requestMilliseconds } = deadline;
    const shorter = Math.min(requestMilliseconds, requestTimeoutMilliseconds);
    try {
      const answers = await endpoints.request(
        all,
        { signal, atMilliseconds, requestMilliseconds: shorter },
        calls.length,
      );
      // One error for all is the refusal of the batch.
      if (answers.some(({ ok }) => ok)) {
        restMilliseconds = FIRST_REST_MILLISECONDS;
        deal(carried, answers.slice(calls.length));
        return answers.slice(0, calls.length);
      }
    } catch (error) {
      if (!(error instanceof MainRpcError) || error.rateLimited) {
        for (const each of carried) each.settle(Promise.reject(error));
        throw error;
      }
    }
    rest();
    const answers = endpoints.request(calls, deadline);
    for (const each of carried) sendApart(each);
    return answers;
  }

  return {
    lead,
    request(calls, deadline) {
      const isTooLong = calls.length > maxBatchCalls / 2;
      if (isHurried || isTooLong || isResting()) return endpoints.request(calls, deadline);
      return new Promise((resolve) => {
        const leave = new AbortController();
        const entry: Waiting = { calls, deadline, settle: resolve, leave };
        waiting.push(entry);
        stopwatch.pause(PIGGYBACK_MILLISECONDS, leave.signal).then(
          () => {
            waiting = waiting.filter((each) => each !== entry);
            sendApart(entry);
          },
          () => undefined,
        );
      });
    },
    hurry() {
      isHurried = true;
      for (const each of waiting.splice(0)) {
        each.leave.abort();
        sendApart(each);
      }
    },
  };
}
