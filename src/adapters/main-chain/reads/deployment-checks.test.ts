/** Deployment checks and readiness against a real node. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ALL_CONTRACTS_READY } from '../../../../testing/fixtures/all-contracts-ready.ts';
import { startMachineHarness, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { respondInner, respondWith, startRpcProxy, PROXY_KEY } from '../../../../testing/harness/rpc-proxy.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import { formatDeploymentProblem, isContradiction } from '../../rpc/deployment-problem.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';
import { PEERS, roleKey } from './deployment.ts';
import { rule } from '../../../../test/conformance/rule.ts';

let harness: MachineHarness;

beforeAll(async () => {
  harness = await startMachineHarness();
});
afterAll(() => harness.close());
beforeEach(() => {
  harness.proxy.heal();
  harness.time.milliseconds = Date.now();
});

const STRANGER = `0x${'7'.repeat(40)}` as Address;
const NOT_READY = Object.fromEntries(Object.keys(ALL_CONTRACTS_READY).map((name) => [name, false]));

const listProblems = async (adapter: MainChainAdapter) =>
  (await adapter.checkDeployment()).map(formatDeploymentProblem);

test('roleKey returns the keys of the specification', () => {
  expect(Object.values(PEERS).map((role) => role && roleKey(role))).toEqual([
    '0xaf5b42773c8b150a59d4bb67458cb17f9672307c5295de4278fd5649054926a4',
    '0x817dd2c6eb213c578d0c420b1dc61394099cbd5f2dfd7543e4ec2c38972b426a',
    '0x32e459f82469a36e51987804a9d51db869e28dcc5ab0ec708b4fb9ad54ba2c1d',
    '0x64bdb9ff260409297fec4bc6ce7fcc534d273570c8e892c8042f5ff350904284',
    undefined,
  ]);
});

test('reports no problem for a sound deployment, which is ready and has its facts', async () => {
  const adapter = harness.open();
  expect(await listProblems(adapter)).toEqual([]);
  expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
  expect(await adapter.chain.readDeployment()).toEqual({
    localOrdinal: 1,
    graceSeconds: 2_592_000n,
    runoffSeconds: 2_592_000n,
    relocationEnabled: true,
    generalPausedGlobal: false,
    technicalPausedGlobal: false,
    tierCount: 3,
    maxQueryLimit: 100,
  });
});

describe('a problem names its variable, and readiness agrees', () => {
  test('for an address without code', async () => {
    const adapter = harness.open({ addresses: { adminFlags: STRANGER, machineRegistry: STRANGER } });
    expect(await listProblems(adapter)).toEqual([
      'MACHINE_REGISTRY_ADDRESS: no code at this address',
      'ADMIN_FLAGS_ADDRESS: no code at this address',
    ]);
    expect(await adapter.chain.readReadiness()).toEqual({
      ...ALL_CONTRACTS_READY,
      machineRegistry: false,
      adminFlags: false,
    });
  });

  test('for swapped contract addresses', async () => {
    const { machineSubscription, crossChainMirror, infoDesk } = harness.addresses;
    const swapped = harness.open({
      addresses: { machineSubscription: crossChainMirror, crossChainMirror: machineSubscription },
    });
    expect(await listProblems(swapped)).toEqual([
      'MACHINE_SUBSCRIPTION_ADDRESS: differs from the address book of InfoDesk',
      'CROSS_CHAIN_MIRROR_ADDRESS: differs from the address book of InfoDesk',
      'INFO_DESK_ADDRESS: some facts of the deployment cannot be read',
    ]);
    const alone = harness.open({ addresses: { eventRegistry: infoDesk } });
    expect(await listProblems(alone)).toEqual([
      'EVENT_REGISTRY_ADDRESS: does not respond to infoDesk()',
      'INFO_DESK_ADDRESS: some facts of the deployment cannot be read',
    ]);
    expect(await alone.chain.readReadiness()).toEqual({ ...ALL_CONTRACTS_READY, eventRegistry: false });
  });

  test('for an InfoDesk that the contracts do not name', async () => {
    const foreign = respondInner('0xc06b6568', {
      success: true,
      returnData: `0x${STRANGER.slice(2).padStart(64, '0')}`,
    });
    harness.proxy.inject(foreign);
    const names = [
      'MACHINE_REGISTRY',
      'MACHINE_STATE_AND_SYNC',
      'MACHINE_SUBSCRIPTION',
      'CROSS_CHAIN_MIRROR',
      'EVENT_REGISTRY',
    ];
    const adapter = harness.open();
    expect(await listProblems(adapter)).toEqual(names.map((name) => `${name}_ADDRESS: names another InfoDesk`));
    expect(await adapter.chain.readReadiness()).toEqual({ ...NOT_READY, rpcConnected: true, adminFlags: true });
  });

  test('for a cleared role, a removed event registry and a lost economic authority', async () => {
    const { machineRegistry, eventRegistry } = harness.addresses;
    const key = roleKey('MACHINE_REGISTRY');
    await harness.administer('infoDesk', 'unsetPeer', key);
    await harness.administer('infoDesk', 'removeMachineDataContract', eventRegistry);
    await harness.administer('machineSubscription', 'devSetEconomicAuthority', false);
    const adapter = harness.open();
    expect(await listProblems(adapter)).toEqual([
      'MACHINE_REGISTRY_ADDRESS: has no role in the address book of InfoDesk',
      'MACHINE_SUBSCRIPTION_ADDRESS: is not the economic authority',
      'EVENT_REGISTRY_ADDRESS: is not registered as a machine data contract in InfoDesk',
    ]);
    expect(await adapter.chain.readReadiness()).toEqual({
      ...ALL_CONTRACTS_READY,
      machineRegistry: false,
      machineSubscription: false,
      eventRegistry: false,
    });
    await harness.administer('infoDesk', 'setPeer', key, machineRegistry);
    await harness.administer('infoDesk', 'registerMachineDataContract', eventRegistry);
    await harness.administer('machineSubscription', 'devSetEconomicAuthority', true);
    harness.time.milliseconds += 6_000;
    expect(await adapter.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
  });
});

describe('a node', () => {
  test('is named by its position when it serves another chain or does not respond', async () => {
    rule('security.wrong-chain');
    const wrong = harness.open({ chainId: 1 });
    expect(await listProblems(wrong)).toEqual([
      'MAIN_CHAIN_ID: the node serves another chain than the configured one (endpoint 1 serves chain 31337)',
      'MAIN_RPC_URLS: the chain cannot be read (wrong-chain)',
    ]);
    expect((await wrong.checkDeployment()).map(isContradiction)).toEqual([true, false]);
    expect(await wrong.chain.readReadiness()).toEqual(NOT_READY);
    await expect(wrong.chain.readDeployment()).rejects.toMatchObject({ context: { cause: 'wrong-chain' } });
    const half = harness.open({ rpcUrls: [`http://127.0.0.1:1/${PROXY_KEY}`, harness.proxy.url] });
    expect(await listProblems(half)).toEqual(['MAIN_RPC_URLS: endpoint 1 does not respond']);
    expect(await half.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
  });

  test.each([0, 1, 2])('contradicts nothing when two others agree, whatever node %i returns', async (liar) => {
    const nodes = await Promise.all([0, 1, 2].map(() => startRpcProxy(harness.chain.rpcUrl)));
    onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => undefined));
    const config = { rpcUrls: nodes.map(({ url }) => url), rpcHosts: ['a', 'b', 'c'], quorum: 2 };
    const answer = (method: string, result: string) =>
      nodes[liar]!.inject(
        { kind: 'answer', change: (sound, call) => (call.method === method ? { result } : sound) },
        99,
      );
    answer('eth_getCode', '0x');
    const coded = harness.open(config);
    expect(await listProblems(coded)).toEqual([]);
    expect(await coded.chain.readReadiness()).toEqual(ALL_CONTRACTS_READY);
    answer('eth_chainId', '0x1');
    const problems = await harness.open(config).checkDeployment();
    expect(problems.map(formatDeploymentProblem)).toEqual([`MAIN_RPC_URLS: endpoint ${liar + 1} serves chain 1`]);
    expect(problems.some(isContradiction)).toBe(false);
  });

  test('contradicts the chain id when too few others serve it', async () => {
    const [wrong, sound] = await Promise.all([0, 1].map(() => startRpcProxy(harness.chain.rpcUrl)));
    onTestFinished(() => Promise.all([wrong!.close(), sound!.close()]).then(() => undefined));
    wrong!.inject(
      { kind: 'answer', change: (answer, { method }) => (method === 'eth_chainId' ? { result: '0x1' } : answer) },
      99,
    );
    const config = { rpcUrls: [wrong!.url, sound!.url], rpcHosts: ['a', 'b'], quorum: 2 };
    expect((await harness.open(config).checkDeployment()).filter(isContradiction).map(formatDeploymentProblem)).toEqual(
      ['MAIN_CHAIN_ID: the node serves another chain than the configured one (endpoint 1 serves chain 1)'],
    );
  });

  test('is not connected when its block is more than five minutes ahead of the clock, and is when it is behind', async () => {
    const { timestamp } = await harness.readHead();
    for (const [ahead, rpcConnected] of [
      [300, true],
      [301, false],
      [-86_400, true],
    ] as const) {
      harness.time.milliseconds = (timestamp - ahead) * 1_000;
      expect(await harness.open().chain.readReadiness()).toEqual({ ...ALL_CONTRACTS_READY, rpcConnected });
    }
  });

  test('that refuses eth_getCode says nothing about the contracts', async () => {
    harness.proxy.inject(respondWith('eth_getCode', { error: { code: -32601, message: PROXY_KEY } }));
    expect(await listProblems(harness.open())).toEqual(['MAIN_RPC_URLS: the chain cannot be read (rpc-error)']);
  });

  test.each([
    [429, 'rate-limited'],
    [402, 'calls-used-up'],
  ])('beyond its limit is reported with that cause: HTTP %i', async (status, cause) => {
    harness.proxy.inject({ kind: 'status', status });
    expect(await harness.open().checkDeployment()).toEqual([
      { kind: 'unreachable', variable: 'MAIN_RPC_URLS', endpoint: 1, cause },
      { kind: 'unreadable', variable: 'MAIN_RPC_URLS', cause },
    ]);
  });

  test('that hangs makes nothing ready, within the deadline', async () => {
    harness.proxy.inject({ kind: 'hang' });
    const adapter = harness.open({ limits: { requestTimeoutMilliseconds: 50, readTimeoutMilliseconds: 100 } });
    expect(await adapter.chain.readReadiness()).toEqual(NOT_READY);
  });

  test('that does not respond leaves unconfigured flags ready', async () => {
    const adapter = harness.open({
      rpcUrls: [`http://127.0.0.1:1/${PROXY_KEY}`],
      addresses: { adminFlags: undefined },
    });
    expect(await adapter.chain.readReadiness()).toEqual({ ...NOT_READY, adminFlags: true });
  });
});
