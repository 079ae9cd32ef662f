/** What can go wrong between the service and a node? Each fault is of one exchange; a seed has its own selection of them and its own rate. */
import type { Random } from '../random.ts';

const WEIGHTS = {
  // The exchange as a whole.
  unreachable: 3,
  connectionLost: 2,
  hang: 1,
  slow: 4,
  rateLimit: 2,
  serverError: 2,
  bodyTooLarge: 1,
  truncate: 3,
  garbage: 1,
  loseAnswer: 2,
  repeatAnswer: 2,
  splitBatch: 4,
  // Single calls.
  rivalFork: 6,
  callError: 3,
  nullBlock: 2,
  olderHead: 4,
  rangeRefusal: 3,
  emptyLogs: 4,
  partialLogs: 4,
  repeatedLogs: 2,
  reorderedLogs: 2,
  alienLogs: 2,
  olderState: 3,
  newestState: 3,
  loseInner: 2,
  failInner: 2,
  emptyCall: 1,
  outOfGas: 2,
} as const;

export type Fault = keyof typeof WEIGHTS;

export class Faults {
  readonly #random: Random;
  readonly #weights: Record<Fault, number>;
  /** Share of exchanges that go wrong. */
  #rate = 0;

  constructor(random: Random) {
    this.#random = random;
    const selection = random.pick([0.15, 0.5, 1]);
    const entries = Object.entries(WEIGHTS) as [Fault, number][];
    const selected = entries.map(([fault, weight]) => [fault, random.chance(selection) ? weight : 0] as const);
    const isEmpty = selected.every(([, weight]) => weight === 0);
    this.#weights = isEmpty ? { ...WEIGHTS } : (Object.fromEntries(selected) as Record<Fault, number>);
  }

  get rate(): number {
    return this.#rate;
  }

  setRate(rate: number): void {
    this.#rate = rate;
  }

  /** What goes wrong with the next exchange. */
  draw(): Fault | undefined {
    if (this.#rate === 0 || !this.#random.chance(this.#rate)) return undefined;
    return this.#random.weigh(this.#weights);
  }
}
