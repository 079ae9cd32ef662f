/** Test harness of one payment source: nodes behind fault-injecting proxies, a manual clock and a recording log. */
import { createPaymentSources, type OpenedSource } from '../../src/adapters/payment-sources/create-payment-sources.ts';
import type { SourceLimits } from '../../src/adapters/payment-sources/create-payment-sources.ts';
import type { ConfiguredSource } from '../../src/adapters/payment-sources/sources-file.ts';
import type { Stopwatch } from '../../src/adapters/rpc/deadline.ts';
import type { PaymentSource } from '../../src/ports/payment-sources.ts';
import { startRpcProxy, type ProxyCall, type ProxyResponse, type RpcProxy } from './rpc-proxy.ts';

export interface PaymentSourceHarness {
  readonly source: PaymentSource;
  readonly opened: OpenedSource;
  /** One for each node, in order. */
  readonly proxies: readonly RpcProxy[];
  readonly time: { milliseconds: number };
  readonly lines: string[];
  close(): Promise<void>;
}

export interface PaymentSourceHarnessOptions {
  readonly nodes: readonly (string | ((call: ProxyCall) => ProxyResponse))[];
  readonly configured: Omit<ConfiguredSource, 'rpcUrls'>;
  readonly nowMilliseconds?: number;
  readonly limits?: Partial<SourceLimits>;
  readonly stopwatch?: Stopwatch;
}

/** Deadlines long enough for a busy machine. */
const LIMITS: SourceLimits = { requestTimeoutMilliseconds: 10_000, readTimeoutMilliseconds: 20_000 };
const CALLS_PER_SECOND = 100_000;

export async function openPaymentSource(options: PaymentSourceHarnessOptions): Promise<PaymentSourceHarness> {
  const proxies = await Promise.all(options.nodes.map((node) => startRpcProxy(node)));
  const time = { milliseconds: options.nowMilliseconds ?? Date.now() };
  const lines: string[] = [];
  const record = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const source: ConfiguredSource = { ...options.configured, rpcUrls: proxies.map(({ url }) => url) };
  const adapter = createPaymentSources(
    { hash: 'ab'.repeat(32), sources: [source] },
    {
      clock: { nowMilliseconds: () => time.milliseconds },
      log: { info: record, warn: record, error: record },
      callsPerSecond: CALLS_PER_SECOND,
      stopwatch: options.stopwatch,
      limits: { ...LIMITS, ...options.limits },
    },
  );
  return {
    source: adapter.sources.list[0]!,
    opened: adapter.opened[0]!,
    proxies,
    time,
    lines,
    async close() {
      await adapter.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}
