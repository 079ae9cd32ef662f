/** docs/benchmarks.md lists every benchmark with its last figures, and a reason for every goal that is not met. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BENCHMARKS, isHeld, ratioOf, type FigurePlan } from '../bench/benchmarks.ts';
import { formatTable, listRows } from '../bench/figure-table.ts';
import { readFigures } from '../bench/figures.ts';
import { readResults } from '../bench/results.ts';
import { BENCHMARKS_PAGE, renderBenchmarks } from '../docs/render-benchmarks.ts';

const FOLDER = join(import.meta.dirname, '../bench');
const NAMES = BENCHMARKS.flatMap(({ figures }) => Object.keys(figures));

it('docs/benchmarks.md equals the output of docs/render-benchmarks.ts', async () => {
  expect(readFileSync(BENCHMARKS_PAGE, 'utf8')).toBe(await renderBenchmarks());
});

describe('the list of benchmarks', () => {
  it('names every program that prints figures, and every figure once', () => {
    const printing = globSync('**/*.ts', { cwd: FOLDER })
      .filter((file) => readFileSync(join(FOLDER, file), 'utf8').includes('printFigures({'))
      .toSorted();
    expect(
      [...new Set(BENCHMARKS.map(({ program }) => program))]
        .filter((file) => existsSync(join(FOLDER, file)))
        .toSorted(),
    ).toEqual(printing);
    expect(NAMES).toEqual([...new Set(NAMES)]);
  });

  it('contains every recorded figure', () => {
    const measured = Object.keys(readResults().figures);
    expect(measured.length).toBeGreaterThan(NAMES.length / 2);
    expect(measured.filter((name) => !NAMES.includes(name))).toEqual([]);
  });

  it('has a reason for every goal that is not met', () => {
    const { figures } = readResults();
    const plans = BENCHMARKS.flatMap((benchmark) => Object.entries(benchmark.figures));
    const unexplained = plans.filter(([name, plan]) => {
      const measured = figures[name];
      return measured !== undefined && isHeld(plan, measured) === false && plan.shortfall === undefined;
    });
    expect(unexplained.map(([name]) => name)).toEqual([]);
  });
});

describe('a figure', () => {
  const rate: FigurePlan = { what: 'reads', unit: '/s', better: 'more', peer: 'x', goal: { of: 'ratio', least: 0.85 } };
  const time: FigurePlan = { what: 'a start', unit: 'ms', better: 'less', peer: 'x', goal: { of: 'ours', most: 10 } };

  it('is read from one line among others', () => {
    expect(readFigures('a word\nfigures {"a":{"ours":1}}\nfigures {"b":{"ours":2,"peer":null}}\n')).toEqual({
      a: { ours: 1 },
      b: { ours: 2, peer: null },
    });
  });

  it('has a ratio to the peer that follows its direction', () => {
    expect([ratioOf(rate, { ours: 30, peer: 10 }), ratioOf(time, { ours: 30, peer: 10 })]).toEqual([3, 1 / 3]);
  });

  it('meets its goal, misses it, or has none', () => {
    expect([
      isHeld(rate, { ours: 85, peer: 100 }),
      isHeld(rate, { ours: 84, peer: 100 }),
      isHeld(rate, { ours: 84, peer: null }),
      isHeld(time, { ours: 10 }),
      isHeld(time, { ours: 11 }),
      isHeld({ what: 'x', unit: '', better: 'more' }, { ours: 1 }),
    ]).toEqual([true, false, undefined, true, false, undefined]);
  });
});

it('renders a row for every figure, with the reason when one is missing', () => {
  const missing = new Map([[NAMES[0]!, 'wrk is not installed']]);
  const [first, , second, ...rest] = listRows({ [NAMES[2]!]: { ours: 1234.5, peer: null } }, missing);
  expect(first).toEqual(['hot read of a rating', 'wrk is not installed', 'raw node:http', '', '', 'ratio ≥ 0.85', '']);
  expect(second!.slice(0, 5)).toEqual([
    'hot read of a rating',
    '1,235 requests/s',
    'FastAPI, slowapi, uvicorn',
    'not installed',
    '',
  ]);
  expect(rest.length).toBe(NAMES.length - 3);
  expect(
    formatTable([first!])
      .split('\n')
      .map((line) => line.slice(0, 28)),
  ).toEqual(['figure                ours  ', 'hot read of a rating  wrk is']);
});
