/** LRU cache of machine snapshots: validity, renewal, reads in flight, memory bound. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import type { Header, HeadStep } from '../../../ports/main-chain.ts';
import { MAIN_CHAIN_LIMITS } from '../limits.ts';
import { createMachineSnapshots, type MachineSnapshots } from './machine-snapshots.ts';
import { estimateSnapshotBytes } from './snapshot-size.ts';
import { createMainUpstreamCounters, type MainUpstreamCounters } from '../rpc/upstream-counters.ts';
import { ABSENT, present, unreadable } from '../../../domain/read-result.ts';

const GRACE_SECONDS = 100n;
const RUNOFF_SECONDS = 1_000n;
const BLOCK_TIME = 10_000;
const STEP_MILLISECONDS = 6_000;
const OPERATOR = `0x${'a'.repeat(40)}` as Address;
const OWNER = `0x${'b'.repeat(40)}` as Address;
const UNREADABLE = unreadable('undecodable');

const id = (value: number) => BigInt(value) as MachineId;

function snapshotOf(machine: number, rest: Partial<MachineSnapshot> = {}): MachineSnapshot {
  return {
    id: id(machine),
    block: { number: 1, hash: '0x1', timestamp: BLOCK_TIME },
    owner: present(OWNER),
    controller: ABSENT,
    operator: present(OPERATOR),
    document: ABSENT,
    subscription: present({ tier: 0, periodStart: 0n, periodEnd: 0n, bondedAmount: 0n }),
    subscriptionStatus: present('NotActivated'),
    available: present(true),
    generalPaused: present(false),
    technicalPaused: present(false),
    operatorPaused: present(false),
    relocating: present(false),
    homeOrdinal: present(1),
    eventCount: present(0n),
    priorEventCount: present(0n),
    events: present({ offset: 0, records: [] }),
    firstEvents: undefined,
    flags: ABSENT,
    attestations: present({ operator: OPERATOR, kyb: undefined, chip: undefined }),
    chipLogCount: present(0n),
    ...rest,
  };
}

const headAt = (timestamp: number): Header => ({
  number: 2,
  hash: '0x2',
  parentHash: '0x1',
  timestamp,
  logsBloom: '0x',
});
const HEAD = headAt(BLOCK_TIME);

const step = (rest: Partial<HeadStep> = {}): HeadStep => ({
  head: HEAD,
  observedAtMilliseconds: 0,
  waitMilliseconds: 0,
  touched: { machines: new Set(), kybOperators: new Set(), holders: new Set() },
  deployment: false,
  checks: false,
  ...rest,
});
const touching = (machines: readonly number[], kybOperators: readonly Address[] = []) =>
  step({ touched: { machines: new Set(machines.map(id)), kybOperators: new Set(kybOperators), holders: new Set() } });

let now: number;
let lengths: DeploymentFacts | undefined;
let counters: MainUpstreamCounters;
let snapshots: MachineSnapshots;

function open(maxSnapshotBytes = MAIN_CHAIN_LIMITS.maxSnapshotBytes): void {
  counters = createMainUpstreamCounters();
  snapshots = createMachineSnapshots({
    clock: { nowMilliseconds: () => now },
    limits: { ...MAIN_CHAIN_LIMITS, maxSnapshotBytes },
    counters,
    deployment: () => lengths,
  });
}

beforeEach(() => {
  now = 0;
  lengths = { graceSeconds: GRACE_SECONDS, runoffSeconds: RUNOFF_SECONDS } as DeploymentFacts;
  open();
});

/** Returns the snapshot and whether the chain was read. */
async function get(snapshot: MachineSnapshot, head = HEAD, firstEvents = false) {
  let wasRead = false;
  const given = await snapshots.get(snapshot.id, firstEvents, head, () => {
    wasRead = true;
    return Promise.resolve(snapshot);
  });
  return { given, wasRead };
}

const wasRead = async (machine: number, head = HEAD) => (await get(snapshotOf(machine), head)).wasRead;

