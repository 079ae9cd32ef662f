/** Head tracking against a real node: age of the head, steps of the follower, reorgs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountOf } from '../../../../devnet/accounts.ts';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import { startMachineHarness, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

let harness: MachineHarness;
let adapter: MainChainAdapter;
let id: MachineId;

beforeAll(async () => {
  harness = await startMachineHarness();
  id = (await harness.activate()) as MachineId;
});
afterAll(() => harness.close());
beforeEach(async () => {
  harness.proxy.heal();
  adapter = harness.open();
  await adapter.chain.readDeployment();
  harness.proxy.resetCounts();
});

const read = () => adapter.chain.readMachine(id, ALL_EVENTS);
const methods = () => harness.proxy.calls.map(({ method }) => method);
const mineEmptyBlock = () => harness.mine();
/** Resolves after the calls of one tick are batched. */
async function gathered(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
}

test('reads the head once for all readers without a follower, and again when it expires', async () => {
  harness.time.milliseconds += 5_000;
  await Promise.all(Array.from({ length: 100 }, read));
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call']);
  harness.time.milliseconds += 4_999;
  await read();
  expect(harness.proxy.requests).toBe(2);
  harness.time.milliseconds += 1;
  await read();
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call', 'eth_getBlockByNumber']);
});

test('invalidates all caches when the node shows a block that the follower did not report', async () => {
  const before = await read();
  await mineEmptyBlock();
  harness.time.milliseconds += 5_000;
  harness.proxy.resetCounts();
  const after = await read();
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call']);
  expect(after.block.number).toBe(before.block.number + 1);
});

test('retains cached snapshots that the steps of the follower do not touch', async () => {
  await harness.reportHead(adapter);
  const cached = await read();
  for (let i = 0; i < 3; i++) {
    await mineEmptyBlock();
    harness.time.milliseconds += 4_000;
    await harness.reportHead(adapter);
    expect(await read()).toBe(cached);
  }
  harness.time.milliseconds += 5_000;
  expect(await read()).toBe(cached);
  expect(methods().at(-1)).toBe('eth_getBlockByNumber');
  await mineEmptyBlock();
  await harness.reportHead(adapter);
  expect(await read()).toBe(cached);
});

test('serves the head while the follower waits for the next block, plus the maximum age', async () => {
  await harness.reportHead(adapter, { waitMilliseconds: 12_000 });
  const cached = await read();
  harness.proxy.resetCounts();
  harness.time.milliseconds += 16_999;
  expect(await read()).toBe(cached);
  expect(harness.proxy.requests).toBe(0);
  harness.time.milliseconds += 1;
  expect(await read()).toBe(cached);
  expect(methods()).toEqual(['eth_getBlockByNumber']);
});

test('renews snapshots in use with the next head poll, before they expire', async () => {
  const { number } = await harness.reportHead(adapter);
  for (let i = 0; i < 2; i++) await Promise.all([read(), adapter.chain.readDeployment()]);
  harness.proxy.resetCounts();
  harness.time.milliseconds += 44_000;
  await harness.reportHead(adapter, { waitMilliseconds: 6_000 });
  await gathered();
  expect(harness.proxy.requests).toBe(0);
  harness.time.milliseconds += 6_000;
  const { head, logs } = await adapter.log.readHeadAndLogs(number, false);
  expect([head.number, logs]).toEqual([number, []]);
  expect([harness.proxy.requests, methods()]).toEqual([1, ['eth_getBlockByNumber', 'eth_getLogs', 'eth_call']]);
  await harness.reportHead(adapter, { waitMilliseconds: 6_000 });
  for (const milliseconds of [9_999, 40_000]) {
    harness.time.milliseconds += milliseconds;
    await harness.reportHead(adapter);
    await Promise.all([read(), adapter.chain.readDeployment()]);
  }
  expect(harness.proxy.requests).toBe(1);
});

test.each(['with the next head poll', 'alone'])(
  'counts the calls of renewals once when they are sent %s',
  async (how) => {
    adapter = harness.open();
    harness.proxy.resetCounts();
    const { number } = await harness.reportHead(adapter);
    for (let i = 0; i < 2; i++) await Promise.all([read(), adapter.chain.readDeployment()]);
    harness.time.milliseconds += 44_000;
    await harness.reportHead(adapter, { waitMilliseconds: 6_000 });
    await gathered();
    if (how === 'alone') adapter.drain();
    else await adapter.log.readHeadAndLogs(number, false);
    await harness.proxy.waitForRequests(3);
    expect(methods().filter((method) => method === 'eth_call')).toHaveLength(2);
    const counted = Object.values(adapter.budget.report().calls).reduce((sum, each) => sum + each, 0);
    expect(counted).toBe(harness.proxy.calls.length);
  },
);

