/**
 * Is the alt chain the one that is configured, and do its nodes give what the service asks? Genesis, programs and singletons as at the service's
 * start, then the history from the first slot on, and the whole registry at once, which many public nodes refuse (chain-svm 5 to 8).
 */
import { createAltChain, type AltChainAdapter } from '../../src/adapters/alt-chain/create-alt-chain.ts';
import { describeDeploymentProblem, isContradiction } from '../../src/adapters/rpc/deployment-problem.ts';
import type { Config } from '../../src/config.ts';
import { judgeFleetCount } from '../../src/domain/alt-chain/alt-fleet.ts';
import type { AltHistory } from '../../src/ports/alt-chain.ts';
import { fail, ok, unreachable, warn, type Finding } from './check-result.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

export async function examineAltChain(settings: Config['altChain'], nowMilliseconds: () => number): Promise<Finding[]> {
  if (settings === undefined) return [ok('alt chain', 'not configured: its machines are homed elsewhere')];
  const adapter = createAltChain(settings, { clock: { nowMilliseconds }, log: SILENT });
  try {
    const deployment = await examineDeployment(adapter);
    const { machines } = adapter;
    if (machines === undefined || deployment.some(({ state }) => state !== 'ok')) return deployment;
    const { history } = machines;
    return [...deployment, await examineHistory(history, settings.firstSlot), await examineFleet(history)];
  } finally {
    await adapter.close();
  }
}

async function examineDeployment(adapter: AltChainAdapter): Promise<Finding[]> {
  const problems = await adapter.checkDeployment();
  if (problems.length === 0) return [ok('alt chain', 'genesis, programs and singletons agree with the configuration')];
  return problems.map((problem) => {
    const text = describeDeploymentProblem(problem);
    return isContradiction(problem)
      ? fail(problem.variable, text, 'it belongs to another deployment: correct it')
      : unreachable(problem.variable, text, 'check the node and the address');
  });
}

async function examineHistory(history: AltHistory, firstSlot: number): Promise<Finding> {
  try {
    const available = await history.readFirstAvailableSlot();
    if (available <= firstSlot) return ok('ALT_FIRST_SLOT', `the node serves the history from slot ${available} on`);
    const text = `the node serves no slot before ${available}, and events may be as old as slot ${firstSlot}`;
    return fail('ALT_FIRST_SLOT', text, 'machines are not rated: name a node that keeps the whole history');
  } catch {
    return unreachable('ALT_FIRST_SLOT', 'the oldest slot of the node cannot be read', 'check the node');
  }
}

async function examineFleet(history: AltHistory): Promise<Finding> {
  try {
    const { fleet, countBefore, countAfter } = await history.readFleet();
    if (judgeFleetCount(countBefore, countAfter, fleet.rowCount) !== 'incomplete') {
      return ok('alt fleets', `${fleet.rowCount} machines in one answer`);
    }
    const text = `${fleet.rowCount} machines in one answer, and the registry counts ${countAfter}`;
    return warn('alt fleets', text, 'the node leaves machines out: operator listings become out of date');
  } catch {
    const remedy = 'operator listings will be out of date: name a node that answers getProgramAccounts';
    return unreachable('alt fleets', 'the machines cannot be read in one answer', remedy);
  }
}