describe('a cached snapshot', () => {
  test('is returned as the same object until a step touches its machine', async () => {
    const { given } = await get(snapshotOf(1));
    await get(snapshotOf(2));
    snapshots.advance(step());
    expect((await get(snapshotOf(1))).given).toBe(given);
    snapshots.advance(touching([1, 3]));
    expect([await wasRead(1), await wasRead(2)]).toEqual([true, false]);
  });

  test('is renewed before it expires when it is in use and has no unreadable fact', async () => {
    for (const snapshot of [snapshotOf(1), snapshotOf(2), snapshotOf(3, { attestations: UNREADABLE })]) {
      await get(snapshot);
      if (snapshot.id !== 2n) await get(snapshot);
    }
    expect(snapshots.listAging(60_000, STEP_MILLISECONDS)).toEqual([]);
    expect(snapshots.listAging(60_001, STEP_MILLISECONDS)).toEqual([snapshotOf(1)]);
    now = 55_000;
    const { promise, resolve } = Promise.withResolvers<MachineSnapshot>();
    snapshots.renew(id(1), () => promise);
    snapshots.renew(id(1), () => Promise.reject(new Error('is already being read')));
    expect(await wasRead(1)).toBe(false);
    resolve(snapshotOf(1));
    await promise;
    now = 114_999;
    expect(await wasRead(1)).toBe(false);
    expect(snapshots.listAging(115_001, STEP_MILLISECONDS)).toHaveLength(1);
  });

  test('is renewed in even shares with others past half of their age', async () => {
    for (let machine = 1; machine <= 10; machine++) {
      await get(snapshotOf(machine));
      await get(snapshotOf(machine));
      now += 1_000;
    }
    // The order of use differs from the order of age.
    await get(snapshotOf(1));
    const listAt = (milliseconds: number) => {
      now = milliseconds;
      return snapshots.listAging(now + 17_000, STEP_MILLISECONDS).map((snapshot) => snapshot.id);
    };
    // Seven steps remain before expiry, so two of ten are renewed per step.
    expect([listAt(30_000), listAt(30_001), listAt(31_001), listAt(42_999)]).toEqual([[], [1n], [1n, 2n], [1n, 2n]]);
    // Snapshots about to expire are all renewed.
    expect(listAt(48_001)).toEqual([1n, 6n, 5n, 4n, 3n, 2n]);
  });

  test('counts its age from the start of its renewal', async () => {
    await get(snapshotOf(1));
    now = 40_000;
    const { promise, resolve } = Promise.withResolvers<MachineSnapshot>();
    snapshots.renew(id(1), () => promise);
    now = 46_000;
    resolve(snapshotOf(1));
    await promise;
    now = 99_999;
    expect(await wasRead(1)).toBe(false);
    now = 100_000;
    expect(await wasRead(1)).toBe(true);
  });

  test('is read again at once when it expires during its renewal', async () => {
    await get(snapshotOf(1));
    const { promise, resolve } = Promise.withResolvers<MachineSnapshot>();
    snapshots.renew(id(1), () => promise);
    now = 60_000;
    const { given, wasRead: isRead } = await get(snapshotOf(1));
    expect(isRead).toBe(true);
    resolve(snapshotOf(1));
    await promise;
    expect((await get(snapshotOf(1))).given).toBe(given);
  });

  test('is served until it expires when its renewal fails, and is dropped when a step supersedes the renewal', async () => {
    await get(snapshotOf(1));
    snapshots.renew(id(1), () => Promise.reject(new Error('unreachable')));
    await Promise.resolve();
    expect(await wasRead(1)).toBe(false);
    const { promise, resolve } = Promise.withResolvers<MachineSnapshot>();
    snapshots.renew(id(1), () => promise);
    snapshots.advance(touching([1]));
    resolve(snapshotOf(1));
    await promise;
    expect(await wasRead(1)).toBe(true);
  });

  test.each([
    ['everything is touched', step({ touched: 'all' })],
    ['the deployment changed', step({ deployment: true })],
    ['the checks must run', step({ checks: true })],
  ])('is dropped when %s', async (_, all) => {
    await get(snapshotOf(1));
    snapshots.advance(all);
    expect(await wasRead(1)).toBe(true);
    expect(counters).toMatchObject({ snapshotCount: 1 });
  });

  test('is dropped when the KYB of its operator changes or its records are unreadable', async () => {
    const withoutOperator = present({ operator: undefined, kyb: undefined, chip: undefined });
    const cases: readonly (readonly [MachineSnapshot, Address, boolean])[] = [
      [snapshotOf(1), OWNER, false],
      [snapshotOf(1), OPERATOR, true],
      [snapshotOf(1, { attestations: ABSENT }), OPERATOR, false],
      [snapshotOf(1, { attestations: withoutOperator }), OPERATOR, false],
      // Of the alt chain: its account names the operator.
      [snapshotOf(1, { owner: ABSENT, attestations: withoutOperator }), OPERATOR, true],
      [snapshotOf(1, { attestations: UNREADABLE }), OWNER, true],
    ];
    for (const [snapshot, operator, expected] of cases) {
      open();
      await get(snapshot);
      snapshots.advance(touching([], [operator]));
      expect((await get(snapshot)).wasRead).toBe(expected);
    }
  });

  test('is served for at most 60 seconds', async () => {
    await get(snapshotOf(1));
    now = 59_999;
    expect(await wasRead(1)).toBe(false);
    now = 60_000;
    expect(await wasRead(1)).toBe(true);
  });

  test('is served for at most a second when one of its facts is unreadable', async () => {
    const flawed = snapshotOf(1, { available: UNREADABLE });
    await get(flawed);
    now = 999;
    expect((await get(flawed)).wasRead).toBe(false);
    now = 1_000;
    expect((await get(flawed)).wasRead).toBe(true);
  });

  test('is not served to a reader that needs first events it lacks', async () => {
    const whole = snapshotOf(1, { firstEvents: present({ offset: 0, records: [] }) });
    await get(snapshotOf(1));
    expect((await get(whole, HEAD, true)).wasRead).toBe(true);
    expect((await get(snapshotOf(1))).given).toBe(whole);
    expect((await get(whole, HEAD, true)).wasRead).toBe(false);
  });
});

