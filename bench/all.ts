/**
 * Runs every benchmark in turn, prints one table, stores the figures and renders `docs/benchmarks.md` from them. Use a quiet
 * machine and run `npm run build` first.
 *
 *     node bench/all.ts [--quick] [--only <part of a program's name>]
 *
 * `--quick` runs every program briefly as a smoke test and stores nothing. A peer that is not installed is named in its row.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCHMARKS_PAGE, renderBenchmarks } from '../docs/render-benchmarks.ts';
import { BENCHMARKS, type Benchmark } from './benchmarks.ts';
import { formatTable, listRows } from './figure-table.ts';
import { readFigures, type MeasuredFigures } from './figures.ts';
import { storeResults } from './results.ts';

const { quick, only } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
}).values;

function findAbsence({ program, needs }: Benchmark): string | undefined {
  if (!existsSync(join(import.meta.dirname, program))) return 'no such program';
  const missing = needs.find((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0);
  return missing && `${missing} is not installed`;
}

/** Runs one program, forwards its output, and returns its figures. */
async function run(benchmark: Benchmark): Promise<MeasuredFigures> {
  const { program, nodeFlags = [], variables } = benchmark;
  const short = quick ? benchmark.quick : {};
  const child = spawn(process.execPath, [...nodeFlags, join(import.meta.dirname, program), ...(short.args ?? [])], {
    env: { ...process.env, ...variables, ...short.variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.push(text);
    process.stdout.write(text);
  });
  const [code] = await once(child, 'close');
  const measured = readFigures(printed.join(''));
  if (code !== 0) failed.push(`${program} exited with ${code}`);
  return measured;
}

const figures: Record<string, MeasuredFigures[string]> = {};
const failed: string[] = [];
const absences = new Map<string, string>();
for (const benchmark of BENCHMARKS.filter(({ program }) => program.includes(only))) {
  console.log(`\n== ${[benchmark.program, ...Object.values(benchmark.variables ?? {})].join(' ')}`);
  const absence = findAbsence(benchmark);
  if (absence === undefined) Object.assign(figures, await run(benchmark));
  else for (const name of Object.keys(benchmark.figures)) absences.set(name, absence);
}
console.log(`\n${formatTable(listRows(figures, absences))}`);
if (!quick) {
  storeResults(figures);
  writeFileSync(BENCHMARKS_PAGE, await renderBenchmarks());
}
for (const problem of failed) console.error(problem);
process.exitCode = failed.length === 0 ? 0 : 1;
