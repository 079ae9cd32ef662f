/** Tests the worker of webhooks over a real store and a scripted sender: at least once, retries, dead letters, bounds. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { ABSENT_VALUES, listMachineChanges } from '../../domain/changes/machine-change.ts';
import type { WatchedSubjects } from '../../domain/changes/watch-list.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Store } from '../../ports/store.ts';
import type { DeliveryProblem } from '../../ports/webhooks.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import {
  createWebhookWorker,
  MAX_PENDING_DELIVERIES,
  RETRY_PAUSES_SECONDS,
  UNRESPONSIVE_PAUSE_SECONDS,
  type WebhookWorker,
} from './webhook-worker.ts';

const ID = 7n as MachineId;
const OPERATOR = `0x${'0b'.repeat(20)}` as Address;
const NEVER = new AbortController().signal;

let store: Store;
let time: VirtualTime;
let worker: WebhookWorker;
let receivers: WatchedSubjects[];
let sent: string[];
let outcome: (id: string) => DeliveryProblem | undefined;
let block = 0;

beforeEach(async () => {
  store = await createMemoryStore();
  await store.openChanges(1_000);
  time = new VirtualTime();
  receivers = [watch('desk')];
  sent = [];
  outcome = () => undefined;
  block = 0;
  worker = createWorker();
});
afterEach(() => store.close());

function watch(name: string, parts: Partial<WatchedSubjects> = {}): WatchedSubjects {
  return { name, machines: new Set([ID]), operators: new Set(), kinds: undefined, ...parts };
}

function createWorker(judge = (_name: string, id: string) => outcome(id)): WebhookWorker {
  return createWebhookWorker({
    store,
    receivers: {
      list: () => receivers,
      send(name, { id }) {
        sent.push(`${name} ${id}`);
        return Promise.resolve(judge(name, id));
      },
    },
    formatBody: ({ cursor }) => String(cursor),
    random: () => 0,
    clock: time,
    timers: time,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

/** Stores one change of rating of a machine. */
async function change(rating: string, id = ID, operator: Address | null = null): Promise<void> {
  const checkpoint = await store.readMainChainCheckpoint();
  const next = { blockNumber: ++block, blockHash: `0x${'b'.repeat(64)}` };
  const touched = { machines: [id], kybOperators: [] };
  await store.advanceMainChain(checkpoint, next, [], { readAtBlock: 0, changes: [] }, undefined, touched);
  const [machine] = await store.listDueMachines(0, 1);
  const values = { ...ABSENT_VALUES, operator, rating };
  const place = { blockNumber: block, observedAt: Math.floor(time.nowMilliseconds() / 1000) };
  const changes = listMachineChanges(id, machine!.values ?? ABSENT_VALUES, values, place);
  await store.writeObservations([{ machine: machine!, values, isAbsent: false, changes, dueAt: 9_000_000_000 }]);
}

/** Makes the receivers known, so that later changes are theirs. */
const start = () => worker.step(NEVER);

test('delivers changes after the receiver became known, in their order, once', async () => {
  await change('AA');
  await start();
  for (const rating of ['A', 'BBB']) await change(rating);
  await worker.step(NEVER);
  await worker.step(NEVER);
  expect(sent).toEqual(['desk change-2', 'desk change-3']);
  expect(await store.listReceiverStates()).toEqual([{ name: 'desk', through: 3, pending: 0, dead: 0 }]);
  expect(worker.report()).toEqual({ delivered: 2, failedAttempts: 0, deadLetters: 0 });
});

test('delivers to each receiver what it watches: machines, operators, kinds', async () => {
  receivers = [
    watch('by-operator', { machines: new Set(), operators: new Set([OPERATOR]) }),
    watch('by-kind', { kinds: new Set(['flag']) }),
    watch('by-machine'),
  ];
  await start();
  await change('AA');
  await change('AA', 8n as MachineId, OPERATOR);
  await worker.step(NEVER);
  expect(sent.toSorted()).toEqual(['by-machine change-1', 'by-operator change-2', 'by-operator change-3']);
});

test('announces a change of the operator to the previous one as well', async () => {
  receivers = [watch('by-operator', { machines: new Set(), operators: new Set([OPERATOR]) })];
  await change('AA', ID, OPERATOR);
  await start();
  const other = `0x${'0c'.repeat(20)}` as Address;
  await change('AA', ID, other);
  await change('A', ID, other);
  await worker.step(NEVER);
  expect(sent).toEqual(['by-operator change-3']);
});

