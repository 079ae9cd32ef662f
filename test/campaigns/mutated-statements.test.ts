/** Campaign: none of `RUNS` (20,000) structurally mutated statements from `SEED` is accepted by the client. */
import { describe, expect, it } from 'vitest';
import { judgeMutatedStatements } from './statement-judging.ts';

const RUNS = Number(process.env['RUNS'] ?? 20_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

describe(`SEED=${SEED} RUNS=${RUNS}`, () => {
  it('accepts no mutated statement', () => {
    const { accepted, problems } = judgeMutatedStatements(SEED, RUNS);
    process.stdout.write(
      `SEED=${SEED} ${RUNS} statements: ${JSON.stringify(Object.fromEntries([...problems].sort()))}\n`,
    );
    expect(accepted).toEqual([]);
  });
});
