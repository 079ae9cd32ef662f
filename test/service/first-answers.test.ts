/** Is a service that has just started over an index that stands ready for what the index does not hold yet? In front of a node that is slow. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatMachineDid, type MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { startMachineHarness, type MachineHarness } from '../../testing/fixtures/machines.ts';
import { ask } from './ask.ts';
import { startProxiedService } from './proxied-service.ts';

/** A first poll asks three times and more: longer than a start waits for a node that does not answer. */
const SLOW_MILLISECONDS = 1_000;

let folder: string;
let scene: MachineHarness;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'first-answers-'));
  scene = await startMachineHarness();
});
afterEach(async () => {
  await scene.close();
  rmSync(folder, { recursive: true });
});

function toEnvironment({ chain, proxy }: MachineHarness): Record<string, string | undefined> {
  const { chainId, startBlock, addresses } = chain.deployment;
  const toVariable = (name: string) => `${name.replace(/[A-Z]/g, '_$&').toUpperCase()}_ADDRESS`;
  return {
    DATABASE_URL: `sqlite:${join(folder, 'svc.db')}`,
    MAIN_RPC_URLS: proxy.url,
    MAIN_CHAIN_ID: String(chainId),
    MAIN_START_BLOCK: String(startBlock),
    ...Object.fromEntries(Object.entries(addresses).map(([name, address]) => [toVariable(name), address])),
  };
}

it('has followed the head before it answers anything', { timeout: 60_000 }, async () => {
  const machine = (await scene.activate()) as MachineId;
  // The last two are not final, and no index holds them.
  for (let value = 1_001n; value <= 1_006n; value++) await scene.mine(scene.revenue(machine, value));
  const env = toEnvironment(scene);
  await (await startProxiedService(env)).close();

  scene.proxy.inject({ kind: 'delay', milliseconds: SLOW_MILLISECONDS });
  const { service, close } = await startProxiedService({ ...env, INDEXER: 'off' });
  try {
    const did = formatMachineDid(machine, DEFAULT_NAMESPACE);
    const rating = await ask(`${service.url}/mcr/${did}`);
    expect([rating.status, rating.json().event_count]).toEqual([200, 6]);
  } finally {
    await close();
  }
});
