/** Factory of the payment sources: one node pool with its own call budget for each. Sends no request before the first call. */
import type { NodeProfiles } from '../../ports/node-profiles.ts';
import { SourceUnreadable, type PaymentSource, type PaymentSources } from '../../ports/payment-sources.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { createCallBudget, type CallBudget } from '../rpc/call-budget.ts';
import { INDEX_WORK, REAL_STOPWATCH, startDeadline, type Stopwatch } from '../rpc/deadline.ts';
import type { PostRpc } from '../rpc/http-post.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import { ALT_CHAIN_LIMITS } from '../alt-chain/limits.ts';
import { createAltNodes } from '../alt-chain/rpc/alt-nodes.ts';
import { createMinContextSlot } from '../alt-chain/rpc/min-context-slot.ts';
import { createAltUpstreamCounters } from '../alt-chain/rpc/upstream-counters.ts';
import { MAIN_CHAIN_LIMITS } from '../main-chain/limits.ts';
import { createMainNodes } from '../main-chain/rpc/main-nodes.ts';
import { createMainUpstreamCounters } from '../main-chain/rpc/upstream-counters.ts';
import type { PoolCounters } from '../rpc/pool-counters.ts';
import { createEvmSource } from './evm-source.ts';
import { checkSource, type SourceFinding } from './source-checks.ts';
import { createSolanaSource } from './solana-source.ts';
import type { ConfiguredSource, ConfiguredSources } from './sources-file.ts';

/** Timeouts of source reads, for which no client waits. */
export interface SourceLimits {
  readonly requestTimeoutMilliseconds: number;
  readonly readTimeoutMilliseconds: number;
}

const SOURCE_LIMITS: SourceLimits = { requestTimeoutMilliseconds: 20_000, readTimeoutMilliseconds: 60_000 };

export interface SourcesDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Ceiling for each source. */
  readonly callsPerSecond: number;
  readonly limits?: Partial<SourceLimits> | undefined;
  /** What an earlier process learned about the nodes. */
  readonly profiles?: NodeProfiles | undefined;
  /** Replaces HTTP and real time in simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

/** One opened source with what is measured of it. */
export interface OpenedSource {
  readonly source: PaymentSource;
  readonly counters: Readonly<PoolCounters>;
  readonly budget: Pick<CallBudget, 'report'>;
  /** Checks the identity, the finalized head and the depth of history of each URL. Never throws. */
  check(): Promise<readonly SourceFinding[]>;
}

export interface PaymentSourcesAdapter {
  readonly sources: PaymentSources;
  readonly opened: readonly OpenedSource[];
  /** Returns what is known about the nodes, to be stored. */
  listProfiles(): NodeProfiles;
  /** Closes all connections; reads in flight fail. */
  close(): Promise<void>;
}

export function createPaymentSources(
  { hash, sources }: ConfiguredSources,
  dependencies: SourcesDependencies,
): PaymentSourcesAdapter {
  const opened = sources.map((source) => (source.kind === 'evm' ? openEvm : openSolana)(source, dependencies));
  return {
    sources: { hash: hash ?? null, list: opened.map(({ source }) => source) },
    opened,
    listProfiles: () => new Map(opened.flatMap((each) => [...each.listProfiles()])),
    async close() {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

interface SourceNodes {
  readonly listProfiles: () => NodeProfiles;
  readonly close: () => Promise<void>;
}

function openEvm(source: ConfiguredSource, dependencies: SourcesDependencies): OpenedSource & SourceNodes {
  const counters = createMainUpstreamCounters();
  const { budget, startRead, shared, limits } = openShared(source, dependencies);
  const nodes = createMainNodes({
    ...shared,
    chainId: Number(source.reference),
    limits: { ...MAIN_CHAIN_LIMITS, ...limits },
    counters,
  });
  const evm = createEvmSource({ source, nodes, clock: dependencies.clock, startRead });
  return {
    source: toPaymentSource(source, evm),
    counters,
    budget,
    check: async () =>
      checkSource(
        { ...evm, kind: 'evm' },
        await nodes.readChainIds(startRead()),
        Number(source.reference),
        dependencies,
      ),
    listProfiles: nodes.listProfiles,
    close: nodes.close,
  };
}

function openSolana(source: ConfiguredSource, dependencies: SourcesDependencies): OpenedSource & SourceNodes {
  const counters = createAltUpstreamCounters();
  const { budget, startRead, shared, limits } = openShared(source, dependencies);
  const nodes = createAltNodes({
    ...shared,
    genesisHash: source.reference,
    minContextSlot: createMinContextSlot(),
    limits: { ...ALT_CHAIN_LIMITS, ...limits },
    counters,
  });
  const solana = createSolanaSource({ source, nodes, clock: dependencies.clock, startRead });
  return {
    source: toPaymentSource(source, solana),
    counters,
    budget,
    check: async () =>
      checkSource(
        { ...solana, kind: 'solana' },
        await nodes.readGenesisHashes(startRead()),
        source.reference,
        dependencies,
      ),
    listProfiles: nodes.listProfiles,
    close: nodes.close,
  };
}

function openShared({ name, rpcUrls }: ConfiguredSource, dependencies: SourcesDependencies) {
  const { clock, log, callsPerSecond, profiles, post, stopwatch = REAL_STOPWATCH } = dependencies;
  const limits = { ...SOURCE_LIMITS, ...dependencies.limits };
  const budget = createCallBudget({ clock, stopwatch, callsPerSecond });
  return {
    budget,
    limits,
    shared: { rpcUrls, chain: name, clock, log, budget, profiles, post, stopwatch },
    startRead: () =>
      startDeadline(limits.readTimeoutMilliseconds, limits.requestTimeoutMilliseconds, stopwatch, {
        work: INDEX_WORK,
        isKnown: true,
      }),
  };
}

/** Adds what is configured, and converts each `RpcFailure` to `SourceUnreadable`. */
function toPaymentSource(
  { name, id, kind, tokens }: ConfiguredSource,
  {
    readFinalizedHead,
    readTransaction,
    transfers,
  }: Pick<PaymentSource, 'readFinalizedHead' | 'readTransaction' | 'transfers'>,
): PaymentSource {
  const converted = async <T>(read: Promise<T>): Promise<T> => {
    try {
      return await read;
    } catch (error) {
      throw error instanceof RpcFailure ? new SourceUnreadable(name, error.unreadable) : error;
    }
  };
  return {
    name,
    id: BigInt(id),
    kind,
    tokens: new Map(tokens.map(({ symbol, address }) => [symbol, address])),
    readFinalizedHead: () => converted(readFinalizedHead()),
    readTransaction: (reference, window) => converted(readTransaction(reference, window)),
    transfers: transfers && {
      findBlock: (time, head) => converted(transfers.findBlock(time, head)),
      readTransfersFrom: (addresses, from, through) => converted(transfers.readTransfersFrom(addresses, from, through)),
    },
  };
}