test('repeats a failed delivery after each pause, and makes it a dead letter after the last', async () => {
  await start();
  await change('AA');
  outcome = () => 'server-error';
  await worker.step(NEVER);
  for (const pause of RETRY_PAUSES_SECONDS) {
    time.jump(pause * 1000 - 1_000);
    await worker.step(NEVER);
    const before = sent.length;
    time.jump(1_000);
    await worker.step(NEVER);
    expect(sent.length).toBe(before + 1);
  }
  expect(sent.length).toBe(RETRY_PAUSES_SECONDS.length + 1);
  expect(await store.listDeadLetters(9)).toEqual([
    { receiver: 'desk', cursor: 1, attempts: sent.length, problem: 'server-error' },
  ]);
  expect(await store.listReceiverStates()).toEqual([{ name: 'desk', through: 1, pending: 0, dead: 1 }]);
  expect(worker.report()).toEqual({ delivered: 0, failedAttempts: sent.length, deadLetters: 1 });
});

test('delivers later changes while an earlier one fails, and the earlier one after its pause', async () => {
  await start();
  await change('AA');
  await change('A');
  outcome = (id) => (id === 'change-1' ? 'timeout' : undefined);
  await worker.step(NEVER);
  expect((await store.listReceiverStates())[0]).toMatchObject({ pending: 1 });
  outcome = () => undefined;
  time.jump(RETRY_PAUSES_SECONDS[0] * 1000);
  await worker.step(NEVER);
  expect(sent).toEqual(['desk change-1', 'desk change-2', 'desk change-1']);
});

test('leaves a receiver that does not respond alone for a while, and delivers to the others meanwhile', async () => {
  receivers = [watch('slow'), watch('desk')];
  await start();
  for (let step = 0; step < 50; step++) await change(String(step));
  const countSent = (name: string) => sent.filter((each) => each.startsWith(name)).length;
  let isSlow = true;
  worker = createWorker((name) => (isSlow && name === 'slow' ? 'timeout' : undefined));
  await worker.step(NEVER);
  // One for each connection.
  expect([countSent('slow'), countSent('desk')]).toEqual([4, 50]);
  await worker.step(NEVER);
  expect([countSent('slow'), countSent('desk')]).toEqual([4, 50]);
  isSlow = false;
  time.jump(UNRESPONSIVE_PAUSE_SECONDS * 1000);
  await worker.step(NEVER);
  expect(countSent('slow')).toBe(4 + 50);
  expect(await store.listReceiverStates()).toMatchObject([{ pending: 0 }, { pending: 0 }]);
});

test('delivers again what was sent but not recorded when the process ended', async () => {
  await start();
  await change('AA');
  const remove = store.removeDelivery.bind(store);
  store.removeDelivery = () => Promise.reject(new Error('killed'));
  await expect(worker.step(NEVER)).rejects.toThrow('killed');
  store.removeDelivery = remove;
  worker = createWorker();
  await worker.step(NEVER);
  expect(sent).toEqual(['desk change-1', 'desk change-1']);
  expect((await store.listReceiverStates())[0]).toMatchObject({ pending: 0, dead: 0 });
});

test('stores no more deliveries than the limit for a receiver that is down, and the others later', async () => {
  await start();
  outcome = () => 'connection';
  const rating = (step: number) => String(step);
  for (let step = 0; step < 12; step++) await change(rating(step));
  const cursors = Array.from({ length: MAX_PENDING_DELIVERIES }, (_, at) => 1_000_000 + at);
  await store.addDeliveries('desk', 0, 6, cursors, 9_000_000_000);
  await worker.step(NEVER);
  expect((await store.listReceiverStates())[0]).toMatchObject({ through: 6, pending: MAX_PENDING_DELIVERIES });
  await store.removeDelivery('desk', 1_000_000);
  await worker.step(NEVER);
  expect((await store.listReceiverStates())[0]).toMatchObject({ through: 12 });
});

test('makes a delivery whose change was deleted a dead letter', async () => {
  await start();
  await change('AA');
  await store.addDeliveries('desk', 0, 1, [1], Math.floor(time.nowMilliseconds() / 1000));
  await store.pruneChanges(9_000_000_000, 0);
  await worker.step(NEVER);
  expect(sent).toEqual([]);
  expect(await store.listDeadLetters(9)).toMatchObject([{ cursor: 1, problem: 'expired' }]);
});

test('continues at once after a full page of deliveries', async () => {
  await start();
  for (let step = 0; step < 101; step++) await change(String(step));
  expect([await worker.step(NEVER), await worker.step(NEVER)]).toEqual(['more', 'idle']);
  expect(sent.length).toBe(101);
});
