/**
 * Reads at nodes that lack a feature, and with profiles of an earlier process: what is stored changes how often nodes are
 * queried, never what is read.
 */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startMachineHarness, type MachineHarness } from '../../../testing/fixtures/machines.ts';
import { ALL_EVENTS } from '../../../testing/harness/main-chain.ts';
import { changeResults, failure, stateless, type Behavior } from '../../../testing/harness/provider-proxy/behavior.ts';
import { MAIN_BEHAVIORS } from '../../../testing/harness/provider-proxy/behaviors.ts';
import { CHAIN_BEHAVIORS } from '../../../testing/harness/provider-proxy/chain-behaviors.ts';
import { LOG_BEHAVIORS } from '../../../testing/harness/provider-proxy/log-behaviors.ts';
import { startProviderProxy, type ProviderProxy } from '../../../testing/harness/provider-proxy/provider-proxy.ts';
import { PROXY_KEY } from '../../../testing/harness/rpc-proxy.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { NodeProfiles } from '../../ports/node-profiles.ts';
import { NODE_FEATURES } from '../rpc/node-profile.ts';
import { MULTICALL3_ADDRESS } from './reads/multicall.ts';
import type { MainChainAdapter } from './create-main-chain.ts';

let harness: MachineHarness;
let id: MachineId;
let proxies: ProviderProxy[] = [];

beforeAll(async () => {
  harness = await startMachineHarness();
  id = (await harness.activate()) as MachineId;
  await harness.mine(harness.revenue(id, 500n));
  await harness.mine();
});
afterAll(() => harness.close());
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  proxies = [];
});

const behaviorOf = (name: string): Behavior => LOG_BEHAVIORS.find((each) => each.name === name)!;

const WITHOUT_RECEIPTS = stateless('no receipts', 'a node without receipts by block', {
  answer: (call, next) => (call.method === 'eth_getBlockReceipts' ? failure(-32_601, 'Method not found') : next(call)),
});
const isTagged = ({ params }: { readonly params: readonly unknown[] }) => params[0] === 'finalized';
const WITHOUT_FINALITY = stateless(
  'no finality',
  'a private chain',
  changeResults('eth_getBlockByNumber', (result, call) => (isTagged(call) ? null : result)),
);
const WITHOUT_DEPLOYLESS_CALLS = stateless('to is required', 'a gateway', {
  answer: (call, next) =>
    call.method === 'eth_call' && !('to' in (call.params[0] as object))
      ? failure(-32_602, 'missing field to')
      : next(call),
});

const REFUSALS_AS_413 = stateless('HTTP 413', 'a gateway', {
  encode: (answer, { isBatch, calls }) =>
    !isBatch && calls[0]!.method === 'eth_getLogs' && answer.body.includes('"error"')
      ? { ...answer, status: 413 }
      : answer,
});

async function start(...behaviors: readonly Behavior[]): Promise<ProviderProxy> {
  const proxy = await startProviderProxy(harness.chain.rpcUrl, behaviors);
  proxies.push(proxy);
  return proxy;
}

const open = (nodes: readonly ProviderProxy[], profiles?: NodeProfiles) =>
  harness.open({ rpcUrls: nodes.map(({ url }) => url) }, profiles);

const countOf = ({ calls }: ProviderProxy, method: string) => calls.get(method) ?? 0;
const readAllLogs = async ({ log }: MainChainAdapter) =>
  log.readLogs({ fromBlock: 0, toBlock: (await harness.readHead()).number });
const storedFor = ({ url }: ProviderProxy, text: string): NodeProfiles =>
  new Map([[createHash('sha256').update(url).digest('hex'), text]]);

test('what the node lacks is named once calls have shown it, and no more when batches are served again', async () => {
  const noBatches = MAIN_BEHAVIORS.find(({ name }) => name === 'batches-off-jsonrpsee')!;
  const complete = open([await start()]);
  await complete.checkDeployment();
  await complete.log.readHeaders([1, 2, 3]);
  expect(complete.log.listLacks!()).toEqual([]);

  const { url } = await start(noBatches);
  const adapter = harness.open({ rpcUrls: [url], addresses: { multicall3: MULTICALL3_ADDRESS } });
  expect(adapter.log.listLacks!()).toEqual([]);
  await adapter.checkDeployment();
  await adapter.log.readHeaders([1, 2, 3]);
  expect(adapter.log.listLacks!()).toEqual(['batches', 'multicall']);

  const stored = JSON.stringify({ limits: { eth_getBlockByNumber: { passed: 1, refused: 2 } } });
  const upgraded = await start();
  const later = open([upgraded], storedFor(upgraded, stored));
  for (let i = 0; i < 20; i++) await later.log.readHeaders([1, 2, 3]);
  expect(later.log.listLacks!()).toEqual([]);
});

