/**
 * Renders `docs/benchmarks.md` from the list of benchmarks and the figures stored by their last run. A test compares the two.
 *
 *     node docs/render-benchmarks.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { BENCHMARKS, isHeld } from '../bench/benchmarks.ts';
import { HEAD, listRows } from '../bench/figure-table.ts';
import type { MeasuredFigures } from '../bench/figures.ts';
import { readResults } from '../bench/results.ts';

/** Location of the rendered page. */
export const BENCHMARKS_PAGE = new URL('benchmarks.md', import.meta.url);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => ':-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Returns the command of a benchmark, such as `BENCH_PATH=verify node bench/http/hot-read.ts`. */
function commandOf({ program, variables = {}, nodeFlags = [] }: (typeof BENCHMARKS)[number]): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...set, 'node', ...nodeFlags, `bench/${program}`].join(' ');
}

function listShortfalls(figures: MeasuredFigures): readonly string[] {
  return BENCHMARKS.flatMap((benchmark) =>
    Object.entries(benchmark.figures).flatMap(([name, plan]) => {
      const measured = figures[name];
      if (measured === undefined || isHeld(plan, measured) !== false) return [];
      const comparison = plan.peer === undefined ? '' : `, compared with ${plan.peer}`;
      return [`- **${plan.what}${comparison}**: ${plan.shortfall ?? 'no explanation yet'}.`];
    }),
  );
}

function renderText(): string {
  const { machine, figures } = readResults();
  const shortfalls = listShortfalls(figures);
  return `
<!-- Rendered by docs/render-benchmarks.ts from bench/benchmarks.ts and bench/results.json. Do not edit. -->

# Benchmarks

Costs of the service, measured by the programs below. Client, service, chain and database share the cores of one machine.

## Figures

Measured on ${machine.cores} cores and ${machine.memoryGigabytes} GB of memory, Node ${machine.node}.

${table(HEAD, listRows(figures))}

The ratio says how many times better this service is than the peer: above 1 it is ahead. A peer that does less is a baseline,
not a competitor: raw node:http checks nothing, and a bare loop stores nothing.

## Budget

Code that exists for speed pays for its size: what buys less than 3 % of a budgeted figure and costs more than 50 lines
is removed. The budget: a hot read at 85 % of raw node:http, one node request per block under full load, a limiter
within 128 MiB, and every figure within 3 % of the release before, measured side by side in one run.

${table(
  ['code', 'lines', 'without it', 'decision'],
  [
    [
      'synchronous path of cached reads (`actions/maybe-async.ts`)',
      '38',
      '6 % more CPU for a hot read of a rating, 17 % for a profile',
      'stays',
    ],
    [
      'linked list of deadlines instead of a `Set` (`http/server/deadlines.ts`)',
      '18',
      '17 to 20 % more CPU for a hot read',
      'stays',
    ],
    [
      'own Prometheus text instead of prom-client (`telemetry/exposition.ts`)',
      '58',
      '278 ns instead of 52 ns for each observation',
      'stays; prom-client is removed',
    ],
    [
      'receipts read from bytes (`main-chain/receipts`)',
      '350',
      '530 MB instead of 100 MB for a dense backfill',
      'stays',
    ],
    [
      'base58 in steps of nine digits (`domain/identifiers/base58.ts`)',
      '70',
      '740 µs instead of 31 µs for an instruction',
      'stays',
    ],
  ],
)}

## Goals that are not met

${shortfalls.length === 0 ? 'None.' : shortfalls.join('\n')}

## Run the benchmarks

\`\`\`sh
npm run build && npm run bench -- --only rating/ --quick   # smoke run of the programs whose name matches; stores nothing
\`\`\`

After a build, \`npm run bench\` runs all programs in sequence, which takes hours, stores their figures and renders this page; with
\`-- --only index/\` other rows stay. \`npm run bench -- --quick\` is a smoke run of all.

Use an idle machine. Service and peers alternate within one run (A B C A B C …), so that a drifting clock speed favors none, and
a figure is the median of its rounds. \`wrk\` and \`nginx\` come from Debian, FastAPI is installed into a virtual environment
(\`PYTHON\` names another interpreter with \`bench/http/requirements.txt\`), and ponder into its own folder. The row of a missing
peer says so.

${table(
  ['command', 'measures'],
  BENCHMARKS.map((benchmark) => [`\`${commandOf(benchmark)}\``, benchmark.method]),
)}
`;
}

/** Returns the page as the formatter of this project prints it. */
export async function renderBenchmarks(): Promise<string> {
  const config = await resolveConfig(BENCHMARKS_PAGE);
  return format(renderText(), { ...config, parser: 'markdown', proseWrap: 'always' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(BENCHMARKS_PAGE, await renderBenchmarks());
}
