/** A service in front of the devnet and of a local alt chain on which wallets are bound; it counts what either chain is asked. */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { startAltNode } from '../../devnet/alt-node/alt-node.ts';
import { BorshWriter } from '../../devnet/alt-node/borsh-writer.ts';
import { deriveAddress } from '../../devnet/alt-node/program-addresses.ts';
import { createMainChain } from '../../src/adapters/evm/create-main-chain.ts';
import { createFixedRates } from '../../src/adapters/fx/feed-rates.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { createAltChain } from '../../src/adapters/svm/create-alt-chain.ts';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { DEFAULT_BINDING_DISCRIMINATOR, DEFAULT_BINDING_SEED } from '../../src/config/alt-chain-settings.ts';
import { formatAltKey, type AltKey } from '../../src/domain/alt-identifiers.ts';
import { createMainChainIndexers } from '../../src/indexers/main-chain-indexers.ts';
import { startRpcProxy, type RpcProxy } from '../rpc-proxy.ts';
import { createStubCtx } from '../stub-ctx.ts';

export interface BoundService {
  readonly url: string;
  readonly proxy: RpcProxy;
  /** Methods that the alt chain was asked for, in order. */
  readonly altCalls: string[];
  /** The wallet of this number, bound from the next finalized slot on to the address, or revoked by `undefined`. */
  bind(wallet: number, address: string | undefined): Promise<AltKey>;
  /** What stands at the wallet's account instead of a binding. */
  spoil(wallet: number): Promise<AltKey>;
  close(): Promise<void>;
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const SLOTS_TO_FINALITY = 32;

/** The key of a wallet whose owner nobody is. */
export function walletKey(wallet: number): AltKey {
  return formatAltKey(new Uint8Array(32).fill(wallet));
}

/** Waits until its index has caught up. The caller closes it. */
export async function startBoundService(): Promise<BoundService> {
  const closers: (() => Promise<unknown>)[] = [];
  const proxy = await startRpcProxy(inject('fixtures').mainChain.rpcUrl);
  const node = await startAltNode({ genesisTimestamp: inject('fixtures').seededAt });
  const altCalls: string[] = [];
  node.faults.request = (method) => void altCalls.push(method);
  node.advanceSlots(SLOTS_TO_FINALITY);
  closers.push(
    () => proxy.close(),
    () => node.stop(),
  );

  const { config } = readConfig({ ...inject('devnetEnv'), MAIN_RPC_URLS: proxy.url }, { readFile: () => '' });
  const { startBlock, ...mainChain } = config.mainChain!;
  const clock = { nowMilliseconds: () => Date.now() };
  const log = { info() {}, warn() {}, error() {} };
  const store = await createStore('sqlite::memory:');
  const main = createMainChain(mainChain, { clock, log });
  const alt = createAltChain(
    {
      rpcUrls: [node.rpcUrl],
      genesisHash: node.genesisHash as AltKey,
      ordinal: 5,
      programs: undefined,
      binding: {
        program: node.programs.binding,
        seed: DEFAULT_BINDING_SEED,
        discriminator: DEFAULT_BINDING_DISCRIMINATOR,
      },
    },
    { clock, log },
  );
  closers.push(
    () => store.close(),
    () => main.close(),
    () => alt.close(),
  );
  const fxRates = createFixedRates([]);
  const { chainId, addresses } = mainChain;
  const indexers = createMainChainIndexers({
    chain: main.log,
    ...{ store, fxRates, clock, log },
    timers: { wait: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined) },
    deployment: { chainId, startBlock, ...addresses, legacyEventRegistry: addresses.legacy!.eventRegistry },
    pollIntervalMilliseconds: 60_000,
    listeners: [main.chain],
  });
  indexers.head.start();
  indexers.worker.start();
  closers.push(() => Promise.all([indexers.head.stop(), indexers.worker.stop()]));
  await indexers.caughtUp;

  const ctx = createStubCtx({
    ...{ clock, log, store, fxRates },
    main: { chain: main.chain, eventTimes: indexers.eventTimes, index: indexers.index },
    bindings: alt.bindings,
  });
  const app = await buildApp(ctx, { rateLimits: 'off' });
  await app.listen({ host: '127.0.0.1', port: 0 });
  closers.push(() => app.close());

  async function setBinding(wallet: number, data: Uint8Array): Promise<AltKey> {
    const key = walletKey(wallet);
    const { address } = await deriveAddress(node.programs.binding, [
      'OperatorBinding',
      new Uint8Array(32).fill(wallet),
    ]);
    node.setAccount(address, { owner: node.programs.binding, data });
    node.advanceSlots(SLOTS_TO_FINALITY);
    return key;
  }

  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    proxy,
    altCalls,
    bind: (wallet, address) => setBinding(wallet, toBinding(wallet, address ?? ZERO_ADDRESS)),
    spoil: (wallet) => setBinding(wallet, toBinding(wallet, ZERO_ADDRESS).slice(0, 76)),
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

/** An `OperatorBinding` account (chain-svm 3.8). */
function toBinding(wallet: number, address: string): Uint8Array {
  const writer = new BorshWriter().hex(DEFAULT_BINDING_DISCRIMINATOR).key(walletKey(wallet)).address(address);
  return writer.u64(1n).i64(1_700_000_000n).u8(255).bytes();
}
