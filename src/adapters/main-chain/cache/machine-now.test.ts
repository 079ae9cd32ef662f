/** What a write is judged by is read after it was asked for, of one block, whatever is kept (chain-evm 5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as calls from '../../../../devnet/main-chain-calls.ts';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import {
  BUYER,
  lower,
  OWNER,
  present,
  startMachineHarness,
  type MachineHarness,
} from '../../../../testing/fixtures/machines.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';

let scene: MachineHarness;
beforeAll(async () => {
  scene = await startMachineHarness();
});
afterAll(() => scene.close());

test('a sale that no follower has told yet is seen, and what is kept stays as it is', async () => {
  const id = (await scene.activate()) as MachineId;
  const adapter = scene.open();
  await scene.reportHead(adapter);
  await adapter.chain.readDeployment();
  const kept = await adapter.chain.readMachine(id, ALL_EVENTS);
  await scene.mine(calls.transferMachine(scene.chain.deployment, OWNER, BUYER, id));

  const { snapshot, deployment } = await adapter.chain.readMachineNow(id);
  const head = await scene.readHead();
  expect([snapshot.owner, snapshot.block.hash]).toEqual([present(lower(BUYER)), head.hash]);
  expect(deployment).toEqual(await adapter.chain.readDeployment());
  expect(kept.owner).toEqual(present(lower(OWNER)));
  expect(await adapter.chain.readMachine(id, ALL_EVENTS)).toBe(kept);
});

test('a pause of the whole protocol is seen in the same read', async () => {
  const id = (await scene.activate()) as MachineId;
  const adapter = scene.open();
  await scene.reportHead(adapter);
  expect((await adapter.chain.readDeployment()).generalPausedGlobal).toBe(false);
  await scene.administer('machineStateAndSync', 'setGeneralPausedGlobal', true);
  try {
    expect((await adapter.chain.readMachineNow(id)).deployment.generalPausedGlobal).toBe(true);
  } finally {
    await scene.administer('machineStateAndSync', 'setGeneralPausedGlobal', false);
  }
});

test('many who ask at once cost two reads: one that runs, and one that they share', async () => {
  const id = (await scene.activate()) as MachineId;
  const adapter = scene.open();
  await adapter.chain.readMachineNow(id);
  scene.proxy.resetCounts();
  const facts = await Promise.all(Array.from({ length: 1_000 }, () => adapter.chain.readMachineNow(id)));
  expect(new Set(facts).size).toBe(2);
  expect(scene.proxy.calls.filter(({ method }) => method === 'eth_call')).toHaveLength(2);
});
