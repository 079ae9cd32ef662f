/** What did many runs amount to? */

export interface Figures {
  requests: number;
  /** By status; a request whose process died, or that took longer than the HTTP server's patience, is `lost`. */
  answers: Record<string, number>;
  /** Ratings of machines of the alt chain. */
  altRatings: number;
  /** HTTP exchanges with nodes. */
  exchanges: number;
  reorgs: number;
  deaths: number;
  /** Runs that ended with an index which is refused because the chain was reorganised past finality. */
  refusedIndexes: number;
  virtualSeconds: number;
}

export function createFigures(): Figures {
  return {
    requests: 0,
    answers: {},
    altRatings: 0,
    exchanges: 0,
    reorgs: 0,
    deaths: 0,
    refusedIndexes: 0,
    virtualSeconds: 0,
  };
}

export function addFigures(total: Figures, part: Figures): void {
  total.requests += part.requests;
  total.altRatings += part.altRatings;
  total.exchanges += part.exchanges;
  total.reorgs += part.reorgs;
  total.deaths += part.deaths;
  total.refusedIndexes += part.refusedIndexes;
  total.virtualSeconds += part.virtualSeconds;
  for (const [status, count] of Object.entries(part.answers)) {
    total.answers[status] = (total.answers[status] ?? 0) + count;
  }
}
