/** Finds the nodes of the main chain whose responses do not have the documented form, while others serve. */
import { createMainChain } from '../../src/adapters/main-chain/create-main-chain.ts';
import type { MainChainConfig } from '../../src/adapters/main-chain/main-chain-config.ts';
import { findCauseOfFailure } from '../../src/indexing/main/cause-of-failure.ts';
import { SILENT_LOG } from '../../src/ports/runtime.ts';

/** Returns the positions of these nodes. `block` is a block that every node has; nodes of `failed`, numbered from 1, are not asked again. */
export async function findMalformedNodes(
  settings: MainChainConfig,
  block: number,
  nowMilliseconds: () => number,
  failed: ReadonlySet<number>,
): Promise<number[]> {
  if (settings.rpcUrls.length === 1) return [];
  const malformed: number[] = [];
  for (const [position, url] of settings.rpcUrls.entries()) {
    if (failed.has(position + 1)) continue;
    const alone = { ...settings, rpcUrls: [url], rpcHosts: undefined, quorum: 1 };
    if (await isMalformed(alone, block, nowMilliseconds)) malformed.push(position);
  }
  return malformed;
}

/** Reads as the index and the head follower do: several calls a request. */
async function isMalformed(settings: MainChainConfig, block: number, nowMilliseconds: () => number): Promise<boolean> {
  const { log, close } = createMainChain(settings, { clock: { nowMilliseconds }, log: SILENT_LOG });
  try {
    await log.readHeaders([Math.max(0, block - 1), block]);
    await log.readHeadAndLogs(block, false);
    return false;
  } catch (error) {
    return findCauseOfFailure(error, 'header') === 'answers-malformed';
  } finally {
    await close();
  }
}
