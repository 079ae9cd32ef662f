/** Alt-chain half of the devnet: the local alt chain, seeded, with the facts for fixtures and settings. It runs in this process. */
import { startAltNode } from '../alt-node/alt-node.ts';
import { keccak256, stringToHex } from 'viem';
import type { AltNode } from '../alt-node/alt-node.ts';
import type { SampleAltMachine } from '../personas/alt-persona.ts';
import { DEVNET_WALLETS } from '../personas/wallets.ts';
import { seedAltChain } from './seed.ts';
import type { PaymentHashes } from '../payment-hashes.ts';
import { genesisTimestamp } from '../seed.ts';

/** Running node and the result of its seeding. */
export interface AltChain {
  readonly node: AltNode;
  readonly rpcUrl: string;
  readonly genesisHash: string;
  readonly programs: AltNode['programs'];
  readonly transactions: number;
  /** First slot that can contain an event. */
  readonly firstSlot: number;
  stop(): Promise<void>;
}

export interface AltChainOptions {
  /** Absent = any free port. */
  readonly port?: number | undefined;
  /** The seeding in Unix seconds. */
  readonly now: number;
  /** Absent: a chain without a main chain, whose events cite transactions that do not exist. */
  readonly mainChainPayments?: PaymentHashes;
}

const NO_PAYMENTS: PaymentHashes = {
  hashOf: (payment) => Promise.resolve(keccak256(stringToHex(payment))),
};

/** Starts and seeds the chain, which then follows the wall clock. The caller stops it. Throws when the port is in use. */
export async function startAltChain(
  samples: readonly SampleAltMachine[],
  { port, now, mainChainPayments = NO_PAYMENTS }: AltChainOptions,
): Promise<AltChain> {
  const node = await startAltNode({ port, genesisTimestamp: genesisTimestamp(now) });
  try {
    const { transactions, firstSlot } = await seedAltChain(node, samples, DEVNET_WALLETS, { now, mainChainPayments });
    const { rpcUrl, genesisHash, programs } = node;
    return { node, rpcUrl, genesisHash, programs, transactions, firstSlot, stop: () => node.stop() };
  } catch (error) {
    await node.stop();
    throw error;
  }
}
