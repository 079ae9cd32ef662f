import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountOf } from '../../../../devnet/accounts.ts';
import * as calls from '../../../../devnet/main-chain-calls.ts';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import { present, startMachineHarness, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';

let scene: MachineHarness;
let adapter: MainChainAdapter;
let id: MachineId;

beforeAll(async () => {
  scene = await startMachineHarness();
  id = (await scene.activate()) as MachineId;
});
afterAll(() => scene.close());
beforeEach(async () => {
  scene.proxy.heal();
  adapter = scene.open();
  await adapter.chain.readDeployment();
  scene.proxy.resetCounts();
});

const read = () => adapter.chain.readMachine(id, ALL_EVENTS);
const methods = () => scene.proxy.calls.map(({ method }) => method);
const mineEmptyBlock = () => scene.mine();
/** The calls of one tick are in one request by then. */
async function gathered(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
}

test('without a follower the head is read once for all readers, and again when it is some seconds old', async () => {
  scene.time.milliseconds += 5_000;
  await Promise.all(Array.from({ length: 100 }, read));
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call']);
  scene.time.milliseconds += 4_999;
  await read();
  expect(scene.proxy.requests).toBe(2);
  scene.time.milliseconds += 1;
  await read();
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call', 'eth_getBlockByNumber']);
});

test('a block that nobody told of takes everything that was kept with it', async () => {
  const before = await read();
  await mineEmptyBlock();
  scene.time.milliseconds += 5_000;
  scene.proxy.resetCounts();
  const after = await read();
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call']);
  expect(after.block.number).toBe(before.block.number + 1);
});

test('the steps of the follower keep what they do not touch, for as long as it speaks', async () => {
  await scene.reportHead(adapter);
  const kept = await read();
  for (let i = 0; i < 3; i++) {
    await mineEmptyBlock();
    scene.time.milliseconds += 4_000;
    await scene.reportHead(adapter);
    expect(await read()).toBe(kept);
  }
  scene.time.milliseconds += 5_000;
  expect(await read()).toBe(kept);
  expect(methods().at(-1)).toBe('eth_getBlockByNumber');
  await mineEmptyBlock();
  await scene.reportHead(adapter);
  expect(await read()).toBe(kept);
});

test('while the follower waits for the next block, the head serves, and some seconds longer', async () => {
  await scene.reportHead(adapter, { waitMilliseconds: 12_000 });
  const kept = await read();
  scene.proxy.resetCounts();
  scene.time.milliseconds += 16_999;
  expect(await read()).toBe(kept);
  expect(scene.proxy.requests).toBe(0);
  scene.time.milliseconds += 1;
  expect(await read()).toBe(kept);
  expect(methods()).toEqual(['eth_getBlockByNumber']);
});

test('what is in use is read anew with the question for the next head, before it is too old, and nobody waits for it', async () => {
  const { number } = await scene.reportHead(adapter);
  for (let i = 0; i < 2; i++) await Promise.all([read(), adapter.chain.readDeployment()]);
  scene.proxy.resetCounts();
  scene.time.milliseconds += 44_000;
  await scene.reportHead(adapter, { waitMilliseconds: 6_000 });
  await gathered();
  expect(scene.proxy.requests).toBe(0);
  scene.time.milliseconds += 6_000;
  const { head, logs } = await adapter.log.readHeadAndLogs(number, false);
  expect([head.number, logs]).toEqual([number, []]);
  expect([scene.proxy.requests, methods()]).toEqual([1, ['eth_getBlockByNumber', 'eth_getLogs', 'eth_call']]);
  await scene.reportHead(adapter, { waitMilliseconds: 6_000 });
  for (const milliseconds of [9_999, 40_000]) {
    scene.time.milliseconds += milliseconds;
    await scene.reportHead(adapter);
    await Promise.all([read(), adapter.chain.readDeployment()]);
  }
  expect(scene.proxy.requests).toBe(1);
});

test('what a block touched is not taken from what was read anew with the question for it', async () => {
  const from = accountOf('owner of the renewed').address;
  const machine = (await scene.activate({ from })) as MachineId;
  const readRenewed = () => adapter.chain.readMachine(machine, ALL_EVENTS);
  const { number } = await scene.reportHead(adapter, { touched: 'all' });
  for (let i = 0; i < 2; i++) await readRenewed();
  scene.time.milliseconds += 44_000;
  await scene.reportHead(adapter, { waitMilliseconds: 6_000 });
  await gathered();
  await scene.mine(calls.suspendMachine(scene.chain.deployment, from, machine));
  scene.proxy.resetCounts();
  const { head, logs } = await adapter.log.readHeadAndLogs(number, false);
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_getLogs', 'eth_call']);
  expect([head.number, logs.map(({ effect }) => effect)]).toEqual([number + 1, [{ kind: 'machines', ids: [machine] }]]);
  await scene.reportHead(adapter, { touched: { machines: new Set([machine]), kybOperators: new Set() } });
  expect((await readRenewed()).operatorPaused).toEqual(present(true));
});

test('after the follower was silent for a block, its next step begins anew', async () => {
  await scene.reportHead(adapter);
  const kept = await read();
  await mineEmptyBlock();
  scene.time.milliseconds += 5_000;
  const own = await read();
  expect(own).not.toBe(kept);
  await scene.reportHead(adapter);
  expect(await read()).toBe(own);
  scene.time.milliseconds += 5_000;
  await mineEmptyBlock();
  await read();
  await mineEmptyBlock();
  await scene.reportHead(adapter);
  scene.proxy.resetCounts();
  await read();
  expect(methods()).toEqual(['eth_call']);
});

test('a stale head that cannot be read anew is unreadable, whatever is kept', async () => {
  await read();
  scene.time.milliseconds += 5_000;
  scene.proxy.inject({ kind: 'status', status: 503 });
  await expect(read()).rejects.toMatchObject({
    kind: 'ChainUnreadable',
    context: { chain: 'main', cause: 'transport' },
  });
});

test('what the follower says while the head is being read counts more', async () => {
  const old = await scene.chain.writer.rpc.request('eth_getBlockByNumber', ['latest', false]);
  await mineEmptyBlock();
  scene.time.milliseconds += 5_000;
  scene.proxy.inject(respondWith('eth_getBlockByNumber', { result: old }), 1);
  const { promise: until, resolve: letGo } = Promise.withResolvers<undefined>();
  scene.proxy.inject({ kind: 'hold', until }, 1);
  const reading = read();
  await scene.proxy.waitForRequests(1);
  const head = await scene.reportHead(adapter);
  letGo(undefined);
  expect((await reading).block.number).toBe(head.number);
});

test('a clock that was set back makes everything old', async () => {
  await scene.reportHead(adapter);
  const kept = await read();
  scene.time.milliseconds -= 3_600_000;
  scene.proxy.resetCounts();
  expect(await read()).not.toBe(kept);
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call']);
});

test('the deployment is read again when a step says that it changed', async () => {
  await scene.reportHead(adapter);
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: false });
  await scene.administer('machineStateAndSync', 'setGeneralPausedGlobal', true);
  await scene.reportHead(adapter);
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: false });
  await scene.reportHead(adapter, { deployment: true });
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: true });
  await scene.administer('machineStateAndSync', 'setGeneralPausedGlobal', false);
  await scene.reportHead(adapter, { touched: 'all' });
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: false });
});

