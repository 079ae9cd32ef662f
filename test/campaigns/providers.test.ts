/**
 * Campaign: a service behind every imitated behavior of RPC providers, alone and in pairs, against a service behind the
 * bare nodes. Time passes only while the process is idle, so that waiting costs nothing and no result depends on the load.
 *
 * Combinations of up to `SIZE` (10) behaviors, drawn with `SEED` (1), cover every pair of each chain (`-t combination`); one
 * that does not hold is divided until a pair is found that does not. Mixtures (`-t mixture`) cover every pair of both chains. `PART=1/2` runs every second case, so that two processes use two cores.
 * `PROGRESS` names a file that records each case; cases whose pairs it holds already are skipped. `MINUTES` (240) bounds the
 * time, `GROUP` (8) is the number of cases side by side, `CASES` names combinations (`a + b; c + d`), `BEHAVIORS` single
 * behaviors and `MACHINES` the machines whose responses these compare, separated by commas. Writes one line per case,
 * and after each group one with what is done, what failed and what comes next.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../sim/random.ts';
import type { CaseOutcome, MatrixCase } from '../../testing/harness/provider-matrix/matrix-case.ts';
import { combine, divide, listCoveredPairs } from '../../testing/harness/provider-matrix/combinations.ts';
import { openProviderMatrix, type ProviderMatrix } from '../../testing/harness/provider-matrix/provider-matrix.ts';
import { ALT_BEHAVIORS } from '../../testing/harness/provider-proxy/alt-behaviors.ts';
import type { Behavior } from '../../testing/harness/provider-proxy/behavior.ts';
import { countRefusals, MAIN_BEHAVIORS } from '../../testing/harness/provider-proxy/behaviors.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const SIZE = Number(process.env['SIZE'] ?? 10);
const [PART, PARTS] = (process.env['PART'] ?? '1/1').split('/').map(Number) as [number, number];
const PROGRESS = process.env['PROGRESS'];
const CASES = process.env['CASES']?.split(';').map((names) => names.split('+').map((name) => name.trim()));
const BEHAVIORS = process.env['BEHAVIORS']?.split(',');
const MACHINES = process.env['MACHINES']?.split(',');
const MINUTES = Number(process.env['MINUTES'] ?? 240);
/** Time of the service until a case is served, or its refusal is named. A node that is behind for each sixth call costs minutes. */
const CAP_MILLISECONDS = { served: 900_000, refused: 30_000 };
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

/** Two pages of a listing are compared for single behaviors. */
const FLEET_OF_COMBINATIONS = 2;

const ALL = [...MAIN_BEHAVIORS, ...ALT_BEHAVIORS];
const NANOSECONDS_PER_MINUTE = 60_000_000_000n;
const deadline = process.hrtime.bigint() + BigInt(MINUTES) * NANOSECONDS_PER_MINUTE;
const isTimeOver = () => process.hrtime.bigint() > deadline;

type Combination = readonly Behavior[];

interface Judged {
  readonly combination: Combination;
  readonly outcome: CaseOutcome;
}

/** One line of the progress file. */
interface Recorded {
  readonly name: string;
  readonly kind: CaseOutcome['kind'];
  readonly isSound: boolean;
  readonly acted: readonly string[];
}

const nameOf = (combination: Combination): string => combination.map(({ name }) => name).join(' + ');
const select = (names: readonly string[]): Combination => ALL.filter(({ name }) => names.includes(name));

const toCase = (combination: Combination): MatrixCase => ({
  main: combination.filter((each) => MAIN_BEHAVIORS.includes(each)),
  alt: combination.filter((each) => ALT_BEHAVIORS.includes(each)),
});

const expectationOf = (combination: Combination): Behavior['expect'] =>
  countRefusals(combination) > 0 ? 'refused' : 'served';

/** Returns whether a case is served with a passing doctor, or refused with a cause and a failing doctor. */
function isSound({ combination, outcome: { kind, doctor } }: Judged): boolean {
  const expected = expectationOf(combination);
  if (kind === 'refused') return expected === 'refused' && doctor.length > 0;
  return kind === 'served' && expected === 'served' && doctor.length === 0;
}

function format(judged: Judged): string {
  const { kind, name, seconds, mainCalls, altCalls, missing, missingPaths, causes, doctor, differences, lines } =
    judged.outcome;
  const figures = `${kind}: ${name} (${seconds ?? '-'} s, ${mainCalls} + ${altCalls} calls)`;
  return kind === 'served' && isSound(judged)
    ? figures
    : `${figures} ${JSON.stringify({ missing, missingPaths, causes, doctor, differences, lines })}`;
}

/** Runs the cases side by side, writes their lines and records them. */
async function runGroup(matrix: ProviderMatrix, group: readonly Combination[]): Promise<Judged[]> {
  const cap = CAP_MILLISECONDS[group.some((each) => expectationOf(each) === 'served') ? 'served' : 'refused'];
  const outcomes = await matrix.runGroup(group.map(toCase), cap);
  const judged = outcomes.map((outcome, i) => ({ combination: group[i]!, outcome }));
  for (const each of judged) {
    process.stdout.write(`${format(each)}\n`);
    const { name, kind, acted } = each.outcome;
    if (PROGRESS !== undefined) {
      appendFileSync(PROGRESS, `${JSON.stringify({ name, kind, isSound: isSound(each), acted } satisfies Recorded)}\n`);
    }
  }
  expect(process.memoryUsage().rss).toBeLessThan(MAX_RESIDENT_BYTES);
  return judged;
}

