/**
 * Size limit that a node never states reliably, learned from what it accepts and refuses. A refused size is halved
 * until one passes; then the size grows slowly toward the smallest refused one, and past it after a long time.
 */

const FIRST_GROWTH_AFTER = 8;
const LAST_GROWTH_AFTER = 512;

export interface LimitBounds {
  /** Largest size that passed; 0 when none did. */
  readonly passed: number;
  /** Smallest size that was refused; undefined when none was. */
  readonly refused: number | undefined;
}

export class LearnedLimit {
  readonly #max: number;
  #passed = 0;
  #refused: number | undefined;
  #size: number;
  #successes = 0;
  #unclearRefusals = 0;
  /** Successes at the full size before it grows; doubles with every refusal. */
  #growthAfter = FIRST_GROWTH_AFTER;

  constructor(max: number, { passed, refused }: LimitBounds = { passed: 0, refused: undefined }) {
    this.#max = max;
    this.#size = max;
    if (refused === undefined || refused < 2 || refused > max) return;
    this.#refused = refused;
    this.#passed = Math.min(passed, refused - 1);
    this.#size = this.#passed > 0 ? this.#passed : Math.ceil(refused / 2);
  }

  /** Largest size to use now. */
  get size(): number {
    return this.#size;
  }

  get bounds(): LimitBounds {
    return { passed: this.#passed, refused: this.#refused };
  }

  recordRefusal(size: number): void {
    if (size < 2) return;
    if (this.#passed >= size) this.#passed = 0;
    this.#refused = Math.min(this.#refused ?? size, size);
    this.#size = Math.min(this.#size, Math.max(this.#passed, Math.ceil(size / 2)));
    this.#growthAfter = Math.min(LAST_GROWTH_AFTER, this.#growthAfter * 2);
    this.#successes = 0;
  }

  /** Records a timeout, or the failure of a gateway. The second in a row counts as a refusal. */
  recordUnclearRefusal(size: number): void {
    this.#unclearRefusals += 1;
    if (this.#unclearRefusals < 2) return;
    this.#unclearRefusals = 0;
    this.recordRefusal(size);
  }

  recordSuccess(size: number): void {
    this.#unclearRefusals = 0;
    this.#passed = Math.max(this.#passed, Math.min(size, this.#max));
    if (this.#refused !== undefined && this.#refused <= this.#passed) {
      this.#refused = undefined;
      this.#growthAfter = FIRST_GROWTH_AFTER;
    }
    if (size < this.#size || this.#size === this.#max) return;
    this.#successes += 1;
    if (this.#successes < this.#growthAfter) return;
    this.#successes = 0;
    // Next to the refused size: tries beyond it, because limits change with the plan of a provider.
    const isConverged = this.#refused !== undefined && this.#refused - this.#size <= 1;
    const next =
      this.#refused === undefined || isConverged ? this.#size * 2 : Math.floor((this.#size + this.#refused) / 2);
    if (isConverged) this.#growthAfter = LAST_GROWTH_AFTER;
    this.#size = Math.min(this.#max, next);
  }
}
