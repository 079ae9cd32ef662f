/** Smoke run of the campaign `mutated-bundles`: no structurally mutated bundle is accepted. */
import { expect, it } from 'vitest';
import { judgeMutatedBundles } from './campaigns/bundle-judging.ts';
import { rule } from './conformance/rule.ts';

const RUNS = 500;
const SEED = Date.now() % 2 ** 31;

it(`accepts none of ${RUNS} mutated bundles, and finds several kinds of problems (seed ${SEED})`, () => {
  rule('decision-log.mutations');
  const { accepted, problems } = judgeMutatedBundles(SEED, RUNS);
  expect(accepted).toEqual([]);
  expect([...problems.keys()]).toEqual(expect.arrayContaining(['malformed', 'wrong domain', 'wrong types']));
});
