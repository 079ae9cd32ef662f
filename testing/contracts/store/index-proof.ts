/** Contract of `IndexProofStore`. */
import { describe, expect, test } from 'vitest';
import { ABSENT_VALUES, type MachineValues } from '../../../src/domain/changes/machine-change.ts';
import type { Address } from '../../../src/domain/identifiers/identifiers.ts';
import { NO_LOGS_DIGEST } from '../../../src/domain/index-rules/log-digest.ts';
import type { LogBlock } from '../../../src/ports/index-proof.ts';
import type { EventLogEntry, OwnershipChange, Store } from '../../../src/ports/store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { checkpointAt, chipRecorded, id, NO_OWNERSHIP, ratingStateOf, submitted, transferred } from './samples.ts';
import { replaceEventLogs, replaceRegistryLogs } from '../../fixtures/replace-logs.ts';

const OWNER = `0x${'0b'.repeat(20)}` as Address;
const BUYER = `0x${'b0'.repeat(20)}` as Address;
const RATES = 'rates';
const NOT_TOUCHED = { machines: [], kybOperators: [] };

function blockAt(blockNumber: number, parts: Partial<LogBlock> = {}): LogBlock {
  const word = blockNumber.toString(16).padStart(2, '0');
  return {
    blockNumber,
    blockHash: `0x${word.repeat(32)}`,
    blockTimestamp: 1_700_000_000 + blockNumber,
    digest: `0x${'dd'.repeat(32)}`,
    ...parts,
  };
}

function eventAt(blockNumber: number, value: bigint, machine = 7): EventLogEntry {
  return submitted(id(machine), { blockNumber, blockTimestamp: 1_700_000_000 + blockNumber, value });
}

function importAt(blockNumber: number): EventLogEntry {
  return { kind: 'imported', generation: 'current', machineId: id(7), blockNumber, logIndex: 0 };
}

/** Stores logs up to block 50, with their blocks as unproven. */
async function backfill(store: Store, logs: readonly EventLogEntry[], machines: readonly number[] = []): Promise<void> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const unproven = { blocks: numbers.map((number) => blockAt(number)), ownershipOf: machines.map(id) };
  if (!(await store.advanceMainChain(undefined, checkpointAt(50), logs, NO_OWNERSHIP, unproven)))
    throw new Error('the sample logs were refused');
}

const held = (machine: number) => ({ kind: 'held', id: id(machine), owner: OWNER, controller: undefined }) as const;

