/** Start over an existing index in front of a slow node: the first responses include blocks that the index does not contain yet. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatMachineDid, type MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../../src/domain/identifiers/namespace.ts';
import { startMachineHarness, type MachineHarness } from '../../../testing/fixtures/machines.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { startProxiedService } from '../proxied-service.ts';

/** Delay per call. A first poll needs at least three calls, which exceeds the time that a start waits for an unresponsive node. */
const SLOW_MILLISECONDS = 1_000;

let folder: string;
let harness: MachineHarness;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'first-answers-'));
  harness = await startMachineHarness();
});
afterEach(async () => {
  await harness.close();
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

it('follows the head before the first response', { timeout: 60_000 }, async () => {
  const machine = (await harness.activate()) as MachineId;
  // The last two events are not final, and no index contains them.
  for (let value = 1_001n; value <= 1_006n; value++) await harness.mine(harness.revenue(machine, value));
  const env = toEnvironment(harness);
  await (await startProxiedService(env)).close();

  harness.proxy.inject({ kind: 'delay', milliseconds: SLOW_MILLISECONDS });
  const { service, close } = await startProxiedService({ ...env, INDEXER: 'off' });
  try {
    const did = formatMachineDid(machine, DEFAULT_NAMESPACE);
    const rating = await fetchChecked(`${service.url}/mcr/${did}`);
    expect([rating.status, rating.json().event_count]).toEqual([200, 6]);
  } finally {
    await close();
  }
});
