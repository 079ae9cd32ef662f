/**
 * Campaign: every mutated chip body gets the code of its first error and no echo. `RUNS` (10,000,000) bodies of both routes from `SEED`, half of
 * them well-formed documents, go through the whole application over sockets. `MINUTES` limits the time.
 */
import { describe, expect, it } from 'vitest';
import { judgeMutatedBodies } from './body-judging.ts';

const RUNS = Number(process.env['RUNS'] ?? 10_000_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const MINUTES = Number(process.env['MINUTES'] ?? Infinity);
const REPORT_EVERY = 128 * 1_000;

describe(`SEED=${SEED} RUNS=${RUNS}`, () => {
  it('returns the expected response to every mutated body', async () => {
    const startedAt = performance.now();
    const { runs, answers } = await judgeMutatedBodies(SEED, RUNS, (done) => {
      const seconds = (performance.now() - startedAt) / 1000;
      if (done % REPORT_EVERY === 0) process.stdout.write(`${done} bodies, ${Math.round(seconds)} s\n`);
      return seconds > MINUTES * 60;
    });
    process.stdout.write(`SEED=${SEED} ${runs} bodies: ${JSON.stringify(Object.fromEntries([...answers].sort()))}\n`);
    expect(answers.get('evidence 422 CHIP_PROOF_INVALID')).toBeGreaterThan(0);
  });
});
