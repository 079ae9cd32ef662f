/**
 * Tests of the ownership snapshot: which responses replace it and how a stale one looks. Each test has its own database
 * and virtual time.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { formatAltFleetIdentity, type AltFleet } from '../../domain/alt-chain/alt-fleet.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import { explainCause } from '../../domain/index-rules/index-cause.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Store } from '../../ports/store.ts';
import { createAltFleetWorker, type AltFleetWorker } from './fleet-snapshot.ts';
import { createLastingCauses, type LastingCauses } from '../loops/lasting-causes.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { rule } from '../../../test/conformance/rule.ts';

const ALICE = `0x${'a1'.repeat(20)}` as Address;
const KEY = '1'.repeat(32) as AltKey;
const DEPLOYMENT = { genesisHash: KEY, machineRegistry: KEY };
const IDENTITY = formatAltFleetIdentity(DEPLOYMENT);
const START = 1_800_000_000_000;

interface FakeResponse {
  readonly slot: number;
  readonly ids: readonly number[];
  readonly unattributed?: number;
  readonly before?: number;
  readonly after?: number;
  /** Slots between the counts and the rows. */
  readonly distance?: number;
}

let store: Store;
let time: VirtualTime;
let log: ReturnType<typeof createRecordingLog>;
let workers: AltFleetWorker[];
/** Returned in turn; the last one repeats. */
let responses: (FakeResponse | Error)[];
let reads: number;
/** Delays of the responses, in turn. */
let delays: Promise<undefined>[];
let causes: LastingCauses;

beforeEach(async () => {
  store = await createMemoryStore();
  time = new VirtualTime(START);
  log = createRecordingLog();
  workers = [];
  reads = 0;
  delays = [];
  causes = createLastingCauses({ clock: time, log, pollIntervalMilliseconds: 60_000 });
});
afterEach(async () => {
  await Promise.all(workers.map(({ loop }) => loop.stop()));
  await store.close();
});

function toFleet(ids: readonly number[], unattributed: number): AltFleet {
  const machines = ids.map((id) => BigInt(id) as MachineId);
  return {
    machinesByOperator: new Map([[ALICE, machines]]),
    unreadableByOperator: new Map(),
    unattributed,
    addresses: new Set([...ids, ...Array.from({ length: unattributed }, (_, i) => `unattributed ${i}`)]),
  };
}

function start(checkGenesis: () => Promise<void> = async () => undefined): AltFleetWorker {
  const worker = createAltFleetWorker({
    history: {
      checkGenesis,
      async readFleet() {
        const index = reads++;
        const response = responses[Math.min(index, responses.length - 1)]!;
        await delays[index];
        if (response instanceof Error) throw response;
        const {
          slot,
          ids,
          unattributed = 0,
          before = ids.length + unattributed,
          after = before,
          distance = 0,
        } = response;
        return {
          slot,
          fleet: toFleet(ids, unattributed),
          before: { slot: slot - distance, machineCount: BigInt(before) },
          after: { slot: slot + distance, machineCount: BigInt(after) },
        };
      },
    },
    store,
    clock: time,
    timers: time,
    log,
    deployment: DEPLOYMENT,
    pollIntervalSeconds: 60,
    causes,
  });
  workers.push(worker);
  worker.loop.start();
  return worker;
}

async function read() {
  const { observation, machines } = await store.listFleet(IDENTITY, ALICE, 0, 20);
  return [
    observation?.slot,
    observation && (observation.observedAtMilliseconds - START) / 1000,
    machines.map(({ id }) => Number(id)),
  ];
}

describe('a node that returns complete fleets', () => {
  test('yields a snapshot at once and one more per interval', async () => {
    rule('listing.alt-snapshot');
    responses = [
      { slot: 100, ids: [1, 2] },
      { slot: 250, ids: [2, 3] },
    ];
    const { caughtUp } = start();
    await time.advance(0);
    await caughtUp;
    expect(await read()).toEqual([100, 0, [1, 2]]);
    expect(time.pauses).toEqual([60_000]);
    await time.advance(60_000);
    expect(await read()).toEqual([250, 60, [2, 3]]);
  });

  test('renews the observation when nothing has changed', async () => {
    responses = [
      { slot: 100, ids: [1] },
      { slot: 250, ids: [1] },
    ];
    start();
    await time.advance(60_000);
    expect(await read()).toEqual([250, 60, [1]]);
  });

  test('does not look alive while its slot stands still', async () => {
    responses = [{ slot: 100, ids: [1] }];
    start();
    await time.advance(1_200_000);
    expect([reads, await read()]).toEqual([21, [100, 0, [1]]]);
  });

  test('is named as a cause once its slot has stood for ten intervals, until it rises', async () => {
    responses = [{ slot: 100, ids: [1] }];
    start();
    await time.advance(600_000);
    expect(causes.list()).toEqual([]);
    await time.advance(60_000);
    expect(causes.list()).toEqual([explainCause({ kind: 'alt-node-behind' })]);
    responses = [{ slot: 101, ids: [1] }];
    await time.advance(60_000);
    expect(causes.list()).toEqual([]);
  });

  test('replaces a snapshot of a later slot only after that one has expired', async () => {
    responses = [
      { slot: 100, ids: [1] },
      { slot: 90, ids: [9] },
    ];
    start();
    await time.advance(600_000);
    expect(await read()).toEqual([100, 0, [1]]);
    await time.advance(60_000);
    expect(await read()).toEqual([90, 660, [9]]);
  });
});

