/** Campaign: none of `RUNS` (20,000) structurally mutated decision bundles from `SEED` is accepted by the client. */
import { describe, expect, it } from 'vitest';
import { judgeMutatedBundles } from './bundle-judging.ts';

const RUNS = Number(process.env['RUNS'] ?? 20_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

describe(`SEED=${SEED} RUNS=${RUNS}`, () => {
  it('accepts no mutated bundle', () => {
    const { accepted, problems } = judgeMutatedBundles(SEED, RUNS);
    process.stdout.write(`SEED=${SEED} ${RUNS} bundles: ${JSON.stringify(Object.fromEntries([...problems].sort()))}\n`);
    expect(accepted).toEqual([]);
  });
});
