/** Is this the deployment that is configured? (chain-evm 1, chain-svm 5.) A service in front of another one would answer wrongly. */
import { isMainReachProblem as isOfMainReach } from '../adapters/main-chain/reads/deployment-checks.ts';
import { isAltReachProblem as isOfAltReach } from '../adapters/alt-chain/reads/deployment-checks.ts';
import { awaitPatiently, type ServiceStart } from './startup.ts';
import { StartRefused } from './start-refused.ts';

interface Deployed {
  checkDeployment(): Promise<readonly string[]>;
}

/** A chain that cannot be read yet contradicts nothing: the service starts and is not ready. Throws `StartRefused`. */
export async function refuseContradictions(chain: Deployed, { isLenient, log }: ServiceStart): Promise<void> {
  const problems = (await awaitPatiently(chain.checkDeployment())) ?? [];
  for (const problem of problems) log.warn({ problem }, 'deployment check');
  const contradictions = problems.filter((problem) => !isOfMainReach(problem) && !isOfAltReach(problem));
  if (contradictions.length > 0 && !isLenient) throw new StartRefused(contradictions);
}

/** Rows of one deployment are never served for another. Throws `StartRefused`. */
export async function refuseForeignRows(
  indexers: { claimIndex(): Promise<boolean> },
  what: string,
  { isLenient }: ServiceStart,
): Promise<void> {
  if ((await indexers.claimIndex()) || isLenient) return;
  throw new StartRefused([`DATABASE_URL: the database holds ${what} of another deployment`]);
}
