/** What becomes of a read when nodes fail, lag, ask to wait, or are of another cluster? Never an absence, never a key in a log. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatDeploymentProblem } from '../../rpc/deployment-problem.ts';
import {
  answerWith,
  PROXY_KEY,
  rateLimit,
  truncateBody,
  type RpcFault,
} from '../../../../testing/harness/rpc-proxy.ts';
import { createAltScene, type AltScene } from '../../../../testing/fixtures/alt-chain-adapter.ts';
import { CANNED_SLOT, startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import type { AltChainAdapter } from '../create-alt-chain.ts';
import { programOf, toId, vectorMachines } from '../../../../testing/fixtures/alt-chain-vectors.ts';

const FULL_ID = toId(vectorMachines[0]!.machineId);
const WALLET = programOf('router');
const NOBODY = toId('77');

let first: CannedNode;
let second: CannedNode;
let scene: AltScene;
beforeEach(async () => {
  first = await startCannedNode();
  second = await startCannedNode();
  scene = createAltScene([first.proxy.url], first.genesisHash);
});
afterEach(async () => {
  await scene.close();
  await first.close();
  await second.close();
});

function openBoth(limits = {}): AltChainAdapter {
  return scene.open({ rpcUrls: [first.proxy.url, second.proxy.url], limits });
}

const read = (adapter: AltChainAdapter, id = FULL_ID) => adapter.machines!.chain.readMachineNow(id);
const unreadable = (cause: string) => ({ kind: 'ChainUnreadable', context: { chain: 'alt', cause } });
const changeResult = (change: (result: Record<string, unknown>) => unknown): RpcFault => ({
  kind: 'answer',
  change: (answer, { method }) =>
    method === 'getMultipleAccounts' && 'result' in answer
      ? { result: change(answer.result as Record<string, unknown>) }
      : answer,
});
const error = (code: number): RpcFault => answerWith('getMultipleAccounts', { error: { code, message: PROXY_KEY } });
const body = (change: (text: string) => string): RpcFault => ({ kind: 'body', change });

describe('a failure', () => {
  it.each<[name: string, fault: RpcFault, cause: string]>([
    ['a reset', { kind: 'cut' }, 'transport'],
    ['403', { kind: 'status', status: 403 }, 'transport'],
    ['429', rateLimit(), 'transport'],
    ['500', { kind: 'status', status: 500 }, 'transport'],
    ['half an answer', truncateBody(), 'malformed'],
    ['no JSON', body(() => '<html>'), 'malformed'],
    ['another id', body((text) => text.replace(/"id":\d+/, '"id":0')), 'malformed'],
    ['a disabled method', error(-32601), 'rpc-error'],
    ['a node that is behind', error(-32005), 'rpc-error'],
    ['a slot that is not reached', error(-32016), 'rpc-error'],
    ['null', answerWith('getMultipleAccounts', { result: null }), 'malformed'],
    ['null for the accounts', changeResult((result) => ({ ...result, value: null })), 'malformed'],
    ['an account less', changeResult((r) => ({ ...r, value: (r['value'] as unknown[]).slice(1) })), 'malformed'],
    ['an account more', changeResult((r) => ({ ...r, value: [...(r['value'] as unknown[]), null] })), 'malformed'],
    ['no slot', changeResult((result) => ({ ...result, context: {} })), 'malformed'],
    ['a slot of 2^64', changeResult((result) => ({ ...result, context: { slot: 2 ** 64 } })), 'malformed'],
    ['an older slot', changeResult((result) => ({ ...result, context: { slot: CANNED_SLOT - 1 } })), 'block-mismatch'],
    ['no singletons', changeResult((r) => ({ ...r, value: (r['value'] as []).fill(null as never) })), 'wrong-chain'],
  ])(
    'by %s is unreadable, for a machine that is there and for one that is not, and passes',
    async (_n, fault, cause) => {
      const adapter = scene.open();
      await read(adapter);
      first.proxy.inject(fault);
      await expect(read(adapter)).rejects.toMatchObject(unreadable(cause));
      await expect(read(adapter, NOBODY)).rejects.toMatchObject(unreadable(cause));
      first.proxy.heal();
      await expect(read(adapter)).resolves.toMatchObject({ snapshot: { machine: { state: 'present' } } });
      expect(JSON.stringify(scene.lines)).not.toContain(PROXY_KEY);
    },
  );

  it('by silence is unreadable in time', async () => {
    const adapter = scene.open({ limits: { requestTimeoutMilliseconds: 50, readTimeoutMilliseconds: 100 } });
    first.proxy.inject({ kind: 'hang' });
    await expect(read(adapter)).rejects.toMatchObject(unreadable('deadline'));
  });

  it('of the first node is answered by the second', async () => {
    const adapter = openBoth();
    first.proxy.inject({ kind: 'status', status: 500 });
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    expect(scene.lines).toStrictEqual([
      {
        level: 'warn',
        fields: { chain: 'alt', endpoint: 0, cause: 'transport', failures: 1 },
        message: 'rpc endpoint failed',
      },
    ]);
    expect(adapter.counters.failures).toStrictEqual({ transport: 1 });
    expect(adapter.counters.waits).toBe(0);
  });

  it('of a node leaves it alone for a while, then it answers again', async () => {
    const adapter = openBoth({ firstPauseMilliseconds: 250, maxPauseMilliseconds: 400 });
    first.proxy.inject({ kind: 'status', status: 403 }, 3);
    await read(adapter);
    scene.time.milliseconds += 249;
    await read(adapter);
    expect(first.proxy.requests).toBe(1);
    for (const pause of [1, 400, 400]) {
      scene.time.milliseconds += pause;
      await read(adapter);
    }
    expect(first.proxy.requests).toBe(5); // three refusals, then its genesis hash and the read
    expect(scene.lines.at(-1)!.message).toBe('rpc endpoint recovered');
  });

  it('of every node fails at once while all of them are left alone', async () => {
    const adapter = scene.open({ limits: { firstPauseMilliseconds: 250, maxPauseMilliseconds: 250 } });
    first.proxy.inject({ kind: 'cut' }, 2);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    const { requests } = first.proxy;
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    expect(first.proxy.requests).toBe(requests);
  });

  it('that may pass is asked again a few times', async () => {
    const adapter = scene.open();
    await read(adapter);
    first.proxy.inject(error(-32016), 3);
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    expect(adapter.counters.waits).toBe(3);
    first.proxy.inject(error(-32016), 4);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
    expect(adapter.counters.waits).toBe(6);
  });

  it('with a wait that is longer than the read is told at once, and the node is left alone so long, at most 30 s', async () => {
    const adapter = openBoth({ readTimeoutMilliseconds: 9_000 });
    await read(adapter);
    first.proxy.inject(rateLimit(3_600), 1);
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    second.proxy.inject(rateLimit(10), 1);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    const { requests } = first.proxy;
    scene.time.milliseconds += 29_999;
    await read(adapter);
    expect(first.proxy.requests).toBe(requests);
    scene.time.milliseconds += 1;
    await read(adapter);
    expect(first.proxy.requests).toBe(requests + 1);
  });
});

describe('the newest slot', () => {
  it('is asked for, and a node that is behind is passed over', async () => {
    const adapter = openBoth();
    await read(adapter);
    first.slot = CANNED_SLOT - 3;
    const { snapshot } = await read(adapter);
    expect(snapshot.slot).toBe(CANNED_SLOT);
    expect(second.proxy.calls.at(-1)!.params[1]).toMatchObject({ minContextSlot: CANNED_SLOT });
  });

  it('is no fault of a node that has not reached it: it is asked first again', async () => {
    const adapter = openBoth({ firstPauseMilliseconds: 250, maxPauseMilliseconds: 250 });
    await read(adapter);
    first.slot = CANNED_SLOT - 3;
    await read(adapter);
    first.slot = CANNED_SLOT;
    const { requests } = second.proxy;
    await read(adapter);
    expect(second.proxy.requests).toBe(requests);
    expect(scene.lines).toStrictEqual([]);
  });

  it('is worth a wait where another node can do nothing at all', async () => {
    const adapter = openBoth();
    await read(adapter);
    second.proxy.inject(error(-32601));
    first.proxy.inject(error(-32016), 2);
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    expect(adapter.counters.waits).toBe(2);
  });

  it('holds for whatever is asked next', async () => {
    const adapter = scene.open();
    await read(adapter);
    first.slot = CANNED_SLOT + 5;
    expect(await adapter.machines!.history.readSlot()).toBe(CANNED_SLOT + 5);
    first.slot = CANNED_SLOT + 4;
    await expect(adapter.bindings!.readBinding(WALLET)).rejects.toMatchObject(unreadable('rpc-error'));
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
  });

  it('is not asked for before one is known', async () => {
    await read(scene.open());
    expect(first.proxy.calls.map(({ method, params }) => [method, params[1]])).toStrictEqual([
      ['getGenesisHash', undefined],
      ['getMultipleAccounts', { commitment: 'finalized', encoding: 'base64' }],
    ]);
  });
});

describe('a node of another cluster', () => {
  it('is never believed; another one answers', async () => {
    first.genesisHash = programOf('stranger');
    const adapter = scene.open({
      genesisHash: second.genesisHash as never,
      rpcUrls: [first.proxy.url, second.proxy.url],
    });
    await read(adapter);
    expect(first.proxy.calls.map(({ method }) => method)).toStrictEqual(['getGenesisHash']);
    expect((await adapter.checkDeployment()).map(formatDeploymentProblem)).toStrictEqual([
      'ALT_GENESIS_HASH: endpoint 1 serves another cluster',
    ]);
  });

  it('that it became later is found by the check', async () => {
    const adapter = scene.open();
    await read(adapter);
    first.genesisHash = programOf('stranger');
    expect(await adapter.checkDeployment()).toHaveLength(2);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('wrong-chain'));
    first.genesisHash = second.genesisHash;
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
  });

  it('is asked for its hash once by all that wait', async () => {
    const adapter = scene.open();
    await Promise.all([read(adapter), adapter.bindings!.readBinding(WALLET), adapter.machines!.history.readSlot()]);
    expect(first.proxy.calls.filter(({ method }) => method === 'getGenesisHash')).toHaveLength(1);
  });
});

it('a closed adapter reads nothing', async () => {
  const adapter = scene.open();
  await read(adapter);
  await adapter.close();
  await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
});
