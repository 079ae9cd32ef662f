/**
 * Call budget of one chain: decides when RPC calls may be sent to its nodes, so that their number never exceeds a
 * ceiling and no caller takes the share of another (real-chains 3). The ceiling is configured, or learned from rate
 * refusals; before the first refusal there is none, and every call passes at once.
 *
 * Order of the shares: the head follower and health checks, a fifth for the index, callers by deficit round-robin with
 * known machines first, the index again, and proof last.
 */
import { Fault } from '../../domain/faults.ts';
import type { CallerWork, ChainWork, Clock } from '../../ports/runtime.ts';
import type { Deadline, Stopwatch } from './deadline.ts';
import { FairQueue } from './fair-queue.ts';

/** What calls are sent for. */
export interface CallPurpose {
  readonly work: ChainWork;
  /** False for a machine or wallet that may not exist: it waits for those that are known to. */
  readonly isKnown: boolean;
  /** Calls whose turn was taken before; until a time of the stopwatch each is sent without another one. */
  readonly prepaid?: { calls: number; readonly untilMilliseconds: number };
}

/** Outcome of waiting for a turn; exactly one of the two is called, and none after a withdrawal. */
export interface TurnListener {
  /** The calls may be sent now, and until this time at the latest: later they would add to those of another second. */
  granted(untilMilliseconds: number): void;
  /** The turn of a caller did not come in time; the error is `LookupsExceeded`. */
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
   * deadline has expired, which the caller checks. It rejects with `LookupsExceeded`.
   */
  admit(calls: number, deadline: Deadline): Promise<void> | undefined;
  /** Lowers the rate after a node refused calls: for their rate, or because the quota of the day is used up. */
  recordRefusal(quota: 'rate' | 'day'): void;
  /** Calls that can ever be sent at once: a longer batch is to be divided. Infinite without a ceiling. */
  readonly maxCalls: number;
  report(): CallBudgetReport;
}

export interface CallBudgetReport {
  /** Calls per second that are allowed now; undefined: no limit is known. */
  readonly callsPerSecond: number | undefined;
  /** Calls since the start, by kind of work. */
  readonly calls: Readonly<Record<ChainWork['kind'], number>>;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** Reads of callers whose turn did not come in time. */
  readonly refused: number;
  /** Times that a node refused calls for their number. */
  readonly refusals: number;
  /** Whether proof is stopped for the day. */
  readonly isDayExhausted: boolean;
}

export interface CallBudgetOptions {
  /** Unix time, for the day. */
  readonly clock: Clock;
  readonly stopwatch: Pick<Stopwatch, 'nowMilliseconds' | 'pause'>;
  /** Undefined: learned. */
  readonly callsPerSecond?: number | undefined;
  readonly callsPerDay?: number | undefined;
}

/** Longest time between a turn and its calls. */
const MAX_DELAY_MILLISECONDS = 50;
/** Longer than a second, so that delays on the way to a node do not move calls into a full second. */
const WINDOW_MILLISECONDS = 1_000 + MAX_DELAY_MILLISECONDS;
const MAX_WAIT_MILLISECONDS = 2_000;
const INDEX_SHARE = 0.2;
/** Seconds of its share that the index may save. */
const MAX_INDEX_CREDIT_SECONDS = 2;
/** Part of the ceiling that proof leaves unused, so that a caller seldom waits for it. */
const PROOF_RESERVE = 0.25;
/** Least that is left to the head in each window, and the largest part of the ceiling. */
const MIN_HEAD_CALLS = 2;
const MAX_HEAD_PART = 0.5;
/** Time in which the need of the head is measured; the larger one of the last two counts. */
const HEAD_PERIOD_MILLISECONDS = 60_000;
/** Requests that wait of one address or /64, and of one /48. */
const MAX_WAITING_OF_NETWORK = 64;
const MAX_WAITING_OF_WIDE_NETWORK = 256;
const MAX_WAITING = 4_096;

