/**
 * Rate of calls to one node, learned from its refusals. Without a refusal there is none. After one, it is below the rate
 * that was refused, and it grows again while the node accepts it. Call budgets pace the calls by it.
 */
import type { LearnedRate } from './call-ceiling.ts';
import type { Deadline, Stopwatch } from './deadline.ts';
import { RpcFailure } from './rpc-failure.ts';

/** Share of the refused rate to continue with. */
const REDUCTION = 0.8;
const GROWTH = 1.5;
/** Time without a refusal after which the rate grows. */
const GROWTH_MILLISECONDS = 5_000;
/** Window over which the accepted calls are counted. */
const WINDOW_MILLISECONDS = 1_000;
const MAX_RECORDS = 100;
/** A node that has accepted no call for so long is down. */
const ACCEPTING_MILLISECONDS = 5_000;
/** Unclear refusals within the window that may mean a rate, if they are also a quarter of all requests. */
const MIN_UNCLEAR = 3;
const ACCEPTED_PER_UNCLEAR = 3;
/** Least rate after the first refusal, which may have had another cause. */
const FIRST_CALLS_PER_SECOND = 5;
/** From here on the rate counts as unlimited. */
const UNLIMITED_CALLS_PER_SECOND = 2_000;

export class NodeRate implements LearnedRate {
  readonly #stopwatch: Stopwatch;
  #callsPerSecond: number | undefined;
  #changedAt = Number.NEGATIVE_INFINITY;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #acceptedAt = Number.NEGATIVE_INFINITY;
  /** When the node refused all calls last, and until when it is taken to refuse any more. */
  #usedUpAt = Number.NEGATIVE_INFINITY;
  #usedUpUntil = Number.NEGATIVE_INFINITY;
  /** Calls accepted within the last second. */
  #accepted: { readonly at: number; readonly calls: number }[] = [];
  /** Times of the unclear refusals within the last second. */
  #unclearAt: number[] = [];

  constructor(stopwatch: Stopwatch, callsPerSecond?: number) {
    this.#stopwatch = stopwatch;
    this.#callsPerSecond = callsPerSecond;
  }

  /** Undefined while the node has refused nothing. */
  get callsPerSecond(): number | undefined {
    return this.#callsPerSecond;
  }

  /** Largest request that fits the rate. */
  get maxCalls(): number {
    return this.#callsPerSecond === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(1, Math.floor(this.#callsPerSecond));
  }

  /** Whether the node refused all calls for a day or longer a short time ago, and has accepted no later one. */
  get isUsedUp(): boolean {
    return this.#stopwatch.nowMilliseconds() < this.#usedUpUntil;
  }

  recordAccepted(calls: number, sentAtMilliseconds = this.#stopwatch.nowMilliseconds()): void {
    const now = this.#stopwatch.nowMilliseconds();
    this.#accepted.push({ at: now, calls });
    if (calls > 0) this.#acceptedAt = now;
    if (calls > 0 && sentAtMilliseconds >= this.#usedUpAt) this.#usedUpUntil = Number.NEGATIVE_INFINITY;
    if (this.#accepted.length > MAX_RECORDS) this.#countAccepted(now);
    if (this.#callsPerSecond === undefined || now - this.#changedAt < GROWTH_MILLISECONDS) return;
    this.#callsPerSecond *= GROWTH;
    this.#changedAt = now;
    if (this.#callsPerSecond > UNLIMITED_CALLS_PER_SECOND) this.#callsPerSecond = undefined;
  }

  /** Lowers the rate after a refusal of calls that were sent at this time; refusals of one burst count once. */
  recordRefusal(calls: number, sentAtMilliseconds: number): void {
    if (sentAtMilliseconds < this.#refusedAt) return;
    const now = this.#stopwatch.nowMilliseconds();
    const refused = Math.max(calls / 2, this.#countAccepted(now));
    const current = this.#callsPerSecond;
    this.#callsPerSecond =
      current === undefined
        ? Math.max(FIRST_CALLS_PER_SECOND, REDUCTION * refused)
        : Math.max(1, current / 2, REDUCTION * Math.min(current, refused));
    this.#refusedAt = now;
    this.#changedAt = now;
  }

  /**
   * Records that the node refused all calls for a day or longer: it counts as used up for this time, or until it accepts a
   * later call. Its rate stays as it was, because this says nothing about it. Refusals of one burst count once.
   */
  recordUsedUp(sentAtMilliseconds: number, milliseconds: number): void {
    if (sentAtMilliseconds < this.#usedUpAt) return;
    this.#usedUpAt = this.#stopwatch.nowMilliseconds();
    this.#usedUpUntil = this.#usedUpAt + milliseconds;
  }

  /**
   * Lowers the rate after many refusals that name no reason, while the node accepts other calls: some gateways limit the
   * rate without a word about it. Few of them are faults, and a node that accepts nothing is down.
   */
  recordUnclearRefusal(calls: number, sentAtMilliseconds: number): void {
    const now = this.#stopwatch.nowMilliseconds();
    this.#unclearAt = [...this.#unclearAt.filter((at) => now - at < WINDOW_MILLISECONDS), now];
    const unclear = this.#unclearAt.length;
    const accepted = this.#countAccepted(now);
    if (accepted === 0 || unclear < MIN_UNCLEAR || ACCEPTED_PER_UNCLEAR * unclear < accepted) return;
    this.recordRefusal(calls, sentAtMilliseconds);
  }

  /** Whether the node accepted a call within the last seconds. */
  get isAccepting(): boolean {
    return this.#stopwatch.nowMilliseconds() - this.#acceptedAt < ACCEPTING_MILLISECONDS;
  }

  #countAccepted(now: number): number {
    this.#accepted = this.#accepted.filter(({ at }) => now - at < WINDOW_MILLISECONDS);
    return this.#accepted.reduce((sum, { calls }) => sum + calls, 0);
  }
}

/** Resolves after this time. Throws `RpcFailure` when the deadline expires first. */
export async function pauseWithin(stopwatch: Stopwatch, milliseconds: number, { signal }: Deadline): Promise<void> {
  await stopwatch.pause(milliseconds, signal).catch(() => {
    throw new RpcFailure('deadline');
  });
}
