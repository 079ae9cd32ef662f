/** What came of the calls to a node? Counted by method, of which the adapters know a few. */

/** `error`: the node answered with one, a revert included. `failed`: no usable answer came. */
export type CallOutcome = 'answered' | 'error' | 'failed';

export interface CallCount {
  readonly method: string;
  readonly outcome: CallOutcome;
  readonly count: number;
}

export class CallCounter {
  readonly #counts = new Map<string, number>();

  add(method: string, outcome: CallOutcome): void {
    const key = `${method} ${outcome}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  list(): CallCount[] {
    return [...this.#counts].map(([key, count]) => {
      const [method = '', outcome = ''] = key.split(' ');
      return { method, outcome: outcome as CallOutcome, count };
    });
  }
}