describe('a boundary of the subscription', () => {
  const PERIOD_END = BLOCK_TIME + 50;
  const subscribed = (timestamp: number) =>
    snapshotOf(1, {
      block: { number: 1, hash: '0x1', timestamp },
      subscription: present({ tier: 0, periodStart: 1n, periodEnd: BigInt(PERIOD_END), bondedAmount: 0n }),
    });

  test.each([
    ['the end of the period', BLOCK_TIME, PERIOD_END],
    ['the end of the period, from the second before', PERIOD_END - 1, PERIOD_END],
    ['the end of grace, from the end of the period on', PERIOD_END, PERIOD_END + 100],
    ['the end of runoff', PERIOD_END + 100, PERIOD_END + 1_100],
  ])('is %s', async (_, readAt, boundary) => {
    await get(subscribed(readAt));
    expect((await get(subscribed(readAt), headAt(boundary - 1))).wasRead).toBe(false);
    expect((await get(subscribed(readAt), headAt(boundary))).wasRead).toBe(true);
    open();
    await get(subscribed(readAt));
    expect((await get(subscribed(readAt), headAt(boundary + 1))).wasRead).toBe(true);
  });

  test('follows the lengths of grace that are read after the snapshot', async () => {
    const graceEnd = PERIOD_END + Number(GRACE_SECONDS);
    lengths = undefined;
    await get(subscribed(PERIOD_END));
    lengths = { graceSeconds: GRACE_SECONDS, runoffSeconds: RUNOFF_SECONDS } as DeploymentFacts;
    expect((await get(subscribed(PERIOD_END), headAt(graceEnd - 1))).wasRead).toBe(false);
    lengths = { graceSeconds: GRACE_SECONDS - 1n, runoffSeconds: RUNOFF_SECONDS } as DeploymentFacts;
    expect((await get(subscribed(PERIOD_END), headAt(graceEnd - 1))).wasRead).toBe(true);
  });

  test('does not exist after the last one or before the first activation', async () => {
    await get(subscribed(PERIOD_END + 1_100));
    expect((await get(subscribed(PERIOD_END + 1_100), headAt(2 ** 40))).wasRead).toBe(false);
    await get(snapshotOf(2));
    expect(await wasRead(2, headAt(2 ** 40))).toBe(false);
  });

  test('does not expire a snapshot when only the clock passes it', async () => {
    await get(subscribed(BLOCK_TIME));
    now = 59_000;
    expect((await get(subscribed(BLOCK_TIME), headAt(BLOCK_TIME + 49))).wasRead).toBe(false);
  });
});