describe('a node that accepts one address', () => {
  test('returns the logs of all contracts in order, by one query for each', async () => {
    const expected = await readAllLogs(open([await start()]));
    const node = await start(behaviorOf('logs-one-address'));
    const adapter = open([node]);
    expect(expected.length).toBeGreaterThan(6);
    expect(await readAllLogs(adapter)).toEqual(expected);
    expect((await adapter.log.readHeadAndLogs(0, false)).logs).toEqual(expected);
  });

  test('is not asked for more than one again, also by the next process', async () => {
    const node = await start(behaviorOf('logs-one-address'));
    const first = open([node]);
    await readAllLogs(first);
    const before = countOf(node, 'eth_getLogs');
    await readAllLogs(open([node], first.listProfiles()));
    expect(countOf(node, 'eth_getLogs') - before).toBe(first.log.addresses.length);
  });

  test('is recognized where its gateway loses a wide range', async () => {
    const node = await start(behaviorOf('logs-timeout-504'), behaviorOf('logs-one-address'));
    const { log } = open([node]);
    await expect(log.readLogs({ fromBlock: 0, toBlock: 50 })).rejects.toMatchObject({ reason: 'range-too-large' });
    await log.readLogs({ fromBlock: 0, toBlock: 0 });
    expect(await log.readLogs({ fromBlock: 0, toBlock: 30 })).toBeInstanceOf(Array);
  });

  test('is reported to have pruned its history where one address is refused for that', async () => {
    const pruned = CHAIN_BEHAVIORS.find(({ name }) => name === 'pruned-history-4444')!;
    const node = await start(behaviorOf('logs-one-address'), pruned);
    const adapter = open([node]);
    const read = adapter.log.readLogs({ fromBlock: 0, toBlock: 0 });
    await expect(read).rejects.toMatchObject({ reason: 'history-pruned' });
    expect(JSON.stringify([...adapter.listProfiles()])).not.toContain('address-lists');
  });

  test('is recognized by a query of one block where every refusal looks like that of a range', async () => {
    const node = await start(REFUSALS_AS_413, behaviorOf('logs-one-address'), behaviorOf('logs-5-quicknode'));
    const { log } = open([node]);
    await expect(log.readLogs({ fromBlock: 0, toBlock: 4 })).rejects.toMatchObject({ reason: 'range-too-large' });
    const { number } = await harness.readHead();
    await log.readLogs({ fromBlock: number, toBlock: number });
    expect(await log.readLogs({ fromBlock: 0, toBlock: 4 })).toBeInstanceOf(Array);
    await expect(log.readLogs({ fromBlock: 0, toBlock: 5 })).rejects.toMatchObject({ reason: 'range-too-large' });
  });
});

test('a node that requires an address is not asked again for the logs of any', async () => {
  const node = await start(behaviorOf('logs-address-required'));
  const adapter = open([node]);
  expect((await adapter.log.readHeadAndLogs(0, true)).headLogs).toBeUndefined();
  const before = countOf(node, 'eth_getLogs');
  await adapter.log.readHeadAndLogs(0, true);
  expect(countOf(node, 'eth_getLogs') - before).toBe(1);
});

