/** Findings for the deployment checks of a chain, which the service also runs at its start. */
import {
  describeDeploymentProblem,
  describeServedChain,
  isContradiction,
  type DeploymentProblem,
} from '../../src/adapters/rpc/deployment-problem.ts';
import type { UnreadableCause } from '../../src/domain/faults.ts';
import { explainCause, type PlainIndexCause } from '../../src/domain/index-rules/index-cause.ts';
import { fail, ok, unreachable, type Finding } from './check-result.ts';
import { explainConnection } from './node-connection.ts';
import { addDetail, toCauseFinding } from './rehearsal/cause-finding.ts';
import type { RawCall } from './rehearsal/raw-node.ts';
import { readRefusalText } from './rehearsal/refusal-text.ts';
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
  /** Variable of the nodes. */
  readonly variable: string;
  readonly rpcUrls: readonly string[];
  readonly callsPerSecond: number | undefined;
  /** Calls that the checks send. */
  readonly calls: readonly RawCall[];
  readonly findCause: (cause: UnreadableCause) => PlainIndexCause | undefined;
}

/** Returns findings of the problems, or a single one that the deployment matches the configuration. */
export async function toDeploymentFindings(
  checked: CheckedDeployment,
  problems: readonly DeploymentProblem[],
): Promise<Finding[]> {
  if (problems.length === 0) return [ok(checked.subject, `${checked.checked} match the configuration`)];
  const findings = await Promise.all(problems.map((problem) => toProblemFinding(checked, problems, problem)));
  // A refusal of all nodes is the same as that of one of them.
  return findings.filter(({ text }, i) => !findings.slice(0, i).some((earlier) => earlier.text.startsWith(text)));
}

async function toProblemFinding(
  { variable, rpcUrls, callsPerSecond, calls, findCause }: CheckedDeployment,
  problems: readonly DeploymentProblem[],
  problem: DeploymentProblem,
): Promise<Finding> {
  const text = describeDeploymentProblem(problem);
  if (problem.kind === 'unreachable') {
    if (problem.cause === 'rate-limited' || problem.cause === 'calls-used-up') {
      const finding = toCauseFinding(explainCause({ kind: findCause(problem.cause)! }));
      return rpcUrls.length === 1 ? finding : addDetail(finding, `endpoint ${problem.endpoint}`);
    }
    return unreachable(problem.variable, text, await explainConnection(rpcUrls[problem.endpoint - 1]!));
  }
  const failed = failedEndpoints(problems);
  const sound = rpcUrls.findIndex((_, i) => !failed.has(i + 1));
  if (problem.kind === 'unreadable') {
    const kind = findCause(problem.cause);
    if (kind !== undefined) {
      const nodeUrl = rpcUrls[Math.max(0, sound)]!;
      return toCauseFinding(explainCause({ kind }), await readRefusalText(kind, { nodeUrl, callsPerSecond, calls }));
    }
  }
  if (problem.kind === 'wrong-chain') {
    if (sound === -1) return fail(problem.variable, text, explainCause({ kind: findCause('wrong-chain')! }).remedy);
    const remedy = `correct or remove the URL of endpoint ${problem.endpoint}`;
    const served = describeServedChain(problem);
    return fail(variable, `${served}; endpoint ${sound + 1} serves the configured chain`, remedy);
  }
  return isContradiction(problem)
    ? fail(problem.variable, text, 'it belongs to another deployment; correct the value')
    : unreachable(problem.variable, text, 'check the node and the address');
}

/** Returns the numbers of the nodes that do not respond or serve another chain, from 1. */
export function failedEndpoints(problems: readonly DeploymentProblem[]): ReadonlySet<number> {
  return new Set(problems.flatMap((problem) => ('endpoint' in problem ? [problem.endpoint] : [])));
}
