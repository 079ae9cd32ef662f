/**
 * Main chain for tests that build their own state: a separate node with the contracts deployed and nothing seeded. Only `writer.mine`
 * produces blocks.
 */
import { startAnvil } from './anvil.ts';
import { createChainWriter } from './chain-writer.ts';
import type { ChainWriter } from './chain-writer.ts';
import { deployContracts } from './deploy.ts';
import type { Deployment, DeployOptions } from './deploy.ts';

export interface BareChain {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly writer: ChainWriter;
  stop(): Promise<void>;
}

export interface BareChainOptions extends DeployOptions {
  /** Unix seconds of block 0; absent = now. */
  readonly genesisTimestamp?: number;
}

/** Starts the node and deploys the contracts in block 1. The caller stops it. */
export async function startBareChain(options: BareChainOptions = {}): Promise<BareChain> {
  const anvil = await startAnvil({ genesisTimestamp: options.genesisTimestamp });
  try {
    const writer = createChainWriter(anvil.rpcUrl);
    const deployment = await deployContracts(writer, options);
    return { rpcUrl: anvil.rpcUrl, deployment, writer, stop: anvil.stop };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}
