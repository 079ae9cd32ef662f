/** Results of the last run of the campaign, stored beside it, so that `docs/scoring.md` can be rendered from them. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { AttackCost } from './attack-costs.ts';

export interface AttackResult extends AttackCost {
  readonly name: string;
  readonly attempt: string;
  readonly needs: string | null;
  readonly underMcr1: { readonly mcr: string; readonly score: number };
  readonly mcr: string;
  readonly score: number;
  readonly summary: string;
  /** Numbers of verdicts above 0. */
  readonly verdicts: Readonly<Record<string, number>>;
}

const FILE = new URL('attack-results.json', import.meta.url);

export function readAttackResults(): readonly AttackResult[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as AttackResult[];
}

export function storeAttackResults(results: readonly AttackResult[]): void {
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}
