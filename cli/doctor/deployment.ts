/** Findings for the deployment checks of a chain, which the service also runs at its start. */
import {
  describeDeploymentProblem,
  isContradiction,
  type DeploymentProblem,
} from '../../src/adapters/rpc/deployment-problem.ts';
import type { UnreadableCause } from '../../src/domain/faults.ts';
import { explainCause, type PlainIndexCause } from '../../src/domain/index-rules/index-cause.ts';
import { fail, ok, unreachable, type Finding } from './check-result.ts';
import { explainConnection } from './node-connection.ts';
import { toCauseFinding } from './rehearsal/cause-finding.ts';
import { repeatTransient } from './repeat-transient.ts';

/** Checks the deployment, again after a pause while a node refuses calls or does not respond. */
export function checkDeployment(adapter: {
  checkDeployment(): Promise<readonly DeploymentProblem[]>;
}): Promise<readonly DeploymentProblem[]> {
  return repeatTransient(
    () => adapter.checkDeployment(),
    (problems) => (problems.every(isContradiction) ? undefined : 0),
  );
}

interface CheckedDeployment {
  readonly subject: string;
  /** What was compared with the configuration. */
  readonly checked: string;
  readonly rpcUrls: readonly string[];
  readonly findCause: (cause: UnreadableCause) => PlainIndexCause | undefined;
}

/** Returns one finding per problem, or a single one that the deployment matches the configuration. */
export async function toDeploymentFindings(
  { subject, checked, rpcUrls, findCause }: CheckedDeployment,
  problems: readonly DeploymentProblem[],
): Promise<Finding[]> {
  if (problems.length === 0) return [ok(subject, `${checked} match the configuration`)];
  const findings = problems.map(async (problem) => {
    const kind = problem.kind === 'unreadable' ? findCause(problem.cause) : undefined;
    if (kind !== undefined) return toCauseFinding(explainCause({ kind }));
    const text = describeDeploymentProblem(problem);
    if (problem.kind === 'unreachable') {
      return unreachable(problem.variable, text, await explainConnection(rpcUrls[problem.endpoint - 1]!));
    }
    return isContradiction(problem)
      ? fail(problem.variable, text, 'it belongs to another deployment; correct the value')
      : unreachable(problem.variable, text, 'check the node and the address');
  });
  return Promise.all(findings);
}
