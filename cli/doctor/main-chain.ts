/**
 * Is the main chain the one that is configured, and can it be served? Chain ids, code and peers as at the service's start, then the
 * clock, and how far finality trails.
 */
import { createMainChain, type MainChainAdapter } from '../../src/adapters/main-chain/create-main-chain.ts';
import { describeDeploymentProblem, isContradiction } from '../../src/adapters/rpc/deployment-problem.ts';
import type { Config } from '../../src/config.ts';
import { MAX_LAG_BLOCKS } from '../../src/domain/index-rules/index-freshness.ts';
import { fail, ok, unreachable, warn, type Finding } from './check-result.ts';

/** A chain that makes no block for longer is taken for halted; slower chains are not served. */
const MAX_BLOCK_AGE_SECONDS = 300;
/** Blocks are stamped a little ahead here and there. */
const MAX_CLOCK_LAG_SECONDS = 30;

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

export async function examineMainChain(
  settings: Config['mainChain'],
  nowMilliseconds: () => number,
): Promise<Finding[]> {
  if (settings === undefined) {
    const remedy = 'set the six contract addresses, MAIN_RPC_URLS and MAIN_CHAIN_ID';
    return [warn('main chain', 'not configured: every answer that needs it is 503', remedy)];
  }
  const adapter = createMainChain(settings, { clock: { nowMilliseconds }, log: SILENT });
  try {
    return [...(await examineDeployment(adapter)), ...(await examineBlocks(adapter, nowMilliseconds()))];
  } finally {
    await adapter.close();
  }
}

async function examineDeployment(adapter: MainChainAdapter): Promise<Finding[]> {
  const problems = await adapter.checkDeployment();
  if (problems.length === 0) return [ok('main chain', 'chain id, code and peers agree with the configuration')];
  return problems.map((problem) => {
    const text = describeDeploymentProblem(problem);
    return isContradiction(problem)
      ? fail(problem.variable, text, 'it belongs to another deployment: correct it')
      : unreachable(problem.variable, text, 'check the node and the address');
  });
}

async function examineBlocks(adapter: MainChainAdapter, nowMilliseconds: number): Promise<Finding[]> {
  try {
    const [latest, finalized] = [await adapter.log.readHeader('latest'), await adapter.log.readHeader('finalized')];
    return [
      examineClock(Math.floor(nowMilliseconds / 1000) - latest.timestamp),
      examineFinality(latest.number - finalized.number),
    ];
  } catch {
    return [unreachable('finality', 'the newest and the finalized block cannot be read', 'check the node')];
  }
}

function examineClock(ageSeconds: number): Finding {
  if (ageSeconds < -MAX_CLOCK_LAG_SECONDS) {
    return fail('clock', `${-ageSeconds} s behind the newest block`, 'synchronise the clock of this machine');
  }
  if (ageSeconds > MAX_BLOCK_AGE_SECONDS) {
    const remedy = 'the chain or the node stands still, or the clock of this machine runs ahead';
    return warn('clock', `the newest block is ${ageSeconds} s old`, remedy);
  }
  return ok('clock', `the newest block is ${Math.max(0, ageSeconds)} s old`);
}

function examineFinality(gapBlocks: number): Finding {
  if (gapBlocks > MAX_LAG_BLOCKS) {
    const text = `trails the newest block by ${gapBlocks} blocks, and an index may trail by ${MAX_LAG_BLOCKS}`;
    return fail('finality', text, 'this chain cannot be served, unless another node finalizes sooner');
  }
  return ok('finality', `trails the newest block by ${gapBlocks} blocks`);
}