describe('a node that lacks', () => {
  test('receipts is asked for them after the others, also by the next process', async () => {
    const [without, other] = [await start(WITHOUT_RECEIPTS), await start()];
    const first = open([without, other]);
    const head = await first.log.readHeader('latest');
    expect(await first.log.readProvenLogs([head], () => undefined)).toBe(true);
    expect(first.log.servesReceipts).toBe(true);
    const next = open([without, other], first.listProfiles());
    expect(await next.log.readProvenLogs([head], () => undefined)).toBe(true);
    expect(countOf(without, 'eth_getBlockReceipts')).toBe(1);
  });

  test('the finalized tag is asked for it after the others', async () => {
    const [without, other] = [await start(WITHOUT_FINALITY), await start()];
    const { log } = open([without, other]);
    await expect(log.readHeader('finalized')).rejects.toThrow();
    expect(await log.readHeader('finalized')).toHaveProperty('hash');
    expect((await log.readHeader('latest')).number).toBe((await harness.readHead()).number);
    expect(countOf(other, 'eth_getBlockByNumber')).toBe(1);
  });

  test('calls without a contract is asked for owners through Multicall3, also by the next process', async () => {
    const node = await start(WITHOUT_DEPLOYLESS_CALLS);
    const ids = [id, ...Array.from({ length: 250 }, (_, i) => BigInt(i + 1) as MachineId)];
    const first = open([node]);
    const head = await first.log.readHeader('latest');
    const owners = await first.log.readOwnership(head, ids);
    expect(owners[0]).toMatchObject({ kind: 'held', id });
    const before = countOf(node, 'eth_call');
    await first.log.readOwnership(head, ids);
    const again = countOf(node, 'eth_call');
    const next = open([node], first.listProfiles());
    await next.log.readHeader('latest');
    expect(await next.log.readOwnership(head, ids)).toEqual(owners);
    expect(countOf(node, 'eth_call') - again).toBe(again - before);
  });
});

test('a profile names no URL and no key', async () => {
  const node = await start(behaviorOf('logs-one-address'));
  const adapter = open([node]);
  await readAllLogs(adapter);
  const stored = JSON.stringify([...adapter.listProfiles()]);
  expect(stored).toContain('address-lists');
  expect(stored).not.toContain(PROXY_KEY);
  expect(stored).not.toContain('127.0.0.1');
});

describe('a poisoned profile', () => {
  const NOW = Math.floor(Date.now() / 1000) - 1;
  const LACKS_ALL = Object.fromEntries(NODE_FEATURES.map((feature) => [feature, NOW]));
  const [TINY, HUGE] = [
    { passed: 1, refused: 2, logs: 0 },
    { passed: 1e15, logs: 1e15 },
  ];
  const NAMES = [
    'mixed',
    'eth_call',
    'eth_call of many',
    'eth_getLogs',
    'eth_getBlockByNumber',
    'eth_getBlockReceipts',
  ];
  const limits = (bounds: object) => Object.fromEntries(NAMES.map((name) => [name, bounds]));

  /** Returns one result of every read of the adapter. */
  async function readEverything(adapter: MainChainAdapter): Promise<object> {
    const { log, chain } = adapter;
    const head = await log.readHeader('latest');
    const ids = [id, ...Array.from({ length: 250 }, (_, i) => BigInt(i + 1) as MachineId)];
    const proven: unknown[] = [];
    return {
      head,
      finalized: await log.readHeader('finalized'),
      headers: await log.readHeaders([1, 2, 3]),
      logs: await readAllLogs(adapter),
      ofHead: await log.readHeadAndLogs(0, true),
      isProven: await log.readProvenLogs([head], (logs) => proven.push(logs)),
      proven,
      blocks: await log.readBlockLogs([head]),
      owners: await log.readOwnership(head, ids),
      total: await log.readEventTotal(head),
      counts: await log.readEventCounts(head, [id]),
      machine: await chain.readMachine(id, ALL_EVENTS),
      deployment: await chain.readDeployment(),
      problems: await adapter.checkDeployment(),
      servesReceipts: log.servesReceipts,
    };
  }

  test.each([
    ['claims that everything works', { limits: limits(HUGE), logs: HUGE, callsPerSecond: 1e6 }],
    ['claims that nothing works', { limits: limits(TINY), logs: TINY, lacks: LACKS_ALL, callsPerSecond: 40 }],
    [
      'contradicts itself',
      { limits: limits({ passed: 9, refused: 3 }), logs: { passed: -1, refused: 0.5, logs: '9' } },
    ],
    ['has unknown members', { answers: { ownerOf: '0x00' }, trusted: true, lacks: { everything: NOW } }],
  ])('that %s changes no result', async (_, profile) => {
    const node = await start();
    const expected = await readEverything(open([node]));
    const { headLogs: __, ...ofHead } = (expected as { ofHead: { headLogs: unknown } }).ofHead;
    const found = await readEverything(open([node], storedFor(node, JSON.stringify(profile))));
    // The logs of the head are a shortcut, which the reader replaces by a query.
    expect(found).toMatchObject({ ...expected, ofHead });
  });
});
