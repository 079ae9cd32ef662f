/** Tests that each deployment problem names its variable. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respondWith, PROXY_KEY } from '../../../../testing/harness/rpc-proxy.ts';
import { createAltChainHarness, type AltChainHarness } from '../../../../testing/fixtures/alt-chain-harness.ts';
import { singletonAccount, startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import { formatDeploymentProblem, isContradiction } from '../../rpc/deployment-problem.ts';
import { programOf, toId, type VectorAccount } from '../../../../testing/fixtures/alt-chain-vectors.ts';

let node: CannedNode;
let harness: AltChainHarness;
beforeEach(async () => {
  node = await startCannedNode();
  harness = createAltChainHarness([node.proxy.url], node.genesisHash);
});
afterEach(async () => {
  await harness.close();
  await node.close();
});

function changeProgram(role: string, change: object): void {
  const address = programOf(role);
  node.accounts.set(address, { ...node.accounts.get(address)!, ...change });
}

describe('a problem', () => {
  it.each<[role: string, change: Partial<VectorAccount> | undefined, problem: string]>([
    ['machine_registry', undefined, 'ALT_MACHINE_REGISTRY_PROGRAM: no account at this address'],
    ['state_and_sync', { executable: false }, 'ALT_STATE_AND_SYNC_PROGRAM: no program at this address'],
    [
      'subscription_terminal',
      { owner: programOf('stranger') },
      'ALT_SUBSCRIPTION_PROGRAM: a program that another loader owns',
    ],
    ['event_registry', { owner: 'x' }, 'ALT_EVENT_REGISTRY_PROGRAM: its account cannot be read'],
    ['info_desk', undefined, 'ALT_INFO_DESK_PROGRAM: no account at this address'],
    ['address_binding', undefined, 'ALT_BINDING_PROGRAM: no account at this address'],
  ])('names the variable of the program account: %s', async (role, change, problem) => {
    if (change === undefined) node.accounts.delete(programOf(role));
    else changeProgram(role, change);
    const problems = await harness.open().checkDeployment();
    expect(problems.map(formatDeploymentProblem)).toStrictEqual([problem]);
    expect(problems.every(isContradiction)).toBe(change?.owner !== 'x');
  });

  it.each<[name: string, account: string, bytes: (data: Buffer) => Buffer, problem: string]>([
    [
      'registry',
      'registry',
      (data) => data.subarray(1),
      'ALT_MACHINE_REGISTRY_PROGRAM: its singleton cannot be decoded',
    ],
    ['config', 'config', (data) => data.subarray(1), 'ALT_STATE_AND_SYNC_PROGRAM: its singleton cannot be decoded'],
    [
      'config of another chain',
      'config',
      (data) => data.fill(6, 104, 105),
      'ALT_ORDINAL: state and sync is that of chain 6',
    ],
    [
      'config of another registry',
      'config',
      (data) => data.fill(1, 72, 104),
      'ALT_STATE_AND_SYNC_PROGRAM: serves another machine registry',
    ],
  ])('names the variable of the singleton: %s', async (_name, name, bytes, problem) => {
    const account = singletonAccount(name);
    const data = bytes(Buffer.from(account.data, 'base64')).toString('base64');
    node.accounts.set(account.address, { ...account, data });
    const problems = await harness.open().checkDeployment();
    expect(problems.map(formatDeploymentProblem)).toStrictEqual([problem]);
    expect(problems.every(isContradiction)).toBe(true);
  });

  it('of a singleton in a malformed response is no contradiction', async () => {
    const account = singletonAccount('config');
    node.accounts.set(account.address, { ...account, owner: 'x' });
    const problems = await harness.open().checkDeployment();
    expect(problems.map(formatDeploymentProblem)).toStrictEqual([
      'ALT_STATE_AND_SYNC_PROGRAM: its account cannot be read',
    ]);
    expect(problems.some(isContradiction)).toBe(false);
  });
});

describe('a contradiction', () => {
  it('of a machine program makes machines unreadable, not bindings', async () => {
    const adapter = harness.open();
    node.accounts.delete(programOf('info_desk'));
    await adapter.checkDeployment();
    await expect(adapter.machines!.chain.readMachine(toId('1'))).rejects.toMatchObject({
      context: { cause: 'wrong-deployment' },
    });
    expect(await adapter.bindings!.readBinding(programOf('router'))).toStrictEqual({ kind: 'not-bound' });
    expect(adapter.bindings!.isContradicted!()).toBe(false);
  });

  it('of the binding program makes bindings unreadable, not machines', async () => {
    const adapter = harness.open();
    node.accounts.delete(programOf('address_binding'));
    await adapter.checkDeployment();
    await expect(adapter.bindings!.readBinding(programOf('router'))).rejects.toMatchObject({
      context: { cause: 'wrong-deployment' },
    });
    expect(adapter.bindings!.isContradicted!()).toBe(true);
    await expect(adapter.machines!.chain.readMachine(toId('1'))).resolves.toMatchObject({ snapshot: { id: 1n } });
    expect(adapter.machines!.isContradicted()).toBe(false);
  });
});

describe('an account that cannot be read', () => {
  const registry = singletonAccount('registry');
  const cutRegistry = {
    ...registry,
    data: Buffer.from(registry.data, 'base64').subarray(1).toString('base64'),
  };

  it('of a program stops no reads', async () => {
    const adapter = harness.open();
    for (const role of ['event_registry', 'address_binding']) changeProgram(role, { owner: 'x' });
    expect(await adapter.checkDeployment()).toHaveLength(2);
    await expect(adapter.machines!.chain.readMachine(toId('1'))).resolves.toMatchObject({ snapshot: { id: 1n } });
    expect(await adapter.bindings!.readBinding(programOf('router'))).toStrictEqual({ kind: 'not-bound' });
    expect(adapter.machines!.isContradicted()).toBe(false);
  });

  it('of a singleton stops reads only while it cannot be decoded', async () => {
    const adapter = harness.open();
    node.accounts.set(registry.address, cutRegistry);
    await adapter.checkDeployment();
    await expect(adapter.machines!.chain.readMachine(toId('1'))).rejects.toMatchObject({
      context: { cause: 'undecodable' },
    });
    node.accounts.set(registry.address, registry);
    await expect(adapter.machines!.chain.readMachine(toId('1'))).resolves.toMatchObject({ snapshot: { id: 1n } });
  });

  it('hides no contradiction of another account', async () => {
    const adapter = harness.open();
    node.accounts.set(registry.address, cutRegistry);
    node.accounts.delete(programOf('info_desk'));
    await adapter.checkDeployment();
    await expect(adapter.machines!.history.readSlot()).rejects.toMatchObject({
      context: { cause: 'wrong-deployment' },
    });
    expect(adapter.machines!.isContradicted()).toBe(true);
  });

  it('does not end a contradiction that an earlier check found', async () => {
    const adapter = harness.open();
    const program = node.accounts.get(programOf('info_desk'))!;
    node.accounts.delete(program.address);
    await adapter.checkDeployment();
    node.accounts.set(program.address, { ...program, owner: 'x' });
    await adapter.checkDeployment();
    expect(adapter.machines!.isContradicted()).toBe(true);
    node.accounts.set(program.address, program);
    expect(await adapter.checkDeployment()).toStrictEqual([]);
    expect(adapter.machines!.isContradicted()).toBe(false);
  });
});

describe('unreachable nodes', () => {
  it('are reported by position and are no contradiction', async () => {
    const adapter = harness.open({ rpcUrls: [`http://127.0.0.1:1/${PROXY_KEY}`, node.proxy.url] });
    const problems = await adapter.checkDeployment();
    expect(problems.map(formatDeploymentProblem)).toStrictEqual(['ALT_RPC_URLS: endpoint 1 does not respond']);
    expect(problems.some(isContradiction)).toBe(false);
    await expect(adapter.machines!.chain.readMachine(toId('1'))).resolves.toMatchObject({ snapshot: { id: 1n } });
  });

  it('leave the last verdict unchanged', async () => {
    const adapter = harness.open();
    node.accounts.delete(programOf('info_desk'));
    await adapter.checkDeployment();
    node.proxy.inject(respondWith('getMultipleAccounts', { error: { code: -32601, message: PROXY_KEY } }));
    expect((await adapter.checkDeployment()).map(formatDeploymentProblem)).toStrictEqual([
      'ALT_RPC_URLS: the chain cannot be read (rpc-error)',
    ]);
    await expect(adapter.machines!.chain.readMachine(toId('1'))).rejects.toMatchObject({
      context: { cause: 'wrong-deployment' },
    });
  });
});

describe('a node that refuses every call', () => {
  it.each([
    [429, 'rate-limited'],
    [402, 'calls-used-up'],
  ])('beyond its limit is reported with that cause: HTTP %i', async (status, cause) => {
    node.proxy.inject({ kind: 'status', status });
    expect(await harness.open().checkDeployment()).toEqual([
      { kind: 'unreachable', variable: 'ALT_RPC_URLS', endpoint: 1, cause },
      { kind: 'unreadable', variable: 'ALT_RPC_URLS', cause },
    ]);
  });
});
