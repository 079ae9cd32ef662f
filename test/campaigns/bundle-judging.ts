/** Verifies mutated decision bundles with the client and counts the problems it reports. */
import { isDeepStrictEqual } from 'node:util';
import { verifyDecisionBundle } from '../../client/decision-log.ts';
import type { JsonTree } from '../../src/domain/json/canonical-json.ts';
import { hashDecisionRow, type DecisionRow } from '../../src/domain/monetization/decision-log.ts';
import { BUNDLE_TRUST, bundleOf, rowsOf } from '../../testing/fixtures/decision-bundles.ts';
import type { MutationJudgement } from './statement-judging.ts';
import { mutateStatement, seededRandom } from './statement-mutations.ts';

/** Throws when a bundle itself is not accepted. */
export function judgeMutatedBundles(seed: number, runs: number): MutationJudgement {
  const bundles = [bundleOf(rowsOf('main'), 2), bundleOf(rowsOf('alt')), bundleOf(rowsOf('main', 1))];
  for (const bundle of bundles) {
    const original = verifyDecisionBundle(bundle, BUNDLE_TRUST);
    if (!original.ok) throw new Error(`the original is not accepted: ${original.problem}`);
  }
  const random = seededRandom(seed);
  const accepted: string[] = [];
  const problems = new Map<string, number>();
  for (let run = 0; run < runs; run++) {
    const bundle = bundles[random(bundles.length)]!;
    const mutation = mutateStatement(bundle as unknown as JsonTree, random);
    if (random(2) === 0) rechain(mutation.document);
    if (isDeepStrictEqual(mutation.document, bundle)) continue;
    const result = verifyDecisionBundle(mutation.document, BUNDLE_TRUST);
    if (result.ok) accepted.push(mutation.name);
    else problems.set(result.problem, (problems.get(result.problem) ?? 0) + 1);
  }
  return { accepted, problems };
}

/** Chains the rows of a bundle again, as one who cannot sign could. Leaves a bundle whose rows have no hash as it is. */
function rechain(document: unknown): void {
  const { decisions } = Object(document) as { decisions?: unknown };
  if (!Array.isArray(decisions)) return;
  let before: string | undefined;
  for (const row of decisions as Record<string, unknown>[]) {
    try {
      if (before !== undefined) row['previous'] = before;
      row['hash'] = before = hashDecisionRow(row as unknown as DecisionRow);
    } catch {
      return;
    }
  }
}
