/** Scores of a mutation run by folder, from Stryker's report. A mutant that no test reaches counts as survived. */
import { posix } from 'node:path';
import type { EquivalentMutants } from './equivalent-mutants.ts';

interface Position {
  readonly line: number;
  readonly column: number;
}

interface Mutant {
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'CompileError' | 'Ignored';
  readonly location: { readonly start: Position; readonly end: Position };
}

/** Lines and columns begin at 1. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface FolderScore {
  readonly folder: string;
  readonly killed: number;
  readonly survived: number;
  readonly equivalent: number;
}

export interface MutationJudgement {
  readonly folders: readonly FolderScore[];
  /** Share of killed mutants among those that are not equivalent. */
  readonly percent: number;
  /** One text for each survived mutant. */
  readonly survived: readonly string[];
  /** Listed mutants of judged files that match no survived mutant. */
  readonly unmatched: readonly ListedMutant[];
}

/** Scores the mutants of a report, with the listed equivalent mutants set apart. */
export function judgeMutants(report: MutationReport, equivalent: readonly EquivalentMutants[]): MutationJudgement {
  const all = Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants.flatMap((mutant) => describe(file, source, mutant)),
  );
  const listed = equivalent.flatMap(({ file, line, changes }) => changes.map((change) => ({ file, line, change })));
  const isEquivalent = (mutant: DescribedMutant) => listed.some((each) => isSame(each, mutant));
  const folders = [...Map.groupBy(all, ({ file }) => posix.dirname(file))].map(([folder, mutants]) => {
    const alive = mutants.filter(({ isKilled }) => !isKilled);
    const equivalentCount = alive.filter(isEquivalent).length;
    const killed = mutants.length - alive.length;
    return { folder, killed, survived: alive.length - equivalentCount, equivalent: equivalentCount };
  });
  const killed = folders.reduce((sum, each) => sum + each.killed, 0);
  const survived = folders.reduce((sum, each) => sum + each.survived, 0);
  const alive = all.filter(({ isKilled }) => !isKilled);
  return {
    folders: folders.sort((a, b) => (a.folder < b.folder ? -1 : 1)),
    percent: percentOf(killed, survived),
    survived: alive.filter((mutant) => !isEquivalent(mutant)).map(({ text }) => text),
    unmatched: listed.filter((each) => each.file in report.files && !alive.some((mutant) => isSame(each, mutant))),
  };
}

/** Formats survived mutants, stale entries and the scores as text. */
export function formatReport({ folders, percent, survived, unmatched }: MutationJudgement): string {
  const rows = folders.map(({ folder, killed, survived, equivalent }) => {
    const share = percentOf(killed, survived).toFixed(1).padStart(6);
    return `${share} %  ${killed} killed, ${survived} survived, ${equivalent} equivalent  ${folder}`;
  });
  const stale = unmatched.map(({ file, line, change: [, replacement] }) => {
    return `listed as equivalent, but killed or gone: ${file}: ${line}\n  + ${replacement}`;
  });
  return [...survived, ...stale, ...rows, `${percent.toFixed(1).padStart(6)} %  all`, ''].join('\n');
}

interface ListedMutant {
  readonly file: string;
  readonly line: string;
  readonly change: readonly [original: string, replacement: string];
}

interface DescribedMutant extends ListedMutant {
  readonly isKilled: boolean;
  readonly text: string;
}

/** Describes a mutant; empty for one that did not run. */
function describe(file: string, source: string, mutant: Mutant): DescribedMutant[] {
  const { status, replacement, mutatorName, location } = mutant;
  if (status === 'CompileError' || status === 'RuntimeError' || status === 'Ignored') return [];
  const lines = source.split('\n');
  const { start, end } = location;
  const changed = lines.slice(start.line - 1, end.line);
  changed[changed.length - 1] = changed.at(-1)!.slice(0, end.column - 1);
  changed[0] = changed[0]!.slice(start.column - 1);
  const original = changed.join('\n');
  const place = `${file}:${start.line}:${start.column}`;
  return [
    {
      file,
      line: lines[start.line - 1]!.trim(),
      change: [original, replacement],
      isKilled: status === 'Killed' || status === 'Timeout',
      text: `${place} ${status} ${mutatorName}\n  - ${original}\n  + ${replacement}`,
    },
  ];
}

function isSame(one: ListedMutant, { file, line, change }: ListedMutant): boolean {
  return one.file === file && one.line === line && one.change[0] === change[0] && one.change[1] === change[1];
}

function percentOf(killed: number, survived: number): number {
  return killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);
}
