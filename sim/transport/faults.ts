/** Transport faults between the service and a node. A fault affects one request; a seed selects its faults and their rate. */
import type { Random } from '../random.ts';

/** Faults of a whole request; each chain adds its own. */
export const TRANSPORT_FAULTS = {
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

export type TransportFault = keyof typeof TRANSPORT_FAULTS;

export class Faults<F extends string> {
  readonly #random: Random;
  readonly #weights: Record<F, number>;
  /** Share of requests with a fault. */
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

  /** Draws the fault of the next request. */
  draw(): F | undefined {
    if (this.#rate === 0 || !this.#random.chance(this.#rate)) return undefined;
    return this.#random.weigh(this.#weights);
  }
}
