/** What do the results of a mutation run say, folder by folder? Reads the report schema of Stryker; a mutant that no test reaches counts as unnoticed. */
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
  readonly noticed: number;
  readonly unnoticed: number;
  readonly equivalent: number;
}

export interface MutationJudgement {
  readonly folders: readonly FolderScore[];
  /** Noticed ones of all that are not equivalent. */
  readonly percent: number;
  /** One text for each unnoticed mutant. */
  readonly unnoticed: readonly string[];
  /** What is listed for files that were judged and stands for no unnoticed mutant. */
  readonly unmatched: readonly ListedMutant[];
}

export function judgeMutants(report: MutationReport, equivalent: readonly EquivalentMutants[]): MutationJudgement {
  const all = Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants.flatMap((mutant) => describe(file, source, mutant)),
  );
  const listed = equivalent.flatMap(({ file, line, changes }) => changes.map((change) => ({ file, line, change })));
  const isEquivalent = (mutant: DescribedMutant) => listed.some((each) => isSame(each, mutant));
  const folders = [...Map.groupBy(all, ({ file }) => posix.dirname(file))].map(([folder, mutants]) => {
    const alive = mutants.filter(({ isNoticed }) => !isNoticed);
    const excused = alive.filter(isEquivalent).length;
    const noticed = mutants.length - alive.length;
    return { folder, noticed, unnoticed: alive.length - excused, equivalent: excused };
  });
  const noticed = folders.reduce((sum, each) => sum + each.noticed, 0);
  const unnoticed = folders.reduce((sum, each) => sum + each.unnoticed, 0);
  const alive = all.filter(({ isNoticed }) => !isNoticed);
  return {
    folders: folders.sort((a, b) => (a.folder < b.folder ? -1 : 1)),
    percent: percentOf(noticed, unnoticed),
    unnoticed: alive.filter((mutant) => !isEquivalent(mutant)).map(({ text }) => text),
    unmatched: listed.filter((each) => each.file in report.files && !alive.some((mutant) => isSame(each, mutant))),
  };
}

export function formatReport({ folders, percent, unnoticed, unmatched }: MutationJudgement): string {
  const rows = folders.map(({ folder, noticed, unnoticed, equivalent }) => {
    const share = percentOf(noticed, unnoticed).toFixed(1).padStart(6);
    return `${share} %  ${noticed} noticed, ${unnoticed} unnoticed, ${equivalent} equivalent  ${folder}`;
  });
  const stale = unmatched.map(({ file, line, change: [, replacement] }) => {
    return `listed as equivalent, but noticed or gone: ${file}: ${line}\n  + ${replacement}`;
  });
  return [...unnoticed, ...stale, ...rows, `${percent.toFixed(1).padStart(6)} %  all`, ''].join('\n');
}

interface ListedMutant {
  readonly file: string;
  readonly line: string;
  readonly change: readonly [original: string, replacement: string];
}

interface DescribedMutant extends ListedMutant {
  readonly isNoticed: boolean;
  readonly text: string;
}

/** Nothing for one that could not be tried. */
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
      isNoticed: status === 'Killed' || status === 'Timeout',
      text: `${place} ${status} ${mutatorName}\n  - ${original}\n  + ${replacement}`,
    },
  ];
}

function isSame(one: ListedMutant, { file, line, change }: ListedMutant): boolean {
  return one.file === file && one.line === line && one.change[0] === change[0] && one.change[1] === change[1];
}

function percentOf(noticed: number, unnoticed: number): number {
  return noticed + unnoticed === 0 ? 100 : (100 * noticed) / (noticed + unnoticed);
}