export function testIndexProof(under: StoreUnderTest): void {
  const values = async () =>
    (await under.store.listEventLogs('current', id(7), 0, 100)).map(({ seq, blockNumber, value }) => [
      seq,
      blockNumber,
      value,
    ]);

  /** Returns the evidence of the events of machine 7. */
  const evidence = async () =>
    (await under.store.listEventLogs('current', id(7), 0, 100)).map(({ isChipOnRecord, changedHandsBefore }) => [
      isChipOnRecord,
      changedHandsBefore,
    ]);
  const epochOf = async () => (await under.store.readEventLogCount('current', id(7))).epoch;
  const listDue = async () => (await under.store.listDueMachines(1, 9)).map((machine) => machine.id);
  const observeAll = async (values: MachineValues) => {
    const due = await under.store.listDueMachines(1, 9);
    const writes = due.map((machine) => ({ machine, values, isAbsent: false, changes: [], dueAt: 9_000 }));
    await under.store.writeObservations(writes);
  };
  const transferAt = (blockNumber: number, to: Address, blockTimestamp = 1_700_000_000 + blockNumber) =>
    transferred(id(7), to, { blockNumber, blockTimestamp });

  describe('provenance', () => {
    test('is repaired with its blocks, and events are judged again in a new epoch', async () => {
      const { store } = under;
      await backfill(store, [transferAt(5, OWNER), eventAt(10, 1n), chipRecorded(id(7), 0n, 20), eventAt(30, 2n)]);
      expect(await evidence()).toEqual([
        [false, undefined],
        [true, undefined],
      ]);
      const epoch = await epochOf();
      const repairs = [{ block: blockAt(20), events: [transferAt(20, BUYER)], isProven: true }];
      expect(await store.repairBlocks(checkpointAt(50), repairs, NO_OWNERSHIP, NOT_TOUCHED)).toBe(true);
      expect(await evidence()).toEqual([
        [false, undefined],
        [false, 1_700_000_020],
      ]);
      expect(await epochOf()).toBeGreaterThan(epoch);
      expect(await store.readProvenance(id(7))).toMatchObject({
        owner: BUYER,
        changeOfHands: { at: 1_700_000_020, seq: 1 },
        chipExpiresAt: undefined,
      });
      expect((await store.readIndexedMachine(id(7)))?.chipLogs).toEqual([]);
    });

    test('is unknown until the times of all its transfers are, and judges events by them', async () => {
      const { store } = under;
      const timeless = (number: number) => submitted(id(7), { blockNumber: number, blockTimestamp: 0 });
      const chip = chipRecorded(id(7), 1_700_000_030n, 9);
      const logs = [transferAt(5, OWNER, 0), chip, timeless(10), transferAt(20, BUYER, 0), timeless(30)];
      const blocks = [5, 9, 10, 20, 30].map((number) => blockAt(number, { blockTimestamp: 0 }));
      await store.advanceMainChain(undefined, checkpointAt(50), logs, NO_OWNERSHIP, { blocks, ownershipOf: [] });
      expect(await store.readProvenance(id(7))).toBeUndefined();
      const timeOf = (blockNumber: number) => ({ blockNumber, blockTimestamp: 1_700_000_000 + blockNumber });
      await store.writeBlockTimes([timeOf(30), timeOf(10)]);
      expect(await store.readProvenance(id(7))).toBeUndefined();
      const epoch = await epochOf();
      await store.writeBlockTimes([timeOf(20), timeOf(5)]);
      expect(await epochOf()).toBeGreaterThan(epoch);
      expect(await evidence()).toEqual([
        [true, undefined],
        [false, 1_700_000_020],
      ]);
      expect(await store.readProvenance(id(7))).toMatchObject({ owner: BUYER, changeOfHands: { at: 1_700_000_020 } });
    });

    test('is judged by the times of transfers and events while the log of a bond has none', async () => {
      const { store } = under;
      const place = { blockNumber: 9, logIndex: 0, blockTimestamp: 0, transactionHash: '0x02' };
      const bond = { kind: 'bond-period', generation: 'current', machineId: id(7), value: 1n, ...place } as const;
      const event = submitted(id(7), { blockNumber: 30, blockTimestamp: 0 });
      const chip = chipRecorded(id(7), 1_700_000_030n, 5);
      const logs = [transferAt(5, OWNER, 0), chip, bond, transferAt(20, BUYER, 0), event];
      const blocks = [5, 9, 20, 30].map((number) => blockAt(number, { blockTimestamp: 0 }));
      await store.advanceMainChain(undefined, checkpointAt(50), logs, NO_OWNERSHIP, { blocks, ownershipOf: [] });
      await store.writeBlockTimes([5, 20, 30].map((number) => blockAt(number)));
      expect(await evidence()).toEqual([[false, 1_700_000_020]]);
      expect(await store.readProvenance(id(7))).toMatchObject({ changeOfHands: { at: 1_700_000_020 } });
    });

    test('stays when the event logs of a machine are replaced, and changes with its chip logs', async () => {
      const { store } = under;
      await backfill(store, [transferAt(5, OWNER), eventAt(30, 2n)]);
      await replaceRegistryLogs(store, 'chip', id(7), 50, [chipRecorded(id(7), 0n, 20)]);
      expect(await evidence()).toEqual([[true, undefined]]);
      await replaceEventLogs(store, checkpointAt(50), 'current', id(7), [eventAt(10, 1n), eventAt(30, 2n)]);
      expect(await evidence()).toEqual([
        [false, undefined],
        [true, undefined],
      ]);
      expect(await store.readProvenance(id(7))).toMatchObject({ owner: OWNER, chipExpiresAt: 0n });
    });
  });

  describe('transfers of one machine', () => {
    test('are replaced up to a block, and events are judged again in a new epoch', async () => {
      const { store } = under;
      const other = transferred(id(8), OWNER, { blockNumber: 6, blockTimestamp: 1_700_000_006 });
      await backfill(store, [transferAt(5, OWNER), other, eventAt(10, 1n), eventAt(30, 2n), transferAt(40, OWNER)]);
      const epoch = await epochOf();
      await replaceRegistryLogs(store, 'transfers', id(7), 39, [transferAt(20, BUYER), transferAt(5, OWNER)]);
      expect(await evidence()).toEqual([
        [false, undefined],
        [false, 1_700_000_020],
      ]);
      expect(await epochOf()).toBeGreaterThan(epoch);
      const listTransfers = async (machine: number) =>
        (await store.readIndexedMachine(id(machine)))?.transfers.map(({ blockNumber, to }) => [blockNumber, to]);
      expect(await listTransfers(7)).toEqual([
        [5, OWNER],
        [20, BUYER],
        [40, OWNER],
      ]);
      expect(await listTransfers(8)).toEqual([[6, OWNER]]);
    });
  });

  test('leaves blocks to be proven in which a repair changed the logs of one machine, and no others', async () => {
    const { store } = under;
    const [mint, event, chip] = [transferAt(5, OWNER), eventAt(10, 1n), chipRecorded(id(7), 0n, 20)];
    const [later, sale] = [eventAt(30, 2n), transferAt(40, BUYER)];
    await backfill(store, [mint, event, chip, later, sale]);
    const listUnproven = async () => (await store.listUnprovenBlocks(99, 9)).map(({ blockNumber }) => blockNumber);
    const listed = await store.listUnprovenBlocks(99, 9);
    await store.recordProvenBlocks(listed);
    await replaceRegistryLogs(store, 'transfers', id(7), 50, [mint, sale]);
    await replaceEventLogs(store, checkpointAt(50), 'current', id(7), [event, later]);
    await replaceRegistryLogs(store, 'chip', id(7), 50, [chip]);
    expect(await listUnproven()).toEqual([]);
    await replaceRegistryLogs(store, 'transfers', id(7), 50, [mint, { ...sale, to: OWNER }]);
    await replaceEventLogs(store, checkpointAt(50), 'current', id(7), [event, { ...later, blockNumber: 31 }]);
    await replaceRegistryLogs(store, 'chip', id(7), 50, []);
    expect(await listUnproven()).toEqual([40, 31, 30, 20]);
    // A proof that read the blocks before says nothing about what the repair stored.
    await store.recordProvenBlocks(listed);
    expect(await listUnproven()).toEqual([40, 31, 30, 20]);
    expect(await store.areBlocksProven(1, 50)).toBe(false);
    // No header and no logs have these: the proof replaces what is stored.
    for (const block of await store.listUnprovenBlocks(99, 9)) expect(block.digest).toBe(`0x${'0'.repeat(64)}`);
  });

  describe('unread machines', () => {
    test('keep listings incomplete until their owners are stored', async () => {
      const { store } = under;
      await backfill(store, [], [3, 1, 2, 1]);
      expect(await store.listUnreadMachines(undefined, 2)).toEqual([id(1), id(2)]);
      expect(await store.listUnreadMachines(id(2), 2)).toEqual([id(3)]);
      const first = { readAtBlock: 50, changes: [held(1), held(2)] };
      expect(await store.storeOwnershipReads(checkpointAt(49), first)).toBe(false);
      expect(await store.listUnreadMachines(undefined, 9)).toHaveLength(3);
      expect(await store.storeOwnershipReads(checkpointAt(50), first)).toBe(true);
      expect(await store.listOwnership(OWNER, 0, 9)).toMatchObject({ indexedBlock: undefined, total: 2 });
      await store.storeOwnershipReads(checkpointAt(50), { readAtBlock: 50, changes: [{ kind: 'gone', id: id(3) }] });
      expect(await store.listOwnership(OWNER, 0, 9)).toMatchObject({ indexedBlock: 50, total: 2 });
      expect(await store.listUnreadMachines(undefined, 9)).toEqual([]);
    });

    test('are due for observation once their owners are stored, also where nothing is held', async () => {
      const { store } = under;
      await backfill(store, [], [1, 2, 3]);
      expect(await store.listDueMachines(0, 9)).toEqual([]);
      const changes = [held(1), { kind: 'gone', id: id(2) } as const];
      await store.storeOwnershipReads(checkpointAt(50), { readAtBlock: 50, changes });
      expect((await store.listDueMachines(0, 9)).map((machine) => machine.id)).toEqual([id(1), id(2)]);
    });
  });

  describe('machines to read again after a range without proof', () => {
    const SEGMENT = { blocks: [], ownershipOf: [] };
    const buys = (machine: number) => ({ ...held(machine), owner: BUYER });
    const changesAt = (...changes: readonly OwnershipChange[]) => ({ readAtBlock: 50, changes });
    const listIds = async () => (await under.store.listRereads(9)).map(Number);
    /** Stores a range after block `from`, as logs alone report it. */
    const addRange = (from: number, to: number, machines: readonly number[] = []) => {
      const unproven = { ...SEGMENT, ownershipOf: machines.map(id), rereadsOwnership: true };
      return under.store.advanceMainChain(checkpointAt(from), checkpointAt(to), [], NO_OWNERSHIP, unproven);
    };

    test('are none in the first ranges, whose machines are all to be read', async () => {
      const { store } = under;
      await backfill(store, [], [1, 2]);
      await addRange(50, 60);
      // A repair may store one of them before.
      await store.repairOwnership(checkpointAt(60), [held(1)]);
      await addRange(60, 70, [3]);
      expect(await listIds()).toEqual([]);
      await store.storeOwnershipReads(checkpointAt(70), { readAtBlock: 70, changes: [held(1), held(2), held(3)] });
      expect(await listIds()).toEqual([]);
    });

    test('are all stored ones, in order of id, from where the last process stopped', async () => {
      const { store } = under;
      await backfill(store, [], [1, 2, 3]);
      await store.storeOwnershipReads(checkpointAt(50), changesAt(held(3), held(1), held(2)));
      await addRange(50, 60);
      expect((await store.listRereads(2)).map(Number)).toEqual([1, 2]);
      expect(await store.storeRereads(checkpointAt(50), [held(1)])).toBeUndefined();
      expect(await listIds()).toEqual([1, 2, 3]);
      expect(await store.storeRereads(checkpointAt(60), [held(1), buys(2)])).toEqual([id(2)]);
      expect(await listIds()).toEqual([3]);
      expect(await store.storeRereads(checkpointAt(60), [held(3)])).toEqual([]);
      expect(await listIds()).toEqual([]);
      expect((await store.listOwnership(BUYER, 0, 9)).ids).toEqual([id(2)]);
    });

    test('are all again after a further range, and none after proven blocks', async () => {
      const { store } = under;
      await backfill(store, [], [1, 2]);
      await store.storeOwnershipReads(checkpointAt(50), changesAt(held(1), held(2)));
      await addRange(50, 60);
      await store.storeRereads(checkpointAt(60), [held(1)]);
      await store.advanceMainChain(checkpointAt(60), checkpointAt(61), [], NO_OWNERSHIP, SEGMENT);
      await store.advanceMainChain(checkpointAt(61), checkpointAt(62), [], NO_OWNERSHIP);
      expect(await listIds()).toEqual([2]);
      await addRange(62, 70);
      expect(await listIds()).toEqual([1, 2]);
      await store.storeRereads(checkpointAt(70), [held(1), { kind: 'gone', id: id(2) }]);
      expect(await listIds()).toEqual([]);
    });

    test('are served meanwhile, and due for observation where they differ', async () => {
      const { store } = under;
      await backfill(store, [], [1, 2]);
      await store.storeOwnershipReads(checkpointAt(50), changesAt(held(1), held(2)));
      await addRange(50, 60);
      const touchesOf = async () => (await store.listDueMachines(1, 9)).map(({ touches }) => touches);
      expect(await touchesOf()).toEqual([1, 1]);
      expect(await store.listOwnership(OWNER, 0, 9)).toMatchObject({ indexedBlock: 60, total: 2 });
      expect(await store.readIndexedMachine(id(1))).toMatchObject({ isSettled: true });
      await store.storeRereads(checkpointAt(60), [held(1), buys(2)]);
      expect(await touchesOf()).toEqual([1, 2]);
    });
  });

  describe('blocks of unknown time', () => {
    test('are listed newest first, and their logs only once the time is known', async () => {
      const { store } = under;
      const untimed = [10, 20].map((number) => submitted(id(7), { blockNumber: number, blockTimestamp: 0 }));
      const blocks = [10, 20].map((number) => blockAt(number, { blockTimestamp: 0 }));
      await store.advanceMainChain(undefined, checkpointAt(50), untimed, NO_OWNERSHIP, { blocks, ownershipOf: [] });
      expect((await store.listUntimedBlocks(99, 9)).map(({ blockNumber }) => blockNumber)).toEqual([20, 10]);
      expect(await store.listUntimedBlocks(20, 9)).toEqual([blocks[0]]);
      expect(await store.listEventLogs('current', id(7), 0, 9)).toEqual([]);
      await store.writeBlockTimes([{ blockNumber: 20, blockTimestamp: 1_700_000_020 }]);
      expect(await store.listEventLogs('current', id(7), 0, 9)).toMatchObject([
        { seq: 1, blockTimestamp: 1_700_000_020 },
      ]);
      expect(await store.listActiveMachines(1)).toEqual([{ id: id(7), lastEventAt: 1_700_000_020 }]);
      expect((await store.listUntimedBlocks(99, 9)).map(({ blockNumber }) => blockNumber)).toEqual([10]);
      await store.writeBlockTimes([{ blockNumber: 20, blockTimestamp: 5 }]);
      expect(await store.listEventLogs('current', id(7), 1, 2)).toMatchObject([{ blockTimestamp: 1_700_000_020 }]);
    });

    test('are none that a repair reopened, whose logs all have times', async () => {
      const { store } = under;
      await store.advanceMainChain(undefined, checkpointAt(50), [eventAt(20, 1n, 8)], NO_OWNERSHIP);
      await replaceEventLogs(store, checkpointAt(50), 'current', id(7), [eventAt(20, 2n)]);
      expect((await store.listUnprovenBlocks(99, 9)).map(({ blockNumber }) => blockNumber)).toEqual([20]);
      expect(await store.listUntimedBlocks(99, 9)).toEqual([]);
    });
  });

  describe('unproven blocks', () => {
    test('are listed newest first until they are proven', async () => {
      const { store } = under;
      expect(await store.readUnprovenExtent()).toBeUndefined();
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n), eventAt(30, 3n)]);
      expect(await store.listUnprovenBlocks(99, 2)).toEqual([blockAt(30), blockAt(20)]);
      expect(await store.listUnprovenBlocks(20, 9)).toEqual([blockAt(10)]);
      expect(await store.readUnprovenExtent()).toEqual({ blocks: 3, oldest: 10, newest: 30 });
      await store.recordProvenBlocks([blockAt(30), blockAt(10)]);
      expect(await store.readUnprovenExtent()).toEqual({ blocks: 1, oldest: 20, newest: 20 });
      expect(await store.areBlocksProven(21, 99)).toBe(true);
      expect(await store.areBlocksProven(20, 20)).toBe(false);
    });

    test('concern a machine from its first log since the last import', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), importAt(20), eventAt(30, 2n), eventAt(5, 1n, 8)]);
      expect(await store.areEventLogsProven('current', id(9), 0)).toBe(true);
      expect(await store.areEventLogsProven('current', id(7), 1)).toBe(false);
      await store.recordProvenBlocks([blockAt(30)]);
      expect(await store.areEventLogsProven('current', id(7), 1)).toBe(true);
      expect(await store.areEventLogsProven('current', id(7), 0)).toBe(false);
      expect(await store.areEventLogsProven('current', id(8), 0)).toBe(false);
    });
  });

  describe('a repair', () => {
    test('replaces the logs of its blocks and renumbers the histories', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n), eventAt(20, 3n), eventAt(30, 4n)]);
      const events = [eventAt(20, 99n), eventAt(20, 98n, 8)];
      const repairs = [{ block: blockAt(20), events, isProven: true }];
      expect(await store.repairBlocks(checkpointAt(49), repairs, NO_OWNERSHIP, NOT_TOUCHED)).toBe(false);
      const reads = { readAtBlock: 50, changes: [held(8)] };
      expect(await store.repairBlocks(checkpointAt(50), repairs, reads, NOT_TOUCHED)).toBe(true);
      expect(await values()).toEqual([
        [0, 10, 1n],
        [1, 20, 99n],
        [2, 30, 4n],
      ]);
      expect(await store.listEventLogs('current', id(8), 0, 9)).toMatchObject([{ seq: 0, value: 98n }]);
      expect(await store.listOwnership(OWNER, 0, 9)).toMatchObject({ total: 1, ids: [id(8)] });
      expect(await store.listUnprovenBlocks(99, 9)).toEqual([blockAt(30), blockAt(10)]);
      expect((await store.listActiveMachines(9)).map((machine) => machine.id)).toEqual([id(7), id(8)]);
    });

    test('makes machines of its logs and of differing ownership due for observation, and those of operators', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n)]);
      const operator = `0x${'0e'.repeat(20)}` as Address;
      expect(await listDue()).toEqual([]);
      const repairs = [{ block: blockAt(20), events: [eventAt(20, 98n, 8)], isProven: true }];
      const reads = { readAtBlock: 50, changes: [held(9)] };
      const touched = { machines: [id(11)], kybOperators: [] };
      expect(await store.repairBlocks(checkpointAt(50), repairs, reads, touched)).toBe(true);
      expect(await listDue()).toEqual([id(7), id(8), id(9), id(11)]);
      await observeAll({ ...ABSENT_VALUES, owner: OWNER, operator });
      expect(await listDue()).toEqual([]);
      await store.repairBlocks(checkpointAt(50), [], reads, { machines: [], kybOperators: [operator] });
      expect(await listDue()).toEqual([id(7), id(8), id(9), id(11)]);
    });

    test.each<[string, (store: Store) => Promise<unknown>]>([
      ['event logs', (store) => replaceEventLogs(store, checkpointAt(50), 'current', id(7), [eventAt(10, 1n)])],
      ['chip logs', (store) => replaceRegistryLogs(store, 'chip', id(7), 50, [chipRecorded(id(7), 0n, 20)])],
      ['transfers', (store) => replaceRegistryLogs(store, 'transfers', id(7), 50, [transferAt(5, OWNER)])],
      [
        'ownership',
        async (store) => {
          await store.repairOwnership(checkpointAt(50), [held(7)]);
          await store.repairOwnership(checkpointAt(50), [held(7)]);
        },
      ],
    ])('of the %s of one machine makes it due for observation', async (_what, replace) => {
      await backfill(under.store, [eventAt(10, 1n)]);
      expect(await listDue()).toEqual([]);
      await replace(under.store);
      expect(await under.store.listDueMachines(1, 9)).toMatchObject([{ id: id(7), touches: 1 }]);
    });

    test('changes no ownership before the checkpoint has reached the block of all rows', async () => {
      const { store } = under;
      const ahead = { readAtBlock: 99, changes: [{ ...held(7), owner: BUYER }] };
      await store.advanceMainChain(undefined, checkpointAt(50), [eventAt(20, 1n)], ahead);
      const repairs = [{ block: blockAt(20), events: [eventAt(20, 2n)], isProven: true }];
      const reads = { readAtBlock: 50, changes: [held(7)] };
      expect(await store.repairBlocks(checkpointAt(50), repairs, reads, NOT_TOUCHED)).toBe(false);
      expect(await values()).toEqual([[0, 20, 1n]]);
      expect(await store.repairBlocks(checkpointAt(50), repairs, NO_OWNERSHIP, NOT_TOUCHED)).toBe(true);
      expect(await values()).toEqual([[0, 20, 2n]]);
      expect((await store.listOwnership(BUYER, 0, 9)).ids).toEqual([id(7)]);
      await store.advanceMainChain(checkpointAt(50), checkpointAt(99), [], NO_OWNERSHIP);
      expect(await store.repairBlocks(checkpointAt(99), repairs, { ...reads, readAtBlock: 99 }, NOT_TOUCHED)).toBe(
        true,
      );
      expect((await store.listOwnership(OWNER, 0, 9)).ids).toEqual([id(7)]);
    });

    test('makes rating states of the old history invalid', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n)]);
      await store.writeRatingStates(RATES, [ratingStateOf(id(7), 2)]);
      expect(await store.listUnfolded(RATES, 9)).toEqual([]);
      await store.repairBlocks(
        checkpointAt(50),
        [{ block: blockAt(20), events: [], isProven: true }],
        NO_OWNERSHIP,
        NOT_TOUCHED,
      );
      expect(await store.readRatingState('current', id(7), RATES)).toBeUndefined();
      expect(await store.listUnfolded(RATES, 9)).toMatchObject([{ id: id(7), count: 1, epoch: 1 }]);
    });

    test('leaves histories as they are whose logs it does not change, whatever their indexes', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n), eventAt(20, 3n, 8)]);
      await store.writeRatingStates(RATES, [ratingStateOf(id(7), 2)]);
      const events = [{ ...eventAt(20, 2n), logIndex: 90 }, eventAt(20, 4n, 8)];
      const repairs = [{ block: blockAt(20), events, isProven: true }];
      expect(await store.repairBlocks(checkpointAt(50), repairs, NO_OWNERSHIP, NOT_TOUCHED)).toBe(true);
      expect(await epochOf()).toBe(0);
      expect(await store.readRatingState('current', id(7), RATES)).toBeDefined();
      expect(await store.listEventLogs('current', id(8), 0, 9)).toMatchObject([{ value: 4n }]);
      expect(await listDue()).toEqual([id(8)]);
    });

    test('removes a machine that no proven log names', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n)]);
      await store.repairBlocks(
        checkpointAt(50),
        [{ block: blockAt(10), events: [], isProven: true }],
        NO_OWNERSHIP,
        NOT_TOUCHED,
      );
      expect(await store.readEventLogCount('current', id(7))).toMatchObject({ count: 0 });
      expect(await store.listActiveMachines(9)).toEqual([]);
      expect(await store.listUnfolded(RATES, 9)).toEqual([]);
    });

    test.each<[string, readonly EventLogEntry[], readonly EventLogEntry[], readonly unknown[]]>([
      ['adds a hidden import', [eventAt(10, 1n), eventAt(30, 2n)], [importAt(20)], [[0, 30, 2n]]],
      [
        'removes a forged import',
        [eventAt(10, 1n), importAt(20), eventAt(30, 2n)],
        [],
        [
          [0, 10, 1n],
          [1, 30, 2n],
        ],
      ],
      [
        'keeps the imports of other blocks',
        [eventAt(5, 1n), importAt(10), eventAt(15, 2n), importAt(18), importAt(19), eventAt(20, 9n), eventAt(30, 4n)],
        [eventAt(20, 3n)],
        [
          [0, 20, 3n],
          [1, 30, 4n],
        ],
      ],
    ])('%s', async (_name, stored, proven, expected) => {
      await backfill(under.store, stored);
      const { epoch } = await under.store.readEventLogCount('current', id(7));
      await under.store.repairBlocks(
        checkpointAt(50),
        [{ block: blockAt(20), events: proven, isProven: true }],
        NO_OWNERSHIP,
        NOT_TOUCHED,
      );
      expect(await values()).toEqual(expected);
      // A second repair finds what the first one wrote.
      await under.store.repairBlocks(
        checkpointAt(50),
        [{ block: blockAt(30), events: [eventAt(30, 77n)], isProven: true }],
        NO_OWNERSHIP,
        NOT_TOUCHED,
      );
      expect((await values()).at(-1)).toMatchObject([expected.length - 1, 30, 77n]);
      expect((await values()).slice(0, -1)).toEqual(expected.slice(0, -1));
      expect((await under.store.readEventLogCount('current', id(7))).epoch).toBeGreaterThan(epoch);
    });

    test('continues with the logs of later blocks', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n)]);
      await store.repairBlocks(
        checkpointAt(50),
        [{ block: blockAt(10), events: [], isProven: true }],
        NO_OWNERSHIP,
        NOT_TOUCHED,
      );
      await store.advanceMainChain(checkpointAt(50), checkpointAt(60), [eventAt(55, 5n)], NO_OWNERSHIP);
      expect(await values()).toEqual([
        [0, 20, 2n],
        [1, 55, 5n],
      ]);
    });
  });

  describe('forgotten blocks', () => {
    const logs = [transferAt(5, OWNER), chipRecorded(id(7), 0n, 8), eventAt(10, 1n), importAt(20), eventAt(30, 2n)];
    const provenAt = (number: number, events: readonly EventLogEntry[]) => ({
      block: blockAt(number),
      events,
      isProven: true,
    });
    /** Proves all blocks, and forgets all but the newest. */
    const forget = async () => {
      await backfill(under.store, logs);
      await under.store.recordProvenBlocks([5, 8, 10, 20, 30].map((number) => blockAt(number)));
      await under.store.addProofSegment({ fromBlock: 0, toBlock: 40, kind: 'sample' });
      await under.store.forgetProvenBlocks(0, 40);
      expect(await under.store.listLogBlocks(0, 99)).toHaveLength(1);
    };
    const stored = logs.map((log) => provenAt(log.blockNumber, [log]));

    test('are recorded as proven where exactly their logs are stored', async () => {
      await forget();
      expect(await under.store.recordForgottenBlocks(stored)).toEqual([5, 8, 10, 20]);
      expect((await under.store.listLogBlocks(0, 99)).map((block) => [block.blockNumber, block.isProven])).toEqual(
        [5, 8, 10, 20, 30].map((number) => [number, true]),
      );
    });

    test.each<[string, number, readonly EventLogEntry[]]>([
      ['another value', 10, [eventAt(10, 9n)]],
      ['another time', 10, [{ ...eventAt(10, 1n), blockTimestamp: 5 } as EventLogEntry]],
      ['no log', 10, []],
      ['one more log', 10, [eventAt(10, 1n), eventAt(10, 1n, 8)]],
      ['another owner', 5, [transferAt(5, BUYER)]],
      ['another import', 20, [{ ...importAt(20), generation: 'legacy' } as EventLogEntry]],
      ['a log of a block without any', 15, [eventAt(15, 1n)]],
    ])('are not those with %s', async (_what, number, events) => {
      await forget();
      expect(await under.store.recordForgottenBlocks([provenAt(number, events)])).toEqual([]);
      expect(await under.store.listLogBlocks(0, 99)).toHaveLength(1);
    });

    test('are not those that no segment covers', async () => {
      await backfill(under.store, [eventAt(30, 2n)]);
      expect(await under.store.recordForgottenBlocks([provenAt(15, [])])).toEqual([]);
    });
  });

  describe('the newest block with logs', () => {
    test('is that of the range, without blocks whose logs a repair removed', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n), eventAt(30, 3n)]);
      expect(await store.findNewestLogBlock(0, 99)).toBe(30);
      expect(await store.findNewestLogBlock(0, 29)).toBe(20);
      expect(await store.findNewestLogBlock(11, 19)).toBeUndefined();
      const emptied = { block: blockAt(30, { digest: NO_LOGS_DIGEST }), events: [], isProven: true };
      await store.repairBlocks(checkpointAt(50), [emptied], NO_OWNERSHIP, NOT_TOUCHED);
      expect(await store.findNewestLogBlock(0, 99)).toBe(20);
    });
  });

  describe('log blocks', () => {
    test('are looked up by their numbers, without those whose logs a repair removed', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n), eventAt(30, 3n)]);
      const emptied = { block: blockAt(20, { digest: NO_LOGS_DIGEST }), events: [], isProven: true };
      await store.repairBlocks(checkpointAt(50), [emptied], NO_OWNERSHIP, NOT_TOUCHED);
      expect(await store.filterLogBlocks([9, 30, 20, 10])).toEqual(expect.arrayContaining([10, 30]));
      expect(await store.filterLogBlocks([9, 20])).toEqual([]);
      expect(await store.filterLogBlocks([])).toEqual([]);
    });

    test('are forgotten in portions', async () => {
      const { store } = under;
      const numbers = Array.from({ length: 4_500 }, (_, i) => 10 + 2 * i);
      const blocks = numbers.map((number) => blockAt(number, { blockHash: `0x${'ab'.repeat(32)}` }));
      await store.advanceMainChain(undefined, checkpointAt(10_000), [], NO_OWNERSHIP, { blocks, ownershipOf: [] });
      await store.recordProvenBlocks(blocks.filter(({ blockNumber }) => blockNumber !== 100));
      const counts: number[] = [];
      for (let from: number | undefined = 0; from !== undefined;) {
        from = await store.forgetProvenBlocks(from, 9_000);
        counts.push((await store.listLogBlocks(0, 10_000)).length);
      }
      // Four are above the range, and block 100 is unproven.
      expect(counts).toEqual([2_501, 501, 5]);
    });

    test('are forgotten where they are proven, except for the newest of all', async () => {
      const { store } = under;
      await backfill(store, [eventAt(10, 1n), eventAt(20, 2n), eventAt(30, 3n)]);
      await store.recordProvenBlocks([blockAt(10), blockAt(20), blockAt(30)]);
      expect(await store.listLogBlocks(10, 30)).toEqual([
        { ...blockAt(10), isProven: true },
        { ...blockAt(20), isProven: true },
        { ...blockAt(30), isProven: true },
      ]);
      expect(await store.forgetProvenBlocks(15, 40)).toBeUndefined();
      expect((await store.listLogBlocks(0, 99)).map(({ blockNumber }) => blockNumber)).toEqual([10, 30]);
    });
  });

  describe('proof segments', () => {
    test('join with those of their kind', async () => {
      const { store } = under;
      await store.addProofSegment({ fromBlock: 10, toBlock: 20, kind: 'sample' });
      await store.addProofSegment({ fromBlock: 31, toBlock: 40, kind: 'sample' });
      await store.addProofSegment({ fromBlock: 21, toBlock: 25, kind: 'second-node' });
      expect(await store.listProofSegments()).toEqual([
        { fromBlock: 10, toBlock: 20, kind: 'sample' },
        { fromBlock: 21, toBlock: 25, kind: 'second-node' },
        { fromBlock: 31, toBlock: 40, kind: 'sample' },
      ]);
      await store.addProofSegment({ fromBlock: 21, toBlock: 32, kind: 'sample' });
      expect(await store.listProofSegments()).toEqual([
        { fromBlock: 10, toBlock: 40, kind: 'sample' },
        { fromBlock: 21, toBlock: 25, kind: 'second-node' },
      ]);
    });

    test('grow with windows that were proven before they were stored', async () => {
      const { store } = under;
      await store.advanceMainChain(undefined, checkpointAt(10), [], NO_OWNERSHIP);
      await store.advanceMainChain(checkpointAt(10), checkpointAt(20), [], NO_OWNERSHIP, {
        blocks: [],
        ownershipOf: [],
      });
      await store.advanceMainChain(checkpointAt(20), checkpointAt(30), [], NO_OWNERSHIP);
      await store.advanceMainChain(checkpointAt(30), checkpointAt(40), [], NO_OWNERSHIP);
      expect(await store.listProofSegments()).toEqual([
        { fromBlock: 0, toBlock: 10, kind: 'headers' },
        { fromBlock: 21, toBlock: 40, kind: 'headers' },
      ]);
    });
  });
}
