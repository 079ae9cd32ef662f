/**
 * Shared service in front of a seeded devnet, started once for all suites of this folder as a deployment starts it.
 * Rate limits are off, because suites request one path many times; the limiter has separate suites.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../../src/config.ts';
import { startService, type Service } from '../../src/main.ts';
import type { Fixtures } from '../../devnet/fixtures.ts';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { untilJudged, untilObserved } from './first-work.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly baseUrl: string;
    readonly fixtures: Fixtures;
    /** Variables that point a service at the devnet. */
    readonly devnetEnv: Readonly<Record<string, string>>;
    /** Database file with the index of the devnet, without anything that a test wrote. */
    readonly indexedDatabase: string;
  }
}

const DATABASE = 'svc.db';
const SILENT = { info() {}, warn() {}, error() {} };

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  const devnet = await startDevnet({ dir: folder, quiet: true });
  const devnetEnv = { ...devnet.env, DATABASE_URL: `sqlite:${join(folder, DATABASE)}` };
  const service = await startIndexed(devnetEnv, devnet.fixtures).catch(async (error: unknown) => {
    await devnet.stop();
    throw error;
  });
  const indexedDatabase = join(folder, 'indexed.db');
  copyDatabase(join(folder, DATABASE), indexedDatabase);
  project.provide('baseUrl', service.url);
  project.provide('fixtures', devnet.fixtures);
  project.provide('devnetEnv', devnetEnv);
  project.provide('indexedDatabase', indexedDatabase);
  return async () => {
    await service.close();
    await devnet.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function startIndexed(devnetEnv: Readonly<Record<string, string>>, { machines }: Fixtures): Promise<Service> {
  const variables = { ...devnetEnv, PORT: '0', ADMIN_PORT: '0', RATE_LIMITS: 'off' };
  const { config, problems } = readConfig(variables, { readFile: () => '' });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const service = await startService(config, { log: SILENT });
  await service.indexed;
  await loadProtocol(service.url);
  await untilJudged(service.url, machines);
  await untilObserved(service.url);
  return service;
}

/**
 * Waits until the Model Context Protocol is served. Its SDK is loaded with the first message, which on a busy machine takes longer than a
 * request may.
 */
async function loadProtocol(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  for (;;) {
    const { status } = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
    if (status === 200) return;
    if (status !== 503) throw new Error(`/mcp responds with ${status}`);
  }
}

/** Copies a database that is in use. */
function copyDatabase(from: string, to: string): void {
  const database = new Sqlite(from);
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}
