/** Machines that are refused while the index of their chain is up to date. */
import { expect, test } from 'vitest';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { chainUnreadable, Fault, type UnreadableCause } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { AltChainPorts, MainChainPorts } from '../ports/ctx.ts';
import type { AltIndexStatus, MainChainIndexStatus } from '../ports/indexes.ts';
import type { CachedMachine } from '../ports/main-chain.ts';
import { countRefusedMachines, watchFacts, watchRating } from './refused-ratings.ts';

const SYNCING = new Fault('EventIndexSyncing', { indexedBlock: 5, headBlock: 5 });
const ALT_ORDINAL = 5;
const MAIN_ORDINAL = 3;
const NONE = { main: 0, alt: 0 };

interface Statuses {
  readonly main?: Partial<MainChainIndexStatus>;
  readonly alt?: Partial<AltIndexStatus>;
}

function setUp(statuses: Statuses = {}) {
  const ctx = createStubCtx();
  const monotonic = { milliseconds: 0 };
  const readMainChainIndex = () =>
    Promise.resolve({
      indexedBlock: 5,
      headBlock: 5,
      headObservedAtMilliseconds: ctx.time.milliseconds,
      servesRatings: true,
      ...statuses.main,
    });
  const readStatus = () =>
    Promise.resolve({ isReady: true, observedAtMilliseconds: ctx.time.milliseconds, ...statuses.alt });
  Object.assign(ctx, {
    monotonicClock: { nowMilliseconds: () => monotonic.milliseconds },
    main: { index: { readMainChainIndex } } as unknown as MainChainPorts,
    alt: { chain: { ordinal: ALT_ORDINAL }, index: { readStatus } } as unknown as AltChainPorts,
  });
  const rate = async (id: number, error?: Error) => {
    const rating = () => (error === undefined ? Promise.resolve('rating') : Promise.reject(error));
    return Promise.resolve(watchRating(ctx, BigInt(id) as MachineId, rating)).catch((thrown: unknown) => thrown);
  };
  const wait = (seconds: number) => {
    ctx.time.milliseconds += seconds * 1000;
    monotonic.milliseconds += seconds * 1000;
  };
  return { ctx, rate, wait };
}

test('counts a machine that is refused for ten seconds, until it is rated', async () => {
  const { ctx, rate, wait } = setUp();
  expect(await rate(1, SYNCING)).toBe(SYNCING);
  await rate(2, SYNCING);
  wait(9);
  await rate(1, SYNCING);
  expect(countRefusedMachines(ctx)).toEqual(NONE);
  wait(1);
  await rate(1, SYNCING);
  expect(countRefusedMachines(ctx)).toEqual({ main: 1, alt: 0 });
  expect(await rate(1)).toBe('rating');
  expect(countRefusedMachines(ctx)).toEqual(NONE);
});

test('counts it again only after another ten seconds', async () => {
  const { ctx, rate, wait } = setUp();
  await rate(1, SYNCING);
  wait(20);
  await rate(1);
  await rate(1, SYNCING);
  expect(countRefusedMachines(ctx)).toEqual(NONE);
  wait(10);
  await rate(1, SYNCING);
  expect(countRefusedMachines(ctx)).toEqual({ main: 1, alt: 0 });
});

test('forgets a machine that was not refused for two minutes', async () => {
  const { ctx, rate, wait } = setUp();
  await rate(1, SYNCING);
  wait(60);
  await rate(1, SYNCING);
  wait(120);
  expect(countRefusedMachines(ctx)).toEqual({ main: 1, alt: 0 });
  wait(1);
  expect(countRefusedMachines(ctx)).toEqual(NONE);
});

test('measures the duration of a refusal without jumps of the clock', async () => {
  const { ctx, rate, wait } = setUp();
  await rate(1, SYNCING);
  ctx.time.milliseconds += 30_000;
  await rate(1, SYNCING);
  expect(countRefusedMachines(ctx)).toEqual(NONE);
  ctx.time.milliseconds -= 3_600_000;
  wait(10);
  await rate(1, SYNCING);
  expect(countRefusedMachines(ctx)).toEqual({ main: 1, alt: 0 });
});

