/** What came out when everything was last measured? Kept beside the programs, so that the page can be rendered from it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { MeasuredFigures } from './figures.ts';

export interface Results {
  readonly machine: { readonly cores: number; readonly memoryGigabytes: number; readonly node: string };
  /** A figure that is not here was not measured. */
  readonly figures: MeasuredFigures;
}

const FILE = new URL('results.json', import.meta.url);

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Results;
}

/** Figures that were not measured this time stay. */
export function keepResults(figures: MeasuredFigures): void {
  const machine = {
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  };
  const all = { ...readResults().figures, ...figures };
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify({ machine, figures: sorted } satisfies Results, null, 2)}\n`);
}
