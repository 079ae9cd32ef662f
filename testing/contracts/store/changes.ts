/** Contract of `ChangeStore`: machines to observe, their values, and the order of changes (docs/decisions/changes.md). */
import { describe, expect, it } from 'vitest';
import { ABSENT_VALUES, listMachineChanges, type MachineValues } from '../../../src/domain/changes/machine-change.ts';
import type { Address } from '../../../src/domain/identifiers/identifiers.ts';
import type { DueMachine, ObservationWrite } from '../../../src/ports/change-store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { checkpointAt, decisionOf, id, NO_OWNERSHIP } from './samples.ts';

const OPERATOR = `0x${'0b'.repeat(20)}` as Address;
const LATER = 2_000_000_000;

function valuesOf(rating: string): MachineValues {
  return { ...ABSENT_VALUES, owner: `0x${'0a'.repeat(20)}`, operator: OPERATOR, rating };
}

/** Writes `values` as observed at `observedAt`; undefined: absent. */
function writeOf(machine: DueMachine, values: MachineValues | undefined, observedAt = 1_000): ObservationWrite {
  const previous = machine.values ?? ABSENT_VALUES;
  const place = { blockNumber: 7, observedAt };
  return {
    machine,
    values,
    isAbsent: values === undefined,
    changes: listMachineChanges(machine.id, previous, values ?? ABSENT_VALUES, place),
    dueAt: LATER,
  };
}