describe('a node that returns incomplete fleets', () => {
  const NOT_REPLACED = 'the ownership snapshot of the alt chain was not replaced';
  const GOOD = { slot: 100, ids: [1, 2] };

  test.each<[name: string, response: FakeResponse, verdict: string, requests: number]>([
    ['omits rows', { slot: 200, ids: [1], before: 2 }, 'incomplete', 2],
    ['returns a row that may be of any operator', { slot: 200, ids: [1], unattributed: 1 }, 'incomplete', 2],
    ['returns extra rows', { slot: 200, ids: [1, 2, 3], before: 2 }, 'incomplete', 2],
    ['keeps changing', { slot: 200, ids: [1, 2, 3], before: 2, after: 3 }, 'moved', 4],
  ])('leaves the previous snapshot when it %s', async (_name, response, verdict, requests) => {
    responses = [GOOD, response];
    start();
    await time.advance(60_000);
    expect([reads, await read()]).toEqual([requests, [100, 0, [1, 2]]]);
    const cause = explainCause({ kind: 'alt-machines-mismatch' });
    expect(log.lines.map(({ message, fields }) => [message, fields])).toEqual([
      ...(verdict === 'incomplete' ? [[cause.text, expect.objectContaining({ remedy: cause.remedy })]] : []),
      [NOT_REPLACED, { verdict }],
    ]);
  });

  test('is named as a cause once its machines have changed in each read of ten intervals', async () => {
    responses = [GOOD, { slot: 200, ids: [1, 2], after: 3 }];
    start();
    await time.advance(600_000);
    expect(causes.list()).toEqual([]);
    await time.advance(60_000);
    expect(causes.list()).toEqual([explainCause({ kind: 'alt-machines-mismatch' })]);
    responses = [{ slot: 300, ids: [1, 2] }];
    await time.advance(60_000);
    expect(causes.list()).toEqual([]);
  });

  test('is queried again at once when the fleet changed in between', async () => {
    responses = [{ slot: 90, ids: [1], before: 1, after: 2 }, GOOD];
    start();
    await time.advance(0);
    expect([reads, await read()]).toEqual([2, [100, 0, [1, 2]]]);
  });

  test('is queried again at once when a new machine may hide that a row is missing', async () => {
    // Machine 1 is omitted; 3 came after the first count, and 4 left before the second.
    responses = [
      { slot: 100, ids: [1, 2, 4], distance: 1 },
      { slot: 105, ids: [1, 2, 4], distance: 1 },
      { slot: 200, ids: [2, 3, 4], distance: 1 },
      { slot: 205, ids: [2, 3], before: 3, distance: 1 },
    ];
    start();
    await time.advance(0);
    expect([reads, await read()]).toEqual([2, [105, 0, [1, 2, 4]]]);
    await time.advance(60_000);
    expect([reads, await read()]).toEqual([4, [105, 0, [1, 2, 4]]]);
  });

  test('is replaced while every second read comes from a server that omits a row', async () => {
    const whole = { ids: [1, 2], distance: 1 };
    const lacking = { ids: [1], before: 2, distance: 1 };
    responses = [
      { slot: 100, ...lacking },
      { slot: 101, ...whole },
      { slot: 102, ...lacking },
      { slot: 103, ...whole },
    ];
    start();
    await time.advance(180_000);
    expect(await read()).toEqual([103, 120, [1, 2]]);
  });

  test('is queried again after a growing delay when it fails', async () => {
    responses = [chainUnreadable('alt', 'rpc-error'), chainUnreadable('alt', 'rpc-error'), GOOD];
    start();
    await time.advance(0);
    expect(time.pauses).toEqual([1_000]);
    await time.advance(1_000);
    expect([time.pauses, await read()]).toEqual([[2_000], [undefined, undefined, []]]);
    await time.advance(2_000);
    expect(await read()).toEqual([100, 3, [1, 2]]);
  });

  test('is queried again within the poll when a connection is lost', async () => {
    responses = [chainUnreadable('alt', 'transport'), GOOD];
    start();
    await time.advance(0);
    expect(time.pauses).toEqual([400]);
    await time.advance(400);
    expect(await read()).toEqual([100, 0.4, [1, 2]]);
  });

  test('is not queried when it belongs to another cluster', async () => {
    responses = [GOOD];
    start(() => Promise.reject(chainUnreadable('alt', 'wrong-chain')));
    await time.advance(0);
    expect([reads, await read()]).toEqual([0, [undefined, undefined, []]]);
  });
});

test('never overwrites the newer snapshot of another worker', async () => {
  const delay = Promise.withResolvers<undefined>();
  responses = [
    { slot: 200, ids: [1] },
    { slot: 100, ids: [2] },
  ];
  delays = [delay.promise];
  start();
  await time.advance(0);
  start();
  await time.advance(0);
  expect(await read()).toEqual([100, 0, [2]]);
  delay.resolve(undefined);
  await time.advance(0);
  expect([reads, await read()]).toEqual([2, [100, 0, [2]]]);
});
