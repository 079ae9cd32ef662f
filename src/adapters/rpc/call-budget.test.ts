/** Ceiling, shares, fairness and learning of the call budget, in virtual time. */
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import type { ChainWork } from '../../ports/runtime.ts';
import { startDeadline } from './deadline.ts';
import { createCallBudget, type CallBudget, type CallBudgetOptions, type CallPurpose } from './call-budget.ts';

/** Midnight, UTC. */
const START = 1_799_971_200_000;
const DAY_SECONDS = 86_400;

let time: VirtualTime;
let budget: CallBudget;
/** Granted calls by name, with the time of the grant. */
let grants: { readonly name: string; readonly calls: number; readonly atMilliseconds: number }[];
let refusals: { readonly name: string; readonly retryAfterSeconds: number; readonly atMilliseconds: number }[];

beforeEach(() => open({ callsPerSecond: 10 }));

function open(options: Pick<CallBudgetOptions, 'callsPerSecond' | 'callsPerDay'>, startMilliseconds = START): void {
  time = new VirtualTime(startMilliseconds);
  grants = [];
  refusals = [];
  const stopwatch = {
    nowMilliseconds: () => time.nowMilliseconds(),
    async pause(milliseconds: number, signal: AbortSignal) {
      await time.wait(milliseconds, signal);
      signal.throwIfAborted();
    },
  };
  budget = createCallBudget({ clock: time, stopwatch, ...options });
}

const HEAD: CallPurpose = { work: { kind: 'head' }, isKnown: true };
const INDEX: CallPurpose = { work: { kind: 'index' }, isKnown: true };
const PROOF: CallPurpose = { work: { kind: 'proof' }, isKnown: true };
const caller = (network: string, isKnown = true): CallPurpose => ({
  work: { kind: 'caller', networks: network.split(' ') },
  isKnown,
});

/** Requests calls; their grant or refusal is recorded under the name. Returns a function that withdraws them. */
function request(name: string, purpose: CallPurpose, calls = 1): () => void {
  return budget.takeTurn(calls, purpose, {
    granted: () => void grants.push({ name, calls, atMilliseconds: time.nowMilliseconds() }),
    refused(error) {
      const { retryAfterSeconds } = (error as { readonly context: { readonly retryAfterSeconds: number } }).context;
      refusals.push({ name, retryAfterSeconds, atMilliseconds: time.nowMilliseconds() });
    },
  });
}

const countCalls = (name: string) =>
  grants.filter((grant) => grant.name === name).reduce((sum, { calls }) => sum + calls, 0);

/** Keeps `depth` requests of one kind waiting for some seconds. */
async function saturate(
  seconds: number,
  sources: readonly { name: string; purpose: CallPurpose; calls?: number }[],
): Promise<void> {
  for (let step = 0; step < seconds * 10; step++) {
    for (const { name, purpose, calls } of sources) request(name, purpose, calls);
    await time.advance(100);
  }
}