test('a step that asks for the checks runs them and logs what they find', async () => {
  await scene.administer('machineSubscription', 'devSetEconomicAuthority', false);
  scene.lines.length = 0;
  await scene.reportHead(adapter, { checks: true });
  await expect
    .poll(() => scene.lines)
    .toEqual([
      {
        level: 'error',
        fields: { chain: 'main', problem: 'MACHINE_SUBSCRIPTION_ADDRESS: is not the economic authority' },
        message: 'deployment check failed',
      },
    ]);
  await scene.administer('machineSubscription', 'devSetEconomicAuthority', true);
});

describe('a reorg', () => {
  /** Its transactions come from an account of its own, because a reorg takes nonces back. */
  async function activateSuspendable(name: string) {
    const from = accountOf(name).address;
    const machine = (await scene.activate({ from })) as MachineId;
    return { machine, suspend: calls.suspendMachine(scene.chain.deployment, from, machine) };
  }
  const reorg = (blocks: number) => scene.chain.writer.rpc.request('anvil_reorg', [blocks, []]);

  test('that takes a block back takes what was read at it', async () => {
    const { machine, suspend } = await activateSuspendable('first of the reorg');
    await scene.reportHead(adapter);
    await scene.mine(suspend);
    await scene.reportHead(adapter, { touched: { machines: new Set([machine]), kybOperators: new Set() } });
    expect((await adapter.chain.readMachine(machine, ALL_EVENTS)).operatorPaused).toEqual(present(true));
    await reorg(1);
    await scene.reportHead(adapter, { touched: 'all' });
    expect((await adapter.chain.readMachine(machine, ALL_EVENTS)).operatorPaused).toEqual(present(false));
  });

  test('that was not told yet is seen by the parent of the block', async () => {
    const { machine, suspend } = await activateSuspendable('second of the reorg');
    await scene.mine(suspend);
    await scene.mine();
    await scene.reportHead(adapter);
    await reorg(2);
    await expect(adapter.chain.readMachine(machine, ALL_EVENTS)).rejects.toMatchObject({
      context: { chain: 'main', cause: 'block-mismatch' },
    });
  });
});
