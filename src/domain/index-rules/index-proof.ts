/** Order of indexing and proving (`INDEX_PROOF`; design/real-chains.md 1). */

export const INDEX_PROOFS = ['background', 'full', 'before', 'off'] as const;

/**
 * `background`: logs are served once the contracts' counters agree, and proven afterwards. `full`: also reads every
 * other header afterwards. `before`: serves only proven blocks. `off`: proves nothing.
 */
export type IndexProof = (typeof INDEX_PROOFS)[number];

/** Proven ranges that a report lists, newest first; the others are counted. */
export const MAX_REPORTED_SEGMENTS = 20;
