/** Contract of persistence: closing, reopening, and several stores on one database. */
import { describe, expect, test } from 'vitest';
import { Fault } from '../../../src/domain/faults.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import {
  append,
  checkpointAt,
  decisionOf,
  ratingStateOf,
  id,
  listApplied,
  listUnfoldedIds,
  NO_OWNERSHIP,
  submitted,
} from './samples.ts';

export function testPersistence(under: StoreUnderTest): void {
  describe('the store', () => {
    test('is writable', async () => {
      await under.store.checkWritable();
      await under.store.checkWritable();
    });

    async function fill(store: Store): Promise<void> {
      await store.claimMainChainIdentity('chain=1', 'none');
      await append(store, submitted(id(7)), submitted(id(8)));
      await store.writeHeadObservation({ blockNumber: 5, observedAtMilliseconds: 6 });
      await store.writeRatingStates('rates', [ratingStateOf(id(7), 1)]);
      await store.appendRates([{ currency: 'EUR', day: 1, rate: 2n }], 3);
      await store.applyDecision(decisionOf(5));
    }

    async function expectFilled(store: Store): Promise<void> {
      expect(await store.claimMainChainIdentity('chain=2', 'none')).toBe(false);
      expect(await store.readMainChainCheckpoint()).toEqual(checkpointAt(1));
      expect(await store.readEventLogCount('current', id(7))).toEqual({ count: 1, epoch: 0 });
      expect(await store.readHeadObservation()).toEqual({ blockNumber: 5, observedAtMilliseconds: 6 });
      expect((await store.readRatingState('current', id(7), 'rates'))?.nextSeq).toBe(1);
      expect(await listUnfoldedIds(store, 'rates')).toEqual([8n]);
      expect(await listApplied(store, id(7))).toEqual([decisionOf(5)]);
      expect(await store.loadRates()).toEqual({ rows: [{ currency: 'EUR', day: 1, rate: 2n }], throughDay: 3 });
    }

    test('shares all data with another store on its database', async () => {
      const other = await under.openAnother();
      await fill(under.store);
      await expectFilled(other);
    });

    test('retains all data after closing and reopening', async () => {
      await fill(under.store);
      await under.store.close();
      await expectFilled(await under.openAnother());
    });

    test('throws StoreUnavailable from every call after closing', async () => {
      const store = await under.openAnother();
      await store.close();
      await store.close();
      const calls = [
        store.claimMainChainIdentity('chain=1', 'none'),
        store.readMainChainCheckpoint(),
        store.advanceMainChain(undefined, checkpointAt(1), [], NO_OWNERSHIP),
        store.writeHeadObservation({ blockNumber: 1, observedAtMilliseconds: 1 }),
        store.readHeadObservation(),
        store.listEventLogs('current', id(7), 0, 1),
        store.readEventLogCount('current', id(7)),
        store.listUnfolded('rates', 1),
        store.readRatingState('current', id(7), 'rates'),
        store.writeRatingStates('rates', [ratingStateOf(id(7), 1)]),
        store.loadRates(),
        store.appendRates([], 1),
        store.readDecision(id(7)),
        store.applyDecision(decisionOf(1)),
        store.listDecisions(id(7), { through: 1, limit: 1 }),
        store.checkWritable(),
      ];
      const outcomes = await Promise.allSettled(calls);
      for (const outcome of outcomes) {
        expect(outcome).toEqual({ status: 'rejected', reason: new Fault('StoreUnavailable', {}) });
        expect((outcome as PromiseRejectedResult).reason).not.toHaveProperty('cause');
      }
    });
  });
}
