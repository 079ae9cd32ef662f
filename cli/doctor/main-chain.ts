/**
 * Checks of the main chain: chain id, contract code and peer addresses as at the start of the service, then the clock and the distance
 * to finality.
 */
import { createMainChain, type MainChainAdapter } from '../../src/adapters/main-chain/create-main-chain.ts';
import type { Config } from '../../src/config.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { MAX_LAG_BLOCKS } from '../../src/domain/index-rules/index-freshness.ts';
import { fail, ok, unreachable, warn, type Finding } from './check-result.ts';
import { SILENT_LOG } from '../silent-log.ts';
import { toDeploymentFindings } from './deployment.ts';

/** A chain without a block for longer counts as halted; slower chains are not supported. */
const MAX_BLOCK_AGE_SECONDS = 300;
/** Some chains stamp blocks slightly ahead of time. */
const MAX_CLOCK_LAG_SECONDS = 30;

/** The counter responds for every id. */
const ANY_MACHINE = 1n as MachineId;

/** Returns one finding per check. */
export async function examineMainChain(
  settings: Config['mainChain'],
  nowMilliseconds: () => number,
): Promise<Finding[]> {
  if (settings === undefined) {
    const remedy = 'set the six contract addresses, MAIN_RPC_URLS and MAIN_CHAIN_ID';
    return [warn('main chain', 'not configured; requests that need it return 503', remedy)];
  }
  const adapter = createMainChain(settings, { clock: { nowMilliseconds }, log: SILENT_LOG });
  try {
    const problems = await adapter.checkDeployment();
    return [
      ...toDeploymentFindings('main chain', 'chain id, code and peers', problems),
      ...(await examineChipCounter(adapter, settings)),
      ...(await examineBlocks(adapter, nowMilliseconds())),
    ];
  } finally {
    await adapter.close();
  }
}

/** Returns nothing without an AttestationRegistry, or when it cannot be read. */
async function examineChipCounter(
  { chain }: MainChainAdapter,
  { addresses }: NonNullable<Config['mainChain']>,
): Promise<Finding[]> {
  if (addresses.attestationRegistry === undefined) return [];
  const variable = 'ATTESTATION_REGISTRY_ADDRESS';
  try {
    const { chipLogCount } = (await chain.readMachineUncached(ANY_MACHINE)).snapshot;
    if (chipLogCount.state === 'unreadable') return [];
    if (chipLogCount.state === 'present') return [ok(variable, 'counts the logs of chip records')];
    const text = 'does not respond to chipLogCount(uint256), so a withheld log of a chip record is not detected';
    return [warn(variable, text, 'deploy the current AttestationRegistry')];
  } catch {
    return [];
  }
}

async function examineBlocks(adapter: MainChainAdapter, nowMilliseconds: number): Promise<Finding[]> {
  try {
    const [latest, finalized] = [await adapter.log.readHeader('latest'), await adapter.log.readHeader('finalized')];
    return [
      examineClock(Math.floor(nowMilliseconds / 1000) - latest.timestamp),
      examineFinality(latest.number - finalized.number),
    ];
  } catch {
    return [unreachable('finality', 'the latest and the finalized block cannot be read', 'check the node')];
  }
}

function examineClock(ageSeconds: number): Finding {
  if (ageSeconds < -MAX_CLOCK_LAG_SECONDS) {
    return fail('clock', `${-ageSeconds} s behind the latest block`, 'synchronize the clock of this host');
  }
  if (ageSeconds > MAX_BLOCK_AGE_SECONDS) {
    const remedy = 'check that chain and node make progress, and that the clock of this host is not ahead';
    return warn('clock', `the latest block is ${ageSeconds} s old`, remedy);
  }
  return ok('clock', `the latest block is ${Math.max(0, ageSeconds)} s old`);
}

function examineFinality(gapBlocks: number): Finding {
  if (gapBlocks > MAX_LAG_BLOCKS) {
    const text = `${gapBlocks} blocks behind the latest block; the index may lag by ${MAX_LAG_BLOCKS}`;
    return fail('finality', text, 'use a node that finalizes sooner; otherwise this chain cannot be served');
  }
  return ok('finality', `${gapBlocks} blocks behind the latest block`);
}
