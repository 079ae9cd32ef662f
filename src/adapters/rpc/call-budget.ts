/**
 * Call budget of one chain: decides when RPC calls may be sent to its nodes, so that their number never exceeds a
 * ceiling and no caller takes the share of another (real-chains 3). The ceiling is configured, or learned from rate
 * refusals; before the first refusal there is none, and every call passes at once, except for proof once the day has used
 * up its calls. Calls wait only here: the node in use has no other queue.
 */
import { Fault } from '../../domain/faults.ts';
import type { ChainWork } from '../../ports/runtime.ts';
import {
  CallCeiling,
  MAX_DELAY_MILLISECONDS,
  toWindow,
  WINDOW_MILLISECONDS,
  type CallCeilingOptions,
  type LearnedRate,
} from './call-ceiling.ts';
import { CallLedger, MAX_HEAD_PART } from './call-ledger.ts';
import { CallQueues, INDEX_SHARE, type WaitingTurn } from './call-queues.ts';
import type { Deadline, Stopwatch } from './deadline.ts';
import { RpcFailure } from './rpc-failure.ts';

/** What calls are sent for. */
export interface CallPurpose {
  readonly work: ChainWork;
  /** False for a machine or wallet that may not exist: it waits for those that are known to. */
  readonly isKnown: boolean;
  /** Whether the response of one node is wanted, so that no other one replaces it. */
  readonly isForOneNode?: boolean;
  /** Calls whose turn was taken before; until a time of the stopwatch each is sent without another one. */
  readonly prepaid?: { calls: number; readonly untilMilliseconds: number };
}

/** Outcome of waiting for a turn; exactly one of the two is called, and none after a withdrawal. */
export interface TurnListener {
  /** The calls may be sent now, and until this time at the latest: later they would add to those of another second. */
  granted(untilMilliseconds: number): void;
  /** The turn of a caller did not come in time, or its place was given to another one; the error is `LookupsExceeded`. */
  refused(error: unknown): void;
}

export interface CallBudget {
  /**
   * Waits for the turn of these calls; the listener may be called before this returns. Returns a function that
   * withdraws the request.
   */
  takeTurn(calls: number, purpose: CallPurpose, listener: TurnListener): () => void;
  /**
   * Returns undefined when the calls may be sent now, else a promise that resolves when they may be, or when the
   * deadline has expired, which the caller checks. It rejects with `LookupsExceeded`, or with `RpcFailure` when the
   * deadline has expired and the configured calls of the day refuse these calls.
   */
  admit(calls: number, deadline: Deadline): Promise<void> | undefined;
  /**
   * Limits the calls to what was learned about the node in use, which may change. While a rate is known, a turn is granted
   * only when the node has a connection for one request more than these that were granted at once: the calls would be sent
   * later than they count, together with those of another second.
   */
  limitTo(learned: () => LearnedRate, hasConnection?: (granted: number) => boolean): void;
  /** Grants turns again after a connection has become free. */
  resume(): void;
  /** Counts a refusal of calls for their number that no node served. */
  recordRefusal(): void;
  /** Calls that can ever be sent at once: a longer batch is to be divided. Infinite without a ceiling. */
  readonly maxCalls: number;
  /** Calls of one part of a longer batch: several parts fill what is free within a second. Infinite without a ceiling. */
  readonly partCalls: number;
  report(): CallBudgetReport;
}

export interface CallBudgetReport {
  /** Calls per second that are allowed now; undefined: no limit is known. */
  readonly callsPerSecond: number | undefined;
  /** Calls since the start, by kind of work. */
  readonly calls: Readonly<Record<ChainWork['kind'], number>>;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** Reads of callers whose turn did not come in time, or that were displaced. */
  readonly refused: number;
  /** Times that a node refused calls for their number. */
  readonly refusals: number;
  /** Whether proof waits: the calls of the day are used faster than it passes, or the node in use refuses any more. */
  readonly isDayExhausted: boolean;
}

export interface CallBudgetOptions extends CallCeilingOptions {
  readonly stopwatch: Pick<Stopwatch, 'nowMilliseconds' | 'pause'>;
}

const MAX_RETRY_SECONDS = 3_600;
const PARTS_PER_WINDOW = 8;

