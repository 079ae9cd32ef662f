/** What can go wrong between the service and a node? Each fault is of one exchange; a seed has its own selection of them and its own rate. */
import type { Random } from '../random.ts';

/** Of the exchange as a whole; what else there is, each chain names for itself. */
export const WHOLE_FAULTS = {
  unreachable: 3,
  connectionLost: 2,
  hang: 1,
  slow: 4,
  rateLimit: 3,
  serverError: 2,
  bodyTooLarge: 1,
  truncate: 3,
  garbage: 1,
} as const;

export type WholeFault = keyof typeof WHOLE_FAULTS;

export class Faults<F extends string> {
  readonly #random: Random;
  readonly #weights: Record<F, number>;
  /** Share of exchanges that go wrong. */
  #rate = 0;

  constructor(random: Random, weights: Readonly<Record<F, number>>) {
    this.#random = random;
    const selection = random.pick([0.15, 0.5, 1]);
    const entries = Object.entries(weights) as [F, number][];
    const selected = entries.map(([fault, weight]) => [fault, random.chance(selection) ? weight : 0] as const);
    const isEmpty = selected.every(([, weight]) => weight === 0);
    this.#weights = isEmpty ? { ...weights } : (Object.fromEntries(selected) as Record<F, number>);
  }

  setRate(rate: number): void {
    this.#rate = rate;
  }

  /** What goes wrong with the next exchange. */
  draw(): F | undefined {
    if (this.#rate === 0 || !this.#random.chance(this.#rate)) return undefined;
    return this.#random.weigh(this.#weights);
  }
}
