import { expect, test } from 'vitest';
import { Fault } from '../domain/faults.ts';
import type { Store } from '../ports/store.ts';
import { countWrites } from './counted-store.ts';

const failure = new Fault('StoreUnavailable', {});

/** Creates a store whose writes return the given results in turn; an error is thrown. */
function createScripted(results: readonly unknown[]): Store {
  const left = [...results];
  const respond = async () => {
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  return { applyDecision: respond, insertChallenge: respond, consumeChallenge: respond } as unknown as Store;
}

test('decisions are counted by outcome, and their results returned', async () => {
  const { store, counts } = countWrites(createScripted([true, false, true, failure]));
  const decide = () => store.applyDecision({} as Parameters<Store['applyDecision']>[0]);
  expect([await decide(), await decide(), await decide()]).toEqual([true, false, true]);
  await expect(decide()).rejects.toBe(failure);
  expect(Object.fromEntries(counts.decisions)).toEqual({ applied: 2, not_newer: 1, failed: 1 });
});

test('challenges are counted by outcome', async () => {
  const { store, counts } = countWrites(createScripted([true, false, failure]));
  const issue = () => store.insertChallenge({} as Parameters<Store['insertChallenge']>[0], { perMachine: 1, total: 1 });
  expect([await issue(), await issue()]).toEqual([true, false]);
  await expect(issue()).rejects.toBe(failure);
  expect(Object.fromEntries(counts.challenges)).toEqual({ issued: 1, capped: 1, failed: 1 });
});

test('evidence is counted by the state that the store returns', async () => {
  const written = { state: 'written' };
  const { store, counts } = countWrites(createScripted([written, written, { state: 'unknown' }, failure]));
  const accept = () => store.consumeChallenge('0x', {} as never);
  for (const expected of [written, written, { state: 'unknown' }]) expect(await accept()).toEqual(expected);
  await expect(accept()).rejects.toBe(failure);
  expect(Object.fromEntries(counts.evidenceRecords)).toEqual({ accepted: 2, unknown: 1, failed: 1 });
});
