/** Counts calls to a node by method and outcome. */

/** `error`: the node returned an error, a revert included. `failed`: no usable response arrived. */
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
