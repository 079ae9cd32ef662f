/** Verifies mutated statements with the client and counts the problems it reports. */
import { verifyRatingStatement } from '../../client/statements.ts';
import type { JsonTree } from '../../src/domain/json/canonical-json.ts';
import { signVectorDocument, STATEMENT_VECTORS, VECTOR_STATEMENT } from '../../testing/fixtures/statement-vectors.ts';
import { mutateStatement, seededRandom } from './statement-mutations.ts';

export interface MutationJudgement {
  /** Mutations that were accepted, by name. */
  readonly accepted: readonly string[];
  readonly problems: ReadonlyMap<string, number>;
}

const { domain, address } = STATEMENT_VECTORS;
const TRUST = {
  chainId: domain.chainId,
  registry: domain.verifyingContract,
  keys: [address],
  nowSeconds: VECTOR_STATEMENT.ratedAt,
};

/** Throws when the document itself is not accepted. */
export function judgeMutatedStatements(seed: number, runs: number): MutationJudgement {
  const document = signVectorDocument();
  const original = verifyRatingStatement(document, TRUST);
  if (!original.ok) throw new Error(`the original is not accepted: ${original.problem}`);
  const random = seededRandom(seed);
  const accepted: string[] = [];
  const problems = new Map<string, number>();
  for (let run = 0; run < runs; run++) {
    const mutation = mutateStatement(document as unknown as JsonTree, random);
    const result = verifyRatingStatement(mutation.document, TRUST);
    if (result.ok) accepted.push(mutation.name);
    else problems.set(result.problem, (problems.get(result.problem) ?? 0) + 1);
  }
  return { accepted, problems };
}
