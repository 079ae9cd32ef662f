/**
 * Surfpool as an independent alt-chain node: in this process, offline, with the accounts that a test sets. Only its binary is
 * published, so its types are declared here.
 */
import { createRequire } from 'node:module';
import { requireLocalChainPlatform } from '../../devnet/alt-node/native-platform.ts';

interface Surfnet {
  readonly rpcUrl: string;
  /** Must be called regularly, or writes stop after some hundred. */
  drainEvents(): unknown;
  setAccount(address: string, lamports: number, data: readonly number[], owner: string): void;
  deploy(program: { readonly programId: string; readonly soPath: string }): unknown;
  timeTravelToSlot(slot: number): unknown;
  stop(): void;
}

interface SurfpoolBinding {
  readonly Surfnet: {
    startWithConfig(config: {
      readonly offline: boolean;
      readonly blockProductionMode: 'transaction' | 'clock';
      readonly slotTimeMs: number;
    }): Surfnet;
  };
}

export interface SurfpoolNode {
  readonly rpcUrl: string;
  /** Differs with every start. */
  readonly genesisHash: string;
  setAccount(address: string, account: SurfpoolAccount | null): Promise<void>;
  /** Sets an account synchronously; not for programs. */
  placeAccount(address: string, owner: string, data: Uint8Array, lamports: number): void;
  deploy(programId: string, soPath: string): void;
  /** Moves to a later slot. */
  travelTo(slot: number): void;
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  stop(): void;
}

export interface SurfpoolAccount {
  readonly owner: string;
  readonly lamports: number;
  readonly executable: boolean;
  /** Base64. */
  readonly data: string;
}

const SYSTEM_PROGRAM = '1'.repeat(32);
const DRAIN_INTERVAL_MILLISECONDS = 20;

export async function startSurfpoolNode(): Promise<SurfpoolNode> {
  requireLocalChainPlatform();
  const { Surfnet } = createRequire(import.meta.url)('@solana/surfpool-linux-x64-gnu') as SurfpoolBinding;
  const surfnet = Surfnet.startWithConfig({ offline: true, blockProductionMode: 'transaction', slotTimeMs: 1 });
  const draining = setInterval(() => surfnet.drainEvents(), DRAIN_INTERVAL_MILLISECONDS);

  async function request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(surfnet.rpcUrl, { method: 'POST', headers, body });
    const parsed = (await response.json()) as { readonly result?: unknown; readonly error?: { readonly code: number } };
    if (parsed.error !== undefined) throw new Error(`${method}: error ${parsed.error.code}`);
    return parsed.result;
  }

  return {
    rpcUrl: surfnet.rpcUrl,
    genesisHash: (await request('getGenesisHash')) as string,
    async setAccount(address, account) {
      const { owner, lamports, executable, data } = account ?? UNALLOCATED;
      const hex = Buffer.from(data, 'base64').toString('hex');
      await request('surfnet_setAccount', [address, { owner, lamports, executable, data: hex }]);
    },
    placeAccount: (address, owner, data, lamports) => surfnet.setAccount(address, lamports, [...data], owner),
    deploy: (programId, soPath) => void surfnet.deploy({ programId, soPath }),
    travelTo: (slot) => void surfnet.timeTravelToSlot(slot),
    request,
    stop() {
      clearInterval(draining);
      surfnet.stop();
    },
  };
}

/** An account without lamports does not exist. */
const UNALLOCATED: SurfpoolAccount = { owner: SYSTEM_PROGRAM, lamports: 0, executable: false, data: '' };
