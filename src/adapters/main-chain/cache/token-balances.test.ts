/** Balances of token owners, against a real node: cached until a transfer, and read with machines (design/real-chains 1). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import { ALL_EVENTS, NOTHING_TOUCHED } from '../../../../testing/harness/main-chain.ts';
import {
  BUYER,
  lower,
  OWNER,
  startMachineHarness,
  type MachineHarness,
} from '../../../../testing/fixtures/machines.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { HeadStep } from '../../../ports/main-chain.ts';

let harness: MachineHarness;
let id: MachineId;
beforeAll(async () => {
  harness = await startMachineHarness();
  id = (await harness.activate()) as MachineId;
  await harness.activate();
});
afterAll(() => harness.close());

const [owner, buyer] = [lower(OWNER), lower(BUYER)] as [Address, Address];

async function openFollowing() {
  const adapter = harness.open();
  await harness.reportHead(adapter);
  const countCalls = () => harness.proxy.calls.filter(({ method }) => method === 'eth_call').length;
  return { adapter, countCalls, follow: (step?: Partial<HeadStep>) => harness.reportHead(adapter, step) };
}

test('reads the balance in the multicall of the machines of the same tick', async () => {
  const { adapter, countCalls } = await openFollowing();
  await adapter.chain.readDeployment();
  harness.proxy.resetCounts();
  const [{ block, balance }, snapshot] = await Promise.all([
    adapter.chain.readBalance(owner, true),
    adapter.chain.readMachine(id, ALL_EVENTS),
  ]);
  expect([balance, block.hash, countCalls()]).toEqual([2n, snapshot.block.hash, 1]);
});

test('returns a cached balance at each new block until a transfer names the owner', async () => {
  const { adapter, countCalls, follow } = await openFollowing();
  await adapter.chain.readBalance(owner, true);
  await harness.mine(calls.transferMachine(harness.chain.deployment, OWNER, BUYER, id));
  harness.proxy.resetCounts();
  const head = await follow({ touched: { ...NOTHING_TOUCHED, holders: new Set([buyer]) } });
  expect(await adapter.chain.readBalance(owner, true)).toMatchObject({ balance: 2n, block: { hash: head.hash } });
  expect(countCalls()).toBe(0);
  await follow({ touched: { ...NOTHING_TOUCHED, holders: new Set([owner, buyer]) } });
  expect((await adapter.chain.readBalance(owner, true)).balance).toBe(1n);
  await follow({ touched: 'all' });
  expect((await adapter.chain.readBalance(buyer, true)).balance).toBe(1n);
  expect(countCalls()).toBe(2);
});

test('reads a balance at an earlier block', async () => {
  const { adapter } = await openFollowing();
  const before = await harness.readHead();
  await harness.activate();
  const after = await harness.readHead();
  const at = ({ number, hash }: typeof before) => adapter.chain.readBalanceAt(owner, { number, hash });
  expect((await at(after)) - (await at(before))).toBe(1n);
});

test('finds the transfers of an owner by side, and the transfers and controllers of a token', async () => {
  const { number } = await harness.readHead();
  const { log } = harness.open();
  const range = { fromBlock: 0, toBlock: number };
  const ofToken = await log.readLogs({ ...range, registryLogsOf: { group: 'transfers', machineId: id } });
  expect(ofToken.map(({ registry }) => registry)).toEqual([
    { kind: 'transfer', machineId: id, from: undefined, to: owner },
    { kind: 'transfer', machineId: id, from: owner, to: buyer },
  ]);
  const ofControllers = await log.readLogs({ ...range, registryLogsOf: { group: 'controllers', machineId: id } });
  expect(ofControllers.map(({ registry }) => registry)).toEqual([{ kind: 'minted', machineId: id, to: undefined }]);
  const list = async (holder: Address, side: 'from' | 'to') =>
    (await log.readLogs({ ...range, transfersOf: { holder, side } })).map(({ registry }) => registry);
  expect(await list(buyer, 'to')).toEqual([{ kind: 'transfer', machineId: id, from: owner, to: buyer }]);
  expect(await list(owner, 'from')).toEqual(await list(buyer, 'to'));
  expect(await list(buyer, 'from')).toEqual([]);
  expect((await list(owner, 'to')).map((body) => body?.kind === 'transfer' && body.from)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('reads a balance again after a minute, although no transfer names the owner', async () => {
  const { adapter, countCalls, follow } = await openFollowing();
  const { balance } = await adapter.chain.readBalance(owner, true);
  await harness.activate();
  harness.proxy.resetCounts();
  harness.time.milliseconds += 59_999;
  await follow();
  expect(await adapter.chain.readBalance(owner, true)).toMatchObject({ balance });
  expect(countCalls()).toBe(0);
  harness.time.milliseconds += 1;
  expect(await adapter.chain.readBalance(owner, true)).toMatchObject({ balance: balance + 1n });
  expect(countCalls()).toBe(1);
});
