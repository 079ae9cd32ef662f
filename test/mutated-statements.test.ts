/** Smoke run of the campaign `mutated-statements`: no structurally mutated statement is accepted. */
import { expect, it } from 'vitest';
import { judgeMutatedStatements } from './campaigns/statement-judging.ts';
import { rule } from './conformance/rule.ts';

const RUNS = 500;
const SEED = Date.now() % 2 ** 31;

it(`accepts none of ${RUNS} mutated statements, and finds several kinds of problems (seed ${SEED})`, () => {
  rule('statement.mutations');
  const { accepted, problems } = judgeMutatedStatements(SEED, RUNS);
  expect(accepted).toEqual([]);
  expect([...problems.keys()]).toEqual(
    expect.arrayContaining(['malformed', 'wrong domain', 'wrong types', 'wrong signer', 'wrong explanation']),
  );
});
