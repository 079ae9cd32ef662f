/** Tests batching, sharing and absence caching of machine reads. */
import { setImmediate } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respondWith, PROXY_KEY } from '../../../../testing/harness/rpc-proxy.ts';
import { parseAltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { AltMachineRead } from '../../../ports/alt-chain.ts';
import type { ChainWork } from '../../../ports/runtime.ts';
import { createHttpPost, type PostRpc } from '../../rpc/http-post.ts';
import { createAltChainHarness, type AltChainHarness } from '../../../../testing/fixtures/alt-chain-harness.ts';
import {
  CANNED_SLOT,
  singletonAccount,
  startCannedNode,
  type CannedNode,
} from '../../../../testing/fakes/canned-alt-node.ts';
import {
  toId,
  toRpcAccount,
  vectorMachines,
  type VectorAccount,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';

const FULL = vectorMachines[0]!;
const FULL_ID = toId(FULL.machineId);

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

/** Opens an adapter whose node has already reported its genesis hash. */
async function openChain(limits = {}) {
  const adapter = harness.open({ limits });
  await adapter.machines!.chain.readMachineUncached(FULL_ID);
  node.proxy.resetCounts();
  return adapter.machines!;
}

const ids = (count: number, from = 1_000n) => Array.from({ length: count }, (_, k) => (from + BigInt(k)) as MachineId);
const stateOf = ({ snapshot }: AltMachineRead) => snapshot.machine.state;

describe('one tick', () => {
  it.each([
    [1, [6]],
    [20, [82]],
    [24, [98]],
    [25, [98, 6]],
    [100, [98, 98, 98, 98, 18]],
  ])('for %i machines requests %j keys per call', async (count, keys) => {
    const { chain } = await openChain();
    const reads = await Promise.all(ids(count).map((id) => chain.readMachine(id)));
    expect(reads.map(({ snapshot }) => snapshot.id)).toStrictEqual(ids(count));
    const requested = node.proxy.calls.map(({ method, params }) => [method, (params[0] as string[]).length]);
    expect(requested).toStrictEqual(keys.map((length) => ['getMultipleAccounts', length]));
  });

  it('sends one call for 1,000 readers of one machine', async () => {
    const { chain } = await openChain();
    const reads = await Promise.all(Array.from({ length: 1_000 }, () => chain.readMachine(FULL_ID)));
    expect(node.proxy.requests).toBe(1);
    expect(new Set(reads).size).toBe(1);
    expect(stateOf(reads[0]!)).toBe('present');
  });

  it('requests finalized accounts at the newest slot seen', async () => {
    const { chain } = await openChain();
    await chain.readMachine(FULL_ID);
    const [call] = node.proxy.calls;
    expect(call!.params[1]).toStrictEqual({
      ...{ commitment: 'finalized', encoding: 'base64' },
      minContextSlot: CANNED_SLOT,
    });
  });
});

describe('calls in flight', () => {
  it('are limited, and queued reads share the next call', async () => {
    const { chain } = await openChain({ maxMachineCalls: 2 });
    const release = Promise.withResolvers<undefined>();
    node.proxy.inject({ kind: 'hold', until: release.promise }, 2);
    const reads = ids(60).map((id) => chain.readMachine(id));
    await node.proxy.waitForRequests(2);
    reads.push(...ids(8, 5_000n).map((id) => chain.readMachine(id)));
    release.resolve(undefined);
    await Promise.all(reads);
    const keys = node.proxy.calls.map(({ params }) => (params[0] as string[]).length);
    expect(keys).toStrictEqual([98, 98, 82]); // 24, 24, and the 12 and 8 that waited
  });

  it('are shared by readers of the same machine, except by readMachineUncached', async () => {
    const { chain } = await openChain();
    const release = Promise.withResolvers<undefined>();
    node.proxy.inject({ kind: 'hold', until: release.promise }, 1);
    const first = chain.readMachine(FULL_ID);
    await node.proxy.waitForRequests(1);
    const second = chain.readMachine(FULL_ID);
    const later = [chain.readMachineUncached(FULL_ID), chain.readMachineUncached(FULL_ID)];
    release.resolve(undefined);
    expect(await first).toBe(await second);
    expect(await later[0]!).toBe(await later[1]!);
    expect(await later[0]!).not.toBe(await first);
    expect(node.proxy.requests).toBe(2);
  });

  it('are shared until they end, even after an earlier call for the same machine has ended', async () => {
    const { chain } = await openChain();
    const releases = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const reads: Promise<AltMachineRead>[] = [];
    for (const [k, { promise }] of releases.entries()) {
      node.proxy.inject({ kind: 'hold', until: promise }, 1);
      reads.push(chain.readMachineUncached(FULL_ID));
      await node.proxy.waitForRequests(k + 1);
    }
    releases[0]!.resolve(undefined);
    await reads[0];
    const joined = chain.readMachine(FULL_ID);
    releases[1]!.resolve(undefined);
    expect(await joined).toBe(await reads[1]);
    expect(node.proxy.requests).toBe(2);
  });

  it('fail for every reader that shares them and for no later one', async () => {
    const { chain } = await openChain();
    node.proxy.inject(respondWith('getMultipleAccounts', { error: { code: -32601, message: PROXY_KEY } }), 1);
    const outcomes = await Promise.allSettled(ids(3).map((id) => chain.readMachine(id)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        reason: { kind: 'ChainUnreadable', context: { chain: 'alt', cause: 'rpc-error' } },
      });
    }
    expect(stateOf(await chain.readMachine(ids(1)[0]!))).toBe('absent');
  });
});

describe('at a node that limits accounts and calls', () => {
  const SLOT_MILLISECONDS = 400;
  const dispatcher = new Agent();
  const postToNode = createHttpPost(dispatcher);
  afterAll(() => dispatcher.destroy());

  /**
   * Opens an adapter in virtual time that has learned the number of accounts. The slot of a response is that of the time at which its call
   * is sent.
   */
  async function openLimited({ maxAccounts, callsPerSecond }: { maxAccounts: number; callsPerSecond?: number }) {
    let milliseconds = 0;
    let network = 'first';
    const sizes: number[] = [];
    const stopwatch = {
      nowMilliseconds: () => milliseconds,
      startTimeout: () => new AbortController().signal,
      pause: async (duration: number, signal: AbortSignal) => {
        const until = milliseconds + duration;
        await setImmediate(undefined, { signal });
        milliseconds = Math.max(milliseconds, until);
      },
    };
    const post: PostRpc = async (target, body, options) => {
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: [unknown[]] };
      const slot = CANNED_SLOT + Math.floor(milliseconds / SLOT_MILLISECONDS);
      if (method === 'getMultipleAccounts') sizes.push(params[0].length);
      if (method === 'getMultipleAccounts' && params[0].length > maxAccounts) {
        const error = { code: -32602, message: `Too many inputs provided; max ${maxAccounts}` };
        return { status: 200, retryAfterSeconds: undefined, body: JSON.stringify({ jsonrpc: '2.0', id, error }) };
      }
      const response = await postToNode(target, body, options);
      return { ...response, body: String(response.body).replace(/"slot":\d+/, `"slot":${slot}`) };
    };
    node.slot = CANNED_SLOT + 1_000_000;
    const current = (): ChainWork => ({ kind: 'caller', networks: [network] });
    const workScope = { current, extend: () => undefined } as never;
    const adapter = harness.open({ post, stopwatch, callsPerSecond, workScope });
    const { chain } = adapter.machines!;
    await chain.readMachine(FULL_ID).catch(() => undefined);
    milliseconds += 10_000;
    sizes.length = 0;
    const readAs = (name: string, id: MachineId) => {
      network = name;
      return chain.readMachineUncached(id);
    };
    return { readAs, sizes };
  }

  it.each([
    [100, [22]],
    [10, [6, 6, 6, 6, 6]],
  ])('that accepts %i accounts reads no more machines together than one call holds', async (maxAccounts, expected) => {
    const { readAs, sizes } = await openLimited({ maxAccounts });
    await Promise.all(ids(24, 9_000n).map((id) => readAs('first', id)));
    sizes.length = 0;
    const reads = await Promise.all(ids(5).map((id) => readAs('first', id)));
    expect(reads.map(({ snapshot }) => snapshot.id)).toStrictEqual(ids(5));
    expect(sizes).toStrictEqual(expected);
  });

  it('reads of many machines succeed, because the parts of each are sent in one slot', async () => {
    const { readAs, sizes } = await openLimited({ maxAccounts: 5, callsPerSecond: 10 });
    const reads = await Promise.all(ids(8).map((id) => readAs('first', id)));
    expect(reads.map(({ snapshot }) => snapshot.id)).toStrictEqual(ids(8));
    expect(sizes).toHaveLength(16);
  });

  it('the calls of a machine are not sent again when they can never fit one turn', async () => {
    const { readAs, sizes } = await openLimited({ maxAccounts: 5, callsPerSecond: 2 });
    await expect(readAs('first', FULL_ID)).rejects.toMatchObject({
      kind: 'ChainUnreadable',
      context: { chain: 'alt', cause: 'rpc-error' },
    });
    expect(sizes).toStrictEqual([3, 3]);
  });

  it('the read of one network succeeds during a flood of another', async () => {
    const { readAs } = await openLimited({ maxAccounts: 5, callsPerSecond: 10 });
    const flood = Promise.allSettled(ids(60).map((id) => readAs('first', id)));
    expect((await readAs('second', FULL_ID)).snapshot.id).toBe(FULL_ID);
    const refused = (await flood).filter(({ status }) => status === 'rejected');
    expect(refused[0]).toMatchObject({ reason: { kind: 'LookupsExceeded' } });
    expect(refused.length).toBeLessThan(56);
  });

  it('a read that joined the refused one of another network has its own turn', async () => {
    const { readAs } = await openLimited({ maxAccounts: 5, callsPerSecond: 10 });
    const flood = ids(60).map((id) => readAs('first', id));
    const joined = readAs('second', ids(60).at(-1)!);
    const [outcome] = (await Promise.allSettled(flood)).slice(-1);
    expect(outcome).toMatchObject({ reason: { kind: 'LookupsExceeded' } });
    expect((await joined).snapshot.id).toBe(ids(60).at(-1));
  });
});

