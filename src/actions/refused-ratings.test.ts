/** Machines that are refused while the index is up to date. */
import { expect, test } from 'vitest';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { MainChainPorts } from '../ports/ctx.ts';
import type { MainChainIndexStatus } from '../ports/indexes.ts';
import { countRefusedMachines, watchRefusals } from './refused-ratings.ts';

const SYNCING = new Fault('EventIndexSyncing', { indexedBlock: 5, headBlock: 5 });

function setUp(status: Partial<MainChainIndexStatus> = {}) {
  const ctx = createStubCtx();
  const readMainChainIndex = () =>
    Promise.resolve({
      indexedBlock: 5,
      headBlock: 5,
      headObservedAtMilliseconds: ctx.time.milliseconds,
      servesRatings: true,
      ...status,
    });
  const main = { index: { readMainChainIndex } } as unknown as MainChainPorts;
  const read = async (id: number, error?: Error) => {
    const reading = error === undefined ? Promise.resolve('history') : Promise.reject(error);
    return watchRefusals(ctx, main, BigInt(id) as unknown as MachineId, reading).catch((thrown: unknown) => thrown);
  };
  const wait = (seconds: number) => void (ctx.time.milliseconds += seconds * 1000);
  return { ctx, read, wait };
}

test('counts a machine that is refused for ten seconds, until it is rated', async () => {
  const { ctx, read, wait } = setUp();
  expect(await read(1, SYNCING)).toBe(SYNCING);
  await read(2, SYNCING);
  wait(9);
  await read(1, SYNCING);
  expect(countRefusedMachines(ctx)).toBe(0);
  wait(1);
  await read(1, SYNCING);
  expect(countRefusedMachines(ctx)).toBe(1);
  expect(await read(1)).toBe('history');
  expect(countRefusedMachines(ctx)).toBe(0);
});

test('counts it again only after another ten seconds', async () => {
  const { ctx, read, wait } = setUp();
  await read(1, SYNCING);
  wait(20);
  await read(1);
  await read(1, SYNCING);
  expect(countRefusedMachines(ctx)).toBe(0);
  wait(10);
  await read(1, SYNCING);
  expect(countRefusedMachines(ctx)).toBe(1);
});

test('forgets a machine that was not refused for two minutes, and one from before a jump of the clock', async () => {
  const { ctx, read, wait } = setUp();
  await read(1, SYNCING);
  wait(60);
  await read(1, SYNCING);
  wait(120);
  expect(countRefusedMachines(ctx)).toBe(1);
  wait(1);
  expect(countRefusedMachines(ctx)).toBe(0);
  await read(1, SYNCING);
  wait(-3_600);
  await read(1, SYNCING);
  expect(countRefusedMachines(ctx)).toBe(0);
});

test.each([
  ['behind', { headBlock: 500 }],
  ['not joined to the head', { servesRatings: false }],
  ['never read', { indexedBlock: undefined }],
])('counts none while the index is %s, because every machine may be refused', async (_name, status) => {
  const { ctx, read, wait } = setUp(status);
  await read(1, SYNCING);
  wait(20);
  await read(1, SYNCING);
  expect(countRefusedMachines(ctx)).toBe(0);
});

test('counts no machine that another failure concerns', async () => {
  const { ctx, read, wait } = setUp();
  const failure = new Fault('StoreUnavailable', {});
  expect(await read(1, failure)).toBe(failure);
  wait(20);
  await read(1, failure);
  expect(countRefusedMachines(ctx)).toBe(0);
});
