/** Service in front of the devnet and of a local alt chain with bound wallets; the calls to both chains are counted. */
import { inject } from 'vitest';
import { startAltNode } from '../../../devnet/alt-node/alt-node.ts';
import { BorshWriter } from '../../../devnet/alt-node/borsh-writer.ts';
import { deriveAddress } from '../../../devnet/alt-node/program-addresses.ts';
import { DEFAULT_BINDING_DISCRIMINATOR, DEFAULT_BINDING_SEED } from '../../../src/config/alt-chain-settings.ts';
import { formatAltKey, type AltKey } from '../../../src/domain/identifiers/alt-identifiers.ts';
import type { RpcProxy } from '../../../testing/harness/rpc-proxy.ts';
import { startProxiedService } from '../proxied-service.ts';

export interface BoundService {
  readonly url: string;
  readonly proxy: RpcProxy;
  /** Methods called on the alt chain since the service started, in order. */
  readonly altCalls: readonly string[];
  /** Binds the wallet of this number to the address, or revokes it with `undefined`; finalized immediately. */
  bind(wallet: number, address: string | undefined): Promise<void>;
  /** Stores an invalid binding in the wallet's account. */
  spoil(wallet: number): Promise<void>;
  close(): Promise<void>;
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const SLOTS_TO_FINALITY = 32;

const NO_MACHINES = {
  ALT_MACHINE_REGISTRY_PROGRAM: undefined,
  ALT_STATE_AND_SYNC_PROGRAM: undefined,
  ALT_SUBSCRIPTION_PROGRAM: undefined,
  ALT_EVENT_REGISTRY_PROGRAM: undefined,
  ALT_INFO_DESK_PROGRAM: undefined,
};

/** Returns the key of a wallet that has no owner. */
export function walletKey(wallet: number): AltKey {
  return formatAltKey(keyBytes(wallet));
}

/** Starts a service that is configured with the binding registry and no other program of the alt chain. The caller closes it. */
export async function startBoundService(): Promise<BoundService> {
  const node = await startAltNode({ genesisTimestamp: inject('fixtures').seededAt });
  const program = node.programs.binding;
  node.advanceSlots(SLOTS_TO_FINALITY);
  const { service, proxy, close } = await startProxiedService({
    ...NO_MACHINES,
    ALT_RPC_URLS: node.rpcUrl,
    ALT_GENESIS_HASH: node.genesisHash,
    ALT_BINDING_PROGRAM: program,
  });
  const altCalls: string[] = [];
  node.faults.request = (method) => void altCalls.push(method);

  async function setAccount(wallet: number, data: Uint8Array): Promise<void> {
    const { address } = await deriveAddress(program, [DEFAULT_BINDING_SEED, keyBytes(wallet)]);
    node.setAccount(address, { owner: program, data });
    node.advanceSlots(SLOTS_TO_FINALITY);
  }

  return {
    url: service.url,
    proxy,
    altCalls,
    bind: (wallet, address = ZERO_ADDRESS) => setAccount(wallet, toBinding(wallet, address)),
    spoil: (wallet) => setAccount(wallet, toBinding(wallet, ZERO_ADDRESS).slice(0, -1)),
    async close() {
      await close();
      await node.stop();
    },
  };
}

function keyBytes(wallet: number): Uint8Array {
  return new Uint8Array(32).fill(wallet);
}

/** An `OperatorBinding` account (chain-svm 3.8). */
function toBinding(wallet: number, address: string): Uint8Array {
  const writer = new BorshWriter().hex(DEFAULT_BINDING_DISCRIMINATOR).key(walletKey(wallet)).address(address);
  return writer.u64(1n).i64(1_700_000_000n).u8(255).bytes();
}