describe('an absence', () => {
  const UNKNOWN_ID = toId('77');

  it('is cached for five seconds, except for readMachineUncached', async () => {
    const { chain } = await openChain();
    const first = await chain.readMachine(UNKNOWN_ID);
    harness.time.milliseconds += 4_999;
    expect(await chain.readMachine(UNKNOWN_ID)).toBe(first);
    expect(node.proxy.requests).toBe(1);
    expect(await chain.readMachineUncached(UNKNOWN_ID)).not.toBe(first);
    expect(node.proxy.requests).toBe(2);
    harness.time.milliseconds += 5_000;
    await chain.readMachine(UNKNOWN_ID);
    expect(node.proxy.requests).toBe(3);
  });

  it('is not fresh after the clock was set back', async () => {
    const { chain } = await openChain();
    await chain.readMachine(UNKNOWN_ID);
    harness.time.milliseconds -= 1;
    await chain.readMachine(UNKNOWN_ID);
    expect(node.proxy.requests).toBe(2);
  });

  it('is cached for at most maxAbsences ids, and the oldest is evicted', async () => {
    const { chain } = await openChain({ maxAbsences: 2 });
    for (const id of ids(3)) await chain.readMachine(id);
    for (const id of ids(3).reverse()) await chain.readMachine(id);
    expect(node.proxy.requests).toBe(4);
  });

  it('is dropped from the cache when the machine is present', async () => {
    const { chain } = await openChain();
    const account = remove(FULL.accounts.machine!);
    expect(stateOf(await chain.readMachine(FULL_ID))).toBe('absent');
    node.accounts.set(account.address, account);
    expect(stateOf(await chain.readMachine(FULL_ID))).toBe('absent');
    expect(stateOf(await chain.readMachineUncached(FULL_ID))).toBe('present');
    expect(stateOf(await chain.readMachine(FULL_ID))).toBe('present');
  });

  it('is not cached when a later read has overtaken it', async () => {
    const { chain } = await openChain();
    const account = remove(FULL.accounts.machine!);
    const release = Promise.withResolvers<undefined>();
    node.proxy.inject(respondWith('getMultipleAccounts', withoutAccounts()), 1);
    node.proxy.inject({ kind: 'hold', until: release.promise }, 1);
    const early = chain.readMachine(FULL_ID);
    await node.proxy.waitForRequests(1);
    node.accounts.set(account.address, account);
    expect(stateOf(await chain.readMachineUncached(FULL_ID))).toBe('present');
    release.resolve(undefined);
    expect(stateOf(await early)).toBe('absent');
    expect(stateOf(await chain.readMachine(FULL_ID))).toBe('present');
  });

  it('is never cached for an unreadable machine', async () => {
    const { chain } = await openChain();
    node.accounts.set(FULL.accounts.machine!.address, { ...FULL.accounts.machine!, data: '' });
    expect(stateOf(await chain.readMachine(FULL_ID))).toBe('unreadable');
    node.accounts.set(FULL.accounts.machine!.address, FULL.accounts.machine!);
    expect(stateOf(await chain.readMachine(FULL_ID))).toBe('present');
  });

  function remove(account: VectorAccount): VectorAccount {
    node.accounts.delete(account.address);
    return account;
  }

  /** Returns the node's response for one machine when only the singletons exist. */
  function withoutAccounts() {
    const singletons = ['config', 'registry'].map((name) => toRpcAccount(singletonAccount(name)));
    return { result: { context: { slot: CANNED_SLOT }, value: [null, null, null, null, ...singletons] } };
  }
});

it('the chain exposes its ordinal, genesis hash and machine registry', () => {
  const { chain } = harness.open().machines!;
  expect([chain.ordinal, chain.genesisHash, chain.machineRegistry]).toStrictEqual([
    5,
    node.genesisHash,
    parseAltKey('9sN1LRY25uuSLCV3o9zH5JRfkLEZC8t1KvJpZ65oa24F'),
  ]);
});
