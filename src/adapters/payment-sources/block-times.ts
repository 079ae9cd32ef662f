/**
 * Search for the first block at or after a time, in headers of finalized blocks (scoring, Absent). The first blocks of
 * days are cached, so that a search reads the headers of one day only. A new day is found backward from the nearest
 * later block that is known, because nodes may have dropped the headers of old ones.
 */
import { setBounded } from '../../domain/bounded-map.ts';

export interface TimedBlock {
  readonly block: number;
  /** Unix seconds. */
  readonly time: number;
}

const DAY_SECONDS = 86_400;
/** More than the days of which citations are judged (`PAYMENT.followedDays`) and transfers are read. */
const MAX_DAYS = 1_024;
/** First step of a backward search; doubles with every step. */
const FIRST_STEP = 256;

export class BlockTimes {
  readonly #readTime: (block: number) => Promise<number>;
  readonly #firstOfDay = new Map<number, number>();

  /** `readTime` returns the time of a finalized block. */
  constructor(readTime: (block: number) => Promise<number>) {
    this.#readTime = readTime;
  }

  /** Returns the first block at or after the time; undefined when there is none up to the finalized head. */
  async findFirst(time: number, head: TimedBlock): Promise<number | undefined> {
    if (head.time < time) return undefined;
    const day = Math.floor(time / DAY_SECONDS);
    const isPast = head.time >= (day + 1) * DAY_SECONDS;
    const to = isPast ? await this.#findFirstOfDay(day + 1, head) : head.block;
    const from = await this.#findFirstOfDay(day, head);
    return this.#bisect(time, from, to);
  }

  async #findFirstOfDay(day: number, head: TimedBlock): Promise<number> {
    const known = this.#firstOfDay.get(day);
    if (known !== undefined) return known;
    const later = [...this.#firstOfDay].filter(([each]) => each > day).map(([, block]) => block);
    const last = Math.min(head.block, ...later);
    const time = day * DAY_SECONDS;
    let to = last;
    let from = last;
    for (let step = FIRST_STEP; from > 0; step *= 2) {
      from = Math.max(0, from - step);
      if ((await this.#readTime(from)) < time) break;
      to = from;
    }
    const found = await this.#bisect(time, from, to);
    setBounded(this.#firstOfDay, day, found, MAX_DAYS);
    return found;
  }

  /** Returns the first block at or after the time from `from` on; `to` is one. */
  async #bisect(time: number, from: number, to: number): Promise<number> {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await this.#readTime(middle)) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