test('does not serve a renewed snapshot that the polled block touches', async () => {
  const from = accountOf('owner of the renewed').address;
  const machine = (await harness.activate({ from })) as MachineId;
  const readRenewed = () => adapter.chain.readMachine(machine, ALL_EVENTS);
  const { number } = await harness.reportHead(adapter, { touched: 'all' });
  for (let i = 0; i < 2; i++) await readRenewed();
  harness.time.milliseconds += 44_000;
  await harness.reportHead(adapter, { waitMilliseconds: 6_000 });
  await gathered();
  await harness.mine(calls.suspendMachine(harness.chain.deployment, from, machine));
  harness.proxy.resetCounts();
  const { head, logs } = await adapter.log.readHeadAndLogs(number, false);
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_getLogs', 'eth_call']);
  expect([head.number, logs.map(({ effect }) => effect)]).toEqual([number + 1, [{ kind: 'machines', ids: [machine] }]]);
  await harness.reportHead(adapter, {
    touched: { machines: new Set([machine]), kybOperators: new Set(), holders: new Set() },
  });
  expect((await readRenewed()).operatorPaused).toEqual(present(true));
});

test('invalidates all caches at the first step after the follower missed a block', async () => {
  await harness.reportHead(adapter);
  const cached = await read();
  await mineEmptyBlock();
  harness.time.milliseconds += 5_000;
  const own = await read();
  expect(own).not.toBe(cached);
  await harness.reportHead(adapter);
  expect(await read()).toBe(own);
  harness.time.milliseconds += 5_000;
  await mineEmptyBlock();
  await read();
  await mineEmptyBlock();
  await harness.reportHead(adapter);
  harness.proxy.resetCounts();
  await read();
  expect(methods()).toEqual(['eth_call']);
});

test('reports the chain as unreadable when a stale head cannot be refreshed, whatever is cached', async () => {
  await read();
  harness.time.milliseconds += 5_000;
  harness.proxy.inject({ kind: 'status', status: 503 });
  await expect(read()).rejects.toMatchObject({
    kind: 'ChainUnreadable',
    context: { chain: 'main', cause: 'transport' },
  });
});

test('prefers a step that the follower reports while the head is being read', async () => {
  const old = await harness.chain.writer.rpc.request('eth_getBlockByNumber', ['latest', false]);
  await mineEmptyBlock();
  harness.time.milliseconds += 5_000;
  harness.proxy.inject(respondWith('eth_getBlockByNumber', { result: old }), 1);
  const { promise: until, resolve: letGo } = Promise.withResolvers<undefined>();
  harness.proxy.inject({ kind: 'hold', until }, 1);
  const reading = read();
  await harness.proxy.waitForRequests(1);
  const head = await harness.reportHead(adapter);
  letGo(undefined);
  expect((await reading).block.number).toBe(head.number);
});

test('does not keep facts of an older block than a step that has expired when the head arrives', async () => {
  const old = await harness.chain.writer.rpc.request('eth_getBlockByNumber', ['latest', false]);
  const made = (await harness.activate()) as MachineId;
  harness.time.milliseconds += 5_000;
  harness.proxy.inject(respondWith('eth_getBlockByNumber', { result: old }), 1);
  const { promise: until, resolve: letGo } = Promise.withResolvers<undefined>();
  harness.proxy.inject({ kind: 'hold', until }, 1);
  const reading = adapter.chain.readMachine(made, ALL_EVENTS);
  await harness.proxy.waitForRequests(1);
  await harness.reportHead(adapter, { touched: 'all' });
  harness.time.milliseconds += 60_000;
  letGo(undefined);
  expect((await reading).owner).toEqual(ABSENT);
  harness.time.milliseconds += 1_000;
  await mineEmptyBlock();
  await harness.reportHead(adapter);
  expect((await adapter.chain.readMachine(made, ALL_EVENTS)).owner.state).toBe('present');
});

