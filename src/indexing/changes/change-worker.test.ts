/** Tests the worker that finds changes, over a real store and scripted observations. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { ABSENT_VALUES, type MachineValues } from '../../domain/changes/machine-change.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Checkpoint, Store } from '../../ports/store.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import {
  ALT_OBSERVATION_SECONDS,
  createChangeWorker,
  OBSERVATION_SECONDS,
  RETENTION_SECONDS,
  OBSERVATION_RETRY_SECONDS,
  type ChangeWorker,
  type MachineReading,
} from './change-worker.ts';

const ID = 7n as MachineId;
const OWNER = `0x${'0a'.repeat(20)}`;
const BLOCK = { number: 120, hash: `0x${'b'.repeat(64)}` };

let store: Store;
let time: VirtualTime;
let worker: ChangeWorker;
let block: typeof BLOCK | undefined;
/** What `observe` returns or throws, by machine. */
let readings: Map<MachineId, Partial<MachineReading> | Error>;
let observed: MachineId[];

beforeEach(async () => {
  store = await createMemoryStore();
  time = new VirtualTime();
  block = BLOCK;
  readings = new Map();
  observed = [];
  worker = createWorker();
});
afterEach(() => store.close());

function createWorker(): ChangeWorker {
  return createChangeWorker({
    store,
    readFinalBlock: () => Promise.resolve(block),
    observe(id) {
      observed.push(id);
      const reading = readings.get(id);
      if (reading instanceof Error) return Promise.reject(reading);
      return Promise.resolve({ values: ABSENT_VALUES, home: 'absent', changesAt: undefined, ...reading });
    },
    clock: time,
    timers: time,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

function present(values: Partial<MachineValues>, rest: Partial<MachineReading> = {}): Partial<MachineReading> {
  return { home: 'main', values: { ...ABSENT_VALUES, owner: OWNER, ...values }, ...rest };
}

async function touch(...machines: MachineId[]): Promise<void> {
  const checkpoint = await store.readMainChainCheckpoint();
  const next: Checkpoint = { blockNumber: (checkpoint?.blockNumber ?? 0) + 1, blockHash: BLOCK.hash };
  await store.advanceMainChain(checkpoint, next, [], { readAtBlock: 0, changes: [] }, undefined, {
    machines,
    kybOperators: [],
  });
}

const listChanges = async () =>
  (await store.listChanges({ after: 0, limit: 500 })).changes.map(({ kind, from, to }) => [kind, from, to]);

/** Observes the machine for the first time and opens the feed. */
async function openFeed(values: Partial<MachineValues>, rest: Partial<MachineReading> = {}): Promise<void> {
  readings.set(ID, present(values, rest));
  await touch(ID);
  expect([await worker.step(), await worker.step()]).toEqual(['idle', 'idle']);
}

const secondsToNext = async () => (await store.readNextDue())! - Math.floor(time.nowMilliseconds() / 1000);

test('stores no changes for machines that are known when the feed opens, and the difference afterwards', async () => {
  await openFeed({ rating: 'AA', bond: 'Active' });
  expect(await listChanges()).toEqual([]);
  readings.set(ID, present({ rating: 'BBB', bond: 'Grace' }));
  await touch(ID);
  await worker.step();
  expect(await listChanges()).toEqual([
    ['bond', 'Active', 'Grace'],
    ['rating', 'AA', 'BBB'],
  ]);
  expect(worker.report()).toEqual({ stored: 2, postponed: 0 });
});

test('stores a change that happened while no process was running', async () => {
  await openFeed({ rating: 'AA' });
  readings.set(ID, present({ rating: 'A' }));
  await touch(ID);
  worker = createWorker();
  await worker.step();
  expect(await listChanges()).toEqual([['rating', 'AA', 'A']]);
});

test('announces a machine that appears after the feed has opened, and one that disappears', async () => {
  await openFeed({ rating: 'AA' });
  const other = 8n as MachineId;
  readings.set(other, present({ rating: 'NR' }));
  await touch(other);
  await worker.step();
  readings.delete(ID);
  await touch(ID);
  await worker.step();
  expect(await listChanges()).toEqual([
    ['owner', null, OWNER],
    ['rating', null, 'NR'],
    ['owner', OWNER, null],
    ['rating', 'AA', null],
  ]);
});

test('observes a machine again by time alone: at its next boundary, else after the interval of its home', async () => {
  await openFeed({ rating: 'AA' });
  expect(await secondsToNext()).toBe(OBSERVATION_SECONDS);
  readings.set(ID, present({ rating: 'A' }, { home: 'alt' }));
  time.jump(OBSERVATION_SECONDS * 1000);
  await worker.step();
  expect(await listChanges()).toEqual([['rating', 'AA', 'A']]);
  expect(await secondsToNext()).toBe(ALT_OBSERVATION_SECONDS);
  readings.set(ID, present({}, { changesAt: Math.floor(time.nowMilliseconds() / 1000) + 700 }));
  time.jump(ALT_OBSERVATION_SECONDS * 1000);
  await worker.step();
  expect(await secondsToNext()).toBe(100);
});

test('takes an unreadable machine for no change, and observes it again', async () => {
  await openFeed({ rating: 'AA' });
  readings.set(ID, chainUnreadable('main', 'transport'));
  await touch(ID);
  await worker.step();
  expect([await listChanges(), await secondsToNext()]).toEqual([[], OBSERVATION_RETRY_SECONDS]);
  readings.set(ID, present({ rating: 'A' }));
  time.jump(OBSERVATION_RETRY_SECONDS * 1000);
  await worker.step();
  expect(await listChanges()).toEqual([['rating', 'AA', 'A']]);
  expect(worker.report()).toEqual({ stored: 1, postponed: 1 });
});

test('keeps the previous rating while one cannot be determined, and waits for a first one', async () => {
  const unrated = { home: 'alt' as const, values: { ...ABSENT_VALUES, owner: OWNER, rating: undefined } };
  readings.set(ID, unrated);
  await touch(ID);
  await worker.step();
  expect(await secondsToNext()).toBe(OBSERVATION_RETRY_SECONDS);
  readings.set(ID, present({ rating: 'AA' }));
  time.jump(OBSERVATION_RETRY_SECONDS * 1000);
  await worker.step();
  await worker.step();
  readings.set(ID, unrated);
  await touch(ID);
  await worker.step();
  readings.set(ID, present({ rating: 'A' }));
  await touch(ID);
  await worker.step();
  expect(await listChanges()).toEqual([['rating', 'AA', 'A']]);
});

test('observes nothing, and opens no feed, while the index is behind', async () => {
  block = undefined;
  readings.set(ID, present({}));
  await touch(ID);
  expect(await worker.step()).toBe('idle');
  expect(observed).toEqual([]);
  block = BLOCK;
  await worker.step();
  expect([observed, await listChanges()]).toEqual([[ID], []]);
});

test('continues at once while more machines are due than one step observes', async () => {
  await touch(...Array.from({ length: 51 }, (_, at) => BigInt(at + 1) as MachineId));
  expect([await worker.step(), await worker.step()]).toEqual(['more', 'idle']);
  expect(observed.length).toBe(51);
});

test('deletes changes after the retention period', async () => {
  await openFeed({ rating: 'AA' });
  readings.set(ID, present({ rating: 'A' }));
  await touch(ID);
  await worker.step();
  readings.delete(ID);
  time.jump((RETENTION_SECONDS + 1) * 1000);
  await worker.step();
  await worker.step();
  expect(await store.readChangeRange()).toMatchObject({ newest: 3, prunedThrough: 1 });
});

test('fails with an error that is no fault, and stores nothing', async () => {
  await openFeed({ rating: 'AA' });
  readings.set(ID, new TypeError('defect'));
  await touch(ID);
  await expect(worker.step()).rejects.toThrow('defect');
  expect((await store.listDueMachines(0, 9)).map(({ id }) => id)).toEqual([ID]);
});
