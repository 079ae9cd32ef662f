import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import { present, startMachineHarness, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';

const LENGTHS = { periodSeconds: 1_000, graceSeconds: 100, runoffSeconds: 10 };

let scene: MachineHarness;

beforeAll(async () => {
  scene = await startMachineHarness(LENGTHS);
});
afterAll(() => scene.close());

test('a status is read again at the block that reaches a boundary, and never earlier', async () => {
  const id = (await scene.activate()) as MachineId;
  const { timestamp: activatedAt } = await scene.readHead();
  const adapter = scene.open();
  await adapter.chain.readDeployment();
  const graceAt = activatedAt + LENGTHS.periodSeconds;
  const runoffAt = graceAt + LENGTHS.graceSeconds;
  const terminatedAt = runoffAt + LENGTHS.runoffSeconds;

  /** What is answered once the follower has told of a block of this time, and whether the chain was asked for it. */
  async function readAt(timestamp: number) {
    await scene.chain.writer.mine([], timestamp);
    await scene.reportHead(adapter);
    const { machineReads } = adapter.counters;
    const { subscriptionStatus, available } = await adapter.chain.readMachine(id, ALL_EVENTS);
    return { subscriptionStatus, available, wasRead: adapter.counters.machineReads > machineReads };
  }
  const answer = (status: string, isAvailable: boolean, wasRead: boolean) => ({
    subscriptionStatus: present(status),
    available: present(isAvailable),
    wasRead,
  });

  expect(await readAt(activatedAt + 1)).toEqual(answer('Active', true, true));
  expect(await readAt(graceAt - 1)).toEqual(answer('Active', true, false));
  expect(await readAt(graceAt)).toEqual(answer('Grace', false, true));
  expect(await readAt(graceAt + 1)).toEqual(answer('Grace', false, false));
  expect(await readAt(runoffAt - 1)).toEqual(answer('Grace', false, false));
  expect(await readAt(runoffAt)).toEqual(answer('Runoff', false, true));
  expect(await readAt(terminatedAt - 1)).toEqual(answer('Runoff', false, false));
  expect(await readAt(terminatedAt)).toEqual(answer('Terminated', false, true));
  expect(await readAt(terminatedAt + 1_000)).toEqual(answer('Terminated', false, false));
});

test('an entry tier that was activated is told from one that never was', async () => {
  const id = await scene.activate({ tier: 0 });
  expect(await scene.readMachine(id)).toMatchObject({
    subscription: { state: 'present', value: { tier: 0 } },
    subscriptionStatus: present('Active'),
  });
  const { subscription } = await scene.readMachine(id);
  expect(subscription.state === 'present' && subscription.value.periodStart > 0n).toBe(true);
});

test('in grace events may still be submitted, and are read', async () => {
  const id = await scene.activate();
  const { timestamp } = await scene.readHead();
  await scene.chain.writer.mine([scene.revenue(id, 3n)], timestamp + LENGTHS.periodSeconds);
  expect(await scene.readMachine(id)).toMatchObject({
    subscriptionStatus: present('Grace'),
    available: present(false),
    eventCount: present(1n),
  });
});
