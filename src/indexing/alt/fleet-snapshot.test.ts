/** Which answers of a node become the snapshot, and how does one that stands still look? On a database of its own and time that tests move. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createStore } from '../../adapters/sql/create-store.ts';
import { formatAltFleetIdentity, type AltFleet } from '../../domain/alt-chain/alt-fleet.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Store } from '../../ports/store.ts';
import { createAltFleetWorker, type AltFleetWorker } from './fleet-snapshot.ts';
import { createKeptLog } from '../../../testing/fakes/recording-log.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { rule } from '../../../test/conformance/rule.ts';

const ALICE = `0x${'a1'.repeat(20)}` as Address;
const KEY = '1'.repeat(32) as AltKey;
const DEPLOYMENT = { genesisHash: KEY, machineRegistry: KEY };
const IDENTITY = formatAltFleetIdentity(DEPLOYMENT);
const START = 1_800_000_000_000;

interface Answer {
  readonly slot: number;
  readonly ids: readonly number[];
  readonly before?: number;
  readonly after?: number;
}

let store: Store;
let time: VirtualTime;
let log: ReturnType<typeof createKeptLog>;
let workers: AltFleetWorker[];
/** Given in turn; the last one again and again. */
let answers: (Answer | Error)[];
let reads: number;
/** Of the answers, in turn. */
let gates: Promise<undefined>[];

beforeEach(async () => {
  store = await createStore('sqlite::memory:');
  time = new VirtualTime(START);
  log = createKeptLog();
  workers = [];
  reads = 0;
  gates = [];
});
afterEach(async () => {
  await Promise.all(workers.map(({ loop }) => loop.stop()));
  await store.close();
});

function toFleet(ids: readonly number[]): AltFleet {
  const machines = ids.map((id) => {
    return { id: BigInt(id) as MachineId, owner: KEY, controller: undefined, relocating: false, operator: ALICE };
  });
  return {
    machinesByOperator: new Map([[ALICE, machines]]),
    unreadableByOperator: new Map(),
    unattributed: 0,
    rowCount: ids.length,
  };
}

function start(checkGenesis: () => Promise<void> = async () => undefined): AltFleetWorker {
  const worker = createAltFleetWorker({
    history: {
      checkGenesis,
      async readFleet() {
        const turn = reads++;
        const answer = answers[Math.min(turn, answers.length - 1)]!;
        await gates[turn];
        if (answer instanceof Error) throw answer;
        const { slot, ids, before = ids.length, after = before } = answer;
        return { slot, fleet: toFleet(ids), countBefore: BigInt(before), countAfter: BigInt(after) };
      },
    },
    store,
    clock: time,
    timers: time,
    log,
    deployment: DEPLOYMENT,
    pollIntervalSeconds: 60,
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

describe('a node that answers whole', () => {
  test('gives a snapshot at once, and one more each interval', async () => {
    rule('listing.alt-snapshot');
    answers = [
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

  test('is noted when it brings no news', async () => {
    answers = [
      { slot: 100, ids: [1] },
      { slot: 250, ids: [1] },
    ];
    start();
    await time.advance(60_000);
    expect(await read()).toEqual([250, 60, [1]]);
  });

  test('does not look alive while its slot stands still', async () => {
    answers = [{ slot: 100, ids: [1] }];
    start();
    await time.advance(1_200_000);
    expect([reads, await read()]).toEqual([21, [100, 0, [1]]]);
  });

  test('of an earlier slot replaces only what is out of date', async () => {
    answers = [
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

describe('a node that does not', () => {
  const KEPT = 'the ownership snapshot of the alt chain stays as it was';
  const GOOD = { slot: 100, ids: [1, 2] };

  test.each<[name: string, answer: Answer, verdict: string, asked: number]>([
    ['leaves rows out', { slot: 200, ids: [1], before: 2 }, 'incomplete', 2],
    ['gives rows too many', { slot: 200, ids: [1, 2, 3], before: 2 }, 'incomplete', 2],
    ['moves all the while', { slot: 200, ids: [1, 2, 3], before: 2, after: 3 }, 'moved', 4],
  ])('and %s leaves the one before', async (_name, answer, verdict, asked) => {
    answers = [GOOD, answer];
    start();
    await time.advance(60_000);
    expect([reads, await read()]).toEqual([asked, [100, 0, [1, 2]]]);
    expect(log.lines.map(({ message, ...rest }) => [message, rest])).toEqual([
      [KEPT, expect.objectContaining({ fields: { verdict } })],
    ]);
  });

  test('and holds still in between is asked again at once', async () => {
    answers = [{ slot: 90, ids: [1], before: 1, after: 2 }, GOOD];
    start();
    await time.advance(0);
    expect([reads, await read()]).toEqual([2, [100, 0, [1, 2]]]);
  });

  test('and fails is asked again after a growing pause', async () => {
    answers = [chainUnreadable('alt', 'transport'), chainUnreadable('alt', 'transport'), GOOD];
    start();
    await time.advance(0);
    expect(time.pauses).toEqual([1_000]);
    await time.advance(1_000);
    expect([time.pauses, await read()]).toEqual([[2_000], [undefined, undefined, []]]);
    await time.advance(2_000);
    expect(await read()).toEqual([100, 3, [1, 2]]);
  });

  test('and is of another cluster is not asked', async () => {
    answers = [GOOD];
    start(() => Promise.reject(chainUnreadable('alt', 'wrong-chain')));
    await time.advance(0);
    expect([reads, await read()]).toEqual([0, [undefined, undefined, []]]);
  });
});

test('of two workers the slower one does not undo what the other has stored', async () => {
  const gate = Promise.withResolvers<undefined>();
  answers = [
    { slot: 200, ids: [1] },
    { slot: 100, ids: [2] },
  ];
  gates = [gate.promise];
  start();
  await time.advance(0);
  start();
  await time.advance(0);
  expect(await read()).toEqual([100, 0, [2]]);
  gate.resolve(undefined);
  await time.advance(0);
  expect([reads, await read()]).toEqual([2, [100, 0, [2]]]);
});
