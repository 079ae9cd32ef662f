/**
 * Adaptive size and concurrency of log queries (chain-evm 4.7). Windows are as large as the node accepts, and a few
 * requests are in flight while it does. Windows shrink when it refuses a range or when blocks hold many logs;
 * concurrency drops to one when it limits the rate, and while a range is wider than any accepted one, so that a refusal
 * costs one request.
 */
import { LogLimits } from '../../domain/index-rules/log-limits.ts';

const MAX_WINDOW_BLOCKS = 5_000;
/** Halvings allowed within one step; after that the step fails, and a later one continues from there. */
export const MAX_HALVINGS = 4;

/** First window of a backfill, whose log density is unknown. */
const FIRST_WINDOW_BLOCKS = 200;
/** Factor by which a window may grow over sparse blocks. */
const MAX_WIDENING = 5;

const MAX_REQUESTS_IN_FLIGHT = 4;
const FIRST_GROWTH_AFTER = 8;
const LAST_GROWTH_AFTER = 512;

export class AdaptiveWindow {
  readonly #maxWindowBlocks: number;
  readonly #limits: () => LogLimits;
  /** Largest window that did not time out. */
  #timelyBlocks: number;
  /** Largest window that holds few enough logs. */
  #fittingBlocks = FIRST_WINDOW_BLOCKS;
  #requestsInFlight = MAX_REQUESTS_IN_FLIGHT;
  #successes = 0;
  /** Consecutive successes required before growing; doubles with every failure. */
  #growthAfter = FIRST_GROWTH_AFTER;

  /** `limits` returns those of the node that is queried first. */
  constructor(maxWindowBlocks = MAX_WINDOW_BLOCKS, limits?: () => LogLimits) {
    const own = new LogLimits();
    this.#maxWindowBlocks = maxWindowBlocks;
    this.#timelyBlocks = maxWindowBlocks;
    this.#limits = limits ?? (() => own);
  }

  get windowBlocks(): number {
    return Math.min(this.#limits().blocks, this.#timelyBlocks, this.#fittingBlocks);
  }

  get concurrency(): number {
    return this.windowBlocks > this.#limits().acceptedBlocks ? 1 : this.#requestsInFlight;
  }

  /** Adjusts the window to the log density of one that was read. */
  recordSuccess(blocks: number, logs: number): void {
    const limits = this.#limits();
    limits.recordSuccess(blocks, logs);
    const fittingBlocks = Math.floor((blocks * limits.logs) / Math.max(1, logs));
    this.#fittingBlocks = Math.max(
      1,
      Math.min(fittingBlocks, this.#fittingBlocks * MAX_WIDENING, this.#maxWindowBlocks),
    );
    this.#successes += 1;
    if (this.#successes < this.#growthAfter) return;
    this.#successes = 0;
    const isFull = this.#timelyBlocks === this.#maxWindowBlocks && this.#requestsInFlight === MAX_REQUESTS_IN_FLIGHT;
    if (isFull) this.#growthAfter = FIRST_GROWTH_AFTER;
    this.#timelyBlocks = Math.min(this.#maxWindowBlocks, this.#timelyBlocks * 2);
    this.#requestsInFlight = Math.min(MAX_REQUESTS_IN_FLIGHT, this.#requestsInFlight + 1);
  }

  /** Shrinks after a window that the node refused. Returns false when it cannot be smaller. */
  refuseWindow(blocks: number): boolean {
    if (blocks <= 1) return false;
    this.#limits().recordRefusal(blocks);
    if (this.windowBlocks >= blocks) this.#fittingBlocks = Math.floor(blocks / 2);
    return true;
  }

  /** Halves a window that timed out. */
  reduceWindow(blocks: number): void {
    this.#timelyBlocks = Math.max(1, Math.min(this.#timelyBlocks, Math.floor(blocks / 2)));
    this.#slowGrowth();
  }

  reduceConcurrency(): void {
    this.#requestsInFlight = 1;
    this.#slowGrowth();
  }

  #slowGrowth(): void {
    this.#growthAfter = Math.min(LAST_GROWTH_AFTER, this.#growthAfter * 2);
    this.#successes = 0;
  }
}
