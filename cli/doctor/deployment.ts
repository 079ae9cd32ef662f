/** Findings for the deployment checks of a chain, which the service also runs at its start. */
import {
  describeDeploymentProblem,
  isContradiction,
  type DeploymentProblem,
} from '../../src/adapters/rpc/deployment-problem.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { UnreadableCause } from '../../src/domain/faults.ts';
import { explainCause, type PlainIndexCause } from '../../src/domain/index-rules/index-cause.ts';
import { fail, ok, unreachable, type Finding } from './check-result.ts';
import { toCauseFinding } from './rehearsal/cause-finding.ts';

const MAX_ATTEMPTS = 3;
const PAUSE_MILLISECONDS = 1_000;

/** Checks the deployment, again after a pause while a node refuses calls or does not respond. */
export async function checkDeployment(adapter: {
  checkDeployment(): Promise<readonly DeploymentProblem[]>;
}): Promise<readonly DeploymentProblem[]> {
  for (let attempts = 1; ; attempts += 1) {
    const problems = await adapter.checkDeployment();
    if (attempts === MAX_ATTEMPTS || problems.every(isContradiction)) return problems;
    await pause(PAUSE_MILLISECONDS);
  }
}

/** Returns one finding per problem, or a single one that `checked` matches the configuration. */
export function toDeploymentFindings(
  subject: string,
  checked: string,
  problems: readonly DeploymentProblem[],
  findCause: (cause: UnreadableCause) => PlainIndexCause | undefined,
): Finding[] {
  if (problems.length === 0) return [ok(subject, `${checked} match the configuration`)];
  return problems.map((problem) => {
    const kind = problem.kind === 'unreadable' ? findCause(problem.cause) : undefined;
    if (kind !== undefined) return toCauseFinding(explainCause({ kind }));
    const text = describeDeploymentProblem(problem);
    return isContradiction(problem)
      ? fail(problem.variable, text, 'it belongs to another deployment; correct the value')
      : unreachable(problem.variable, text, 'check the node and the address');
  });
}
