/**
 * Checks of the alt chain and its nodes: genesis, programs and singletons as at the start of the service, then a rehearsal
 * of the first start, which includes the whole registry in one response (chain-svm 5 to 8).
 */
import { createAltChain } from '../../src/adapters/alt-chain/create-alt-chain.ts';
import type { Config } from '../../src/config.ts';
import { findAltCauseOfUnreadable } from '../../src/indexing/alt/alt-causes.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import { ok, type Finding } from './check-result.ts';
import { SILENT_LOG } from '../../src/ports/runtime.ts';
import { checkDeployment, toDeploymentFindings } from './deployment.ts';
import type { RawCall } from './rehearsal/raw-node.ts';
import { rehearseAltStart } from './rehearsal/alt-rehearsal.ts';

/** Returns one finding per check. `keepProfiles` receives what was learned about the nodes. */
export async function examineAltChain(
  settings: Config['altChain'],
  nowMilliseconds: () => number,
  keepProfiles: (profiles: NodeProfiles) => void = () => undefined,
): Promise<Finding[]> {
  if (settings === undefined) return [ok('alt chain', 'not configured; its machines are homed elsewhere')];
  const headSeconds = () => nowMilliseconds() / 1000;
  const adapter = createAltChain(settings, { clock: { nowMilliseconds }, headSeconds, log: SILENT_LOG });
  try {
    const problems = await checkDeployment(adapter);
    const deployment = await toDeploymentFindings(
      {
        subject: 'alt chain',
        checked: 'genesis, programs and singletons',
        variable: 'ALT_RPC_URLS',
        rpcUrls: settings.rpcUrls,
        callsPerSecond: settings.callsPerSecond,
        calls: listChecked(settings),
        findCause: (cause) => findAltCauseOfUnreadable(cause, 'walk'),
      },
      problems,
    );
    const { machines } = adapter;
    if (machines === undefined || deployment.some(({ state }) => state !== 'ok')) return deployment;
    return [...deployment, ...(await rehearseAltStart({ settings, adapter, history: machines.history }))];
  } finally {
    keepProfiles(adapter.listProfiles());
    await adapter.close();
  }
}

/** Returns the call that reads the accounts of the programs. */
function listChecked({ programs, binding }: NonNullable<Config['altChain']>): RawCall[] {
  const keys = [...Object.values(programs ?? {}), binding?.program].filter((key) => key !== undefined);
  return [{ method: 'getMultipleAccounts', params: [keys, { commitment: 'finalized', encoding: 'base64' }] }];
}
