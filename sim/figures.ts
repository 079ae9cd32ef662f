/** Figures of one run, or summed over many. */

export interface Figures {
  requests: number;
  /** Responses by status; `lost`: the process died, or the request exceeded the timeout of the HTTP server. */
  responses: Record<string, number>;
  /** Ratings of alt-chain machines. */
  altRatings: number;
  /** HTTP requests to nodes. */
  nodeRequests: number;
  reorgs: number;
  deaths: number;
  /** Runs whose index is rejected at the end because the chain was reorganized past finality. */
  rejectedIndexes: number;
  virtualSeconds: number;
}

export function createFigures(): Figures {
  return {
    requests: 0,
    responses: {},
    altRatings: 0,
    nodeRequests: 0,
    reorgs: 0,
    deaths: 0,
    rejectedIndexes: 0,
    virtualSeconds: 0,
  };
}

export function addFigures(total: Figures, part: Figures): void {
  total.requests += part.requests;
  total.altRatings += part.altRatings;
  total.nodeRequests += part.nodeRequests;
  total.reorgs += part.reorgs;
  total.deaths += part.deaths;
  total.rejectedIndexes += part.rejectedIndexes;
  total.virtualSeconds += part.virtualSeconds;
  for (const [status, count] of Object.entries(part.responses)) {
    total.responses[status] = (total.responses[status] ?? 0) + count;
  }
}
