/** Readiness of the contracts as the head follower knows it: without calls on request, whatever callers do. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ALL_CONTRACTS_READY } from '../../../../testing/fixtures/all-contracts-ready.ts';
import { startMachineHarness, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import { rateLimit, respondInner } from '../../../../testing/harness/rpc-proxy.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';
import { ABSENT } from '../../../domain/read-result.ts';

/** Selector of `totalEventCount()`. */
const TOTAL_EVENT_COUNT = '0xc1299ef6';

let harness: MachineHarness;
let adapter: MainChainAdapter;

beforeAll(async () => {
  harness = await startMachineHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  harness.proxy.heal();
  adapter = harness.open();
  await harness.reportHead(adapter);
  expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
  harness.proxy.resetCounts();
});

/** Reports a head after this time, which checks the contracts, and resolves when the check is sent and settled. */
async function followAfter(milliseconds: number): Promise<void> {
  harness.time.milliseconds += milliseconds;
  await harness.reportHead(adapter, { deployment: true });
  // Reads of one tick share a call, so the facts arrive with the check.
  await adapter.chain.readDeployment().catch(() => undefined);
}

test('keeps the last result for a minute while the node refuses calls', async () => {
  harness.proxy.inject(rateLimit());
  await followAfter(30_000);
  expect(harness.proxy.requests).toBeGreaterThan(0);
  expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
  await followAfter(30_001);
  expect(await adapter.chain.readReadiness()).toMatchObject({ rpcConnected: false, machineRegistry: false });
  harness.proxy.heal();
  await followAfter(1_000);
  expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
});

test('reports a contract that stops responding, and its recovery, with the next check', async () => {
  harness.proxy.inject(respondInner(TOTAL_EVENT_COUNT, { success: false, returnData: '0x' }));
  await followAfter(1_000);
  expect(await adapter.chain.readReadiness()).toEqual({ ...ALL_CONTRACTS_READY, eventRegistry: false });
  harness.proxy.heal();
  await followAfter(1_000);
  expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
});

test('is not affected by the lookup of an unknown machine that the node refuses', async () => {
  harness.proxy.inject(rateLimit(60), 1);
  await expect(adapter.chain.readMachine(12_345n as MachineId, ALL_EVENTS)).rejects.toMatchObject({
    kind: 'ChainUnreadable',
  });
  expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
  await followAfter(1_000);
  expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
  await expect(adapter.chain.readMachine(12_345n as MachineId, ALL_EVENTS)).resolves.toMatchObject({
    owner: ABSENT,
  });
});
