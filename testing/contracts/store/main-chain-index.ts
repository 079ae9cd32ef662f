/** Contract of `MainChainIndexStore`, except `listUnfolded`. */
import { describe, expect, test } from 'vitest';
import { Fault } from '../../../src/domain/faults.ts';
import type { Address } from '../../../src/domain/identifiers/identifiers.ts';
import { NO_PROVENANCE } from '../../../src/domain/machine/provenance.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import {
  append,
  checkpointAt,
  chipRecorded,
  controlled,
  id,
  imported,
  MAX_UINT256,
  NO_OWNERSHIP,
  ORDERED_IDS,
  repeat,
  submitted,
  transferred,
} from './samples.ts';

export function testMainChainIndex(under: StoreUnderTest): void {
  describe('identity', () => {
    test('records the first claim and grants only the same one afterwards', async () => {
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(true);
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(true);
      expect(await under.store.claimMainChainIdentity('chain=2', 'none')).toBe(false);
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(true);
    });

    test('refuses a claim with other optional contracts', async () => {
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(true);
      expect(await under.store.claimMainChainIdentity('chain=1', 'flags')).toBe(false);
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(true);
    });

    test('grants the last of two claims of two processes while no block is stored', async () => {
      const other = await under.openAnother();
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(true);
      expect(await other.claimMainChainIdentity('chain=1', 'flags')).toBe(true);
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(false);
      expect(await other.claimMainChainIdentity('chain=1', 'flags')).toBe(true);
    });

    test('refuses the claim of another process once a block is stored', async () => {
      const other = await under.openAnother();
      await under.store.claimMainChainIdentity('chain=1', 'none');
      await under.store.advanceMainChain(undefined, checkpointAt(10), [], NO_OWNERSHIP);
      expect(await other.claimMainChainIdentity('chain=2', 'none')).toBe(false);
      expect(await other.claimMainChainIdentity('chain=1', 'flags')).toBe(false);
      expect(await other.claimMainChainIdentity('chain=1', 'none')).toBe(true);
    });

    test.each([
      ['identity', 'chain=2', 'none'],
      ['optional contracts', 'chain=1', 'flags'],
    ])('stores no first block of a process whose %s another one replaced', async (_, identity, optionalContracts) => {
      const other = await under.openAnother();
      await under.store.claimMainChainIdentity('chain=1', 'none');
      await other.claimMainChainIdentity(identity, optionalContracts);
      expect(await under.store.advanceMainChain(undefined, checkpointAt(10), [submitted(id(1))], NO_OWNERSHIP)).toBe(
        false,
      );
      expect(await under.store.readMainChainCheckpoint()).toBeUndefined();
      expect(await under.store.readEventLogCount('current', id(1))).toEqual({ count: 0, epoch: 0 });
      expect(await other.advanceMainChain(undefined, checkpointAt(20), [], NO_OWNERSHIP)).toBe(true);
    });

    test('grants one of two concurrent claims once one of them stores a block', async () => {
      const other = await under.openAnother();
      await Promise.all([
        under.store.claimMainChainIdentity('chain=1', 'none'),
        other.claimMainChainIdentity('chain=2', 'none'),
      ]);
      const stored = await Promise.all([
        under.store.advanceMainChain(undefined, checkpointAt(10), [], NO_OWNERSHIP),
        other.advanceMainChain(undefined, checkpointAt(20), [], NO_OWNERSHIP),
      ]);
      const granted = await Promise.all([
        under.store.claimMainChainIdentity('chain=1', 'none'),
        other.claimMainChainIdentity('chain=2', 'none'),
      ]);
      expect(stored.sort()).toEqual([false, true]);
      expect(granted.sort()).toEqual([false, true]);
    });
  });

  describe('checkpoint', () => {
    test('is absent at first, then the one of the last advance', async () => {
      expect(await under.store.readMainChainCheckpoint()).toBeUndefined();
      expect(await under.store.advanceMainChain(undefined, checkpointAt(10), [], NO_OWNERSHIP)).toBe(true);
      expect(await under.store.readMainChainCheckpoint()).toEqual(checkpointAt(10));
      expect(await under.store.advanceMainChain(checkpointAt(10), checkpointAt(20), [], NO_OWNERSHIP)).toBe(true);
      expect(await under.store.readMainChainCheckpoint()).toEqual(checkpointAt(20));
    });

    test.each([
      ['absence, when there is one', undefined, checkpointAt(30)],
      ['another number', checkpointAt(19), checkpointAt(30)],
      ['another hash', checkpointAt(20, 'b'), checkpointAt(30)],
      ['nothing different, but the next one is before it', checkpointAt(20), checkpointAt(19)],
      ['nothing different, but the next one is another block of its number', checkpointAt(20), checkpointAt(20, 'b')],
    ])('is unchanged, and nothing is stored, by an advance that expects %s', async (_, expected, next) => {
      await under.store.advanceMainChain(undefined, checkpointAt(20), [], NO_OWNERSHIP);
      expect(await under.store.advanceMainChain(expected, next, [submitted(id(1))], NO_OWNERSHIP)).toBe(false);
      expect(await under.store.readMainChainCheckpoint()).toEqual(checkpointAt(20));
      expect(await under.store.readEventLogCount('current', id(1))).toEqual({ count: 0, epoch: 0 });
    });

    test('stays absent, and nothing is stored, by an advance that expects one', async () => {
      expect(
        await under.store.advanceMainChain(checkpointAt(1), checkpointAt(2), [submitted(id(1))], NO_OWNERSHIP),
      ).toBe(false);
      expect(await under.store.readMainChainCheckpoint()).toBeUndefined();
      expect(await under.store.readEventLogCount('current', id(1))).toEqual({ count: 0, epoch: 0 });
    });

    test.each([
      ['first advance', undefined],
      ['later advance', checkpointAt(5)],
    ])('lets exactly one of several racing advances win and stores its logs alone: %s', async (_, expected) => {
      if (expected !== undefined) await under.store.advanceMainChain(undefined, expected, [], NO_OWNERSHIP);
      const stores = [under.store, await under.openAnother(), await under.openAnother()];
      const racers = [0, 1, 2, 3, 4, 5];
      const won = await Promise.all(
        racers.map((racer) =>
          stores[racer % stores.length]!.advanceMainChain(
            expected,
            checkpointAt(10 + racer),
            repeat(50, submitted(id(1), { value: BigInt(racer) })),
            NO_OWNERSHIP,
          ),
        ),
      );
      expect(won.filter(Boolean)).toEqual([true]);
      const winner = won.indexOf(true);
      expect(await under.store.readMainChainCheckpoint()).toEqual(checkpointAt(10 + winner));
      const rows = await under.store.listEventLogs('current', id(1), 0, 1000);
      expect(rows.map(({ seq, value }) => [seq, value])).toEqual(
        Array.from({ length: 50 }, (_, seq) => [seq, BigInt(winner)]),
      );
    });
  });

  describe('head observation', () => {
    test('is absent at first, then the one with the newest observation time', async () => {
      const at = (blockNumber: number, observedAtMilliseconds: number) => ({ blockNumber, observedAtMilliseconds });
      expect(await under.store.readHeadObservation()).toBeUndefined();
      await under.store.writeHeadObservation(at(100, 1_788_900_000_500));
      expect(await under.store.readHeadObservation()).toEqual(at(100, 1_788_900_000_500));
      await under.store.writeHeadObservation(at(101, 1_788_900_000_499));
      expect(await under.store.readHeadObservation()).toEqual(at(100, 1_788_900_000_500));
      await under.store.writeHeadObservation(at(99, 1_788_900_000_501));
      expect(await under.store.readHeadObservation()).toEqual(at(99, 1_788_900_000_501));
    });

    test('is replaced when its time is in the future, after the clock was set back', async () => {
      const at = (blockNumber: number, observedAtMilliseconds: number) => ({ blockNumber, observedAtMilliseconds });
      await under.store.writeHeadObservation(at(100, 1_788_900_000_000));
      await under.store.writeHeadObservation(at(101, 1_788_900_000_000 - 60_000));
      expect(await under.store.readHeadObservation()).toEqual(at(100, 1_788_900_000_000));
      await under.store.writeHeadObservation(at(102, 1_788_900_000_000 - 60_001));
      expect(await under.store.readHeadObservation()).toEqual(at(102, 1_788_900_000_000 - 60_001));
    });
  });

  describe('event logs', () => {
    const NO_EVIDENCE = { isChipOnRecord: false, changedHandsBefore: undefined };

    test('are returned unchanged in order of position', async () => {
      await append(
        under.store,
        submitted(id(7), { eventIndex: 3n, eventType: 1, value: 0n, blockNumber: 12, blockTimestamp: 1_700_000_012 }),
        submitted(id(7), { eventIndex: MAX_UINT256, eventType: 255, value: MAX_UINT256, blockNumber: 2 ** 40 }),
      );
      expect(await under.store.listEventLogs('current', id(7), 0, 2)).toEqual([
        {
          seq: 0,
          eventIndex: 3n,
          eventType: 1,
          value: 0n,
          blockNumber: 12,
          blockTimestamp: 1_700_000_012,
          ...NO_EVIDENCE,
        },
        {
          seq: 1,
          eventIndex: MAX_UINT256,
          eventType: 255,
          value: MAX_UINT256,
          blockNumber: 2 ** 40,
          blockTimestamp: 1_700_000_000,
          ...NO_EVIDENCE,
        },
      ]);
    });

    test('have the evidence of the provenance before them, also across blocks', async () => {
      const [alice, bob] = ['a1', 'b0'].map((digits) => `0x${digits.repeat(20)}` as Address);
      const at = 1_700_000_000;
      await append(under.store, transferred(id(7), alice!), submitted(id(7)), chipRecorded(id(7), BigInt(at + 60)));
      await append(under.store, submitted(id(7)), transferred(id(7), bob!, { blockTimestamp: at + 30 }));
      await append(
        under.store,
        submitted(id(7), { blockTimestamp: at + 59 }),
        submitted(id(7), { blockTimestamp: at + 60 }),
      );
      await append(under.store, chipRecorded(id(7), 0n), chipRecorded(id(7), undefined), submitted(id(7)));
      const rows = await under.store.listEventLogs('current', id(7), 0, 9);
      expect(rows.map(({ isChipOnRecord, changedHandsBefore }) => [isChipOnRecord, changedHandsBefore])).toEqual([
        [false, undefined],
        [true, undefined],
        [true, at + 30],
        [false, undefined],
        [false, undefined],
      ]);
      expect(await under.store.readProvenance(id(7))).toEqual({
        owner: bob,
        changeOfHands: { at: at + 30, seq: 2, transactionHash: '0x01' },
        isAccepted: false,
        acceptedAt: undefined,
        changedHandsAfter: undefined,
        chipExpiresAt: undefined,
      });
      await append(under.store, controlled(id(7), '0x02'));
      expect(await under.store.readProvenance(id(7))).toMatchObject({ isAccepted: true, acceptedAt: at });
      await append(under.store, imported(id(7)));
      expect((await under.store.readProvenance(id(7)))?.changeOfHands?.seq).toBe(0);
    });

    test('of a machine without events have no history', async () => {
      const owner = `0x${'a1'.repeat(20)}` as Address;
      await append(under.store, transferred(id(7), owner), chipRecorded(id(7), 0n));
      expect(await under.store.readProvenance(id(7))).toEqual({ ...NO_PROVENANCE, owner, chipExpiresAt: 0n });
      expect(await under.store.readProvenance(id(8))).toEqual(NO_PROVENANCE);
      expect(await under.store.listUnfolded('rates', 9)).toEqual([]);
    });

    test('of an unknown machine are empty', async () => {
      expect(await under.store.listEventLogs('current', id(7), 0, 10)).toEqual([]);
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 0, epoch: 0 });
    });

    test('are limited to the requested positions', async () => {
      await append(under.store, ...repeat(5, submitted(id(7))));
      const positions = async (from: number, to: number) =>
        (await under.store.listEventLogs('current', id(7), from, to)).map(({ seq }) => seq);
      expect(await positions(0, 5)).toEqual([0, 1, 2, 3, 4]);
      expect(await positions(2, 4)).toEqual([2, 3]);
      expect(await positions(3, 9)).toEqual([3, 4]);
      expect(await positions(4, Number.MAX_SAFE_INTEGER)).toEqual([4]);
      expect(await positions(5, 9)).toEqual([]);
      expect(await positions(2, 2)).toEqual([]);
    });

    test('are counted over several advances, separately per machine and generation', async () => {
      const first = submitted(id(7), { generation: 'legacy', value: 5n });
      await append(under.store, submitted(id(7)), first, submitted(id(8)), submitted(id(7)));
      await append(under.store, submitted(id(7), { value: 9n }), first);
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 3, epoch: 0 });
      expect(await under.store.readEventLogCount('legacy', id(7))).toEqual({ count: 2, epoch: 0 });
      expect(await under.store.readEventLogCount('current', id(8))).toEqual({ count: 1, epoch: 0 });
      const rows = await under.store.listEventLogs('current', id(7), 0, 10);
      expect(rows.map(({ seq, value }) => [seq, value])).toEqual([
        [0, 1n],
        [1, 1n],
        [2, 9n],
      ]);
    });

    test('start a new epoch after an import at any position among the logs', async () => {
      const valued = (value: bigint) => submitted(id(7), { value });
      const values = async () => {
        const rows = await under.store.listEventLogs('current', id(7), 0, 10);
        return rows.map(({ seq, value }) => [seq, value]);
      };
      await append(under.store, valued(1n), valued(2n), imported(id(7)), valued(3n));
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 1, epoch: 1 });
      expect(await values()).toEqual([[0, 3n]]);

      await append(under.store, valued(4n));
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 2, epoch: 1 });

      await append(under.store, imported(id(7)), imported(id(7)));
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 0, epoch: 3 });
      expect(await values()).toEqual([]);

      await append(under.store, valued(5n));
      expect(await values()).toEqual([[0, 5n]]);
    });

    test('are read with their count, epoch and provenance at the checkpoint', async () => {
      const { store } = under;
      expect(await store.readEventHistory('current', id(7), 0, 9)).toBeUndefined();
      await append(store, submitted(id(7)), imported(id(7)), submitted(id(7)), submitted(id(7), { value: 4n }));
      const checkpoint = await store.readMainChainCheckpoint();
      const provenance = await store.readProvenance(id(7));
      const rows = await store.listEventLogs('current', id(7), 1, 2);
      const history = { checkpoint, count: 2, epoch: 1, provenance };
      expect(await store.readEventHistory('current', id(7), 1, 2)).toEqual({ ...history, rows });
      expect(await store.readEventHistory('current', id(7), 0, 0)).toEqual({ ...history, rows: [] });
      expect(await store.readEventHistory('legacy', id(7), 0, 9)).toEqual({
        ...{ checkpoint, count: 0, epoch: 0, provenance: NO_PROVENANCE, rows: [] },
      });
      await append(store, transferred(id(7), `0x${'0b'.repeat(20)}` as Address, { blockTimestamp: 0 }));
      expect(await store.readEventHistory('current', id(7), 0, 9)).toBeUndefined();
    });

    test('of other machines and generations are unaffected by an import', async () => {
      await append(
        under.store,
        submitted(id(7)),
        submitted(id(8)),
        submitted(id(7), { generation: 'legacy' }),
        imported(id(7)),
      );
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 0, epoch: 1 });
      expect(await under.store.readEventLogCount('legacy', id(7))).toEqual({ count: 1, epoch: 0 });
      expect(await under.store.readEventLogCount('current', id(8))).toEqual({ count: 1, epoch: 0 });
    });

    test('are separate for every id', async () => {
      await append(under.store, ...ORDERED_IDS.map((machine, index) => submitted(machine, { value: BigInt(index) })));
      for (const [index, machine] of ORDERED_IDS.entries()) {
        const rows = await under.store.listEventLogs('current', machine, 0, 10);
        expect(rows.map(({ value }) => value)).toEqual([BigInt(index)]);
      }
    });

    test('rejected by the database roll back their advance', async () => {
      const unstorable = submitted(id(9), { blockTimestamp: null as unknown as number });
      await append(under.store, submitted(id(7)));
      await expect(append(under.store, submitted(id(7)), submitted(id(8)), unstorable)).rejects.toEqual(
        new Fault('StoreUnavailable', {}),
      );
      expect(await under.store.readMainChainCheckpoint()).toEqual(checkpointAt(1));
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 1, epoch: 0 });
      expect(await under.store.readEventLogCount('current', id(8))).toEqual({ count: 0, epoch: 0 });
      await append(under.store, submitted(id(7)));
      expect(await under.store.readEventLogCount('current', id(7))).toEqual({ count: 2, epoch: 0 });
    });

    test('can be stored by the ten thousand at once', async () => {
      const logs = Array.from({ length: 12_000 }, (_, index) =>
        submitted(id(1 + (index % 3000)), { value: BigInt(index), blockNumber: index }),
      );
      await append(under.store, ...logs);
      expect(await under.store.readEventLogCount('current', id(3000))).toEqual({ count: 4, epoch: 0 });
      const rows = await under.store.listEventLogs('current', id(2), 0, 10);
      expect(rows.map(({ seq, value }) => [seq, value])).toEqual([
        [0, 1n],
        [1, 3001n],
        [2, 6001n],
        [3, 9001n],
      ]);
    });
  });
}
