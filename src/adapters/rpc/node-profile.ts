/**
 * What the pool has learned about one node from the outcomes of requests. A profile decides how to ask, never what to
 * accept.
 */
import type { Stopwatch } from './deadline.ts';
import { LearnedLimit } from './learned-limit.ts';
import { NodeRate } from './node-rate.ts';

export class NodeProfile {
  readonly rate: NodeRate;
  readonly #batches = new Map<string, LearnedLimit>();

  constructor(stopwatch: Stopwatch) {
    this.rate = new NodeRate(stopwatch);
  }

  /** Returns the limit of calls in one batch of this method, whose answers differ in size from those of others. */
  batchLimit(method: string, max: number): LearnedLimit {
    let limit = this.#batches.get(method);
    if (limit === undefined) {
      limit = new LearnedLimit(max, this.#isWithoutBatches() ? { passed: 1, refused: 2 } : undefined);
      this.#batches.set(method, limit);
    }
    return limit;
  }

  /** A node that refuses two calls of one method refuses batches. */
  #isWithoutBatches(): boolean {
    return [...this.#batches.values()].some(({ bounds }) => bounds.refused === 2);
  }
}
