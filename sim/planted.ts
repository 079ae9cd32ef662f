/**
 * `node sim/planted.ts [--bug <part of a name>]`: runs the recorded seed of each planted bug and, when it no longer detects the bug, every seed
 * up to the first that does. Exits with 1 when a bug is missed.
 */
import { parseArgs } from 'node:util';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { findPlanted, seedsUpTo } from './find-planted.ts';

const { values } = parseArgs({ options: { bug: { type: 'string', default: '' } } });

let missed = 0;
for (const bug of PLANTED_BUGS.filter(({ name }) => name.includes(values.bug))) {
  const found = await findPlanted(bug, [bug.seed, ...seedsUpTo(bug.within)]);
  if (found === undefined) missed += 1;
  const recorded = found?.seed === bug.seed ? '' : ` (recorded: ${bug.seed})`;
  const outcome = found === undefined ? 'MISSED' : `found by seed ${found.seed}${recorded}: ${found.failure}`;
  process.stdout.write(`${bug.name}\n  ${outcome}\n`);
}
process.exit(missed === 0 ? 0 : 1);
