import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { Fault, chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { UNKNOWN_BLOCK_TIME } from '../../ports/index-proof.ts';
import type { CountedMachine } from '../../ports/indexes.ts';
import { LogQueryRefused, type ChainLog, type EventGeneration } from '../../ports/main-chain.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import {
  NEVER,
  createHarness,
  machine,
  type IndexerHarness,
  type HarnessOptions,
} from '../../../testing/fixtures/indexer-harness.ts';
import { createBackgroundProver } from './background-prover.ts';

const A = machine(11);
const B = machine(12);

/** Events of A in blocks 1 (two), 3, 5 and 6, of B in 4; blocks up to 3 are indexed, and the head 6 is followed. */
async function openHarness(
  options: Partial<HarnessOptions> = {},
  generation: EventGeneration = 'current',
): Promise<IndexerHarness> {
  const chain = new FakeChain();
  const submit = (machineId: MachineId, value: bigint) => submitted(machineId, { value }, generation);
  chain.mine([submit(A, 10n), submit(A, 11n)]);
  chain.mine();
  chain.mine([submit(A, 12n)]);
  chain.mineMany(2);
  const harness = createHarness({ chain, store: await createMemoryStore(), ...options });
  await harness.index.advance(NEVER);
  chain.rollBack(2);
  chain.mine([submit(B, 20n)]);
  chain.mine([submit(A, 13n)]);
  chain.mine([submit(A, 14n)]);
  await harness.follower.poll();
  chain.requests.length = 0;
  return harness;
}

function read(harness: IndexerHarness, from: number, to: number, block = harness.chain.head, hasPriorEvents = false) {
  return readOf('current', harness, from, to, block, hasPriorEvents);
}

async function readOf(
  generation: EventGeneration,
  { eventTimes, chain }: IndexerHarness,
  from: number,
  to: number,
  block = chain.head,
  hasPriorEvents = false,
) {
  try {
    const rows = await eventTimes.readEventLogs({ generation, id: A, from, to, block, hasPriorEvents });
    return rows.map(({ seq, eventIndex, value, blockNumber }) => [seq, eventIndex, value, blockNumber]);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [error.kind, error.context];
  }
}

const ROWS = [
  [0, 0n, 10n, 1],
  [1, 1n, 11n, 1],
  [2, 2n, 12n, 3],
  [3, 3n, 13n, 5],
  [4, 4n, 14n, 6],
];

const SYNCING = ['EventIndexSyncing', { indexedBlock: 3, headBlock: 6 }];

