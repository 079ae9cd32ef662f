/** Number of runs and seed of property tests. `FC_RUNS` raises the number of runs, `FC_SEED` reproduces a failure. */

const QUICK_RUNS = 100;

export const PROPERTY_RUNS = {
  numRuns: Number(process.env['FC_RUNS'] ?? QUICK_RUNS),
  seed: Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31),
} as const;

/** The seed as part of a test title, so that every report contains it. */
export const SEED_TITLE = `seed ${PROPERTY_RUNS.seed}`;

/** Ends a run that hangs, also on a machine that is ten times slower: 2 min plus 10 ms per run. */
export const PROPERTY_TIMEOUT_MILLISECONDS = 120_000 + 10 * PROPERTY_RUNS.numRuns;