test.each<[string, Statuses, Error]>([
  ['main-chain index is behind', { main: { headBlock: 500 } }, SYNCING],
  ['main-chain index is not joined to the head', { main: { servesRatings: false } }, SYNCING],
  ['main-chain index was never read', { main: { indexedBlock: undefined } }, chainUnreadable('main', 'events')],
  ['alt-chain index is not ready', { alt: { isReady: false } }, chainUnreadable('alt', 'contradiction')],
  ['alt-chain index is old', { alt: { observedAtMilliseconds: 0 } }, chainUnreadable('alt', 'events')],
])('counts none while the %s, because every machine may be refused', async (_name, statuses, error) => {
  const { ctx, rate, wait } = setUp(statuses);
  await rate(1, error);
  wait(20);
  expect(await rate(1, error)).toBe(error);
  expect(countRefusedMachines(ctx)).toEqual(NONE);
});

test.each<UnreadableCause>(['events', 'undecodable', 'contradiction'])(
  'counts a machine of either chain that is refused for the cause %s',
  async (cause) => {
    const { ctx, rate, wait } = setUp();
    const refuse = async () => [
      await rate(1, chainUnreadable('main', cause)),
      await rate(2, chainUnreadable('alt', cause)),
      await rate(3, chainUnreadable('alt', cause)),
    ];
    await refuse();
    wait(10);
    await refuse();
    expect(countRefusedMachines(ctx)).toEqual({ main: 1, alt: 2 });
    await rate(2);
    expect(countRefusedMachines(ctx)).toEqual({ main: 1, alt: 1 });
  },
);

test.each([
  new Fault('StoreUnavailable', {}),
  new Fault('MachineAbsent', {}),
  new Fault('MachineRelocating', {}),
  new Fault('LookupsExceeded', { retryAfterSeconds: 1 }),
  new Fault('ClockInvalid', {}),
  ...(['transport', 'deadline', 'rate-limited', 'calls-used-up', 'rpc-error', 'no-head'] as const).map((cause) =>
    chainUnreadable('main', cause),
  ),
  chainUnreadable('alt', 'deadline'),
])('counts no machine for a failure that says nothing about it (%#)', async (failure) => {
  const { ctx, rate, wait } = setUp();
  expect(await rate(1, failure)).toBe(failure);
  wait(20);
  await rate(1, failure);
  expect(countRefusedMachines(ctx)).toEqual(NONE);
});

test('throws a failure that says nothing about the machine, and returns a cached rating, at once', () => {
  const { ctx } = setUp();
  const failure = new Fault('ClockInvalid', {});
  const fail = () => {
    throw failure;
  };
  expect(() => watchRating(ctx, 1n as MachineId, fail)).toThrow(failure);
  expect(watchRating(ctx, 1n as MachineId, () => 'rating')).toBe('rating');
});

test.each([
  ['has a token on the main chain', { owner: 'present', homeOrdinal: 9 }, 1],
  ['is homed on the alt chain', { owner: 'absent', homeOrdinal: ALT_ORDINAL }, 1],
  ['has an unreadable owner and its home here', { owner: 'unreadable', homeOrdinal: MAIN_ORDINAL }, 1],
  ['is unknown on the main chain', { owner: 'absent', homeOrdinal: 0 }, 0],
  ['has an unreadable owner and no known home', { owner: 'unreadable', homeOrdinal: 0 }, 0],
])('counts unreadable facts of a machine that %s: %j', async (_name, { owner, homeOrdinal }, expected) => {
  const { ctx, wait } = setUp();
  const snapshot = { id: 1n, owner: { state: owner }, homeOrdinal: { state: 'present', value: homeOrdinal } };
  const error = chainUnreadable('main', 'contradiction');
  const facts = { snapshot, deployment: { localOrdinal: MAIN_ORDINAL } } as unknown as CachedMachine;
  const read = async () =>
    watchFacts(ctx, facts, () => {
      throw error;
    });
  await expect(read()).rejects.toBe(error);
  wait(10);
  await expect(read()).rejects.toBe(error);
  expect(countRefusedMachines(ctx).main).toBe(expected);
});