describe('block times of events', () => {
  it('are read from the index and the blocks above it without a request', async () => {
    const harness = await openHarness();
    expect(await read(harness, 0, 5)).toEqual(ROWS);
    expect(await read(harness, 1, 3)).toEqual(ROWS.slice(1, 3));
    expect(await read(harness, 3, 5)).toEqual(ROWS.slice(3));
    expect(await read(harness, 4, 4)).toEqual([]);
    expect(harness.chain.requests).toEqual([]);
    const [row] = await harness.eventTimes.readEventLogs({
      generation: 'current',
      id: A,
      from: 3,
      to: 4,
      block: harness.chain.head,
      hasPriorEvents: false,
    });
    expect(row!.blockTimestamp).toBe(harness.chain.headerAt(5).timestamp);
  });

  it('end at the pinned block', async () => {
    const harness = await openHarness();
    expect(await read(harness, 0, 4, harness.chain.headerAt(5))).toEqual(ROWS.slice(0, 4));
    expect(await read(harness, 0, 5, harness.chain.headerAt(5))).toEqual(SYNCING);
    expect(await read(harness, 0, 3, harness.chain.headerAt(4))).toEqual(ROWS.slice(0, 3));
  });

  it('are unknown before the first block is indexed', async () => {
    const harness = createHarness({ store: await createMemoryStore() });
    harness.chain.mine([submitted(A)]);
    expect(await read(harness, 0, 1)).toEqual(['EventIndexSyncing', { indexedBlock: 0, headBlock: 1 }]);
  });

  it('are separate for each generation', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A, { value: 99n }, 'legacy')]);
    await harness.follower.poll();
    const rows = await harness.eventTimes.readEventLogs({
      generation: 'legacy',
      id: A,
      from: 0,
      to: 1,
      block: harness.chain.head,
      hasPriorEvents: false,
    });
    expect(rows).toMatchObject([{ seq: 0, value: 99n, blockNumber: 7 }]);
    expect(await read(harness, 0, 5)).toEqual(ROWS);
  });

  it('restart after an import above the index', async () => {
    const harness = await openHarness();
    harness.chain.mine([imported(A, 50n), submitted(A, { value: 60n })]);
    await harness.follower.poll();
    expect(await read(harness, 0, 1)).toEqual([[0, 0n, 60n, 7]]);
    expect(await read(harness, 0, 5, harness.chain.headerAt(6))).toEqual(ROWS);
    expect(await read(harness, 0, 2)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
  });

  it('exclude those before an import that was not read yet', async () => {
    const harness = await openHarness();
    harness.chain.mine([imported(A, 50n), submitted(A, { value: 10n })]);
    const unseen = ['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }];
    expect(await read(harness, 0, 1, harness.chain.head, true)).toEqual(unseen);
    await harness.follower.poll();
    expect(await read(harness, 0, 1, harness.chain.head, true)).toEqual([[0, 0n, 10n, 7]]);
    expect(await read(harness, 0, 3, harness.chain.headerAt(3), true)).toEqual(ROWS.slice(0, 3));
  });

  it('wait for the proof of their blocks where the history has prior events', async () => {
    const chain = new FakeChain();
    chain.mineMany(60);
    chain.mine([submitted(A, { value: 9n })]);
    chain.mine([imported(A, 50n), submitted(A, { value: 10n })]);
    chain.mineMany(60);
    const harness = createHarness({ chain, store: await createMemoryStore(), proof: 'background' });
    await harness.index.advance(NEVER);
    await harness.follower.poll();
    const pinned = { generation: 'current', id: A, block: chain.head, hasPriorEvents: true, count: 1 } as const;
    const syncing = ['EventIndexSyncing', { indexedBlock: 120, headBlock: 122 }];
    expect(await read(harness, 0, 1)).toEqual([[0, 0n, 10n, 62]]);
    expect(await read(harness, 0, 1, chain.head, true)).toEqual(syncing);
    await expect(harness.eventTimes.readPinnedHistory(pinned)).rejects.toEqual(
      new Fault('EventIndexSyncing', { indexedBlock: 120, headBlock: 122 }),
    );
    // A block before the last import does not concern the machine's records.
    await harness.store.recordProvenBlocks(await harness.store.listLogBlocks(62, 62));
    expect(await read(harness, 0, 1, chain.head, true)).toEqual([[0, 0n, 10n, 62]]);
    expect((await harness.eventTimes.readPinnedHistory(pinned)).epoch).toBe(1);
  });

  it.each<[string, (harness: IndexerHarness, pinned: CountedMachine) => Promise<unknown>]>([
    ['rows', ({ eventTimes }, pinned) => eventTimes.readEventLogs({ ...pinned, from: 0, to: 1, total: 1 })],
    ['provenance', ({ eventTimes }, pinned) => eventTimes.readPinnedHistory(pinned)],
  ])('are not served as proven by a repair that ended after they were read (%s)', async (_name, readStored) => {
    const chain = new FakeChain();
    chain.servesReceipts = true;
    chain.mineMany(60);
    chain.mine([submitted(A, { value: 9n })]);
    chain.mine([submitted(B), imported(A, 50n), submitted(A, { value: 9n })]);
    chain.mineMany(60);
    chain.faults.logs = (logs) => logs.filter(({ blockNumber, event }) => blockNumber < 62 || event?.machineId === B);
    const store = await createMemoryStore();
    const harness = createHarness({ chain, store, proof: 'background' });
    await harness.index.advance(NEVER);
    chain.faults = {};
    await harness.follower.poll();
    const options = {
      chain,
      store,
      clock: harness.time,
      log: harness.log,
      proof: 'background',
      startBlock: 0,
    } as const;
    const prover = createBackgroundProver({ ...options, random: () => 0 });
    const pinned = { generation: 'current', id: A, block: chain.head, hasPriorEvents: true, count: 1 } as const;
    const { readEventHistory } = store;
    store.readEventHistory = async (...args) => {
      const history = await readEventHistory(...args);
      await prover.prove(NEVER);
      return history;
    };
    await expect(readStored(harness, pinned)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
    expect(prover.report().differences).toBe(1);
    expect(await read(harness, 0, 1, chain.head, true)).toEqual([[0, 0n, 9n, 62]]);
    expect(await harness.eventTimes.readPinnedHistory(pinned)).toMatchObject({ epoch: 2 });
  });

  it('are held back in mode before when they are proven only after they were read', async () => {
    const chain = new FakeChain();
    chain.servesReceipts = true;
    chain.mine([submitted(A, { value: 9n })]);
    chain.mineMany(120);
    const store = await createMemoryStore();
    const forge = (value: bigint) => (logs: readonly ChainLog[]) =>
      logs.map((log) => (log.event?.kind === 'submitted' ? { ...log, event: { ...log.event, value } } : log));
    chain.faults.logs = forge(8n);
    await createHarness({ chain, store, proof: 'background' }).index.advance(NEVER);
    chain.faults = {};
    const harness = createHarness({ chain, store, proof: 'before' });
    await harness.follower.poll();
    const options = { chain, store, clock: harness.time, log: harness.log, proof: 'before', startBlock: 0 } as const;
    const prover = createBackgroundProver({ ...options, random: () => 0 });
    const { readEventHistory } = store;
    store.readEventHistory = async (...args) => {
      const history = await readEventHistory(...args);
      while ((await prover.prove(NEVER)) === 'more');
      return history;
    };
    expect(await read(harness, 0, 1)).toMatchObject(['EventIndexSyncing', { headBlock: 121 }]);
  });

  it('are unknown to a reader of an earlier epoch', async () => {
    const harness = await openHarness();
    const { chain, eventTimes } = harness;
    chain.mine([imported(A, 50n), submitted(A, { value: 60n })]);
    await harness.follower.poll();
    const query = { generation: 'current', id: A, from: 0, to: 1, block: chain.head, hasPriorEvents: true } as const;
    const { epoch, storedEpoch } = await eventTimes.readPinnedHistory({ ...query, count: 1 });
    expect([epoch, storedEpoch]).toEqual([1, 0]);
    expect(await eventTimes.readEventLogs({ ...query, epoch: 1 })).toMatchObject([{ value: 60n }]);
    const syncing = { kind: 'EventIndexSyncing', context: { indexedBlock: 3, headBlock: 7 } };
    await expect(eventTimes.readEventLogs({ ...query, epoch: 0 })).rejects.toMatchObject(syncing);
    expect(harness.repair.report()).toMatchObject({ started: 0 });
  });

  it('are never served in mode off where the history has prior events, because an import may be hidden', async () => {
    const chain = new FakeChain();
    chain.mine([submitted(A, { value: 9n })]);
    chain.mine([imported(A, 50n), submitted(A, { value: 9n })]);
    chain.mineMany(2);
    const harness = createHarness({ chain, store: await createMemoryStore(), proof: 'off', completeness: 'trusted' });
    chain.faults.logs = (logs) => logs.filter(({ blockNumber }) => blockNumber < 2);
    await harness.index.advance(NEVER);
    await harness.follower.poll();
    expect(await read(harness, 0, 1)).toEqual([[0, 0n, 9n, 1]]);
    const { head } = chain;
    expect(await read(harness, 0, 1, head, true)).toMatchObject(['EventIndexSyncing', { headBlock: head.number }]);
    const pinned = { generation: 'current', id: A, block: head, hasPriorEvents: true, count: 1 } as const;
    await expect(harness.eventTimes.readPinnedHistory(pinned)).rejects.toMatchObject({ kind: 'EventIndexSyncing' });
  });

  it('are unknown where a history with prior events has more logs than records', async () => {
    const harness = await openHarness();
    const query = { generation: 'current', id: A, from: 0, to: 2, hasPriorEvents: true } as const;
    const { head } = harness.chain;
    await expect(harness.eventTimes.readEventLogs({ ...query, block: head, total: 2 })).rejects.toThrow();
    expect(await harness.eventTimes.readEventLogs({ ...query, block: head, total: 5 })).toHaveLength(2);
    const below = harness.chain.headerAt(2);
    await expect(harness.eventTimes.readEventLogs({ ...query, to: 1, block: below, total: 1 })).rejects.toThrow();
    expect(await harness.eventTimes.readEventLogs({ ...query, block: below, total: 2 })).toHaveLength(2);
  });

  it('exclude those of a history that restarted after the pinned block', async () => {
    const harness = await openHarness();
    const pinned = harness.chain.head;
    harness.chain.mine([imported(A, 50n), submitted(A, { value: 60n })]);
    harness.chain.mineMany(2);
    await harness.index.advance(NEVER);
    expect(await read(harness, 0, 1, pinned)).toEqual(['ChainUnreadable', { chain: 'main', cause: 'block-mismatch' }]);
  });

  it('stay correct while the index advances between two reads', async () => {
    const harness = await openHarness();
    const { store } = harness;
    const readHistory = store.readEventHistory.bind(store);
    store.readEventHistory = async (...args) => {
      const history = await readHistory(...args);
      harness.chain.mineMany(2);
      await harness.index.advance(NEVER);
      return history;
    };
    expect(await read(harness, 0, 5, harness.chain.headerAt(6))).toEqual(ROWS);
  });

  it('are not returned while the index is refused', async () => {
    const harness = await openHarness();
    harness.integrity.report('index', 'checkpoint-not-on-chain');
    expect(await read(harness, 0, 1)).toEqual(['ChainUnreadable', { chain: 'main', cause: 'contradiction' }]);
  });
});

describe('block times on a fork', () => {
  it('are never mixed with those of the main fork', async () => {
    const harness = await openHarness();
    const forked = harness.chain.head;
    harness.chain.rollBack(2);
    harness.chain.mine([submitted(A, { value: 13n })]);
    harness.chain.mine();
    harness.chain.mine([submitted(A, { value: 14n })]);
    await harness.follower.poll();
    expect(await read(harness, 0, 5)).toEqual([...ROWS.slice(0, 4), [4, 4n, 14n, 7]]);
    expect(await read(harness, 0, 5, forked)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
    expect(await read(harness, 0, 3, forked)).toEqual(ROWS.slice(0, 3));
  });

  it('are not returned for a pinned block that is gone', async () => {
    const harness = await openHarness();
    const gone = harness.chain.mine([submitted(A, { value: 15n })]);
    harness.chain.rollBack(1);
    harness.chain.mine([submitted(A, { value: 16n })]);
    expect(await read(harness, 0, 6, gone)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
  });

  it('are not returned before the follower has seen the fork', async () => {
    const harness = await openHarness();
    harness.chain.rollBack(2);
    harness.chain.mine([submitted(A, { value: 13n })]);
    harness.chain.mine([submitted(A, { value: 14n })]);
    expect(await read(harness, 0, 5)).toEqual(SYNCING);
    await harness.follower.poll();
    expect(await read(harness, 0, 5)).toEqual(ROWS);
  });
});

describe('a targeted query', () => {
  it('is not made for a machine of the current generation, because it proves no evidence', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A, { value: 15n })]);
    expect(await read(harness, 3, 6)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
    expect(harness.chain.requests).toEqual(['header']);
  });

  it('finds events that the follower has not seen yet', async () => {
    const harness = await openHarness({}, 'legacy');
    harness.chain.mine([submitted(A, { value: 15n }, 'legacy')]);
    expect(await readOf('legacy', harness, 3, 6)).toEqual([...ROWS.slice(3), [5, 5n, 15n, 7]]);
    expect(harness.chain.requests).toEqual(['header', 'logs', 'headers']);
  });

  it('finds final events when nothing above the index is known', async () => {
    const harness = await openHarness({}, 'legacy');
    harness.chain.mineMany(3);
    const other = createHarness({ chain: harness.chain, store: harness.store });
    expect(await readOf('legacy', other, 0, 5)).toEqual(ROWS);
    expect(harness.chain.requests.toSorted()).toEqual(['header', 'header', 'headers', 'logs']);
  });

  it('is not made, and starts no repair, while stored logs wait for the time of their block', async () => {
    const harness = await openHarness();
    const checkpoint = (await harness.store.readMainChainCheckpoint())!;
    const blockTimestamp = UNKNOWN_BLOCK_TIME;
    const untimed = [13n, 14n].map((value, i) => ({
      ...({ kind: 'submitted', generation: 'current', machineId: A, eventIndex: BigInt(3 + i), eventType: 0 } as const),
      ...{ value, blockNumber: 5 + i, blockTimestamp, logIndex: 0 },
    }));
    const head = { blockNumber: 6, blockHash: harness.chain.head.hash };
    await harness.store.advanceMainChain(checkpoint, head, untimed, { readAtBlock: 6, changes: [] });
    expect(await read(harness, 0, 5)).toEqual(['EventIndexSyncing', { indexedBlock: 6, headBlock: 6 }]);
    await harness.repair.idle();
    expect(harness.chain.requests).toEqual([]);
    expect(harness.repair.report().started).toBe(0);
  });

  it('does not place logs that are neither final nor followed', async () => {
    const harness = await openHarness({}, 'legacy');
    harness.chain.mine();
    const other = createHarness({ chain: harness.chain, store: harness.store });
    expect(await readOf('legacy', other, 0, 5)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
    expect(await readOf('legacy', other, 0, 3)).toEqual(ROWS.slice(0, 3));
  });

  it('is shared by identical calls, and not repeated when its result was insufficient', async () => {
    const harness = await openHarness({}, 'legacy');
    const results = await Promise.all([
      readOf('legacy', harness, 0, 6),
      readOf('legacy', harness, 0, 6),
      readOf('legacy', harness, 0, 6),
    ]);
    expect(results).toEqual([SYNCING, SYNCING, SYNCING]);
    expect(await readOf('legacy', harness, 0, 6)).toEqual(SYNCING);
    await harness.repair.idle();
    // The query, and one repair of the stored logs.
    expect(harness.chain.requests).toEqual(['logs', 'logs', 'headers']);
    harness.chain.mine([submitted(A, { value: 15n }, 'legacy')]);
    await harness.follower.poll();
    expect(await readOf('legacy', harness, 5, 6)).toEqual([[5, 5n, 15n, 7]]);
  });

  it('is repeated after a rate limit', async () => {
    const harness = await openHarness({}, 'legacy');
    harness.chain.mine([submitted(A, { value: 15n }, 'legacy')]);
    harness.chain.faults.before = (method) => {
      if (method === 'logs') throw new LogQueryRefused('rate-limited');
    };
    expect(await readOf('legacy', harness, 5, 6)).toEqual(['EventIndexSyncing', { indexedBlock: 3, headBlock: 7 }]);
    harness.chain.faults = {};
    expect(await readOf('legacy', harness, 5, 6)).toEqual([[5, 5n, 15n, 7]]);
  });

  it.each([
    [
      'refused',
      SYNCING,
      (chain: FakeChain) =>
        (chain.faults.before = () => {
          throw new LogQueryRefused('range-too-large');
        }),
    ],
    [
      'not answered',
      ['ChainUnreadable', { chain: 'main', cause: 'transport' }],
      (chain: FakeChain) =>
        (chain.faults.before = () => {
          throw chainUnreadable('main', 'transport');
        }),
    ],
    [
      'answered twice',
      ['ChainUnreadable', { chain: 'main', cause: 'contradiction' }],
      (chain: FakeChain) => (chain.faults.logs = (logs) => [...logs, ...logs]),
    ],
    [
      'answered with a fork',
      ['ChainUnreadable', { chain: 'main', cause: 'contradiction' }],
      (chain: FakeChain) => (chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockHash: '0x' }))),
    ],
    [
      'answered with another machine',
      ['ChainUnreadable', { chain: 'main', cause: 'contradiction' }],
      (chain: FakeChain) => (chain.faults.logs = () => chain.logsAt(4)),
    ],
  ])('returns no row when it is %s', async (_name, expected, falsify) => {
    const harness = await openHarness({}, 'legacy');
    falsify(harness.chain);
    expect(await readOf('legacy', harness, 0, 6)).toEqual(expected);
  });

  it('is not made when the node returns another block than the indexed one', async () => {
    const harness = await openHarness({}, 'legacy');
    const restarted = createHarness({ chain: harness.chain, store: harness.store });
    harness.chain.rollBack(5);
    harness.chain.mine([submitted(A, { value: 10n }, 'legacy'), submitted(A, { value: 11n }, 'legacy')]);
    harness.chain.mineMany(5);
    expect(await readOf('legacy', restarted, 0, 2)).toEqual([
      'ChainUnreadable',
      { chain: 'main', cause: 'contradiction' },
    ]);
    expect(harness.chain.requests).toEqual(['header']);
  });

  it('is not made over more blocks than one request allows', async () => {
    const harness = await openHarness({}, 'legacy');
    const far = { ...harness.chain.head, number: 5_004 };
    expect(await readOf('legacy', harness, 0, 5, far)).toEqual([
      'EventIndexSyncing',
      { indexedBlock: 3, headBlock: 5_004 },
    ]);
    expect(harness.chain.requests).toEqual(['header']);
  });
});
