/**
 * Checks of the alt chain and its nodes: genesis, programs and singletons as at the start of the service, then the history from the first
 * slot, and the whole registry in one response, which many public nodes refuse (chain-svm 5 to 8).
 */
import { createAltChain } from '../../src/adapters/alt-chain/create-alt-chain.ts';
import type { Config } from '../../src/config.ts';
import { judgeFleetCount } from '../../src/domain/alt-chain/alt-fleet.ts';
import type { AltHistory } from '../../src/ports/alt-chain.ts';
import { fail, ok, unreachable, warn, type Finding } from './check-result.ts';
import { SILENT_LOG } from '../silent-log.ts';
import { toDeploymentFindings } from './deployment.ts';

/** Returns one finding per check. */
export async function examineAltChain(settings: Config['altChain'], nowMilliseconds: () => number): Promise<Finding[]> {
  if (settings === undefined) return [ok('alt chain', 'not configured; its machines are homed elsewhere')];
  const adapter = createAltChain(settings, { clock: { nowMilliseconds }, log: SILENT_LOG });
  try {
    const problems = await adapter.checkDeployment();
    const deployment = toDeploymentFindings('alt chain', 'genesis, programs and singletons', problems);
    const { machines } = adapter;
    if (machines === undefined || deployment.some(({ state }) => state !== 'ok')) return deployment;
    const { history } = machines;
    return [...deployment, await examineHistory(history, settings.firstSlot), await examineFleet(history)];
  } finally {
    await adapter.close();
  }
}

async function examineHistory(history: AltHistory, firstSlot: number): Promise<Finding> {
  try {
    const available = await history.readFirstAvailableSlot();
    if (available <= firstSlot) return ok('ALT_FIRST_SLOT', `the node serves the history from slot ${available}`);
    const text = `the node serves no slot before ${available}, but events may be as old as slot ${firstSlot}`;
    return fail('ALT_FIRST_SLOT', text, 'machines are not rated; name a node with the whole history');
  } catch {
    return unreachable('ALT_FIRST_SLOT', 'the oldest slot of the node cannot be read', 'check the node');
  }
}

async function examineFleet(history: AltHistory): Promise<Finding> {
  try {
    const { fleet, countBefore, countAfter } = await history.readFleet();
    if (judgeFleetCount(countBefore, countAfter, fleet.rowCount) !== 'incomplete') {
      return ok('alt fleets', `${fleet.rowCount} machines in one response`);
    }
    const text = `${fleet.rowCount} machines in one response, but the registry counts ${countAfter}`;
    return warn('alt fleets', text, 'the node omits machines, so operator listings become stale; name another node');
  } catch {
    const remedy = 'operator listings become stale; name a node that supports getProgramAccounts';
    return unreachable('alt fleets', 'the machines cannot be read in one response', remedy);
  }
}
