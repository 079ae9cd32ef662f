/**
 * Campaign: a service behind every imitated behavior of RPC providers, alone and in pairs, against a service behind the
 * bare nodes. `MINUTES` (240) bounds the time, `PAIRS` (default: all) the number of pairs, drawn with `SEED`, `BEHAVIORS`
 * (default: all) names single ones, separated by commas. Writes one line per case to standard output.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../sim/random.ts';
import type { CaseOutcome, MatrixCase } from '../../testing/harness/provider-matrix/matrix-case.ts';
import { openProviderMatrix, type ProviderMatrix } from '../../testing/harness/provider-matrix/provider-matrix.ts';
import { ALT_BEHAVIORS } from '../../testing/harness/provider-proxy/alt-behaviors.ts';
import type { Behavior } from '../../testing/harness/provider-proxy/behavior.ts';
import { MAIN_BEHAVIORS } from '../../testing/harness/provider-proxy/behaviors.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const PAIRS = Number(process.env['PAIRS'] ?? Number.POSITIVE_INFINITY);
const BEHAVIORS = process.env['BEHAVIORS']?.split(',');
const MINUTES = Number(process.env['MINUTES'] ?? 240);
/** Time until a case is served; a busy machine may need many times the usual seconds. */
const CAP_MILLISECONDS = { served: 180_000, refused: 30_000 };
/** Cases side by side. */
const GROUP = 8;
const MAX_RESIDENT_BYTES = 2_000_000_000;
/** Machines of pairs: each kind once, so that a pair takes seconds. */
const MACHINES = ['rated-b', 'activity-only', 'multi-currency', 'flagged', 'verified', 'alt-declared', 'alt-fleet-1'];

const deadline = performance.now() + MINUTES * 60_000;

interface Judged {
  readonly outcome: CaseOutcome;
  readonly expected: Behavior['expect'];
}

const expectationOf = ({ main, alt }: MatrixCase): Behavior['expect'] =>
  [...main, ...alt].some(({ expect: each }) => each === 'refused') ? 'refused' : 'served';

/** Runs the cases in groups of the same expectation until the time is over. */
async function runAll(matrix: ProviderMatrix, cases: readonly MatrixCase[]): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const expected of ['served', 'refused'] as const) {
    const expecting = cases.filter((each) => expectationOf(each) === expected);
    for (let i = 0; i < expecting.length && performance.now() < deadline; i += GROUP) {
      for (const outcome of await matrix.runGroup(expecting.slice(i, i + GROUP), CAP_MILLISECONDS[expected])) {
        judged.push({ outcome, expected });
        process.stdout.write(`${formatOutcome(outcome)}\n`);
      }
      expect(process.memoryUsage().rss).toBeLessThan(MAX_RESIDENT_BYTES);
    }
  }
  return judged;
}

function formatOutcome({
  kind,
  name,
  seconds,
  mainCalls,
  altCalls,
  missing,
  missingPaths,
  causes,
  doctor,
  differences,
  lines,
}: CaseOutcome): string {
  const figures = `${kind}: ${name} (${seconds ?? '-'} s, ${mainCalls} + ${altCalls} calls)`;
  return kind === 'served'
    ? figures
    : `${figures} ${JSON.stringify({ missing, missingPaths, causes, doctor, differences, lines })}`;
}

/** Returns the lines of the outcomes that are not as expected. */
function listFlaws(judged: readonly Judged[]): string[] {
  return judged
    .filter(({ outcome, expected }) => !isSound(outcome, expected))
    .map(({ outcome }) => formatOutcome(outcome));
}

/** Returns whether a case is served with a passing doctor, or refused with a cause and a failing doctor. */
function isSound({ kind, doctor }: CaseOutcome, expected: Behavior['expect']): boolean {
  if (kind === 'refused') return expected === 'refused' && doctor.length > 0;
  return kind === 'served' && expected === 'served' && doctor.length === 0;
}

const toCase = (chain: 'main' | 'alt', behaviors: readonly Behavior[]): MatrixCase => ({
  main: [],
  alt: [],
  [chain]: behaviors,
});

/** Returns all unordered pairs of behaviors that can be served alone. */
function listPairs(chain: 'main' | 'alt', behaviors: readonly Behavior[]): MatrixCase[] {
  const served = behaviors.filter(({ expect: each }) => each === 'served');
  return served.flatMap((first, i) => served.slice(i + 1).map((second) => toCase(chain, [first, second])));
}

describe(`SEED=${SEED}`, () => {
  let matrix: ProviderMatrix;

  describe('a single behavior', () => {
    beforeAll(async () => {
      matrix = await openProviderMatrix();
    });
    afterAll(() => matrix.close());

    it('is served completely, or refused with a cause that doctor names too', async () => {
      const cases = [
        ...MAIN_BEHAVIORS.map((each) => toCase('main', [each])),
        ...ALT_BEHAVIORS.map((each) => toCase('alt', [each])),
      ].filter(({ main, alt }) => BEHAVIORS?.includes([...main, ...alt][0]!.name) ?? true);
      expect(listFlaws(await runAll(matrix, cases))).toEqual([]);
    });
  });

  describe('a pair of behaviors', () => {
    beforeAll(async () => {
      matrix = await openProviderMatrix({ machines: MACHINES });
    });
    afterAll(() => matrix.close());

    it('is served completely', async () => {
      const random = new Random(SEED);
      const pairs = [...listPairs('main', MAIN_BEHAVIORS), ...listPairs('alt', ALT_BEHAVIORS)];
      for (let i = pairs.length - 1; i > 0; i--) {
        const other = random.integer(0, i);
        [pairs[i], pairs[other]] = [pairs[other]!, pairs[i]!];
      }
      const judged = await runAll(matrix, pairs.slice(0, PAIRS));
      process.stdout.write(`${judged.length} of ${pairs.length} pairs\n`);
      expect(listFlaws(judged)).toEqual([]);
    });
  });
});
