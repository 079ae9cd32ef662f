/** Separate service of one suite, behind a proxy to the devnet that counts calls and injects faults. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startService, type Service } from '../../src/main.ts';
import type { Log } from '../../src/ports/runtime.ts';
import { startRpcProxy, type RpcProxy } from '../../testing/harness/rpc-proxy.ts';

export interface ProxiedService {
  readonly service: Service;
  readonly proxy: RpcProxy;
  /** Every line of the log, as JSON. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** Starts the service on an empty database, in memory unless `further` variables differ (undefined: not set), and waits until its index has caught up. The caller closes it. */
export async function startProxiedService(
  further: Readonly<Record<string, string | undefined>> = {},
): Promise<ProxiedService> {
  const proxy = await startRpcProxy(inject('fixtures').mainChain.rpcUrl);
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

/**
 * Starts the service on a copy of the database that the shared service filled, for suites that are not about indexing. The deployment, the
 * database and the payment sources must be those of the devnet. The caller closes it.
 */
export async function startIndexedService(further: Readonly<Record<string, string>> = {}): Promise<ProxiedService> {
  const folder = mkdtempSync(join(tmpdir(), 'indexed-'));
  const remove = () => rmSync(folder, { recursive: true });
  try {
    const path = join(folder, 'svc.db');
    copyFileSync(inject('indexedDatabase'), path);
    const proxied = await startProxiedService({ ...further, DATABASE_URL: `sqlite:${path}` });
    return {
      ...proxied,
      async close() {
        await proxied.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
