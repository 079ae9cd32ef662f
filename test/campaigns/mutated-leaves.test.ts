/**
 * Campaign: no mutated certificate is accepted that other parsers reject. `RUNS` (1,000,000) mutated leaves from `SEED`, nine of ten signed again
 * by the intermediate, so that only the profile can reject them. OpenSSL and @peculiar/x509 check every accepted one. `MINUTES` limits the time.
 */
import { describe, expect, it } from 'vitest';
import { judgeMutatedLeaves } from './leaf-judging.ts';
import { rule } from '../conformance/rule.ts';

const RUNS = Number(process.env['RUNS'] ?? 1_000_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const MINUTES = Number(process.env['MINUTES'] ?? Infinity);
const REPORT_EVERY = 10_000;

describe(`SEED=${SEED} RUNS=${RUNS}`, () => {
  it('accepts no mutated leaf that two other readers refuse', async () => {
    rule('security.strict-certificate');
    const startedAt = performance.now();
    const { runs, verdicts, stricter } = await judgeMutatedLeaves(SEED, RUNS, (done) => {
      const seconds = (performance.now() - startedAt) / 1000;
      if (done % REPORT_EVERY === 0) process.stdout.write(`${done} leaves, ${Math.round(seconds)} s\n`);
      return seconds > MINUTES * 60;
    });
    const spell = (counts: ReadonlyMap<string, number>) => JSON.stringify(Object.fromEntries([...counts].sort()));
    process.stdout.write(`SEED=${SEED} ${runs} leaves: ${spell(verdicts)}\n`);
    process.stdout.write(`refused by the row, in order for OpenSSL: ${spell(stricter)}\n`);
    expect(verdicts.get('accepted')).toBeGreaterThan(0);
  });
});