describe('a node that is behind', () => {
  const BEHIND = { kind: 'ChainUnreadable', context: { chain: 'main', cause: 'block-mismatch' } };
  const readBoth = async () => {
    harness.time.milliseconds += 5_000;
    const reads = await Promise.allSettled([read(), adapter.chain.readMachineUncached(id)]);
    return reads.map((each) => (each.status === 'fulfilled' ? 'read' : (each.reason as unknown)));
  };

  test.each([
    [12, ['read', 'read']],
    [13, [expect.objectContaining(BEHIND), expect.objectContaining(BEHIND)]],
  ])(
    'the expired head of the follower by %i s is read accordingly, until the follower reports its block',
    async (seconds, expected) => {
      const { number, timestamp, ...head } = await harness.readHead();
      const newer = { ...head, number: number + 2, timestamp: timestamp + seconds, hash: `0x${'e'.repeat(64)}` };
      await harness.reportHead(adapter, { head: newer });
      expect(await readBoth()).toEqual(expected);
      await harness.reportHead(adapter);
      expect(await readBoth()).toEqual(['read', 'read']);
    },
  );

  test('a final block is not read', async () => {
    const { number } = await harness.readHead();
    adapter.chain.observeFinal!(number + 1);
    expect(await readBoth()).toEqual([expect.objectContaining(BEHIND), expect.objectContaining(BEHIND)]);
    adapter.chain.observeFinal!(number);
    expect(await readBoth()).toEqual(['read', 'read']);
  });
});

test('treats every entry as expired when the clock was set back', async () => {
  await harness.reportHead(adapter);
  const cached = await read();
  harness.time.milliseconds -= 3_600_000;
  harness.proxy.resetCounts();
  expect(await read()).not.toBe(cached);
  expect(methods()).toEqual(['eth_getBlockByNumber', 'eth_call']);
});

test('reads the deployment again when a step reports a change', async () => {
  await harness.reportHead(adapter);
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: false });
  await harness.administer('machineStateAndSync', 'setGeneralPausedGlobal', true);
  await harness.reportHead(adapter);
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: false });
  await harness.reportHead(adapter, { deployment: true });
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: true });
  await harness.administer('machineStateAndSync', 'setGeneralPausedGlobal', false);
  await harness.reportHead(adapter, { touched: 'all' });
  expect(await adapter.chain.readDeployment()).toMatchObject({ generalPausedGlobal: false });
});

test('runs the deployment checks that a step requests and logs the problems', async () => {
  await harness.administer('machineSubscription', 'devSetEconomicAuthority', false);
  harness.lines.length = 0;
  await harness.reportHead(adapter, { checks: true });
  await expect
    .poll(() => harness.lines)
    .toEqual([
      {
        level: 'error',
        fields: { chain: 'main', problem: 'MACHINE_SUBSCRIPTION_ADDRESS: is not the economic authority' },
        message: 'deployment check failed',
      },
    ]);
  await harness.administer('machineSubscription', 'devSetEconomicAuthority', true);
});

describe('a reorg', () => {
  /** Uses a separate account, because a reorg resets nonces. */
  async function activateSuspendable(name: string) {
    const from = accountOf(name).address;
    const machine = (await harness.activate({ from })) as MachineId;
    return { machine, suspend: calls.suspendMachine(harness.chain.deployment, from, machine) };
  }
  const reorg = (blocks: number) => harness.chain.writer.rpc.request('anvil_reorg', [blocks, []]);

  test('invalidates snapshots of the removed block', async () => {
    const { machine, suspend } = await activateSuspendable('first of the reorg');
    await harness.reportHead(adapter);
    await harness.mine(suspend);
    await harness.reportHead(adapter, {
      touched: { machines: new Set([machine]), kybOperators: new Set(), holders: new Set() },
    });
    expect((await adapter.chain.readMachine(machine, ALL_EVENTS)).operatorPaused).toEqual(present(true));
    await reorg(1);
    await harness.reportHead(adapter, { touched: 'all' });
    expect((await adapter.chain.readMachine(machine, ALL_EVENTS)).operatorPaused).toEqual(present(false));
  });

  test('is detected by the parent hash before the follower reports it', async () => {
    const { machine, suspend } = await activateSuspendable('second of the reorg');
    await harness.mine(suspend);
    await harness.mine();
    await harness.reportHead(adapter);
    await reorg(2);
    await expect(adapter.chain.readMachine(machine, ALL_EVENTS)).rejects.toMatchObject({
      context: { chain: 'main', cause: 'block-mismatch' },
    });
  });
});