const DECREASE = 0.7;
/** A refusal at a lower rate has another cause, which the circuit breaker of the node answers. */
const MIN_CALLS_PER_SECOND = 5;
const MIN_CALLS_PER_SECOND_OF_DAY = 1;
const GROWTH_MILLISECONDS = 1_000;
/** Growth per period: each node paces itself too, so a short burst of refusals must not slow all callers for minutes. */
const GROWTH = 1.25;
/** Growth after the calls of a day were used up. */
const GROWTH_OF_DAY = 1.0001;
/** From here on the rate counts as unlimited. */
const UNLIMITED_CALLS_PER_SECOND = 2_000;
const MAX_RETRY_SECONDS = 3_600;
const DAY_MILLISECONDS = 86_400_000;
/** Part of the calls of a day that is used freely; the last tenth is spread over what is left of the day. */
const FREE_PART_OF_DAY = 0.9;
const DAY_REFUSAL_DECREASE = 0.1;

interface Waiting {
  readonly calls: number;
  readonly purpose: CallPurpose;
  readonly networks: readonly string[];
  readonly sinceMilliseconds: number;
  readonly listener: TurnListener;
}

export function createCallBudget(options: CallBudgetOptions): CallBudget {
  const { clock, stopwatch, callsPerDay } = options;
  let learned = Infinity;
  let decreasedAtMilliseconds = -Infinity;
  let grownAtMilliseconds = 0;
  let growth = 1;
  let day = 0;
  let callsOfDay = 0;
  let exhaustedDay: number | undefined;
  const calls = { head: 0, index: 0, proof: 0, caller: 0 };
  let refused = 0;
  let refusals = 0;

  /** Calls that count until a time, oldest first. */
  const sent: { readonly calls: number; readonly isHead: boolean; readonly untilMilliseconds: number }[] = [];
  let used = 0;
  let usedByHead = 0;
  let headCalls = { atMilliseconds: 0, peak: 0, peakBefore: 0 };
  let indexCredit = 0;
  let creditedAtMilliseconds = 0;

  const head: Waiting[] = [];
  const index: Waiting[] = [];
  const proof: Waiting[] = [];
  const known = new FairQueue<Waiting>();
  const unknown = new FairQueue<Waiting>();
  const waitingOfNetwork = new Map<string, number>();
  let alarm: { readonly atMilliseconds: number; readonly abort: AbortController } | undefined;

  function startDay(): void {
    const today = Math.floor(clock.nowMilliseconds() / DAY_MILLISECONDS);
    if (today === day) return;
    day = today;
    callsOfDay = 0;
  }

  /** Returns the calls per second that are left for this day; infinite while few of them are used. */
  function rateOfDay(): number {
    if (callsPerDay === undefined || callsOfDay < callsPerDay * FREE_PART_OF_DAY) return Infinity;
    const secondsLeft = ((day + 1) * DAY_MILLISECONDS - clock.nowMilliseconds()) / 1000;
    return Math.max(0, callsPerDay - callsOfDay) / Math.max(1, secondsLeft);
  }

  /** Returns whether the calls of this day are used faster than the day passes, or a node refused any more. */
  function isDayExhausted(): boolean {
    if (exhaustedDay === day) return true;
    const partOfDay = (clock.nowMilliseconds() % DAY_MILLISECONDS) / DAY_MILLISECONDS;
    return callsPerDay !== undefined && callsOfDay > callsPerDay * partOfDay;
  }

  function grow(now: number): void {
    if (learned === Infinity || now - grownAtMilliseconds < GROWTH_MILLISECONDS) return;
    const periods = Math.floor((now - grownAtMilliseconds) / GROWTH_MILLISECONDS);
    grownAtMilliseconds += periods * GROWTH_MILLISECONDS;
    learned *= growth ** periods;
    if (learned > UNLIMITED_CALLS_PER_SECOND) learned = Infinity;
  }

  function currentRate(): number {
    return Math.min(options.callsPerSecond ?? Infinity, learned, rateOfDay());
  }

  function expire(now: number): void {
    while (sent.length > 0 && sent[0]!.untilMilliseconds <= now) {
      const { calls: expired, isHead } = sent.shift()!;
      used -= expired;
      if (isHead) usedByHead -= expired;
    }
  }

  function add(count: number, isHead: boolean, untilMilliseconds: number): void {
    const place = sent.findLastIndex((each) => each.untilMilliseconds <= untilMilliseconds) + 1;
    sent.splice(place, 0, { calls: count, isHead, untilMilliseconds });
    used += count;
    if (isHead) usedByHead += count;
  }

  /**
   * Calls that count within `windowMilliseconds`; a rate below one call per second has a longer window. None is shorter,
   * so that a rate between two whole numbers puts no second window into one second.
   */
  function toCeiling(rate: number): { readonly limit: number; readonly windowMilliseconds: number } {
    return { limit: Math.max(1, Math.floor(rate)), windowMilliseconds: WINDOW_MILLISECONDS / Math.min(1, rate) };
  }

  function record(count: number, purpose: CallPurpose, now: number, rate: number): void {
    const { kind } = purpose.work;
    calls[kind] += count;
    callsOfDay += count;
    const isHead = kind === 'head';
    if (rate === Infinity) {
      add(count, isHead, now + WINDOW_MILLISECONDS);
      return;
    }
    const { limit, windowMilliseconds } = toCeiling(rate);
    // Calls beyond the ceiling of one window use up the next ones.
    for (let left = count, windows = 1; left > 0; left -= limit, windows += 1) {
      add(Math.min(left, limit), isHead, now + windows * windowMilliseconds);
    }
    if (isHead) measureHead(now);
    if (kind === 'index') indexCredit = Math.max(0, indexCredit - count);
  }

  function measureHead(now: number): void {
    if (now - headCalls.atMilliseconds > HEAD_PERIOD_MILLISECONDS) {
      headCalls = { atMilliseconds: now, peak: 0, peakBefore: headCalls.peak };
    }
    headCalls.peak = Math.max(headCalls.peak, usedByHead);
  }

  /** Returns how many calls of a window are left to the head. */
  function headShare(limit: number): number {
    const need = Math.max(MIN_HEAD_CALLS, headCalls.peak, headCalls.peakBefore);
    return Math.min(need, Math.floor(limit * MAX_HEAD_PART));
  }

  function creditIndex(now: number, rate: number): void {
    const share = rate * INDEX_SHARE;
    const earned = (share * (now - creditedAtMilliseconds)) / 1000;
    creditedAtMilliseconds = now;
    indexCredit = Math.min(share * MAX_INDEX_CREDIT_SECONDS, indexCredit + earned);
  }

  /** Returns the next request of the highest class that waits, if it may be sent now. */
  function findNext(rate: number): { readonly next: Waiting; readonly take: () => void } | undefined {
    const { limit } = toCeiling(rate);
    const free = rate === 0 ? 0 : limit - used;
    const freeOfHead = free - Math.max(0, headShare(limit) - usedByHead);
    const cap = limit - headShare(limit);
    const takeFrom = (queue: Waiting[], room: number, cap: number) => {
      const next = queue[0];
      return next !== undefined && fits(next.calls, room, cap) ? { next, take: () => void queue.shift() } : undefined;
    };
    if (head.length > 0) return takeFrom(head, free, limit);
    const maxCredit = rate * INDEX_SHARE * MAX_INDEX_CREDIT_SECONDS;
    if (index.length > 0 && indexCredit >= Math.min(index[0]!.calls, maxCredit)) {
      return takeFrom(index, freeOfHead, cap);
    }
    for (const queue of [known, unknown]) {
      const next = queue.peek();
      if (next === undefined) continue;
      return fits(next.calls, freeOfHead, cap) ? { next, take: () => queue.shift() } : undefined;
    }
    if (index.length > 0) return takeFrom(index, freeOfHead, cap);
    const reserve = Math.floor(limit * PROOF_RESERVE);
    return isDayExhausted() ? undefined : takeFrom(proof, freeOfHead - reserve, cap - reserve);
  }

  /** Grants as many turns as the ceiling allows and sets an alarm for the next one. */
  function pump(): void {
    const now = stopwatch.nowMilliseconds();
    startDay();
    grow(now);
    expire(now);
    refuseOverdue(now);
    for (;;) {
      const rate = currentRate();
      if (rate === Infinity) {
        grantAll(now);
        return;
      }
      creditIndex(now, rate);
      const found = findNext(rate);
      if (found === undefined) break;
      found.take();
      record(found.next.calls, found.next.purpose, now, rate);
      leave(found.next);
      found.next.listener.granted(now + MAX_DELAY_MILLISECONDS);
    }
    setAlarm(now);
  }

  function grantAll(now: number): void {
    for (const waiting of [...head, ...index, ...proof]) grantUnlimited(waiting, now);
    head.length = index.length = proof.length = 0;
    for (const queue of [known, unknown]) {
      for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
        queue.shift();
        grantUnlimited(next, now);
      }
    }
  }

  function grantUnlimited(waiting: Waiting, now: number): void {
    record(waiting.calls, waiting.purpose, now, Infinity);
    leave(waiting);
    waiting.listener.granted(now + MAX_DELAY_MILLISECONDS);
  }

  function refuseOverdue(now: number): void {
    for (const waiting of overdue(now)) {
      refused += 1;
      const retryAfterSeconds = retryAfter(waiting.purpose);
      withdraw(waiting);
      waiting.listener.refused(new Fault('LookupsExceeded', { retryAfterSeconds }));
    }
  }

  /** Requests of callers in the order of their arrival. */
  const arrivals = new Set<Waiting>();

  function overdue(now: number): Waiting[] {
    const found: Waiting[] = [];
    for (const waiting of arrivals) {
      if (now - waiting.sinceMilliseconds < MAX_WAIT_MILLISECONDS) break;
      found.push(waiting);
    }
    return found;
  }

  /** Returns the seconds until the share of the caller has served what waits before a new read of it. */
  function retryAfter({ work, isKnown }: CallPurpose): number {
    const rate = currentRate();
    const share = rate * (1 - INDEX_SHARE) - headShare(toCeiling(rate).limit);
    const own = waitingOfNetwork.get((work as CallerWork).networks[0]!) ?? 0;
    const flows = isKnown ? known.flows : known.size + unknown.flows;
    const seconds = (own * Math.max(1, flows)) / Math.max(share, rate / 4, 1e-3);
    return Math.min(MAX_RETRY_SECONDS, Math.ceil(Math.max(seconds, 1)));
  }

  function setAlarm(now: number): void {
    const times = [
      ...(sent[0] === undefined ? [] : [sent[0].untilMilliseconds]),
      ...[...arrivals.values().take(1)].map((first) => first.sinceMilliseconds + MAX_WAIT_MILLISECONDS),
      now + WINDOW_MILLISECONDS,
    ];
    const isWaiting = head.length + index.length + proof.length + known.size + unknown.size > 0;
    const atMilliseconds = isWaiting ? Math.min(...times.filter((time) => time > now)) : Infinity;
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

  function queueOf({ work, isKnown }: CallPurpose): Waiting[] | FairQueue<Waiting> {
    if (work.kind === 'caller') return isKnown ? known : unknown;
    return { head, index, proof }[work.kind];
  }

  function enqueue(waiting: Waiting): void {
    const queue = queueOf(waiting.purpose);
    if (queue instanceof FairQueue) {
      arrivals.add(waiting);
      for (const network of waiting.networks) countNetwork(network, 1);
      queue.push(waiting.networks, waiting, waiting.calls);
    } else queue.push(waiting);
  }

  /** Ends the waiting of a request that has left its queue. */
  function leave(waiting: Waiting): void {
    if (arrivals.delete(waiting)) for (const network of waiting.networks) countNetwork(network, -1);
  }

  /** Removes a request that still waits; does nothing for any other. */
  function withdraw(waiting: Waiting): void {
    const queue = queueOf(waiting.purpose);
    if (queue instanceof FairQueue) {
      if (arrivals.has(waiting)) queue.remove(waiting.networks, waiting);
    } else if (queue.includes(waiting)) queue.splice(queue.indexOf(waiting), 1);
    leave(waiting);
  }

  function countNetwork(network: string, change: 1 | -1): void {
    const count = (waitingOfNetwork.get(network) ?? 0) + change;
    if (count === 0) waitingOfNetwork.delete(network);
    else waitingOfNetwork.set(network, count);
  }

  function isFull(networks: readonly string[]): boolean {
    if (networks.length === 0) return false;
    const [wide, narrow] = [networks[0]!, networks.at(-1)!].map((each) => waitingOfNetwork.get(each) ?? 0);
    const isOwnFull = wide! >= MAX_WAITING_OF_WIDE_NETWORK || narrow! >= MAX_WAITING_OF_NETWORK;
    return isOwnFull || arrivals.size >= MAX_WAITING;
  }

  function takeTurn(count: number, purpose: CallPurpose, listener: TurnListener): () => void {
    startDay();
    const now = stopwatch.nowMilliseconds();
    if (purpose.work.kind === 'caller' && purpose.work.isLimited === true) {
      refused += 1;
      listener.refused(new Fault('LookupsExceeded', { retryAfterSeconds: 1 }));
      return () => undefined;
    }
    if (currentRate() === Infinity) {
      expire(now);
      record(count, purpose, now, Infinity);
      listener.granted(now + MAX_DELAY_MILLISECONDS);
      return () => undefined;
    }
    const networks = purpose.work.kind === 'caller' ? purpose.work.networks : [];
    if (isFull(networks)) {
      refused += 1;
      listener.refused(new Fault('LookupsExceeded', { retryAfterSeconds: retryAfter(purpose) }));
      return () => undefined;
    }
    const waiting = { calls: count, purpose, networks, sinceMilliseconds: now, listener };
    enqueue(waiting);
    pump();
    return () => withdraw(waiting);
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
        resolve(undefined);
      };
      if (signal.aborted) expire();
      else signal.addEventListener('abort', expire, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', expire));
    },
    recordRefusal(quota) {
      const now = stopwatch.nowMilliseconds();
      startDay();
      refusals += 1;
      if (quota === 'day') exhaustedDay = day;
      // Refusals of calls that were sent at the same rate count once.
      if (now - decreasedAtMilliseconds >= WINDOW_MILLISECONDS) {
        decreasedAtMilliseconds = now;
        grownAtMilliseconds = now;
        expire(now);
        const rate = Math.min(currentRate(), Math.max(1, used));
        learned =
          quota === 'day'
            ? Math.max(MIN_CALLS_PER_SECOND_OF_DAY, rate * DAY_REFUSAL_DECREASE)
            : Math.max(MIN_CALLS_PER_SECOND, rate * DECREASE);
        growth = quota === 'day' ? GROWTH_OF_DAY : GROWTH;
      }
      pump();
    },
    get maxCalls() {
      const rate = currentRate();
      return rate === Infinity ? Infinity : Math.ceil(toCeiling(rate).limit * (1 - MAX_HEAD_PART));
    },
    report() {
      startDay();
      const rate = currentRate();
      return {
        callsPerSecond: rate === Infinity ? undefined : rate,
        calls: { ...calls },
        waiting: head.length + index.length + proof.length + known.size + unknown.size,
        refused,
        refusals,
        isDayExhausted: isDayExhausted(),
      };
    },
  };
}

/** Returns whether the calls fit the room; calls that can never fit the cap take all of it. */
function fits(count: number, room: number, cap: number): boolean {
  return room >= Math.min(count, Math.max(1, cap));
}
