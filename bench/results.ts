/** Figures of the last measurement, stored beside the programs, so that the page can be rendered from them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { MeasuredFigures } from './figures.ts';

export interface Results {
  readonly machine: { readonly cores: number; readonly memoryGigabytes: number; readonly node: string };
  /** Measured figures; a missing one was not measured. */
  readonly figures: MeasuredFigures;
}

const FILE = new URL('results.json', import.meta.url);

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Results;
}

/** Stores figures; those that were not measured this time stay. */
export function storeResults(figures: MeasuredFigures): void {
  const machine = {
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  };
  const all = { ...readResults().figures, ...figures };
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify({ machine, figures: sorted } satisfies Results, null, 2)}\n`);
}
