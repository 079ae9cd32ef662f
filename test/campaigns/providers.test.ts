/**
 * Campaign: a service behind every imitated behavior of RPC providers, alone and in pairs, against a service behind the
 * bare nodes. `MINUTES` (240) bounds the time, `SIZE` (6) the behaviors of one case: those that do not hide each other
 * are combined, so that a case covers many pairs; 2 runs every pair alone. `COMBINATIONS` (default: all) bounds their number, drawn with `SEED`, `BEHAVIORS`
 * (default: all) names single ones and `MACHINES` (default: all) the machines whose responses these compare, separated by commas. `GROUP`
 * (8) is the number of cases side by side: they share one process, and miss the deadlines of their requests on a busy
 * machine. Writes one line per case to standard output.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../sim/random.ts';
import type { CaseOutcome, MatrixCase } from '../../testing/harness/provider-matrix/matrix-case.ts';
import { combine, listPairs } from '../../testing/harness/provider-matrix/combinations.ts';
import { openProviderMatrix, type ProviderMatrix } from '../../testing/harness/provider-matrix/provider-matrix.ts';
import { ALT_BEHAVIORS } from '../../testing/harness/provider-proxy/alt-behaviors.ts';
import type { Behavior } from '../../testing/harness/provider-proxy/behavior.ts';
import { MAIN_BEHAVIORS } from '../../testing/harness/provider-proxy/behaviors.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const SIZE = Number(process.env['SIZE'] ?? 6);
const COMBINATIONS = Number(process.env['COMBINATIONS'] ?? Number.POSITIVE_INFINITY);
const BEHAVIORS = process.env['BEHAVIORS']?.split(',');
const MACHINES = process.env['MACHINES']?.split(',');
const MINUTES = Number(process.env['MINUTES'] ?? 240);
/** Time until a case is served; a busy machine may need many times the usual seconds. */
const CAP_MILLISECONDS = { served: 180_000, refused: 30_000 };
const GROUP = Number(process.env['GROUP'] ?? 8);
const MAX_RESIDENT_BYTES = 2_000_000_000;
/** Machines of combinations: each kind once, so that a case takes seconds. */
const MACHINES_OF_COMBINATIONS = [
  'rated-b',
  'activity-only',
  'multi-currency',
  'flagged',
  'verified',
  'alt-declared',
  'alt-fleet-1',
];

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

/** Returns cases that cover all pairs of behaviors that can be served alone. Those of the two chains share cases. */
function listCombinations(random: Random): MatrixCase[] {
  const [main, alt] = [MAIN_BEHAVIORS, ALT_BEHAVIORS].map((behaviors) => {
    const served = behaviors.filter(({ expect: each }) => each === 'served');
    return combine(served, SIZE, random);
  }) as [(readonly Behavior[])[], (readonly Behavior[])[]];
  return main.map((each, i) => ({ main: each, alt: alt[i] ?? [] }));
}

const countPairs = (cases: readonly MatrixCase[]) =>
  new Set(cases.flatMap(({ main, alt }) => [...listPairs(main), ...listPairs(alt)])).size;

describe(`SEED=${SEED}`, () => {
  let matrix: ProviderMatrix;

  describe('a single behavior', () => {
    beforeAll(async () => {
      matrix = await openProviderMatrix({ machines: MACHINES });
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

  describe('a combination of behaviors', () => {
    beforeAll(async () => {
      matrix = await openProviderMatrix({ machines: MACHINES_OF_COMBINATIONS });
    });
    afterAll(() => matrix.close());

    it('is served completely', async () => {
      const cases = listCombinations(new Random(SEED));
      const judged = await runAll(matrix, cases.slice(0, COMBINATIONS));
      const pairs = countPairs(cases.slice(0, judged.length));
      process.stdout.write(`${judged.length} cases cover ${pairs} of ${countPairs(cases)} pairs\n`);
      expect(listFlaws(judged)).toEqual([]);
    });
  });
});