describe('a read in flight', () => {
  function start(machine: number, firstEvents = false) {
    const { promise, resolve, reject } = Promise.withResolvers<MachineSnapshot>();
    let reads = 0;
    const given = snapshots.get(id(machine), firstEvents, HEAD, () => {
      reads += 1;
      return promise;
    });
    return { given, resolve, reject, reads: () => reads };
  }

  test('is shared by all callers that need no more than it reads', async () => {
    const one = start(1, true);
    const others = [start(1), start(1, true)];
    const snapshot = snapshotOf(1, { firstEvents: present({ offset: 0, records: [] }) });
    one.resolve(snapshot);
    expect(await Promise.all(others.map(({ given }) => given))).toEqual([snapshot, snapshot]);
    expect(others.map(({ reads }) => reads())).toEqual([0, 0]);
  });

  test('serves its callers when a step supersedes it, but is neither joined nor stored', async () => {
    for (const overtaking of [touching([1]), step({ touched: 'all' }), touching([], [OPERATOR])]) {
      open();
      const early = start(1);
      snapshots.advance(overtaking);
      const late = start(1);
      expect(late.reads()).toBe(1);
      const [old, fresh] = [snapshotOf(1), snapshotOf(1)];
      late.resolve(fresh);
      expect(await late.given).toBe(fresh);
      early.resolve(old);
      expect(await early.given).toBe(old);
      expect((await get(snapshotOf(1))).given).toBe(fresh);
    }
  });

  test('is stored when the steps in the meantime do not touch its machine', async () => {
    const read = start(1);
    snapshots.advance(touching([2]));
    const snapshot = snapshotOf(1);
    read.resolve(snapshot);
    await read.given;
    expect((await get(snapshotOf(1))).given).toBe(snapshot);
  });

  test('is not stored over a snapshot with first events when it lacks them', async () => {
    const plain = start(1);
    const whole = start(1, true);
    const snapshot = snapshotOf(1, { firstEvents: present({ offset: 0, records: [] }) });
    whole.resolve(snapshot);
    await whole.given;
    plain.resolve(snapshotOf(1));
    await plain.given;
    expect((await get(snapshotOf(1), HEAD, true)).given).toBe(snapshot);
  });

  test('is not stored when it fails, and the next caller reads again', async () => {
    const failing = start(1);
    failing.reject(new Error('no'));
    await expect(failing.given).rejects.toThrow('no');
    expect(await wasRead(1)).toBe(true);
  });
});

describe('memory', () => {
  test('is bounded by estimated bytes, and the least recently used snapshot is dropped first', async () => {
    const text = 'x'.repeat(10_000);
    const endpoint = { id: text, serviceType: '', serviceEndpoint: '' };
    const large = (machine: number) =>
      snapshotOf(machine, {
        document: present({
          controller: undefined,
          verificationMethods: [],
          authentication: [],
          serviceEndpoints: [endpoint],
        }),
      });
    const bytes = estimateSnapshotBytes(large(1));
    expect(bytes).toBeGreaterThan(20_000);
    open(3 * bytes);
    for (const machine of [1, 2, 3]) await get(large(machine));
    expect(counters).toMatchObject({ snapshotCount: 3, snapshotBytes: 3 * bytes });
    await get(large(1));
    await get(large(4));
    expect(counters).toMatchObject({ snapshotCount: 3, snapshotBytes: 3 * bytes });
    expect([await wasRead(1), await wasRead(3), await wasRead(4)]).toEqual([false, false, false]);
    expect(await wasRead(2)).toBe(true);
  });

  test('does not hold a snapshot larger than the bound', async () => {
    open(100);
    await get(snapshotOf(1));
    expect(counters).toMatchObject({ snapshotCount: 0, snapshotBytes: 0 });
  });
});
