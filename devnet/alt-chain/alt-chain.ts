/** What is the alt half of the devnet? The local alt chain, seeded, as fixtures and settings tell of it. It lives in this process. */
import { startAltNode } from '../alt-node/alt-node.ts';
import type { AltNode } from '../alt-node/alt-node.ts';
import type { SampleAltMachine } from '../personas/alt-persona.ts';
import { DEVNET_WALLETS } from '../personas/wallets.ts';
import { seedAltChain } from './seed.ts';
import { genesisTimestamp } from '../seed.ts';

/** The node, with its switches; and what was done to it. */
export interface AltChain {
  readonly node: AltNode;
  readonly rpcUrl: string;
  readonly genesisHash: string;
  readonly programs: AltNode['programs'];
  readonly transactions: number;
  /** No event is in an older one. */
  readonly firstSlot: number;
  stop(): Promise<void>;
}

export interface AltChainOptions {
  /** Absent = any free one. */
  readonly port?: number | undefined;
  /** The seeding in Unix seconds. */
  readonly now: number;
}

/** Starts and seeds; the chain goes on with the wall clock. The caller stops it. Throws when the port is in use. */
export async function startAltChain(
  samples: readonly SampleAltMachine[],
  { port, now }: AltChainOptions,
): Promise<AltChain> {
  const node = await startAltNode({ port, genesisTimestamp: genesisTimestamp(now) });
  try {
    const { transactions, firstSlot } = await seedAltChain(node, samples, DEVNET_WALLETS, now);
    const { rpcUrl, genesisHash, programs } = node;
    return { node, rpcUrl, genesisHash, programs, transactions, firstSlot, stop: () => node.stop() };
  } catch (error) {
    await node.stop();
    throw error;
  }
}
