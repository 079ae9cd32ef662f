/** What can go wrong between the service and a node of the alt chain? Each fault is of one exchange (chain-svm 6 to 8). */
import type { Random } from '../random.ts';

const WEIGHTS = {
  // The exchange as a whole.
  unreachable: 3,
  connectionLost: 2,
  hang: 1,
  slow: 4,
  rateLimit: 4,
  serverError: 2,
  bodyTooLarge: 1,
  truncate: 2,
  garbage: 1,
  callError: 3,
  // What an answer is of.
  staleSlot: 5,
  nullTransaction: 5,
  nullLogs: 5,
  alienTransaction: 3,
  // Lists.
  omitRows: 5,
  repeatRow: 3,
  reorderRows: 2,
  unknownBefore: 5,
  untimedRows: 3,
  noBlockTime: 2,
  // Accounts.
  malformedAccount: 6,
  wrongOwner: 3,
  otherMachine: 3,
  missingAccount: 2,
} as const;

export type AltFault = keyof typeof WEIGHTS;

export class AltFaults {
  readonly #random: Random;
  readonly #weights: Record<AltFault, number>;
  /** Share of exchanges that go wrong. */
  #rate = 0;

  constructor(random: Random) {
    this.#random = random;
    const selection = random.pick([0.2, 0.5, 1]);
    const entries = Object.entries(WEIGHTS) as [AltFault, number][];
    const selected = entries.map(([fault, weight]) => [fault, random.chance(selection) ? weight : 0] as const);
    const isEmpty = selected.every(([, weight]) => weight === 0);
    this.#weights = isEmpty ? { ...WEIGHTS } : (Object.fromEntries(selected) as Record<AltFault, number>);
  }

  setRate(rate: number): void {
    this.#rate = rate;
  }

  /** What goes wrong with the next exchange. */
  draw(): AltFault | undefined {
    if (this.#rate === 0 || !this.#random.chance(this.#rate)) return undefined;
    return this.#random.weigh(this.#weights);
  }
}
