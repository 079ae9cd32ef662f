/** Short run of the changes campaign: some kills of two replicas. `npm run campaigns -- changes` runs it at full length. */
import { expect, it } from 'vitest';
import { runChanges } from './campaigns/changes-run.ts';
import { rule } from './conformance/rule.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const [CHANGES, KILLS] = [500, 2];
/** Covers the start of many processes. */
const TIMEOUT_MILLISECONDS = 600_000;

it(
  `SEED=${SEED}: delivers each of ${CHANGES} changes across ${KILLS} kills of two replicas`,
  async () => {
    rule('changes.kills');
    const { stored, problems } = await runChanges({
      ...{ seed: SEED, changes: CHANGES, kills: KILLS },
      machines: 20,
      refusedOneIn: undefined,
    });
    expect(problems).toEqual([]);
    expect(stored).toBeGreaterThanOrEqual(CHANGES);
  },
  TIMEOUT_MILLISECONDS,
);
