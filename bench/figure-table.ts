/** Table of all figures, for the terminal and for the page. */
import { BENCHMARKS, isHeld, ratioOf, type FigurePlan, type Goal } from './benchmarks.ts';
import type { Measured, MeasuredFigures } from './figures.ts';

export const HEAD = ['figure', 'ours', 'peer', "peer's", 'ratio', 'goal', 'held'] as const;

/** Returns one row for each planned figure. `absences`: why a figure was not measured. */
export function listRows(
  figures: MeasuredFigures,
  absences: ReadonlyMap<string, string> = new Map(),
): readonly (readonly string[])[] {
  return BENCHMARKS.flatMap((benchmark) =>
    Object.entries(benchmark.figures).map(([name, plan]) => {
      const measured = figures[name];
      if (measured === undefined) return toAbsentRow(plan, absences.get(name) ?? 'not measured');
      return toRow(plan, measured);
    }),
  );
}

function toAbsentRow(plan: FigurePlan, why: string): readonly string[] {
  return [plan.what, why, plan.peer ?? '', '', '', formatGoal(plan.goal), ''];
}

function toRow(plan: FigurePlan, measured: Measured): readonly string[] {
  const ratio = ratioOf(plan, measured);
  const held = isHeld(plan, measured);
  return [
    plan.what,
    [formatNumber(measured.ours), plan.unit, formatInterval(measured.interval)].filter(Boolean).join(' '),
    plan.peer ?? '',
    plan.peer === undefined ? '' : formatPeer(measured.peer),
    ratio === undefined ? '' : formatNumber(ratio),
    formatGoal(plan.goal),
    held === undefined ? '' : held ? 'yes' : 'no',
  ];
}

function formatInterval(interval: Measured['interval']): string {
  return interval === undefined ? '' : `(${interval.map(formatNumber).join(' to ')})`;
}

function formatPeer(peer: Measured['peer']): string {
  if (peer === undefined) return 'left out';
  return peer === null ? 'not installed' : formatNumber(peer);
}

function formatGoal(goal: Goal | undefined): string {
  if (goal === undefined) return '';
  const bound = goal.least === undefined ? `≤ ${goal.most}` : `≥ ${goal.least}`;
  return goal.of === 'ratio' ? `ratio ${bound}` : bound;
}

/** Formats a number with three significant digits. */
function formatNumber(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return Number(value.toPrecision(3)).toString();
}

/** Formats rows as aligned columns. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