function readProgress(): Map<string, Recorded> {
  if (PROGRESS === undefined || !existsSync(PROGRESS)) return new Map();
  const lines = readFileSync(PROGRESS, 'utf8').trim().split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Recorded).map((each) => [each.name, each]));
}

/** Takes the next cases of one expectation, because the refused ones end early. */
function takeGroup(queue: Combination[]): Combination[] {
  const expected = expectationOf(queue[0]!);
  const group = queue.filter((each) => expectationOf(each) === expected).slice(0, GROUP);
  for (const each of group) queue.splice(queue.indexOf(each), 1);
  return group;
}

/**
 * Runs all combinations with pairs that no recorded case holds, and smaller ones in place of each that does not hold.
 * Returns the lines of those that cannot be divided.
 */
async function runCombinations(
  matrix: ProviderMatrix,
  behaviors: readonly Behavior[],
  combinations: readonly Combination[],
): Promise<string[]> {
  const recorded = readProgress();
  const queue: Combination[] = [];
  const failed: string[] = [];
  const held = new Set<string>();
  const seen = new Set<string>();
  let done = 0;

  function finish(combination: Combination, holds: boolean, acted: readonly string[], line: string): void {
    done += 1;
    if (!holds && combination.length > 2) return enqueue(divide(combination));
    if (!holds) return void failed.push(line);
    countPairs(combination, acted);
  }

  function countPairs(combination: Combination, acted: readonly string[]): void {
    for (const pair of listCoveredPairs(combination)) held.add(pair);
    const active = combination.filter(({ name }) => acted.includes(name));
    for (const pair of listCoveredPairs(active)) seen.add(pair);
  }

  function enqueue(added: readonly Combination[]): void {
    for (const each of added) {
      const earlier = recorded.get(nameOf(each));
      if (listCoveredPairs(each).every((pair) => held.has(pair))) done += 1;
      else if (earlier === undefined) queue.push(each);
      else finish(each, earlier.isSound, earlier.acted, `${earlier.kind}: ${earlier.name}`);
    }
  }

  const report = () => {
    const figures = { done, left: queue.length, pairs: held.size, bothActed: seen.size, failed: failed.length };
    process.stdout.write(`${JSON.stringify({ ...figures, next: queue[0] && nameOf(queue[0]) })}\n`);
  };

  for (const { name, isSound: holds, acted } of recorded.values()) {
    const earlier = name.split(' + ').map((each) => behaviors.find((behavior) => behavior.name === each));
    if (holds && earlier.every((each) => each !== undefined)) countPairs(earlier, acted);
  }
  enqueue(combinations);
  while (queue.length > 0 && !isTimeOver()) {
    for (const judged of await runGroup(matrix, takeGroup(queue)))
      finish(judged.combination, isSound(judged), judged.outcome.acted, format(judged));
    report();
  }
  report();
  return failed;
}

describe(`SEED=${SEED}`, () => {
  let matrix: ProviderMatrix;

  describe('a single behavior', () => {
    beforeAll(async () => {
      matrix = await openProviderMatrix({ machines: MACHINES, isIdleTime: true });
    });
    afterAll(() => matrix.close());

    it('is served completely, or refused with a cause that doctor names too', async () => {
      const queue = ALL.filter(({ name }) => BEHAVIORS?.includes(name) ?? true).map((each) => [each]);
      const judged: Judged[] = [];
      while (queue.length > 0 && !isTimeOver()) judged.push(...(await runGroup(matrix, takeGroup(queue))));
      process.stdout.write(`${judged.length} behaviors, ${judged.filter(isSound).length} as expected\n`);
      expect(judged.filter((each) => !isSound(each)).map(format)).toEqual([]);
    });
  });

  describe.each<[title: string, behaviors: readonly Behavior[], isMainChainOnly: boolean]>([
    ['a combination of behaviors of the main chain', MAIN_BEHAVIORS, true],
    ['a combination of behaviors of the alt chain', ALT_BEHAVIORS, false],
    ['a mixture of behaviors of both chains', ALL, false],
  ])('%s', (_, behaviors, isMainChainOnly) => {
    const named = CASES?.map(select).filter((each) => each.every((behavior) => behaviors.includes(behavior)));
    beforeAll(async () => {
      matrix = await openProviderMatrix({
        machines: MACHINES_OF_COMBINATIONS,
        fleet: FLEET_OF_COMBINATIONS,
        isMainChainOnly,
        isIdleTime: true,
      });
    });
    afterAll(() => matrix.close());

    it('is served completely, or refused with a cause that doctor names too', async () => {
      const all = named ?? combine(behaviors, SIZE, new Random(SEED));
      const failed = await runCombinations(
        matrix,
        behaviors,
        all.filter((_, i) => i % PARTS === PART - 1),
      );
      expect(failed).toEqual([]);
    });
  });
});
