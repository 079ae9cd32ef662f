/**
 * Limits of log queries at one node, learned from what it accepts and refuses (chain-evm 4.7): the blocks that a query
 * may span and the logs that a response may hold. They decide how to query, never what to accept.
 */

/** Windows that need no headers: one query each. */
export const MAX_LOG_WINDOW_BLOCKS = 100_000;
/** Logs of one response: about 15 MB. */
export const MAX_WINDOW_LOGS = 25_000;
/** A response with fewer logs is not refused for their number. */
const MIN_WINDOW_LOGS = 10;

/** The search for the widest accepted range ends after this many refusals in a row, or within this part of it. */
const MAX_SEARCH_REFUSALS = 3;
const SEARCH_PRECISION = 16;
/** The same above a round number, which most limits are. */
const ROUND_SEARCH_PRECISION = 8;
/** Numbers that operators choose as limits: powers of two, and 1, 2 and 5 times powers of ten. */
const ROUND_NUMBERS: ReadonlySet<number> = new Set([
  ...Array.from({ length: 17 }, (_, i) => 2 ** i),
  ...Array.from({ length: 5 }, (_, i) => [1, 2, 5].map((digit) => digit * 10 ** i)).flat(),
]);
const FIRST_GROWTH_AFTER = 8;
const LAST_GROWTH_AFTER = 512;
/** Factor of that number per refusal: a refusal costs a call, and limits seldom change. */
const GROWTH_DELAY = 4;
const GROWTH_AFTER_STORED = 64;

/** What is stored of the limits. */
export interface LogBounds {
  /** Largest range that was accepted; 0 when none was. */
  readonly passed: number;
  /** Smallest range that was refused; undefined when none was. */
  readonly refused: number | undefined;
  readonly logs: number;
}

const NO_BOUNDS: LogBounds = { passed: 0, refused: undefined, logs: MAX_WINDOW_LOGS };

export class LogLimits {
  #blocks: number;
  #logs: number;
  #passed: number;
  #refused: number;
  #logsPerBlock = 0;
  #searchRefusals = 0;
  #successes = 0;
  /** Consecutive successes required before growing; grows with every refusal. */
  #growthAfter = FIRST_GROWTH_AFTER;

  constructor({ passed, refused = Infinity, logs }: LogBounds = NO_BOUNDS) {
    this.#passed = Math.min(passed, refused - 1, MAX_LOG_WINDOW_BLOCKS);
    this.#refused = refused;
    this.#logs = Math.min(Math.max(logs, MIN_WINDOW_LOGS), MAX_WINDOW_LOGS);
    const known = this.#passed > 0 ? this.#passed : Math.floor(refused / 2);
    this.#blocks = refused === Infinity ? MAX_LOG_WINDOW_BLOCKS : Math.max(1, Math.min(known, MAX_LOG_WINDOW_BLOCKS));
    // The search that found these bounds is not repeated.
    if (this.#passed === 0 || refused === Infinity) return;
    this.#searchRefusals = MAX_SEARCH_REFUSALS + 1;
    this.#growthAfter = GROWTH_AFTER_STORED;
  }

  /** Blocks that one query should span at most. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Logs that one response should hold at most. */
  get logs(): number {
    return this.#logs;
  }

  /** Largest range that was accepted; wider ones are tried with one query at a time. */
  get acceptedBlocks(): number {
    return this.#passed;
  }

  get bounds(): LogBounds {
    return {
      passed: this.#passed,
      refused: this.#refused === Infinity ? undefined : this.#refused,
      logs: this.#logs,
    };
  }

  recordSuccess(blocks: number, logs: number): void {
    this.#logsPerBlock = logs / blocks;
    if (blocks > this.#passed) {
      this.#passed = blocks;
      this.#searchRefusals = 0;
      if (this.#refused <= blocks) this.#refused = Infinity;
    }
    if (blocks === this.#blocks) this.#blocks = this.#refused < Infinity ? this.#findBetween() : double(blocks);
    // Smaller queries say nothing about larger ones.
    if (blocks < this.#blocks && 2 * logs < this.#logs) return;
    this.#successes += 1;
    if (this.#successes < this.#growthAfter) return;
    this.#successes = 0;
    this.#blocks = double(this.#blocks);
    this.#logs = Math.min(MAX_WINDOW_LOGS, this.#logs * 2);
    this.#refused = Infinity;
    this.#searchRefusals = 0;
  }

  /**
   * Records that a range was refused. The next one is near the middle between it and the largest accepted one, or its
   * half where none was accepted. A range that was accepted before holds too many logs now, if it holds many at all.
   */
  recordRefusal(blocks: number): void {
    const logs = blocks * this.#logsPerBlock;
    if (blocks <= this.#passed && logs >= 2 * MIN_WINDOW_LOGS) {
      this.#logs = Math.max(MIN_WINDOW_LOGS, Math.floor(Math.min(this.#logs, logs) / 2));
      this.#slowGrowth();
      return;
    }
    if (blocks <= this.#passed) this.#passed = 0;
    // Queries of one burst count once.
    if (blocks === this.#refused && this.#blocks < blocks) return;
    this.#refused = Math.min(this.#refused, blocks);
    this.#searchRefusals += 1;
    this.#blocks =
      this.#passed === 0 ? Math.max(1, Math.min(this.#blocks, Math.floor(blocks / 2))) : this.#findBetween();
    this.#slowGrowth();
  }

  /**
   * Returns the next size of the search, the round number nearest to the middle or the middle itself; the largest
   * accepted size when the search has ended.
   */
  #findBetween(): number {
    const [passed, refused] = [this.#passed, this.#refused];
    const gap = refused - passed;
    const precision = ROUND_NUMBERS.has(passed) ? ROUND_SEARCH_PRECISION : SEARCH_PRECISION;
    if (this.#searchRefusals > MAX_SEARCH_REFUSALS || gap <= passed / precision) return passed;
    const middle = passed + Math.floor(gap / 2);
    const distance = (blocks: number) => Math.abs(blocks - middle);
    const [nearest = middle] = [...ROUND_NUMBERS]
      .filter((blocks) => blocks > passed && blocks < refused)
      .sort((one, other) => distance(one) - distance(other));
    return nearest;
  }

  #slowGrowth(): void {
    this.#growthAfter = Math.min(LAST_GROWTH_AFTER, this.#growthAfter * GROWTH_DELAY);
    this.#successes = 0;
  }
}

function double(blocks: number): number {
  return Math.min(MAX_LOG_WINDOW_BLOCKS, blocks * 2);
}
