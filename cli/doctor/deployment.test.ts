/** Deployment checks of `svc doctor` at nodes that refuse calls for a moment. */
import { expect, it } from 'vitest';
import type { DeploymentProblem } from '../../src/adapters/rpc/deployment-problem.ts';
import { checkDeployment } from './deployment.ts';

const UNREACHABLE: DeploymentProblem = { kind: 'unreachable', variable: 'ALT_RPC_URLS', endpoint: 1 };
const WRONG: DeploymentProblem = { kind: 'missing-code', variable: 'INFO_DESK_ADDRESS' };

function answering(...results: readonly (readonly DeploymentProblem[])[]) {
  let checks = 0;
  return {
    checkDeployment: async () => results[Math.min(checks++, results.length - 1)]!,
    checks: () => checks,
  };
}

it.each([
  ['passes when the node responds the second time', [[UNREACHABLE], []], [], 2],
  ['reports a node that does not respond after four attempts', [[UNREACHABLE]], [UNREACHABLE], 4],
  ['reports a contradiction at once', [[WRONG]], [WRONG], 1],
])('%s', async (_, results, problems, checks) => {
  const adapter = answering(...results);
  expect([await checkDeployment(adapter), adapter.checks()]).toEqual([problems, checks]);
});
