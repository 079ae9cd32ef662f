/** Separate service of one suite, behind a proxy to the devnet that counts calls and injects faults. */
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startService, type Service } from '../../src/main.ts';
import type { Log } from '../../src/ports/runtime.ts';
import { startRpcProxy, type RpcProxy } from '../../testing/harness/rpc-proxy.ts';

const POLL_MILLISECONDS = 100;

export interface ProxiedService {
  readonly service: Service;
  readonly proxy: RpcProxy;
  /** Every line of the log, as JSON. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** Starts the service, in memory unless `further` variables differ (undefined: not set), and waits until its index has caught up. `prepare` may inject faults before the start. The caller closes it. */
export async function startProxiedService(
  further: Readonly<Record<string, string | undefined>> = {},
  prepare: (proxy: RpcProxy) => void = () => undefined,
): Promise<ProxiedService> {
  const proxy = await startRpcProxy(inject('fixtures').mainChain.rpcUrl);
  prepare(proxy);
  const all: Readonly<Record<string, string | undefined>> = {
    ...inject('devnetEnv'),
    MAIN_RPC_URLS: proxy.url,
    DATABASE_URL: 'sqlite::memory:',
    PORT: '0',
    ADMIN_PORT: '0',
    RATE_LIMITS: 'off',
    ...further,
  };
  const variables = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log: Log = { info: note, warn: note, error: note };
  const service = await startService(readConfig(variables, { readFile: () => '' }).config, { log });
  await service.indexed;
  return {
    service,
    proxy,
    lines,
    async close() {
      await service.close();
      await proxy.close();
    },
  };
}

/** Resolves when the worker of changes has observed every machine: until then it reads machines without a request. */
export async function untilObserved(url: string): Promise<void> {
  const isOpen = async () => {
    const { opened_at: openedAt } = (await (await fetch(`${url}/changes`)).json()) as { readonly opened_at: unknown };
    return openedAt !== null;
  };
  while (!(await isOpen())) await delay(POLL_MILLISECONDS);
}