export function createCallBudget(options: CallBudgetOptions): CallBudget {
  const { stopwatch } = options;
  const ceiling = new CallCeiling(options);
  const ledger = new CallLedger();
  const queues = new CallQueues();
  const calls = { head: 0, index: 0, proof: 0, caller: 0 };
  let hasConnection: (granted: number) => boolean = () => true;
  let refused = 0;
  let refusals = 0;
  let alarm: { readonly atMilliseconds: number; readonly abort: AbortController } | undefined;

  function record(count: number, { work }: CallPurpose, now: number, rate: number): void {
    calls[work.kind] += count;
    ceiling.countCalls(count, work.kind === 'head', now);
    ledger.record(count, work.kind === 'head', now, rate);
  }

  /** Grants as many turns as the ceiling allows and sets an alarm for the next one. */
  function pump(): void {
    const now = stopwatch.nowMilliseconds();
    ledger.expire(now);
    refuseOverdue(now);
    for (let granted = 0; ; granted++) {
      const { rate } = ceiling;
      if (!hasConnection(granted)) break;
      queues.creditIndex(now, rate);
      const next = queues.takeNext(ledger.roomAt(rate), rate, (each) => ceiling.allows(each.calls, each.purpose));
      if (next === undefined) break;
      grant(next, now, rate);
    }
    setAlarm(now);
  }

  function grant({ calls: count, purpose, listener }: WaitingTurn, now: number, rate: number): void {
    record(count, purpose, now, rate);
    listener.granted(now + MAX_DELAY_MILLISECONDS);
  }

  function refuseOverdue(now: number): void {
    for (const waiting of queues.listOverdue(now)) refuseWaiting(waiting);
  }

  function refuseWaiting(waiting: WaitingTurn): void {
    const retryAfterSeconds = retryAfter(waiting.purpose);
    queues.withdraw(waiting);
    refuse(waiting.listener, retryAfterSeconds);
  }

  function refuse(listener: TurnListener, retryAfterSeconds: number): void {
    refused += 1;
    listener.refused(new Fault('LookupsExceeded', { retryAfterSeconds }));
  }

  /** Returns whether a new read of a caller may wait. Where all places are taken, another read may be refused for it. */
  function makeRoom(purpose: CallPurpose, networks: readonly string[]): boolean {
    if (queues.isFullOf(networks, ceiling.rate)) return false;
    if (!queues.isFull) return true;
    const displaced = queues.findDisplaced(purpose);
    if (displaced !== undefined) refuseWaiting(displaced);
    return displaced !== undefined;
  }

  /** Returns the seconds until the share of the caller has served what waits before a new read of it. */
  function retryAfter(purpose: CallPurpose): number {
    const { rate } = ceiling;
    const share = rate * (1 - INDEX_SHARE) - ledger.headShare(toWindow(rate).limit);
    const ahead = queues.countAhead(purpose);
    const seconds = Math.max(ahead / Math.max(share, rate / 4, 1e-3), ceiling.secondsUntil(ahead + 1, purpose));
    return Math.min(MAX_RETRY_SECONDS, Math.ceil(Math.max(seconds, 1)));
  }

  function setAlarm(now: number): void {
    const isWaiting = queues.size > 0;
    const times = [ledger.nextExpiryMilliseconds, queues.nextOverdueMilliseconds, now + WINDOW_MILLISECONDS];
    const due = times.filter((time) => time !== undefined && time > now) as number[];
    const atMilliseconds = isWaiting ? Math.min(...due) : Infinity;
    if (alarm !== undefined && alarm.atMilliseconds <= atMilliseconds && isWaiting) return;
    alarm?.abort.abort();
    alarm = undefined;
    if (!isWaiting) return;
    const abort = new AbortController();
    const own = (alarm = { atMilliseconds, abort });
    stopwatch.pause(Math.ceil(atMilliseconds - now), abort.signal).then(
      () => {
        if (alarm === own) alarm = undefined;
        pump();
      },
      () => undefined,
    );
  }

  function takeTurn(count: number, purpose: CallPurpose, listener: TurnListener): () => void {
    const now = stopwatch.nowMilliseconds();
    if (purpose.work.kind === 'caller' && purpose.work.isLimited === true) {
      refuse(listener, 1);
      return () => undefined;
    }
    if (ceiling.rate === Infinity && queues.size === 0 && hasConnection(0) && ceiling.allows(count, purpose)) {
      ledger.expire(now);
      record(count, purpose, now, Infinity);
      listener.granted(now + MAX_DELAY_MILLISECONDS);
      return () => undefined;
    }
    const networks = purpose.work.kind === 'caller' ? purpose.work.networks : [];
    if (networks.length > 0 && !makeRoom(purpose, networks)) {
      refuse(listener, retryAfter(purpose));
      return () => undefined;
    }
    const waiting = { calls: count, purpose, networks, sinceMilliseconds: now, listener };
    queues.add(waiting);
    pump();
    return () => queues.withdraw(waiting);
  }

  return {
    takeTurn,
    admit(count, deadline) {
      const { purpose } = deadline;
      const { prepaid } = purpose;
      if (prepaid !== undefined && prepaid.calls >= count) {
        prepaid.calls -= count;
        if (stopwatch.nowMilliseconds() <= prepaid.untilMilliseconds) return undefined;
      }
      const turn = { isGranted: false };
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const end = takeTurn(count, purpose, {
        granted() {
          turn.isGranted = true;
          resolve(undefined);
        },
        refused: reject,
      });
      if (turn.isGranted) return undefined;
      const { signal } = deadline;
      const expire = () => {
        end();
        if (ceiling.isRefusedByDay(count, purpose)) reject(new RpcFailure('own-calls-used-up', 'local'));
        else resolve(undefined);
      };
      if (signal.aborted) expire();
      else signal.addEventListener('abort', expire, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', expire));
    },
    limitTo(learned, ofNode = () => true) {
      ceiling.limitTo(learned);
      hasConnection = ofNode;
    },
    resume() {
      if (queues.size > 0) pump();
    },
    recordRefusal() {
      refusals += 1;
    },
    get maxCalls() {
      const { rate } = ceiling;
      return rate === Infinity ? Infinity : Math.ceil(toWindow(rate).limit * (1 - MAX_HEAD_PART));
    },
    get partCalls() {
      const { rate } = ceiling;
      return rate === Infinity ? Infinity : Math.max(1, Math.floor(toWindow(rate).limit / PARTS_PER_WINDOW));
    },
    report() {
      const { rate } = ceiling;
      return {
        callsPerSecond: rate === Infinity ? undefined : rate,
        calls: { ...calls },
        waiting: queues.size,
        refused,
        refusals,
        isDayExhausted: ceiling.isDayExhausted(),
      };
    },
  };
}
