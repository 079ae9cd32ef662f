/** Main-chain indexers and reads where the first of two nodes sends malformed results. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMalformedNodes } from '../cli/doctor/malformed-nodes.ts';
import type { MainChainAdapter } from '../src/adapters/main-chain/create-main-chain.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { createHeadFollower } from '../src/indexing/head/head-follower.ts';
import { IndexRefused, createIndexIntegrity } from '../src/indexing/loops/index-integrity.ts';
import { createBlockReader } from '../src/indexing/main/block-reader.ts';
import { findCauseOfFailure } from '../src/indexing/main/cause-of-failure.ts';
import { createMainChainIndex } from '../src/indexing/main/main-chain-index.ts';
import { createMemoryStore } from '../testing/fixtures/memory-store.ts';
import { startMachineHarness, type MachineHarness } from '../testing/fixtures/machines.ts';
import { ALL_EVENTS } from '../testing/harness/main-chain.ts';
import { startRpcProxy, type ProxyResponse, type RpcFault } from '../testing/harness/rpc-proxy.ts';

const NEVER = new AbortController().signal;

let harness: MachineHarness;
let machine: MachineId;

beforeAll(async () => {
  harness = await startMachineHarness();
  machine = (await harness.activate()) as MachineId;
  for (let i = 1; i <= 8; i++) await harness.mine(harness.revenue(machine, BigInt(i)));
});
afterAll(() => harness.close());

interface Entry {
  readonly id: unknown;
}

/** Changes the entries of every batch. */
const changeBatches = (change: (entries: readonly Entry[]) => readonly object[]): RpcFault => ({
  kind: 'body',
  change(body) {
    const parsed = JSON.parse(body) as Entry[];
    return Array.isArray(parsed) ? JSON.stringify(change(parsed)) : body;
  },
});

/** Changes every result but the identity of the node. */
const changeResults = (change: (result: unknown) => unknown): RpcFault => ({
  kind: 'answer',
  change: (response, { method }): ProxyResponse =>
    'result' in response && method !== 'eth_chainId' ? { result: change(response.result) } : response,
});

const NESTED = '['.repeat(70) + ']'.repeat(70);

/** Faults that leave no request of several calls, or no request at all, with a usable result. */
const MALFORMED: Readonly<Record<string, RpcFault>> = {
  'the ids of a batch exchanged': changeBatches((entries) =>
    entries.map((entry, i) => ({ ...entry, id: entries[(i + 1) % entries.length]!.id })),
  ),
  'the first and the last id of a batch exchanged': changeBatches((entries) =>
    entries.map((entry, i) => {
      if (i === 0) return { ...entry, id: entries.at(-1)!.id };
      return i === entries.length - 1 ? { ...entry, id: entries[0]!.id } : entry;
    }),
  ),
  'objects as results': changeResults(() => ({})),
  'numbers as results': changeResults(() => 7),
  'lists of numbers as results': changeResults(() => [7]),
  'text as results': changeResults(() => 'honest'),
  'results nested too deep': changeResults(() => JSON.parse(NESTED)),
  'an HTML page': {
    kind: 'body',
    change: (body) => (body.includes('"result":"0x7a69"') ? body : '<html><body>busy</body></html>'),
  },
};

/** Faults of batches that single calls do not have. */
const WITHOUT_BATCHES: Readonly<Record<string, RpcFault>> = {
  'every entry of a batch twice': changeBatches((entries) => [...entries, ...entries]),
  'batches without their first entry': changeBatches((entries) => entries.slice(1)),
  'foreign ids in a batch': changeBatches((entries) => entries.map((entry, i) => ({ ...entry, id: 10 ** 9 + i }))),
};

