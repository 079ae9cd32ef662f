/** Readiness in front of a real chain, check by check (interface, Probe routes; http-facts 12). */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { changeInner } from '../../../testing/harness/rpc-proxy.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { startIndexedService, startProxiedService, type ProxiedService } from '../proxied-service.ts';

const { addresses } = inject('fixtures').mainChain;

/** Polling options: the chain is read at most once a second and a circuit breaker may be open, so that responses change late. */
const SOON = { timeout: 20_000, interval: 100 };

const CHECKS: readonly (readonly [field: string, address: string])[] = [
  ['machine_registry', addresses.machineRegistry],
  ['machine_state_and_sync', addresses.machineStateAndSync],
  ['machine_subscription', addresses.machineSubscription],
  ['event_registry', addresses.eventRegistry],
  ['admin_flags', addresses.adminFlags],
];

const ALL_TRUE = Object.fromEntries(CHECKS.map(([field]) => [field, true]));

let proxied: ProxiedService;

beforeAll(async () => {
  proxied = await startIndexedService();
});
afterAll(() => proxied.close());

/** Returns the deciding members, without the index entries. */
async function readiness({ service }: ProxiedService = proxied) {
  const { status, json } = await fetchChecked(`${service.url}/ready`);
  const { status: word, rpc_connected, contracts, verify } = json();
  return { status, word, rpc_connected, contracts, verify };
}

const READY = { status: 200, word: 'ready', rpc_connected: true, contracts: ALL_TRUE, verify: true };

// The contracts are checked every five seconds, so no test waits until the fault of the one before is forgotten.
beforeEach(() => proxied.proxy.heal());

it('is ready when every contract can be called', async () => {
  rule('readiness.members', 'readiness.ready');
  const read = async () => {
    const { status, json } = await fetchChecked(`${proxied.service.url}/ready`);
    return [status, json()];
  };
  // Clock and proof follow the start.
  await expect.poll(read, SOON).toEqual([
    200,
    {
      status: 'ready',
      rpc_connected: true,
      contracts: ALL_TRUE,
      clock: 'good',
      verify: true,
      solana_indexer: { ready: true, slot: expect.any(Number), age_seconds: expect.any(Number) },
      operator_index: {
        ready: true,
        indexed_block: expect.any(Number),
        head_block: expect.any(Number),
        lag_blocks: expect.any(Number),
        head_observed_age_seconds: expect.any(Number),
        proof: expect.objectContaining({ mode: 'background', backfilled: true, unproven_blocks: 0 }),
      },
    },
  ]);
});

describe('a failed check', () => {
  it.each(CHECKS)('of %s sets only that field to false', async (field, address) => {
    rule('readiness.not-ready', 'readiness.failing-contracts');
    const isOf = (target: string) => target.toLowerCase() === address.toLowerCase();
    proxied.proxy.inject(
      changeInner((given, { target }) => (isOf(target) ? { success: false, returnData: '0x' } : given)),
    );
    await expect
      .poll(() => readiness(), SOON)
      .toEqual({ ...READY, status: 503, word: 'not_ready', contracts: { ...ALL_TRUE, [field]: false } });
  });

  it('of the connection sets rpc_connected to false, and the process stays alive', async () => {
    rule('health.no-connectivity');
    proxied.proxy.inject({ kind: 'cut' });
    await expect.poll(async () => (await readiness()).rpc_connected, SOON).toBe(false);
    expect(await readiness()).toMatchObject({ status: 503, word: 'not_ready' });
    expect((await fetchChecked(`${proxied.service.url}/health`)).status).toBe(200);
  });
});

it('reports admin_flags as true when no AdminFlags address is configured', async () => {
  rule('readiness.admin-flags');
  const without = await startProxiedService({ ADMIN_FLAGS_ADDRESS: '' });
  try {
    expect(await readiness(without)).toEqual(READY);
    const calls = JSON.stringify(without.proxy.calls).toLowerCase();
    expect(calls).not.toContain(addresses.adminFlags.slice(2).toLowerCase());
  } finally {
    await without.close();
  }
});
