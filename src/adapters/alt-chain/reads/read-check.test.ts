/** Whether this process can read accounts of machines: by what callers read, and by checks where they read nothing. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { respondWith } from '../../../../testing/harness/rpc-proxy.ts';
import { createAltChainHarness, type AltChainHarness } from '../../../../testing/fixtures/alt-chain-harness.ts';
import { startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import { programOf, toId } from '../../../../testing/fixtures/alt-chain-vectors.ts';
import { REAL_STOPWATCH } from '../../rpc/deadline.ts';
import type { AltChainLimits } from '../limits.ts';

let node: CannedNode;
let harness: AltChainHarness;
let milliseconds = 0;
beforeEach(async () => {
  node = await startCannedNode();
  harness = createAltChainHarness([node.proxy.url], node.genesisHash);
  milliseconds = 0;
});
afterEach(async () => {
  await harness.close();
  await node.close();
});

function open(limits: Partial<AltChainLimits> = {}) {
  const stopwatch = { ...REAL_STOPWATCH, nowMilliseconds: () => milliseconds };
  const adapter = harness.open({ stopwatch, limits });
  return { adapter, ...adapter.machines! };
}

const refuse = () => node.proxy.inject({ kind: 'status', status: 500 });

it('is not readable before the first read, and is after the first check', async () => {
  const { isReadable, checkReadable } = open();
  expect(isReadable()).toBe(false);
  await checkReadable();
  expect(isReadable()).toBe(true);
});

it('stays readable for a minute while the node fails, and is readable again after one check', async () => {
  const { isReadable, checkReadable } = open();
  await checkReadable();
  refuse();
  milliseconds = 59_999;
  await expect(checkReadable()).rejects.toMatchObject({ context: { chain: 'alt', cause: 'transport' } });
  expect(isReadable()).toBe(true);
  milliseconds = 60_000;
  expect(isReadable()).toBe(false);
  node.proxy.heal();
  await checkReadable();
  expect(isReadable()).toBe(true);
});

it('sends no call while callers read machines', async () => {
  const { chain, isReadable, checkReadable } = open();
  await chain.readMachine(toId('1'));
  node.proxy.resetCounts();
  milliseconds = 19_999;
  await checkReadable();
  expect([node.proxy.requests, isReadable()]).toEqual([0, true]);
  milliseconds = 20_000;
  await checkReadable();
  expect(node.proxy.requests).toBe(1);
});

it('is not readable at a node that is slower than the time of its callers', async () => {
  const { isReadable, checkReadable } = open({ requestTimeoutMilliseconds: 50, readTimeoutMilliseconds: 100 });
  node.proxy.inject({ kind: 'hold', until: new Promise(() => undefined) });
  await expect(checkReadable()).rejects.toMatchObject({ context: { cause: 'deadline' } });
  expect(isReadable()).toBe(false);
  node.proxy.heal();
});

it('is not readable at a node without the accounts of the deployment', async () => {
  const { isReadable, checkReadable } = open();
  const value = Array.from({ length: 6 }, () => null);
  node.proxy.inject(respondWith('getMultipleAccounts', { result: { context: { slot: node.slot }, value } }));
  await expect(checkReadable()).rejects.toMatchObject({ context: { cause: 'wrong-deployment' } });
  expect(isReadable()).toBe(false);
});

it('fails while the programs contradict the configuration', async () => {
  const { adapter, checkReadable } = open();
  node.accounts.delete(programOf('info_desk'));
  await adapter.checkDeployment();
  await expect(checkReadable()).rejects.toMatchObject({ context: { cause: 'wrong-deployment' } });
});