/** Reads everything as a service that starts does. Throws what the index and the head follower throw. */
async function readAll({ log: chain, chain: reads }: MainChainAdapter) {
  const store = await createMemoryStore();
  const clock = { nowMilliseconds: () => harness.time.milliseconds };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const shared = { chain, reader: createBlockReader(chain, 'proven'), store, clock, log };
  const integrity = createIndexIntegrity(log);
  const index = createMainChainIndex({ ...shared, integrity, proof: 'before', identity: 'test', startBlock: 0 });
  const follower = createHeadFollower({ ...shared, integrity, listeners: [reads] });
  const advanced = await index.advance(NEVER);
  await follower.poll();
  const events = await store.listEventLogs('current', machine, 0, 10);
  const snapshot = await reads.readMachine(machine, ALL_EVENTS);
  return { advanced, events, snapshot, head: follower.recent()!.headNumber };
}

/** Runs with a first node that has the fault; `isAlone`: without the second, honest one. */
async function withFirstNode<T>(
  fault: RpcFault,
  isAlone: boolean,
  run: (adapter: MainChainAdapter, rpcUrls: readonly string[]) => Promise<T>,
): Promise<T> {
  const faulty = await startRpcProxy(harness.chain.rpcUrl);
  faulty.inject(fault);
  const rpcUrls = isAlone ? [faulty.url] : [faulty.url, harness.proxy.url];
  const adapter = harness.open({ rpcUrls });
  try {
    return await run(adapter, rpcUrls);
  } finally {
    await faulty.close();
  }
}

describe('a first node that sends', () => {
  it.each(Object.entries(MALFORMED))('%s leaves everything to the second one and is named', async (_, fault) => {
    const expected = await readAll(harness.open());
    expect(expected.advanced.kind).toBe('caught-up');
    expect(expected.events.length).toBeGreaterThan(4);
    await withFirstNode(fault, false, async (adapter, rpcUrls) => {
      const settings = { rpcUrls, chainId: harness.chain.deployment.chainId, addresses: harness.addresses };
      expect(await readAll(adapter)).toEqual(expected);
      expect(adapter.log.listMalformedNodes!()).toEqual([0]);
      expect(await findMalformedNodes(settings, expected.head - 2, Date.now, new Set())).toEqual([0]);
      expect(adapter.counters.failures).toEqual({ malformed: expect.any(Number) });
    });
  });

  it.each(Object.entries(MALFORMED))('%s and is alone is refused with the cause', async (_, fault) => {
    await withFirstNode(fault, true, async (adapter) => {
      const error = await readAll(adapter).catch((reason: unknown) => reason);
      expect(error).not.toBeInstanceOf(IndexRefused);
      expect(findCauseOfFailure(error, 'header')).toBe('answers-malformed');
      expect(adapter.log.listMalformedNodes!()).toEqual([]);
    });
  });

  it.each(Object.entries(WITHOUT_BATCHES))('%s serves call by call', async (_, fault) => {
    const expected = await readAll(harness.open());
    for (const isAlone of [false, true]) {
      await withFirstNode(fault, isAlone, async (adapter) => {
        expect(await readAll(adapter)).toEqual(expected);
      });
    }
  });

  it('malformed results once is used again, and no longer named a minute later', async () => {
    await withFirstNode(MALFORMED['numbers as results']!, false, async (adapter) => {
      await readAll(adapter);
      expect(adapter.log.listMalformedNodes!()).toEqual([0]);
      harness.time.milliseconds += 60_000;
      expect(adapter.log.listMalformedNodes!()).toEqual([]);
    });
  });
});

it('doctor does not ask a node again that failed its other checks', async () => {
  const { head } = await readAll(harness.open());
  const faulty = await startRpcProxy(harness.chain.rpcUrl);
  const settings = {
    rpcUrls: [faulty.url, harness.proxy.url],
    chainId: harness.chain.deployment.chainId,
    addresses: harness.addresses,
  };
  expect(await findMalformedNodes(settings, head - 2, Date.now, new Set([1]))).toEqual([]);
  expect(faulty.requests).toBe(0);
  await faulty.close();
});
