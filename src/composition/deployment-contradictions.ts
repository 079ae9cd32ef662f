/**
 * Refuses to start in front of a deployment other than the configured one (chain-evm 1, chain-svm 5): such a service
 * would return wrong data.
 */
import {
  formatDeploymentProblem,
  isContradiction,
  type DeploymentProblem,
} from '../adapters/rpc/deployment-problem.ts';
import { explainCause } from '../domain/index-rules/index-cause.ts';
import { waitBriefly, type ServiceStart } from './startup.ts';
import { StartRefused } from './start-refused.ts';

export interface CheckableChain {
  checkDeployment(): Promise<readonly DeploymentProblem[]>;
}

/**
 * Checks the deployment and logs every problem. Throws `StartRefused` for a contradiction, unless the start is lenient.
 * A chain that cannot be read yet contradicts nothing: the service starts and is not ready.
 */
export async function refuseContradictions(chain: CheckableChain, { isLenient, log }: ServiceStart): Promise<void> {
  const problems = (await waitBriefly(chain.checkDeployment())) ?? [];
  for (const problem of problems) log.warn({ problem: formatDeploymentProblem(problem) }, 'deployment check');
  const contradictions = problems.filter(isContradiction);
  if (contradictions.length > 0 && !isLenient) throw new StartRefused(contradictions.map(formatDeploymentProblem));
}

/** Throws `StartRefused` when the database holds rows of another deployment, unless the start is lenient. */
export async function refuseForeignRows(
  indexers: { claimIndex(): Promise<boolean> },
  kind: 'other-deployment' | 'alt-index-other-deployment',
  { isLenient }: ServiceStart,
): Promise<void> {
  if ((await indexers.claimIndex()) || isLenient) return;
  const { subject, text, remedy } = explainCause({ kind });
  throw new StartRefused([`${subject}: ${text}; ${remedy}`]);
}