export function testChanges(under: StoreUnderTest): void {
  describe('changes', () => {
    const listDue = (limit = 10) => under.store.listDueMachines(1_000, limit);
    const listAll = () => under.store.listChanges({ after: 0, limit: 500 });

    /** Touches machines as the index does. */
    async function touch(...machines: number[]): Promise<void> {
      const checkpoint = await under.store.readMainChainCheckpoint();
      const next = checkpointAt((checkpoint?.blockNumber ?? 0) + 1);
      const touched = { machines: machines.map(id), kybOperators: [] };
      expect(await under.store.advanceMainChain(checkpoint, next, [], NO_OWNERSHIP, undefined, touched)).toBe(true);
    }

    /** Touches the KYB record of an operator as the index does. */
    async function touchKyb(operator: Address): Promise<void> {
      const checkpoint = await under.store.readMainChainCheckpoint();
      const next = checkpointAt((checkpoint?.blockNumber ?? 0) + 1);
      const touched = { machines: [], kybOperators: [operator] };
      expect(await under.store.advanceMainChain(checkpoint, next, [], NO_OWNERSHIP, undefined, touched)).toBe(true);
    }

    /** Touches machine 7 and writes its values. */
    async function observe(rating: string, observedAt?: number): Promise<number> {
      await touch(7);
      const [machine] = await listDue();
      return under.store.writeObservations([writeOf(machine!, valuesOf(rating), observedAt)]);
    }

    it('are empty at first, with a range that ends at 0', async () => {
      expect(await listAll()).toEqual({ changes: [], next: 0, newest: 0, prunedThrough: 0, openedAt: undefined });
      expect(await under.store.readNextDue()).toBeUndefined();
    });

    it('are due for touched machines once each, and again for a new touch', async () => {
      await touch(9, 7, 9);
      const due = await listDue();
      expect(due.map((machine) => machine.id)).toEqual([id(7), id(9)]);
      await under.store.writeObservations(due.map((machine) => writeOf(machine, valuesOf('AA'))));
      expect(await listDue()).toEqual([]);
      expect(await under.store.readNextDue()).toBe(LATER);
      await touch(9);
      expect(await listDue()).toEqual([{ id: id(9), version: 1, touches: 2, values: valuesOf('AA') }]);
    });

    it('are due for the machines of an operator whose KYB record is touched', async () => {
      await observe('AA');
      await touchKyb(OPERATOR);
      expect((await listDue()).map((machine) => machine.id)).toEqual([id(7)]);
    });

    it('are due for a machine without an operator when the KYB record of its owner is touched', async () => {
      await touch(7, 8);
      const [own, foreign] = await listDue();
      const values = { ...valuesOf('AA'), operator: null };
      const others = { ...values, owner: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB', operator: OPERATOR };
      await under.store.writeObservations([writeOf(own!, values), writeOf(foreign!, others)]);
      await touchKyb(`0x${'0a'.repeat(20)}` as Address);
      expect((await listDue()).map((machine) => machine.id)).toEqual([id(7)]);
    });

    it('are due again where the index has passed the block at which a new operator was observed', async () => {
      const write = (machine: DueMachine, values: MachineValues, blockNumber: number) =>
        under.store.writeObservations([{ ...writeOf(machine, values), blockNumber }]);
      await touch(7);
      const [first] = await listDue();
      await touchKyb(OPERATOR);
      const indexed = (await under.store.readMainChainCheckpoint())!.blockNumber;
      await write(first!, valuesOf('AA'), indexed - 1);
      const [again] = await listDue();
      expect(again).toMatchObject({ id: id(7), version: 1, values: valuesOf('AA') });
      await write(again!, valuesOf('A'), indexed - 1);
      expect(await listDue()).toEqual([]);
      await touch(7);
      const [sold] = await listDue();
      await write(sold!, { ...valuesOf('A'), operator: `0x${'0c'.repeat(20)}` }, indexed + 1);
      expect(await listDue()).toEqual([]);
    });

    it('are due for a machine with a new decision', async () => {
      await under.store.applyDecision(decisionOf(10));
      expect((await listDue()).map((machine) => machine.id)).toEqual([id(7)]);
    });

    it('are numbered without a gap once the feed is open', async () => {
      expect(await observe('AA')).toBe(0);
      await under.store.openChanges(1_000);
      expect(await observe('BBB')).toBe(1);
      await touch(8);
      const [machine] = await listDue();
      expect(await under.store.writeObservations([writeOf(machine!, valuesOf('B'))])).toBe(3);
      const { changes, ...page } = await listAll();
      expect(page).toEqual({ next: 4, newest: 4, prunedThrough: 0, openedAt: 1_000 });
      expect(changes[0]).toEqual({
        ...{ cursor: 1, kind: 'rating', machineId: id(7), operator: OPERATOR, from: 'AA', to: 'BBB' },
        ...{ blockNumber: 7, observedAt: 1_000 },
      });
      expect(changes.map(({ cursor, kind, from }) => [cursor, kind, from])).toEqual([
        [1, 'rating', 'AA'],
        [2, 'owner', null],
        [3, 'operator', null],
        [4, 'rating', null],
      ]);
    });

    it('of an observation that another process overtook are not stored', async () => {
      await observe('AA');
      await touch(7);
      const [machine] = await listDue();
      const other = await under.openAnother();
      expect(await other.writeObservations([writeOf(machine!, valuesOf('BBB'))])).toBe(1);
      expect(await under.store.writeObservations([writeOf(machine!, valuesOf('B'))])).toBe(0);
      expect((await listAll()).changes.map(({ to }) => to)).toEqual(['BBB']);
    });

    it('keep a machine due that was touched during its observation', async () => {
      await touch(7);
      const [machine] = await listDue();
      await touch(7);
      await under.store.writeObservations([writeOf(machine!, valuesOf('AA'))]);
      expect(await listDue()).toEqual([{ id: id(7), version: 1, touches: 2, values: valuesOf('AA') }]);
    });

    it('forget an absent machine, and one that is touched meanwhile stays due', async () => {
      await under.store.openChanges(1_000);
      await observe('AA');
      await touch(7);
      const [before] = await listDue();
      expect(await under.store.writeObservations([writeOf(before!, undefined)])).toBe(3);
      expect(await under.store.readNextDue()).toBeUndefined();
      await touch(7);
      const [again] = await listDue();
      await touch(7);
      await under.store.writeObservations([writeOf(again!, undefined)]);
      expect((await listDue()).map(({ values, touches }) => [values, touches])).toEqual([[undefined, 2]]);
    });

    it('keep a machine whose first observation failed', async () => {
      await touch(7);
      const [machine] = await listDue();
      const write = { machine: machine!, values: undefined, isAbsent: false, changes: [], dueAt: 1_060 };
      expect(await under.store.writeObservations([write])).toBe(0);
      expect(await under.store.readNextDue()).toBe(1_060);
    });

    it('are listed in pages by cursor and kind, with the cursor to continue from', async () => {
      await under.store.openChanges(1_000);
      for (const rating of ['AA', 'A', 'BBB', 'BB']) await observe(rating);
      const list = async (after: number, limit: number, kinds?: readonly ['rating'] | readonly ['flag']) => {
        const { changes, next } = await under.store.listChanges({ after, limit, kinds });
        return [changes.map(({ cursor }) => cursor), next];
      };
      expect(await list(0, 4)).toEqual([[1, 2, 3, 4], 4]);
      expect(await list(4, 4)).toEqual([[5, 6], 6]);
      expect(await list(6, 4)).toEqual([[], 6]);
      expect(await list(0, 2, ['rating'])).toEqual([[3, 4], 4]);
      expect(await list(4, 9, ['rating'])).toEqual([[5, 6], 6]);
      expect(await list(0, 9, ['flag'])).toEqual([[], 6]);
    });

    it('are pruned by age and by number, oldest first', async () => {
      await under.store.openChanges(1_000);
      for (const [step, rating] of ['AA', 'A', 'BBB', 'BB'].entries()) await observe(rating, 1_000 + step);
      expect(await under.store.pruneChanges(1_000, 100)).toBe(true);
      expect((await listAll()).prunedThrough).toBe(0);
      await under.store.pruneChanges(1_002, 100);
      const page = await listAll();
      expect([page.prunedThrough, page.newest, page.changes.map(({ cursor }) => cursor)]).toEqual([4, 6, [5, 6]]);
      await under.store.pruneChanges(0, 1);
      expect((await listAll()).changes.map(({ cursor }) => cursor)).toEqual([6]);
      await under.store.pruneChanges(LATER, 100);
      expect(await listAll()).toEqual({ changes: [], next: 0, newest: 6, prunedThrough: 6, openedAt: 1_000 });
      await under.store.openChanges(2_000);
      expect((await under.store.readChangeRange()).openedAt).toBe(1_000);
    });

    it('are not made by the first observation of a machine that was known when the feed opened', async () => {
      await touch(7, 9);
      const [postponed, absent] = await listDue();
      await under.store.writeObservations([
        { machine: postponed!, values: undefined, isAbsent: false, changes: [], dueAt: LATER },
        writeOf(absent!, undefined),
      ]);
      await under.store.openChanges(1_000);
      expect(await observe('AA')).toBe(0);
      expect(await observe('BB')).toBe(1);
      await touch(9);
      const [appeared] = await listDue();
      expect(await under.store.writeObservations([writeOf(appeared!, valuesOf('AA'))])).toBe(3);
    });

    it('of concurrent writers have distinct cursors without a gap', async () => {
      await under.store.openChanges(1_000);
      await touch(...Array.from({ length: 40 }, (_, at) => at + 1));
      const due = await under.store.listDueMachines(1_000, 100);
      const stores = [under.store, await under.openAnother()];
      const stored = await Promise.all(
        due.map((machine, at) => stores[at % 2]!.writeObservations([writeOf(machine, valuesOf('AA'))])),
      );
      expect(stored).toEqual(Array.from({ length: 40 }, () => 3));
      const { changes, newest } = await listAll();
      expect(newest).toBe(120);
      expect(changes.map(({ cursor }) => cursor)).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
    });
  });
}
