/** Expiry of cached snapshots at the boundaries of a subscription, against a real node. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import { startMachineHarness, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { present } from '../../../domain/read-result.ts';

const LENGTHS = { periodSeconds: 1_000, graceSeconds: 100, runoffSeconds: 10 };

let harness: MachineHarness;

beforeAll(async () => {
  harness = await startMachineHarness(LENGTHS);
});
afterAll(() => harness.close());

test('reads a status again at the block that reaches a boundary, and never earlier', async () => {
  const id = (await harness.activate()) as MachineId;
  const { timestamp: activatedAt } = await harness.readHead();
  const adapter = harness.open();
  await adapter.chain.readDeployment();
  const graceAt = activatedAt + LENGTHS.periodSeconds;
  const runoffAt = graceAt + LENGTHS.graceSeconds;
  const terminatedAt = runoffAt + LENGTHS.runoffSeconds;

  /** Reports a block of this time and returns what is read then, and whether the chain was read. */
  async function readAt(timestamp: number) {
    await harness.chain.writer.mine([], timestamp);
    await harness.reportHead(adapter);
    const { machineReads } = adapter.counters;
    const { subscriptionStatus, available } = await adapter.chain.readMachine(id, ALL_EVENTS);
    return { subscriptionStatus, available, wasRead: adapter.counters.machineReads > machineReads };
  }
  const expected = (status: string, isAvailable: boolean, wasRead: boolean) => ({
    subscriptionStatus: present(status),
    available: present(isAvailable),
    wasRead,
  });

  expect(await readAt(activatedAt + 1)).toEqual(expected('Active', true, true));
  expect(await readAt(graceAt - 1)).toEqual(expected('Active', true, false));
  expect(await readAt(graceAt)).toEqual(expected('Grace', false, true));
  expect(await readAt(graceAt + 1)).toEqual(expected('Grace', false, false));
  expect(await readAt(runoffAt - 1)).toEqual(expected('Grace', false, false));
  expect(await readAt(runoffAt)).toEqual(expected('Runoff', false, true));
  expect(await readAt(terminatedAt - 1)).toEqual(expected('Runoff', false, false));
  expect(await readAt(terminatedAt)).toEqual(expected('Terminated', false, true));
  expect(await readAt(terminatedAt + 1_000)).toEqual(expected('Terminated', false, false));
});

test('distinguishes an activated entry tier from a subscription that was never activated', async () => {
  const id = await harness.activate({ tier: 0 });
  expect(await harness.readMachine(id)).toMatchObject({
    subscription: { state: 'present', value: { tier: 0 } },
    subscriptionStatus: present('Active'),
  });
  const { subscription } = await harness.readMachine(id);
  expect(subscription.state === 'present' && subscription.value.periodStart > 0n).toBe(true);
});

test('reads events that are submitted during grace', async () => {
  const id = await harness.activate();
  const { timestamp } = await harness.readHead();
  await harness.chain.writer.mine([harness.revenue(id, 3n)], timestamp + LENGTHS.periodSeconds);
  expect(await harness.readMachine(id)).toMatchObject({
    subscriptionStatus: present('Grace'),
    available: present(false),
    eventCount: present(1n),
  });
});
