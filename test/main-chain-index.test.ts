/** Main-chain indexers against a real node: blocks, blooms, records and reorgs, and nodes that withhold logs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFixedRates } from '../src/adapters/fx/feed-rates.ts';
import { createMemoryStore } from '../testing/fixtures/memory-store.ts';
import { ResponseRejected } from '../src/domain/index-rules/rejected-response.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import { decodeRatingState } from '../src/domain/rating/rating-state-codec.ts';
import { createEventFolder } from '../src/indexing/rating/event-folder.ts';
import { createEventTimes } from '../src/indexing/main/event-times.ts';
import { createProofGate } from '../src/indexing/main/proof-gate.ts';
import { createHeadFollower } from '../src/indexing/head/head-follower.ts';
import { IndexRefused, createIndexIntegrity } from '../src/indexing/loops/index-integrity.ts';
import { createMainChainIndex } from '../src/indexing/main/main-chain-index.ts';
import { createBlockReader } from '../src/indexing/main/block-reader.ts';
import type { HeadStep } from '../src/ports/main-chain.ts';
import { startMachineHarness, type MachineHarness } from '../testing/fixtures/machines.ts';
import type { RpcFault } from '../testing/harness/rpc-proxy.ts';
import { rule } from './conformance/rule.ts';

const NEVER = new AbortController().signal;

let harness: MachineHarness;
let machine: MachineId;

/** Mines the deployment, a new machine, its first two events together, then one event a block. The last two blocks are not final. */
beforeEach(async () => {
  harness = await startMachineHarness();
  machine = (await harness.activate()) as MachineId;
  await harness.mine(harness.revenue(machine, 1_001n), harness.revenue(machine, 1_002n));
  for (let i = 3; i <= 6; i++) await harness.mine(harness.revenue(machine, 1_000n + BigInt(i)));
});

afterEach(async () => {
  await harness.close();
});

async function openIndexers(maxWindowBlocks?: number) {
  const { log: chain } = harness.open();
  const store = await createMemoryStore();
  const clock = { nowMilliseconds: () => Date.now() };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const integrity = createIndexIntegrity(log);
  const reader = createBlockReader(chain, 'proven');
  const steps: HeadStep[] = [];
  const shared = { chain, reader, store, integrity, clock, log, proof: 'before' as const };
  const gate = createProofGate({ ...shared, startBlock: 0 });
  const index = createMainChainIndex({ ...shared, identity: 'test', startBlock: 0, maxWindowBlocks });
  const fxRates = createFixedRates([]);
  const folder = createEventFolder({ ...shared, fxRates });
  const follower = createHeadFollower({ ...shared, listeners: [{ advanceHead: (step) => steps.push(step) }] });
  const eventTimes = createEventTimes({
    ...shared,
    gate,
    repair: { startEvents: () => undefined },
    recent: follower.recent,
  });

  async function work(): Promise<string> {
    try {
      const advanced = await index.advance(NEVER);
      return advanced.kind === 'caught-up' ? await folder.fold(advanced.block, NEVER) : advanced.kind;
    } catch (error) {
      if (error instanceof ResponseRejected) return error.problem;
      if (error instanceof IndexRefused) return error.refusal;
      throw error;
    }
  }
  async function readTimes(count: number) {
    const head = await harness.readHead();
    const rows = await eventTimes.readEventLogs({
      generation: 'current',
      id: machine,
      from: 0,
      to: count,
      block: head,
      hasPriorEvents: false,
    });
    return rows.map(({ eventIndex, value, blockNumber }) => [eventIndex, value, blockNumber - head.number]);
  }
  return { chain, store, integrity, steps, follower, work, readTimes, fingerprint: fxRates.current().fingerprint };
}

/** Index, value and block of each event, counted back from the head. */
const TIMES = [
  [0n, 1_001n, -4],
  [1n, 1_002n, -4],
  [2n, 1_003n, -3],
  [3n, 1_004n, -2],
  [4n, 1_005n, -1],
  [5n, 1_006n, 0],
];

