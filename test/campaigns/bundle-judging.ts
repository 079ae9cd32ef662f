/** Verifies mutated decision bundles with the client and counts the problems it reports. */
import { verifyDecisionBundle } from '../../client/decision-log.ts';
import type { JsonTree } from '../../src/domain/json/canonical-json.ts';
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
    const mutation = mutateStatement(bundles[random(bundles.length)] as unknown as JsonTree, random);
    const result = verifyDecisionBundle(mutation.document, BUNDLE_TRUST);
    if (result.ok) accepted.push(mutation.name);
    else problems.set(result.problem, (problems.get(result.problem) ?? 0) + 1);
  }
  return { accepted, problems };
}
