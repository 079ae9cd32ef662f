/** Short run of the changes campaign: some kills of two replicas. `npm run campaigns -- changes` runs it at full length. */
import { expect, it } from 'vitest';
import { runChanges } from './campaigns/changes-run.ts';
import { rule } from './conformance/rule.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const [CHANGES, KILLS] = [2_000, 3];

it(`SEED=${SEED}: delivers each of ${CHANGES} changes across ${KILLS} kills of two replicas`, async () => {
  rule('changes.kills');
  const { stored, problems } = await runChanges({
    seed: SEED,
    changes: CHANGES,
    kills: KILLS,
    refusedOneIn: undefined,
  });
  expect(problems).toEqual([]);
  expect(stored).toBeGreaterThanOrEqual(CHANGES);
});