describe('the indexers on a real node', () => {
  it('store final events with the times of their blocks', async () => {
    rule('listing.index-source', 'events.input-only');
    const { chain, store, work } = await openIndexers();
    expect(await work()).toBe('idle');
    const finalized = await chain.readHeader('finalized');
    expect(await store.readMainChainCheckpoint()).toEqual({
      blockNumber: finalized.number,
      blockHash: finalized.hash,
    });
    const rows = await store.listEventLogs('current', machine, 0, 10);
    expect(rows.map(({ seq, value }) => [seq, value])).toEqual([
      [0, 1_001n],
      [1, 1_002n],
      [2, 1_003n],
      [3, 1_004n],
    ]);
    const headers = await chain.readHeaders(rows.map(({ blockNumber }) => blockNumber));
    expect(rows.map(({ blockTimestamp }) => blockTimestamp)).toEqual(headers.map(({ timestamp }) => timestamp));
  });

  it('fold final events into the rating state', async () => {
    const { store, work, fingerprint } = await openIndexers();
    await work();
    const stored = await store.readRatingState('current', machine, fingerprint);
    expect(decodeRatingState(stored!.state)).toMatchObject({
      nextSeq: 4,
      revenueEvents: 4,
      newestBlockTimestamp: expect.any(Number),
    });
  });

  it('learn later block times from the head, with one request per block', async () => {
    const { follower, steps, work, readTimes } = await openIndexers();
    await work();
    await follower.poll();
    expect(await readTimes(6)).toEqual(TIMES);
    harness.proxy.resetCounts();
    await harness.mine(harness.revenue(machine, 1_007n));
    await follower.poll();
    await follower.poll();
    expect(harness.proxy.requests).toBe(2);
    expect(steps.slice(1).map(({ touched }) => touched)).toEqual([
      { machines: new Set([machine]), kybOperators: new Set(), holders: new Set() },
      { machines: new Set(), kybOperators: new Set(), holders: new Set() },
    ]);
    expect((await readTimes(7)).at(-1)).toEqual([6n, 1_007n, 0]);
  });

  it('wait for the follower, which alone proves the evidence for new events', async () => {
    const { follower, work, readTimes } = await openIndexers();
    await work();
    await follower.poll();
    await harness.mine(harness.revenue(machine, 1_007n));
    await expect(readTimes(7)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    await follower.poll();
    expect((await readTimes(7)).at(-1)).toEqual([6n, 1_007n, 0]);
  });

  it('drop the blocks of a reorg', async () => {
    const { follower, steps, work, readTimes } = await openIndexers();
    await work();
    await follower.poll();
    await harness.chain.writer.rpc.request('anvil_reorg', [1, []]);
    await follower.poll();
    expect(steps.at(-1)).toMatchObject({ touched: 'all', deployment: true, checks: true });
    expect(await readTimes(5)).toEqual(TIMES.slice(0, 5));
    await expect(readTimes(6)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    expect(await work()).toBe('idle');
  });

  it('refuse an index after a reorg past finality', async () => {
    const { follower, integrity, store, work, readTimes } = await openIndexers();
    await work();
    await follower.poll();
    const checkpoint = await store.readMainChainCheckpoint();
    await harness.chain.writer.rpc.request('anvil_reorg', [4, []]);
    await follower.poll();
    expect(integrity.refusal()).toBe('checkpoint-not-on-chain');
    expect(await work()).toBe('checkpoint-not-on-chain');
    await expect(readTimes(2)).rejects.toMatchObject({ kind: 'ChainUnreadable', context: { cause: 'contradiction' } });
    expect(await store.readMainChainCheckpoint()).toEqual(checkpoint);
  });

  it('read a long chain in windows', async () => {
    await harness.chain.writer.rpc.request('anvil_mine', ['0x80']);
    const { store, work } = await openIndexers(16);
    expect(await work()).toBe('idle');
    expect((await store.readEventLogCount('current', machine)).count).toBe(6);
  });
});

describe('the indexers on a faulty node', () => {
  const changeOf =
    (name: string) =>
    (change: (list: readonly unknown[]) => readonly unknown[]): RpcFault => ({
      kind: 'answer',
      change: (response, { method }) =>
        method === name && 'result' in response ? { result: change(response.result as readonly unknown[]) } : response,
    });
  const changeLogs = changeOf('eth_getLogs');
  const changeReceipts = changeOf('eth_getBlockReceipts');
  const withoutReceipts: RpcFault = {
    kind: 'answer',
    change: (response, { method }) =>
      method === 'eth_getBlockReceipts' ? { error: { code: -32601, message: 'method not found' } } : response,
  };
  interface Receipt {
    readonly logs: readonly unknown[];
  }

  it.each([
    ['no receipts', changeReceipts(() => [])],
    ['all but the last receipt', changeReceipts((receipts) => receipts.slice(0, -1))],
    [
      'receipts that lack a log',
      changeReceipts((receipts) => (receipts as Receipt[]).map((each) => ({ ...each, logs: each.logs.slice(1) }))),
    ],
  ])('fall back to logs when a block returns %s', async (_name, fault) => {
    const { store, work } = await openIndexers();
    harness.proxy.inject(fault, Infinity);
    expect(await work()).toBe('idle');
    expect((await store.readEventLogCount('current', machine)).count).toBe(4);
    harness.proxy.heal();
  });

  it.each([
    ['no log', 'withheld-logs', changeLogs(() => [])],
    ['all but the last log', 'withheld-logs', changeLogs((logs) => logs.slice(0, -1))],
    ['all but the first log', 'withheld-logs', changeLogs((logs) => logs.slice(1))],
    ['each log twice', 'out-of-order', changeLogs((logs) => logs.flatMap((log) => [log, log]))],
  ])('reject %s when receipts are unavailable', async (_name, problem, fault) => {
    const { store, work } = await openIndexers();
    harness.proxy.inject(withoutReceipts, Infinity);
    harness.proxy.inject(fault, Infinity);
    expect(await work()).toBe(problem);
    expect(await store.readMainChainCheckpoint()).toBeUndefined();
    harness.proxy.heal();
    expect(await work()).toBe('idle');
    expect((await store.readEventLogCount('current', machine)).count).toBe(4);
  });

  it('retry with a smaller block range', async () => {
    await harness.chain.writer.rpc.request('anvil_mine', ['0x64']);
    const { store, work } = await openIndexers(64);
    harness.proxy.inject(
      {
        kind: 'answer',
        change(response, { method, params }) {
          const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>;
          const isWide = method === 'eth_getLogs' && toBlock !== undefined && Number(toBlock) - Number(fromBlock) >= 10;
          return isWide ? { error: { code: -32005, message: 'block range is too wide' } } : response;
        },
      },
      Infinity,
    );
    expect(await work()).toBe('idle');
    expect((await store.readEventLogCount('current', machine)).count).toBe(6);
  });
});
