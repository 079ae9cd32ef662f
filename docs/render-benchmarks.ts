/**
 * How fast is the service, beside what, and which goals are not held? Renders `docs/benchmarks.md` from the list of benchmarks and the figures that
 * were kept when they last ran; a test compares the two.
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

/** Where the page stands. */
export const BENCHMARKS_PAGE = new URL('benchmarks.md', import.meta.url);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => ':-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** `BENCH_PATH=verify node bench/http/hot-read.ts`, or without the first part. */
function commandOf({ program, variables = {}, nodeFlags = [] }: (typeof BENCHMARKS)[number]): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [...set, 'node', ...nodeFlags, `bench/${program}`].join(' ');
}

function listShortfalls(figures: MeasuredFigures): readonly string[] {
  return BENCHMARKS.flatMap((benchmark) =>
    Object.entries(benchmark.figures).flatMap(([name, plan]) => {
      const measured = figures[name];
      if (measured === undefined || isHeld(plan, measured) !== false) return [];
      const beside = plan.peer === undefined ? '' : `, beside ${plan.peer}`;
      return [`- **${plan.what}${beside}**: ${plan.shortfall ?? 'not explained yet'}.`];
    }),
  );
}

function renderText(): string {
  const { machine, figures } = readResults();
  const shortfalls = listShortfalls(figures);
  return `
<!-- Rendered by docs/render-benchmarks.ts from bench/benchmarks.ts and bench/results.json. Do not edit. -->

# Benchmarks

What the service costs, measured by programs of this repository. Everything runs on one machine: what asks, what answers, the chain and the database share its cores.

## Figures

A machine with ${machine.cores} cores and ${machine.memoryGigabytes} GB of memory, Node ${machine.node}.

${table(HEAD, listRows(figures))}

The ratio says how many times better we are than the peer, whether more or less is better: above 1 we are ahead. A peer that checks less is a floor to stand on and no competitor:
raw node:http looks at nothing, a bare loop stores nothing.

## Goals that are not held

${shortfalls.length === 0 ? 'None.' : shortfalls.join('\n')}

## Run them

\`\`\`sh
npm run build && npm run bench               # all, one after the other; keeps the figures and renders this page
npm run bench -- --only index/               # those whose program is named so; the other rows stay
npm run bench -- --quick                     # a smoke: every program for a moment, nothing kept
\`\`\`

Take a machine that has nothing else to do. Peers take turns with us in one run (A B C A B C …), so that a machine whose speed drifts favours none, and a figure is the median of its rounds. \`wrk\` and \`nginx\`
are Debian's; FastAPI comes into a virtual environment (\`PYTHON\` names another interpreter that has \`bench/http/requirements.txt\`), ponder into a folder of its own. Where one cannot be had its row says so.

${table(
  ['command', 'measures'],
  BENCHMARKS.map((benchmark) => [`\`${commandOf(benchmark)}\``, benchmark.method]),
)}
`;
}

/** The page, as the formatter of this project leaves it. */
export async function renderBenchmarks(): Promise<string> {
  const config = await resolveConfig(BENCHMARKS_PAGE);
  return format(renderText(), { ...config, parser: 'markdown' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(BENCHMARKS_PAGE, await renderBenchmarks());
}