describe('ceiling', () => {
  test('admits every call at once while no limit is known', () => {
    open({});
    for (let i = 0; i < 1_000; i++) request('a', caller('192.0.2.1'), 100);
    expect(countCalls('a')).toBe(100_000);
    expect(budget.report()).toMatchObject({ callsPerSecond: undefined, waiting: 0, refused: 0 });
    expect([budget.maxCalls, budget.partCalls]).toEqual([Infinity, Infinity]);
  });

  test(
    `never sends more than the configured calls within a second, and never idles while calls wait (${SEED_TITLE})`,
    async () => {
      const kinds = fc.constantFrom('head', 'index', 'proof', 'caller');
      const requests = fc.record({
        afterMilliseconds: fc.integer({ min: 0, max: 300 }),
        kind: kinds,
        network: fc.integer({ min: 1, max: 4 }),
        isKnown: fc.boolean(),
        calls: fc.integer({ min: 1, max: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 8, max: 40 }), fc.array(requests, { maxLength: 60 }), async (limit, all) => {
          open({ callsPerSecond: limit });
          for (const { afterMilliseconds, kind, network, isKnown, calls } of all) {
            await time.advance(afterMilliseconds);
            const work: ChainWork = kind === 'caller' ? { kind, networks: [`192.0.2.${network}`] } : { kind };
            request(kind, { work, isKnown }, calls);
          }
          await time.advance(60_000);
          for (const { atMilliseconds } of grants) {
            const within = grants.filter((each) => {
              const age = each.atMilliseconds - atMilliseconds;
              return age >= 0 && age < 1_000;
            });
            expect(within.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual(limit);
          }
          expect(grants.length + refusals.length).toBe(all.length);
          expect(budget.report().waiting).toBe(0);
        }),
        { ...PROPERTY_RUNS, numRuns: Math.min(PROPERTY_RUNS.numRuns, 20) },
      );
    },
    PROPERTY_TIMEOUT_MILLISECONDS,
  );

  test('lets calls beyond the ceiling of a second use up the next ones', async () => {
    request('big', INDEX, 30);
    await time.advance(0);
    request('next', caller('192.0.2.1'));
    await time.advance(1_900);
    expect(grants.map(({ name }) => name)).toEqual(['big']);
    expect([budget.maxCalls, budget.partCalls]).toEqual([5, 1]);
  });
});

describe('shares', () => {
  test('serves the head before everything that waits', async () => {
    for (let i = 0; i < 30; i++) request('caller', caller('192.0.2.1'));
    await time.advance(500);
    request('head', HEAD, 2);
    await time.advance(0);
    expect(countCalls('head')).toBe(2);
    expect(countCalls('caller')).toBe(8);
  });

  test('leaves the head as many calls as it was measured to need', async () => {
    for (let second = 0; second < 5; second++) {
      request('head', HEAD, 4);
      await time.advance(1_100);
    }
    grants = [];
    for (let i = 0; i < 30; i++) request('caller', caller('192.0.2.1'));
    expect(countCalls('caller')).toBe(6);
  });

  test('leaves the head nothing for a burst that happened twice, and forgets a need after two minutes', async () => {
    const countFree = async () => {
      await time.advance(1_100);
      grants = [];
      const withdrawals = Array.from({ length: 30 }, () => request('caller', caller('192.0.2.1')));
      for (const withdraw of withdrawals) withdraw();
      await time.advance(1_100);
      return countCalls('caller');
    };
    for (const free of [8, 8, 5]) {
      request('head', HEAD, 5);
      expect(await countFree()).toBe(free);
    }
    await time.advance(120_000);
    request('head', HEAD, 1);
    expect(await countFree()).toBe(8);
  });

  test('gives the index a fifth while callers wait, and all that is left when none does', async () => {
    await saturate(30, [
      { name: 'index', purpose: INDEX },
      { name: 'caller', purpose: caller('192.0.2.1') },
    ]);
    expect(countCalls('index')).toBeGreaterThanOrEqual(55);
    expect(countCalls('caller')).toBeGreaterThanOrEqual(150);
    open({ callsPerSecond: 10 });
    await saturate(30, [{ name: 'index', purpose: INDEX }]);
    expect(countCalls('index')).toBeGreaterThanOrEqual(220);
  });

  test('gives the index its fifth in batches too', async () => {
    await saturate(60, [
      { name: 'index', purpose: INDEX, calls: 5 },
      { name: 'caller', purpose: caller('192.0.2.1') },
    ]);
    expect(countCalls('index')).toBeGreaterThanOrEqual(105);
  });

  test('is filled by the parts of a long batch, while one batch of the largest size leaves half of it', async () => {
    const countIndexCalls = async (calls: () => number) => {
      open({ callsPerSecond: 25 });
      await saturate(60, [{ name: 'index', purpose: INDEX, calls: calls() }]);
      return countCalls('index') / 60;
    };
    expect(await countIndexCalls(() => budget.maxCalls)).toBeLessThan(13);
    expect(await countIndexCalls(() => budget.partCalls)).toBeGreaterThan(19);
  });

  test('gives proof only what callers and index leave', async () => {
    await saturate(2, [{ name: 'caller', purpose: caller('192.0.2.1') }]);
    await saturate(10, [
      { name: 'proof', purpose: PROOF },
      { name: 'caller', purpose: caller('192.0.2.1') },
    ]);
    expect(countCalls('proof')).toBe(0);
    open({ callsPerSecond: 10 });
    await saturate(10, [{ name: 'proof', purpose: PROOF }]);
    expect(countCalls('proof')).toBeGreaterThanOrEqual(50);
  });
});

describe('fairness', () => {
  test('shares the calls of callers equally over addresses, however many requests one sends', async () => {
    const flood = Array.from({ length: 10 }, () => ({ name: 'flood', purpose: caller('192.0.2.1') }));
    await saturate(20, [...flood, { name: 'other', purpose: caller('192.0.2.2') }]);
    expect(countCalls('other')).toBeGreaterThan(0.9 * countCalls('flood'));
    expect(refusals.filter(({ name }) => name === 'flood').length).toBeGreaterThan(1_000);
  });

  test('counts the networks of one IPv6 /48 as one caller, which they share', async () => {
    const networks = Array.from({ length: 9 }, (_, i) => ({
      name: `wide ${i}`,
      purpose: caller(`2001:db8::/48 ${i}`),
    }));
    await saturate(40, [...networks, { name: 'other', purpose: caller('192.0.2.2') }]);
    const shares = networks.map(({ name }) => countCalls(name));
    const sum = shares.reduce((a, b) => a + b, 0);
    expect(countCalls('other')).toBeGreaterThan(0.9 * sum);
    expect(Math.min(...shares)).toBeGreaterThan(0.5 * (sum / networks.length));
  });

  test('serves known machines before unknown ids of any caller', async () => {
    for (let i = 0; i < 30; i++) request('unknown', caller(`192.0.2.${i}`, false));
    await time.advance(500);
    request('known', caller('192.0.2.99'));
    await time.advance(600);
    expect(grants.map(({ name }) => name).indexOf('known')).toBe(8);
  });

  test('refuses a read after two seconds with the time at which the caller has its share again', async () => {
    for (let i = 0; i < 60; i++) request('a', caller('192.0.2.1'));
    await time.advance(2_000);
    expect(countCalls('a')).toBe(16);
    expect(refusals.length).toBe(44);
    expect(new Set(refusals.map(({ atMilliseconds }) => atMilliseconds))).toEqual(new Set([START + 2_000]));
    // Six calls a second are left to callers after the head and the index.
    expect(Math.max(...refusals.map(({ retryAfterSeconds }) => retryAfterSeconds))).toBe(8);
    expect(budget.report()).toMatchObject({ refused: 44, waiting: 0 });
  });

  test('lets 256 reads of a network wait for a connection where no rate is known', () => {
    open({});
    let isFree = false;
    budget.limitTo(
      () => ({ callsPerSecond: undefined, isUsedUp: false }),
      () => isFree,
    );
    for (let i = 0; i <= 256; i++) request('a', caller('192.0.2.1'));
    expect([budget.report().waiting, refusals]).toEqual([256, [expect.objectContaining({ retryAfterSeconds: 1 })]]);
    isFree = true;
    budget.resume();
    expect(countCalls('a')).toBe(256);
  });

  test('gives the index its share in large requests beside a head that needs three quarters of the ceiling', async () => {
    open({ callsPerSecond: 15 });
    const waits: number[] = [];
    for (let at = 0; at < 60_000; at += 90) {
      const since = time.nowMilliseconds();
      budget.takeTurn(1, HEAD, {
        granted: () => void waits.push(time.nowMilliseconds() - since),
        refused: () => undefined,
      });
      if (at % 900 === 0) request('index', INDEX, 10);
      await time.advance(90);
    }
    expect(countCalls('index')).toBeGreaterThanOrEqual(0.2 * 15 * 55);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_200);
  });

  test('refuses at once what a network keeps waiting beyond its bound', () => {
    for (let i = 0; i < 8 + 64; i++) request('a', caller('192.0.2.1'));
    expect(budget.report()).toMatchObject({ waiting: 64, refused: 0 });
    request('a', caller('192.0.2.1'));
    request('b', caller('192.0.2.2'));
    expect(budget.report()).toMatchObject({ waiting: 65, refused: 1 });
  });

  describe('while all places of waiting reads are taken', () => {
    /** Takes the calls that the head leaves of this second, then all places: 64 of each address or /64. */
    const fill = (toNetworks: (i: number) => string, isKnown: boolean) => {
      for (let i = 2; i < budget.report().callsPerSecond!; i++) request('first', caller('198.51.100.1'));
      for (let i = 0; i < 64; i++) {
        for (let read = 0; read < 64; read++) request(`${i} ${read}`, caller(toNetworks(i), isKnown));
      }
      expect(budget.report()).toMatchObject({ waiting: 4_096, refused: 0 });
    };
    const fillFromIpv4 = (isKnown: boolean) => fill((i) => `192.0.2.${i}`, isKnown);
    const listRefused = () => refusals.map(({ name }) => name);

    test('refuses the newest read of the address with most for one of another address', async () => {
      fillFromIpv4(true);
      request('quiet', caller('198.51.100.2'));
      request('quiet', caller('198.51.100.2'));
      expect(listRefused()).toEqual(['0 63', '1 63']);
      expect(refusals.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([683, 694]);
      expect(budget.report()).toMatchObject({ waiting: 4_096, refused: 2 });
      await time.advance(1_100);
      expect(grants.slice(8, 11).map(({ name }) => name)).toEqual(['0 0', '1 0', '2 0']);
      await time.advance(900);
      expect(budget.report()).toMatchObject({ waiting: 0, refused: 4_098 - 8 });
    });

    test('refuses a read of an unknown id for one of a known machine, which is served next', async () => {
      fillFromIpv4(false);
      for (const address of ['198.51.100.2', '198.51.100.3']) request('known', caller(address));
      expect(countCalls('known')).toBe(0);
      expect(listRefused()).toEqual(['0 63', '1 63']);
      await time.advance(1_100);
      expect(grants.slice(8, 10).map(({ name }) => name)).toEqual(['known', 'known']);
    });

    test('never refuses a read of a known machine for one of an unknown id', () => {
      fillFromIpv4(true);
      request('unknown', caller('198.51.100.2', false));
      expect(listRefused()).toEqual(['unknown']);
    });

    test('refuses a new read of an address that would then have as many as any other', () => {
      fillFromIpv4(true);
      for (let i = 0; i < 63; i++) request('quiet', caller('198.51.100.2'));
      expect(listRefused()).toEqual(Array.from({ length: 63 }, (_, i) => `${i} 63`));
      request('quiet', caller('198.51.100.2'));
      expect(listRefused().at(-1)).toBe('quiet');
    });

    test('refuses the newest read of the /64 with most in the /48 with most', () => {
      fill((i) => `2001:db8:${i >> 2}::/48 2001:db8:${i >> 2}:${i & 3}::/64`, true);
      request('same /48', caller('2001:db8:5::/48 2001:db8:5:9::/64'));
      request('quiet', caller('198.51.100.2'));
      expect(listRefused()).toEqual(['same /48', '0 63']);
    });

    test('refuses a read of the same /48 for one of a /64 with fewer, where no other network has more', () => {
      fill((i) => (i === 5 ? '2001:db8:5::/48 2001:db8:5::/64' : `192.0.2.${i}`), true);
      request('same /48', caller('2001:db8:5::/48 2001:db8:5:9::/64'));
      expect(listRefused()).toEqual(['5 63']);
    });

    test('refuses nothing of callers for the head', () => {
      fillFromIpv4(false);
      request('head', HEAD, 2);
      expect(countCalls('head')).toBe(2);
      expect(refusals).toEqual([]);
    });

    test('serves an address that sends few requests while others take every place that is free', async () => {
      open({ callsPerSecond: 130 });
      fillFromIpv4(true);
      const flood = Array.from({ length: 64 }, (_, i) => ({ name: `${i}`, purpose: caller(`192.0.2.${i}`) }));
      await saturate(1.9, [...flood, { name: 'quiet', purpose: caller('198.51.100.2') }]);
      expect(countCalls('quiet')).toBeGreaterThanOrEqual(1);
    });
  });

  test('forgets a read whose caller has gone', async () => {
    for (let i = 0; i < 8; i++) request('a', caller('192.0.2.1'));
    const withdraw = request('gone', caller('192.0.2.1'));
    withdraw();
    withdraw();
    await time.advance(5_000);
    expect([countCalls('gone'), refusals]).toEqual([0, []]);
    expect(budget.report()).toMatchObject({ waiting: 0, refused: 0 });
  });

  test('ends the waiting of a read whose deadline expires', async () => {
    for (let i = 0; i < 10; i++) request('head', HEAD);
    const deadline = startDeadline(10, 10, undefined, INDEX);
    await budget.admit(1, deadline);
    expect([deadline.signal.aborted, budget.report().waiting, countCalls('head')]).toEqual([true, 0, 10]);
  });

  test('sends calls whose turn was taken before without another one', () => {
    for (let i = 0; i < 10; i++) request('head', HEAD);
    const deadline = startDeadline(10, 10, undefined, { ...INDEX, prepaid: { calls: 1, untilMilliseconds: Infinity } });
    expect(budget.admit(1, deadline)).toBeUndefined();
    expect(budget.report().calls).toMatchObject({ head: 10, index: 0 });
  });

  test('takes another turn for calls that are sent long after theirs', async () => {
    for (let i = 0; i < 10; i++) request('head', HEAD);
    const granted: number[] = [];
    const listener = { granted: (until: number) => void granted.push(until), refused: () => undefined };
    await time.advance(2_000);
    budget.takeTurn(1, INDEX, listener);
    expect(granted).toEqual([time.nowMilliseconds() + 50]);
    const prepaid = { calls: 1, untilMilliseconds: granted[0]! };
    await time.advance(51);
    expect(budget.admit(1, startDeadline(10, 10, undefined, { ...INDEX, prepaid }))).toBeUndefined();
    expect(budget.report().calls).toMatchObject({ index: 2 });
  });
});

test('sends no second call within a second at less than two calls per second', async () => {
  open({ callsPerSecond: 1.9 });
  for (let i = 0; i < 3; i++) request('head', HEAD);
  await time.advance(1_000);
  expect(countCalls('head')).toBe(1);
  await time.advance(50);
  expect(countCalls('head')).toBe(2);
});

describe('a learned rate', () => {
  let learned: number;

  beforeEach(() => {
    learned = Infinity;
    budget.limitTo(() => ({ callsPerSecond: learned, isUsedUp: false }));
  });

  test('is the ceiling where it is lower than the configured one', () => {
    expect(budget.report().callsPerSecond).toBe(10);
    learned = 4;
    for (let i = 0; i < 10; i++) request('head', HEAD);
    expect([countCalls('head'), budget.report().callsPerSecond]).toEqual([4, 4]);
    learned = 40;
    expect(budget.report().callsPerSecond).toBe(10);
  });

  test('counts the calls that were sent before it was known', async () => {
    open({});
    budget.limitTo(() => ({ callsPerSecond: learned, isUsedUp: false }));
    for (let i = 0; i < 100; i++) request('index', INDEX);
    learned = 50;
    request('head', HEAD);
    await time.advance(1_049);
    expect(countCalls('head')).toBe(0);
    await time.advance(1);
    expect(countCalls('head')).toBe(1);
  });

  test('lets everything pass that waits soon after it is gone', async () => {
    open({});
    budget.limitTo(() => ({ callsPerSecond: learned, isUsedUp: false }));
    learned = 5;
    for (let i = 0; i < 30; i++) request('a', caller('192.0.2.1'));
    learned = Infinity;
    await time.advance(1_050);
    expect([countCalls('a'), refusals]).toEqual([30, []]);
  });
});

test('counts refusals of nodes, which change no rate that is not learned', () => {
  open({});
  for (let i = 0; i < 20; i++) budget.recordRefusal();
  expect(budget.report()).toMatchObject({ callsPerSecond: undefined, refusals: 20 });
});

test('stops proof and sends one call per second while the calls of the node in use are used up', async () => {
  let isUsedUp = true;
  open({});
  budget.limitTo(() => ({ callsPerSecond: undefined, isUsedUp }));
  expect(budget.report()).toMatchObject({ callsPerSecond: 1, isDayExhausted: true });
  request('proof', PROOF);
  for (let i = 0; i < 30; i++) request('index', INDEX);
  await time.advance(10_000);
  expect([countCalls('proof'), countCalls('index')]).toEqual([0, 10]);
  isUsedUp = false;
  await time.advance(2_100);
  expect([countCalls('proof'), countCalls('index')]).toEqual([1, 30]);
  expect(budget.report()).toMatchObject({ callsPerSecond: undefined, isDayExhausted: false });
});

describe('calls of a day', () => {
  test('stops proof while calls are used faster than the day passes', async () => {
    open({ callsPerDay: DAY_SECONDS }, START + 100_000);
    request('index', INDEX, 200);
    expect(budget.report()).toMatchObject({ isDayExhausted: true, callsPerSecond: undefined });
    await time.advance(101_000);
    expect(budget.report().isDayExhausted).toBe(false);
  });

  test('makes only proof wait while no rate is known and calls are used faster than the day passes', async () => {
    open({ callsPerDay: DAY_SECONDS }, START + 100_000);
    request('index', INDEX, 200);
    const works = { proof: PROOF, head: HEAD, index: INDEX, caller: caller('192.0.2.1') };
    for (const [name, purpose] of Object.entries(works)) request(name, purpose);
    expect(grants.map(({ name }) => name)).toEqual(['index', 'head', 'index', 'caller']);
    expect(budget.report()).toMatchObject({ callsPerSecond: undefined, waiting: 1 });
    await time.advance(50_000);
    request('head', HEAD);
    expect([countCalls('head'), countCalls('proof')]).toEqual([2, 0]);
    await time.advance(60_000);
    expect([countCalls('proof'), budget.report().waiting]).toEqual([1, 0]);
  });

  test('grants waiting proof one turn after another on the next day', async () => {
    open({ callsPerDay: DAY_SECONDS }, START + (DAY_SECONDS - 10) * 1_000);
    request('index', INDEX, DAY_SECONDS);
    for (let i = 0; i < 3; i++) request('proof', PROOF, 5);
    await time.advance(9_999);
    expect([countCalls('proof'), budget.report().isDayExhausted]).toEqual([0, true]);
    await time.advance(2_000);
    expect(countCalls('proof')).toBe(5);
    await time.advance(14_000);
    expect(countCalls('proof')).toBe(15);
  });

  test('lets the index use the last tenth only as the day passes, and never exceeds it', async () => {
    open({ callsPerDay: 1_000 }, START + (DAY_SECONDS - 3_600) * 1_000);
    for (let i = 0; i < 2_000; i++) request('index', INDEX);
    expect([countCalls('index'), budget.report().callsPerSecond]).toEqual([996, undefined]);
    await time.advance(3_599_000);
    expect(countCalls('index')).toBe(1_000);
  });

  describe('during a flood of lookups of ids that may not exist', () => {
    const FLOOD = caller('203.0.113.9', false);

    test('leaves the head and known machines all that they need', async () => {
      open({ callsPerSecond: 25, callsPerDay: 10_000 });
      for (let minute = 0; minute < 30; minute++) {
        await saturate(20, [{ name: 'flood', purpose: FLOOD, calls: 3 }]);
        request('head', HEAD);
        request('known', caller('192.0.2.1'));
        await time.advance(40_000);
      }
      expect([countCalls('head'), countCalls('known')]).toEqual([30, 30]);
      // Half of the day less what the head needs, as far as it is measured in the first minutes.
      expect(countCalls('flood')).toBeLessThan(4_000);
      expect(countCalls('flood')).toBeGreaterThan(3_000);
    });

    test('shares what is released equally over addresses, also where no rate is known', async () => {
      open({ callsPerDay: 100_000 });
      request('flood', FLOOD, 50_001);
      const flood = Array.from({ length: 10 }, () => ({ name: 'more', purpose: FLOOD }));
      await saturate(60, [...flood, { name: 'other', purpose: caller('192.0.2.2', false) }]);
      expect(countCalls('more') + countCalls('other')).toBeCloseTo((60 * 50_000) / DAY_SECONDS, -1);
      expect(countCalls('other')).toBeGreaterThan(0.8 * countCalls('more'));
    });

    test('refuses a lookup with the time at which its address has its share again', async () => {
      open({ callsPerDay: 10_000 });
      request('flood', FLOOD, 5_001);
      request('refused', caller('192.0.2.2', false));
      await time.advance(2_000);
      expect(refusals.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([
        Math.ceil((3 * DAY_SECONDS) / 5_000 - 2),
      ]);
    });
  });

  describe('a wait whose deadline expires', () => {
    /** Waits for ten seconds for a turn; returns the error. */
    async function wait(purpose: CallPurpose): Promise<unknown> {
      const expired = new AbortController();
      const deadline = {
        signal: expired.signal,
        atMilliseconds: time.nowMilliseconds() + 10_000,
        requestMilliseconds: 10_000,
        purpose,
      };
      const outcome = Promise.resolve(budget.admit(1, deadline)).catch((error: unknown) => error);
      await time.advance(10_000);
      expired.abort();
      return outcome;
    }

    test.each([
      ['the head when all calls are used', 1_000, HEAD],
      ['the index when its part is used', 996, INDEX],
    ])('names the calls of the day as used up for %s', async (_who, used, purpose) => {
      open({ callsPerDay: 1_000 }, START + (DAY_SECONDS - 3_600) * 1_000);
      request('used', HEAD, used);
      expect(await wait(purpose)).toMatchObject({ unreadable: 'own-calls-used-up', kind: 'local' });
      expect(budget.report().waiting).toBe(0);
    });

    test('names nothing where the calls of a second are used up', async () => {
      open({ callsPerSecond: 2, callsPerDay: 1_000 });
      request('used', HEAD, 100);
      expect(await wait(HEAD)).toBeUndefined();
    });
  });

  test('gives the index a fifth of what is released while known machines are read, also where no rate is known', async () => {
    open({ callsPerDay: 1_000_000 });
    request('index', INDEX, 900_001);
    grants = [];
    await saturate(60, [
      { name: 'index', purpose: INDEX },
      { name: 'caller', purpose: caller('192.0.2.1') },
    ]);
    const [index, callers] = [countCalls('index'), countCalls('caller')];
    expect(index + callers).toBeGreaterThan(60);
    expect(index / (index + callers)).toBeCloseTo(0.2, 1);
  });
});
