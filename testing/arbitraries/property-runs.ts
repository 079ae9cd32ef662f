/** How often, and from which seed, are properties tried? Test support: `FC_RUNS` raises the runs, `FC_SEED` repeats a failure. */

const QUICK_RUNS = 100;

export const PROPERTY_RUNS = {
  numRuns: Number(process.env['FC_RUNS'] ?? QUICK_RUNS),
  seed: Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31),
} as const;

/** For the title of a suite, so that the seed stands in every report. */
export const SEED_TITLE = `seed ${PROPERTY_RUNS.seed}`;

/** Ten times what a run takes, and never less than the default. */
export const PROPERTY_TIMEOUT_MILLISECONDS = 30_000 + 10 * PROPERTY_RUNS.numRuns;
