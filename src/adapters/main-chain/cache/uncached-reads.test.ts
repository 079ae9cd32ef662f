/** Uncached machine reads for writes: they begin after the call and are at one block (chain-evm 5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import {
  BUYER,
  lower,
  OWNER,
  startMachineHarness,
  type MachineHarness,
} from '../../../../testing/fixtures/machines.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { present } from '../../../domain/read-result.ts';

let harness: MachineHarness;
beforeAll(async () => {
  harness = await startMachineHarness();
});
afterAll(() => harness.close());

test('returns a sale that the follower has not reported, and leaves cached snapshots unchanged', async () => {
  const id = (await harness.activate()) as MachineId;
  const adapter = harness.open();
  await harness.reportHead(adapter);
  await adapter.chain.readDeployment();
  const cached = await adapter.chain.readMachine(id, ALL_EVENTS);
  await harness.mine(calls.transferMachine(harness.chain.deployment, OWNER, BUYER, id));

  const { snapshot, deployment } = await adapter.chain.readMachineUncached(id);
  const head = await harness.readHead();
  expect([snapshot.owner, snapshot.block.hash]).toEqual([present(lower(BUYER)), head.hash]);
  expect(deployment).toEqual(await adapter.chain.readDeployment());
  expect(cached.owner).toEqual(present(lower(OWNER)));
  expect(await adapter.chain.readMachine(id, ALL_EVENTS)).toBe(cached);
});

test('returns a pause of the whole protocol in the same read', async () => {
  const id = (await harness.activate()) as MachineId;
  const adapter = harness.open();
  await harness.reportHead(adapter);
  expect((await adapter.chain.readDeployment()).generalPausedGlobal).toBe(false);
  await harness.administer('machineStateAndSync', 'setGeneralPausedGlobal', true);
  try {
    expect((await adapter.chain.readMachineUncached(id)).deployment.generalPausedGlobal).toBe(true);
  } finally {
    await harness.administer('machineStateAndSync', 'setGeneralPausedGlobal', false);
  }
});

test('coalesces many concurrent calls into two reads', async () => {
  const id = (await harness.activate()) as MachineId;
  const adapter = harness.open();
  await adapter.chain.readMachineUncached(id);
  harness.proxy.resetCounts();
  const facts = await Promise.all(Array.from({ length: 1_000 }, () => adapter.chain.readMachineUncached(id)));
  expect(new Set(facts).size).toBe(2);
  expect(harness.proxy.calls.filter(({ method }) => method === 'eth_call')).toHaveLength(2);
});
