/**
 * How much may be asked of a node at once? (chain-evm 4.7.) Large windows and a few requests in flight while it takes them; smaller
 * windows when it refuses a range or where much is logged, one request at a time when it limits the rate; more again after a
 * while of success.
 */

export const MAX_WINDOW_BLOCKS = 5_000;
/** A window is halved at most so often in one step; after that the step fails, and a later one goes on from there. */
export const MAX_HALVINGS = 4;

/** Of a backfill: what the blocks hold is not known yet. */
const FIRST_WINDOW_BLOCKS = 200;
/** A window should hold no more logs, by what the last one held: some 15 MB of an answer. */
const WINDOW_LOGS = 25_000;
/** Sparse blocks are soon read in full windows. */
const MAX_WIDENING = 5;

const MAX_REQUESTS_IN_FLIGHT = 4;
const FIRST_GROWTH_AFTER = 8;
const LAST_GROWTH_AFTER = 512;

export class BackfillPace {
  readonly #maxWindowBlocks: number;
  /** What the node takes. */
  #windowBlocks: number;
  /** What holds few enough logs. */
  #fittingBlocks = FIRST_WINDOW_BLOCKS;
  #requestsInFlight = MAX_REQUESTS_IN_FLIGHT;
  #successes = 0;
  /** Windows in a row that must go well before more is asked; doubles with every refusal. */
  #growthAfter = FIRST_GROWTH_AFTER;

  constructor(maxWindowBlocks = MAX_WINDOW_BLOCKS) {
    this.#maxWindowBlocks = maxWindowBlocks;
    this.#windowBlocks = maxWindowBlocks;
  }

  get windowBlocks(): number {
    return Math.min(this.#windowBlocks, this.#fittingBlocks);
  }

  get requestsInFlight(): number {
    return this.#requestsInFlight;
  }

  /** So many blocks held so many logs. */
  fit(blocks: number, logs: number): void {
    const fitting = Math.floor((blocks * WINDOW_LOGS) / Math.max(1, logs));
    this.#fittingBlocks = Math.max(1, Math.min(fitting, this.#fittingBlocks * MAX_WIDENING, this.#maxWindowBlocks));
  }

  /** A window of so many blocks was too large. False: there is no smaller one. */
  refuseRange(blocks: number): boolean {
    if (blocks <= 1) return false;
    this.#windowBlocks = Math.min(this.#windowBlocks, Math.floor(blocks / 2));
    this.#slowGrowth();
    return true;
  }

  refuseRate(): void {
    this.#requestsInFlight = 1;
    this.#slowGrowth();
  }

  succeed(): void {
    this.#successes += 1;
    if (this.#successes < this.#growthAfter) return;
    this.#successes = 0;
    const isFull = this.#windowBlocks === this.#maxWindowBlocks && this.#requestsInFlight === MAX_REQUESTS_IN_FLIGHT;
    if (isFull) this.#growthAfter = FIRST_GROWTH_AFTER;
    this.#windowBlocks = Math.min(this.#maxWindowBlocks, this.#windowBlocks * 2);
    this.#requestsInFlight = Math.min(MAX_REQUESTS_IN_FLIGHT, this.#requestsInFlight + 1);
  }

  #slowGrowth(): void {
    this.#growthAfter = Math.min(LAST_GROWTH_AFTER, this.#growthAfter * 2);
    this.#successes = 0;
  }
}
