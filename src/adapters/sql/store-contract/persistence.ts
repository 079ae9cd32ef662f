/** What every store survives: closing, opening again, others beside it, and the loss of its database. */
import { describe, expect, test } from 'vitest';
import { Fault } from '../../../domain/faults.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { append, checkpointAt, foldOf, id, listUnfoldedIds, NO_OWNERSHIP, submitted } from './samples.ts';

export function testIndexPersistence(under: StoreUnderTest): void {
  describe('the whole store', () => {
    test('takes a write', async () => {
      await under.store.checkWritable();
      await under.store.checkWritable();
    });

    test('shows another store on its database everything', async () => {
      await under.store.claimMainChainIdentity('chain=1');
      await append(under.store, submitted(id(7)), submitted(id(8)));
      await under.store.writeHeadObservation({ blockNumber: 5, observedAtMilliseconds: 6 });
      await under.store.writeFolds('rates', [foldOf(id(7), 1)]);
      await under.store.appendRates([{ currency: 'EUR', day: 1, rate: 2n }], 3);

      const other = await under.openAnother();
      expect(await other.claimMainChainIdentity('chain=2')).toBe(false);
      expect(await other.readMainChainCheckpoint()).toEqual(checkpointAt(1));
      expect(await other.readEventLogCount('second', id(7))).toEqual({ count: 1, epoch: 0 });
      expect(await other.readHeadObservation()).toEqual({ blockNumber: 5, observedAtMilliseconds: 6 });
      expect((await other.readFold('second', id(7), 'rates'))?.nextSeq).toBe(1);
      expect(await listUnfoldedIds(other, 'rates')).toEqual([8n]);
      expect(await other.loadRates()).toEqual({ rows: [{ currency: 'EUR', day: 1, rate: 2n }], throughDay: 3 });
    });

    test('answers every call after it was closed with the fault', async () => {
      const store = await under.openAnother();
      await store.close();
      await store.close();
      const calls = [
        store.claimMainChainIdentity('chain=1'),
        store.readMainChainCheckpoint(),
        store.advanceMainChain(undefined, checkpointAt(1), [], NO_OWNERSHIP),
        store.writeHeadObservation({ blockNumber: 1, observedAtMilliseconds: 1 }),
        store.readHeadObservation(),
        store.listEventLogs('second', id(7), 0, 1),
        store.readEventLogCount('second', id(7)),
        store.listUnfolded('rates', 1),
        store.readFold('second', id(7), 'rates'),
        store.writeFolds('rates', [foldOf(id(7), 1)]),
        store.loadRates(),
        store.appendRates([], 1),
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
