/** Which numbers does a test draw? Test support: a small seeded generator (mulberry32), so that a failure can be repeated. */

/** `RATING_SEED`, or a seed of the clock. */
export function randomSeed(): number {
  return Number(process.env['RATING_SEED'] ?? Date.now() % 2 ** 32);
}

/** Draws numbers from 0 (included) to 1 (excluded). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
