/**
 * Campaign: no change is lost while the leader is killed (`kill -9`) `KILLS` (50) times at instants that `SEED` chooses, until `CHANGES`
 * (100,000) changes are stored. One in ten first attempts of a webhook fails, so that retries are part of the campaign.
 */
import { expect, it } from 'vitest';
import { runChanges } from './changes-run.ts';

const CHANGES = Number(process.env['CHANGES'] ?? 100_000);
const KILLS = Number(process.env['KILLS'] ?? 50);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

it(`SEED=${SEED}: loses none of ${CHANGES} changes across ${KILLS} kills of two replicas`, async () => {
  const { stored, repeated, problems } = await runChanges({
    ...{ seed: SEED, changes: CHANGES, kills: KILLS, machines: 250 },
    refusedOneIn: 10,
  });
  expect(problems).toEqual([]);
  expect(stored).toBeGreaterThanOrEqual(CHANGES);
  process.stdout.write(`${stored} changes, all delivered, ${repeated} of them more than once\n`);
});
