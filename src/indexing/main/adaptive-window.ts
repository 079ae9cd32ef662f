/**
 * Adaptive size and concurrency of log queries (chain-evm 4.7). Windows are large and a few requests are in flight
 * while the node accepts them. Windows shrink when it refuses a range or when blocks hold many logs; concurrency drops
 * to one when it limits the rate. Both grow again after a run of successes.
 */

const MAX_WINDOW_BLOCKS = 5_000;
/** Windows that need no headers: one query each. */
export const MAX_LOG_WINDOW_BLOCKS = 100_000;
/** Halvings allowed within one step; after that the step fails, and a later one continues from there. */
export const MAX_HALVINGS = 4;

/** First window of a backfill, whose log density is unknown. */
const FIRST_WINDOW_BLOCKS = 200;
/** Target number of logs per window, estimated from the last one: about 15 MB of response. */
const WINDOW_LOGS = 25_000;
/** Factor by which a window may grow over sparse blocks. */
const MAX_WIDENING = 5;

const MAX_REQUESTS_IN_FLIGHT = 4;
/** The search for the widest accepted range ends after this many refusals in a row, or within a sixteenth of it. */
const MAX_SEARCH_REFUSALS = 3;
const SEARCH_PRECISION = 16;
const FIRST_GROWTH_AFTER = 8;
const LAST_GROWTH_AFTER = 512;

export class AdaptiveWindow {
  readonly #maxWindowBlocks: number;
  /** Largest window that the node accepts. */
  #windowBlocks: number;
  /** Largest window that holds few enough logs. */
  #fittingBlocks = FIRST_WINDOW_BLOCKS;
  #requestsInFlight = MAX_REQUESTS_IN_FLIGHT;
  /** Largest window that was read, and smallest one that was refused since the window grew. */
  #passedBlocks = 0;
  #refusedBlocks = Infinity;
  #searchRefusals = 0;
  #successes = 0;
  /** Consecutive successes required before growing; doubles with every refusal. */
  #growthAfter = FIRST_GROWTH_AFTER;

  constructor(maxWindowBlocks = MAX_WINDOW_BLOCKS) {
    this.#maxWindowBlocks = maxWindowBlocks;
    this.#windowBlocks = maxWindowBlocks;
  }

  get windowBlocks(): number {
    return Math.min(this.#windowBlocks, this.#fittingBlocks);
  }

  /** One while a size between an accepted and a refused one is tried, so that a refusal costs one request. */
  get concurrency(): number {
    const isSearching = this.#passedBlocks > 0 && this.#refusedBlocks < Infinity;
    return isSearching && this.windowBlocks > this.#passedBlocks ? 1 : this.#requestsInFlight;
  }

  /** Adjusts the window to the log density of the last one. */
  recordLogDensity(blocks: number, logs: number): void {
    const fittingBlocks = Math.floor((blocks * WINDOW_LOGS) / Math.max(1, logs));
    this.#fittingBlocks = Math.max(
      1,
      Math.min(fittingBlocks, this.#fittingBlocks * MAX_WIDENING, this.#maxWindowBlocks),
    );
  }

  /**
   * Shrinks after a window that the node refused: to the middle between it and the largest accepted one, or to its half
   * where none was accepted. Returns false when it cannot be smaller.
   */
  refuseWindow(blocks: number): boolean {
    if (this.#passedBlocks >= blocks) this.#passedBlocks = 0;
    this.#refusedBlocks = Math.min(this.#refusedBlocks, blocks);
    this.#searchRefusals += 1;
    if (this.#passedBlocks === 0) return this.reduceWindow(blocks);
    this.#windowBlocks = this.#findBetween();
    this.#slowGrowth();
    return true;
  }

  /** Halves a window that failed. Returns false when it cannot be smaller. */
  reduceWindow(blocks: number): boolean {
    if (blocks <= 1) return false;
    this.#windowBlocks = Math.min(this.#windowBlocks, Math.floor(blocks / 2));
    this.#slowGrowth();
    return true;
  }

  reduceConcurrency(): void {
    this.#requestsInFlight = 1;
    this.#slowGrowth();
  }

  recordSuccess(blocks: number): void {
    if (blocks > this.#passedBlocks) {
      this.#passedBlocks = blocks;
      this.#searchRefusals = 0;
    }
    if (blocks === this.#windowBlocks && this.#refusedBlocks < Infinity) this.#windowBlocks = this.#findBetween();
    this.#successes += 1;
    if (this.#successes < this.#growthAfter) return;
    this.#successes = 0;
    const isFull = this.#windowBlocks === this.#maxWindowBlocks && this.#requestsInFlight === MAX_REQUESTS_IN_FLIGHT;
    if (isFull) this.#growthAfter = FIRST_GROWTH_AFTER;
    this.#windowBlocks = Math.min(this.#maxWindowBlocks, this.#windowBlocks * 2);
    this.#refusedBlocks = Infinity;
    this.#searchRefusals = 0;
    this.#requestsInFlight = Math.min(MAX_REQUESTS_IN_FLIGHT, this.#requestsInFlight + 1);
  }

  /** Returns the next size of the search; the largest accepted one when it has ended. */
  #findBetween(): number {
    const gap = this.#refusedBlocks - this.#passedBlocks;
    const isOver = this.#searchRefusals > MAX_SEARCH_REFUSALS || gap <= this.#passedBlocks / SEARCH_PRECISION;
    return isOver ? this.#passedBlocks : this.#passedBlocks + Math.floor(gap / 2);
  }

  #slowGrowth(): void {
    this.#growthAfter = Math.min(LAST_GROWTH_AFTER, this.#growthAfter * 2);
    this.#successes = 0;
  }
}
