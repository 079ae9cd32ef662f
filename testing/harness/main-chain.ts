/**
 * Test harness of the main-chain adapter: a real node with the contracts behind a fault-injecting proxy, a manual
 * clock, a recording log and short limits.
 */
import { startBareChain, type BareChain, type BareChainOptions } from '../../devnet/main-chain/bare-chain.ts';
import type { Call } from '../../devnet/main-chain/chain-writer.ts';
import { createMainChain, type MainChainAdapter } from '../../src/adapters/main-chain/create-main-chain.ts';
import type { MainChainLimits } from '../../src/adapters/main-chain/limits.ts';
import type { Stopwatch } from '../../src/adapters/rpc/deadline.ts';
import type { MainChainAddresses, MainChainConfig } from '../../src/adapters/main-chain/main-chain-config.ts';
import type { Address, MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import type { Header, HeadStep, MachineReadOptions } from '../../src/ports/main-chain.ts';
import { startRpcProxy, type RpcProxy } from './rpc-proxy.ts';

/** A retry delay short enough for tests, and deadlines long enough for a busy machine. */
export const SHORT_LIMITS: Partial<MainChainLimits> = {
  requestTimeoutMilliseconds: 10_000,
  readTimeoutMilliseconds: 20_000,
  indexRequestTimeoutMilliseconds: 10_000,
  indexReadTimeoutMilliseconds: 20_000,
  retryDelayMilliseconds: 1,
};

export interface MainChainHarness {
  readonly chain: BareChain;
  readonly proxy: RpcProxy;
  readonly addresses: MainChainAddresses;
  readonly time: { milliseconds: number };
  readonly lines: { readonly level: string; readonly fields: object; readonly message: string }[];
  /** Opens an adapter that reads through the proxy; closed with the harness. */
  open(overrides?: HarnessOverrides, profiles?: NodeProfiles, stopwatch?: Stopwatch): MainChainAdapter;
  /** Reads the newest header directly from the node. */
  readHead(): Promise<Header>;
  /** Reports the newest head to the adapter as its follower would. */
  reportHead(adapter: MainChainAdapter, step?: Partial<HeadStep>): Promise<Header>;
  mine(...calls: Call[]): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOverrides extends Partial<Omit<MainChainConfig, 'addresses' | 'limits'>> {
  readonly addresses?: Partial<MainChainAddresses>;
  readonly limits?: Partial<MainChainLimits>;
}

export const NOTHING_TOUCHED = {
  machines: new Set<MachineId>(),
  kybOperators: new Set<Address>(),
  holders: new Set<Address>(),
};

export const ALL_EVENTS: MachineReadOptions = { eventsFrom: () => Promise.resolve(0), firstEvents: false };

export async function startMainChainHarness(options: BareChainOptions = {}): Promise<MainChainHarness> {
  const chain = await startBareChain(options);
  const proxy = await startRpcProxy(chain.rpcUrl);
  const addresses = toAddresses(chain);
  const time = { milliseconds: Date.now() };
  const lines: { level: string; fields: object; message: string }[] = [];
  const record = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
  const log = { info: record('info'), warn: record('warn'), error: record('error') };
  const clock = { nowMilliseconds: () => time.milliseconds };
  const opened: MainChainAdapter[] = [];

  async function readHead(): Promise<Header> {
    const block = await chain.writer.rpc.request<Record<string, string>>('eth_getBlockByNumber', ['latest', false]);
    const { number, timestamp, ...hashes } = block as Record<keyof Header, string>;
    const { hash, parentHash, logsBloom, receiptsRoot } = hashes;
    return { number: Number(number), timestamp: Number(timestamp), hash, parentHash, logsBloom, receiptsRoot };
  }

  return {
    chain,
    proxy,
    addresses,
    time,
    lines,
    open(overrides = {}, profiles, stopwatch) {
      const config: MainChainConfig = {
        rpcUrls: [proxy.url],
        chainId: chain.deployment.chainId,
        ...overrides,
        addresses: { ...addresses, ...overrides.addresses },
        limits: { ...SHORT_LIMITS, ...overrides.limits },
      };
      const adapter = createMainChain(config, { clock, log, profiles, stopwatch });
      opened.push(adapter);
      return adapter;
    },
    readHead,
    async reportHead(adapter, step = {}) {
      const head = await readHead();
      const observedAtMilliseconds = time.milliseconds;
      const unchanged = { waitMilliseconds: 0, touched: NOTHING_TOUCHED, deployment: false, checks: false };
      adapter.chain.advanceHead({ head, observedAtMilliseconds, ...unchanged, ...step });
      return head;
    },
    async mine(...calls) {
      await chain.writer.mine(calls);
    },
    async close() {
      await Promise.all(opened.map((adapter) => adapter.close()));
      await proxy.close();
      await chain.stop();
    },
  };
}

function toAddresses({ deployment }: BareChain): MainChainAddresses {
  const lower = Object.fromEntries(
    Object.entries(deployment.addresses).map(([name, address]) => [name, address.toLowerCase()]),
  ) as Record<keyof typeof deployment.addresses, Address>;
  const { legacyIdentityRegistry, legacyStaking, legacyDidStore, legacyEventRegistry, ...rest } = lower;
  return {
    ...rest,
    legacy: {
      identityRegistry: legacyIdentityRegistry,
      staking: legacyStaking,
      didStore: legacyDidStore,
      eventRegistry: legacyEventRegistry,
    },
  };
}
