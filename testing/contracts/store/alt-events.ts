/** Contract of `AltEventStore`. */
import { describe, expect, test } from 'vitest';
import { ABSENT_VALUES } from '../../../src/domain/changes/machine-change.ts';
import type { EventRecord } from '../../../src/domain/machine/machine-facts.ts';
import type {
  AltIndexChange,
  AltMachineState,
  AltWalk,
  ListedTransaction,
  NumberedOperation,
  ParkedTransaction,
} from '../../../src/ports/alt-store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { id, MAX_UINT256, ORDERED_IDS } from './samples.ts';

const MAX_U64 = 2n ** 64n - 1n;

const EMPTY_WALK: AltWalk = { revision: 0, done: undefined, observed: undefined, open: undefined };

const WALKED = {
  done: { signature: 'done', slot: 90 },
  observed: { slot: 95, observedAtMilliseconds: 1_788_900_000_001 },
  open: {
    top: { signature: 'top', slot: 2 ** 40 },
    cursor: { signature: 'cursor', slot: 100 },
    isListed: true,
    observed: { slot: 2 ** 40 + 1, observedAtMilliseconds: 1_788_900_000_002 },
  },
};

const RECORD: EventRecord = {
  eventType: 0,
  value: 1n,
  timestamp: 1_700_000_000n,
  dataHash: `0x${'00'.repeat(32)}`,
  trustLevel: 2,
  sourceChainId: 1n,
  sourceTxHash: `0x${'00'.repeat(32)}`,
  metadata: '0x',
  currency: 'EUR',
};

/** Record with extreme values in every member. */
const ODD_RECORD: EventRecord = {
  eventType: 255,
  value: MAX_UINT256,
  timestamp: MAX_U64,
  dataHash: `0x${'ff'.repeat(32)}`,
  trustLevel: 255,
  sourceChainId: MAX_U64,
  sourceTxHash: `0x${'ee'.repeat(32)}`,
  metadata: `0x${'ab'.repeat(256)}`,
  currency: '\u0000"\\é\u{1f600}',
};

function listed(signature: string, slot: number, blockTime: number | undefined = 1_700_000_000): ListedTransaction {
  return { signature, slot, blockTime };
}

function parked(signature: string, parts: Partial<ParkedTransaction> = {}): ParkedTransaction {
  return { ...listed(signature, 7), attempts: 1, retryAtMilliseconds: 1_788_900_000_000, ...parts };
}

function stateOf(parts: Partial<AltMachineState> = {}): AltMachineState {
  return {
    id: id(7),
    revision: 0,
    incarnation: 0,
    eventCount: 0,
    nextIndex: 0,
    priorEventCount: 0n,
    operationCount: 0,
    lastSlot: 0,
    newestBlockTime: undefined,
    problem: undefined,
    ...parts,
  };
}

/** Creates the `seq`-th operation of machine 7. */
function operation(seq: number, parts: Partial<NumberedOperation> = {}): NumberedOperation {
  return {
    change: { kind: 'submitted', machineId: id(7), eventIndex: BigInt(seq), record: RECORD },
    signature: `signature ${seq}`,
    slot: 100 + seq,
    position: undefined,
    order: 0,
    blockTime: 1_700_000_000 + seq,
    seq,
    incarnation: 0,
    eventIndex: seq,
    ...parts,
  };
}

function times<T>(count: number, make: (k: number) => T): T[] {
  return Array.from({ length: count }, (_, k) => make(k));
}

export function testAltEvents(under: StoreUnderTest): void {
  async function write(change: Partial<AltIndexChange>): Promise<void> {
    const { revision, ...walk } = await under.store.readAltWalk();
    if (!(await under.store.writeAltIndex(revision, { walk, ...change })))
      throw new Error('the sample change was refused');
  }

  describe('identity of the alt chain’s index', () => {
    test('is claimed separately from that of the main chain', async () => {
      expect(await under.store.claimMainChainIdentity('chain=1', 'none')).toBe(true);
      expect(await under.store.claimAltIdentity('genesis=a')).toBe(true);
      expect(await under.store.claimAltIdentity('genesis=a')).toBe(true);
      expect(await under.store.claimAltIdentity('genesis=b')).toBe(false);
    });

    test('is that of the last of two processes while the walk has not begun', async () => {
      const other = await under.openAnother();
      expect(await under.store.claimAltIdentity('genesis=a')).toBe(true);
      expect(await other.claimAltIdentity('genesis=b')).toBe(true);
      expect(await under.store.claimAltIdentity('genesis=a')).toBe(false);
      expect(await under.store.writeAltIndex(0, { walk: WALKED })).toBe(false);
      expect(await under.store.readAltWalk()).toEqual(EMPTY_WALK);
      expect(await other.writeAltIndex(0, { walk: WALKED })).toBe(true);
    });

    test('is not replaced once the walk has begun', async () => {
      const other = await under.openAnother();
      expect(await under.store.claimAltIdentity('genesis=a')).toBe(true);
      await write({});
      expect(await other.claimAltIdentity('genesis=b')).toBe(false);
      expect(await other.claimAltIdentity('genesis=a')).toBe(true);
    });
  });

  test('a machine of the alt chain becomes due for observation with its first event, and with no later one', async () => {
    const listDue = () => under.store.listDueMachines(1, 9);
    const state = stateOf({ eventCount: 1 });
    await write({ machines: [{ state, isRewritten: false, operations: [] }] });
    expect(await listDue()).toEqual([]);
    await write({ machines: [{ state, isRewritten: false, operations: [operation(0)] }] });
    const [machine] = await listDue();
    expect(machine).toMatchObject({ id: state.id, version: 0, touches: 0 });
    const values = { ...ABSENT_VALUES, owner: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB' };
    await under.store.writeObservations([{ machine: machine!, values, isAbsent: false, changes: [], dueAt: 9_000 }]);
    await write({ machines: [{ state, isRewritten: false, operations: [operation(1)] }] });
    expect(await listDue()).toEqual([]);
  });

  describe('walk of the alt chain', () => {
    test('is empty at first, then the one of the last write', async () => {
      expect(await under.store.readAltWalk()).toEqual(EMPTY_WALK);
      expect(await under.store.writeAltIndex(0, { walk: WALKED })).toBe(true);
      expect(await under.store.readAltWalk()).toEqual({ revision: 1, ...WALKED });
      const { done, observed } = WALKED;
      expect(await under.store.writeAltIndex(1, { walk: { done, observed, open: undefined } })).toBe(true);
      expect(await under.store.readAltWalk()).toEqual({ revision: 2, done, observed, open: undefined });
    });

    test('is unchanged, and nothing is stored, by a write that expects another revision', async () => {
      await write({ walk: WALKED, listed: [listed('kept', 5)], parked: [parked('kept')] });
      for (const revision of [0, 2]) {
        const change: AltIndexChange = {
          walk: { ...WALKED, done: undefined },
          unlistThroughSlot: 10,
          listed: [listed('refused', 6)],
          machines: [{ state: stateOf({ eventCount: 1 }), isRewritten: false, operations: [operation(0)] }],
          parked: [parked('refused')],
          unparked: ['kept'],
        };
        expect(await under.store.writeAltIndex(revision, change)).toBe(false);
      }
      expect(await under.store.readAltWalk()).toEqual({ revision: 1, ...WALKED });
      expect(await under.store.listOldestListed(10)).toEqual([listed('kept', 5)]);
      expect(await under.store.listParked(Number.MAX_SAFE_INTEGER, 10)).toEqual([parked('kept')]);
      expect(await under.store.listAltMachines()).toEqual([]);
      expect(await under.store.listAltOperations(id(7))).toEqual([]);
    });

    test.each([0, 1])(
      'lets exactly one of several racing writes win and stores its operations alone, from revision %d',
      async (revision) => {
        if (revision > 0) await write({ walk: WALKED });
        const stores = [under.store, await under.openAnother(), await under.openAnother()];
        const won = await Promise.all(
          times(6, (racer) =>
            stores[racer % stores.length]!.writeAltIndex(revision, {
              walk: WALKED,
              machines: [
                {
                  state: stateOf({ eventCount: 20, lastSlot: racer }),
                  isRewritten: false,
                  operations: times(20, (seq) => operation(seq, { slot: racer })),
                },
              ],
            }),
          ),
        );
        expect(won.filter(Boolean)).toEqual([true]);
        const winner = won.indexOf(true);
        const operations = await under.store.listAltOperations(id(7));
        expect(operations.map(({ seq, slot }) => [seq, slot])).toEqual(times(20, (seq) => [seq, winner]));
      },
    );

    test('is rolled back with the whole write when an operation conflicts', async () => {
      const state = stateOf();
      await write({ machines: [{ state, isRewritten: false, operations: [operation(0)] }] });
      const twice = [{ state, isRewritten: false, operations: [operation(1), operation(2, { eventIndex: 0 })] }];
      await expect(under.store.writeAltIndex(1, { walk: WALKED, machines: twice })).rejects.toThrow();
      expect(await under.store.readAltWalk()).toEqual({ ...EMPTY_WALK, revision: 1 });
      expect(await under.store.listAltOperations(id(7))).toEqual([operation(0)]);
    });
  });

  describe('listed transactions', () => {
    test('are listed oldest first, in whole slots, once each', async () => {
      await write({ listed: [listed('e', 9), listed('d', 8), listed('c', 8), listed('d', 8)] });
      await write({ listed: [listed('d', 8, 1), listed('b', 8), listed('a', 7)] });
      const oldest = async (count: number) =>
        (await under.store.listOldestListed(count)).map(({ signature }) => signature);
      expect(await oldest(1)).toEqual(['a']);
      expect(await oldest(2)).toEqual(['a', 'b', 'c', 'd']);
      expect(await oldest(4)).toEqual(['a', 'b', 'c', 'd']);
      expect(await oldest(99)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(await under.store.listOldestListed(99)).toContainEqual(listed('d', 8));
    });

    test('are listed at each of the slots at which one page has them', async () => {
      await write({ listed: [listed('a', 9), listed('a', 8)] });
      expect(await under.store.listOldestListed(9)).toEqual([listed('a', 8), listed('a', 9)]);
    });

    test('are removed up to a slot', async () => {
      await write({ listed: [listed('a', 7), listed('b', 8), listed('c', 9, undefined)] });
      await write({ unlistThroughSlot: 8, listed: [listed('d', 8)] });
      expect(await under.store.listOldestListed(9)).toEqual([listed('d', 8), listed('c', 9, undefined)]);
    });
  });

  describe('parked transactions', () => {
    test('are listed when due, longest waiting first, until unparked', async () => {
      const rows = [
        parked('a', { retryAtMilliseconds: 30 }),
        parked('b', { retryAtMilliseconds: 10, blockTime: undefined }),
      ];
      await write({ parked: [...rows, parked('c', { retryAtMilliseconds: 20 })] });
      const signatures = async (until: number, limit = 9) =>
        (await under.store.listParked(until, limit)).map(({ signature }) => signature);
      expect(await signatures(9)).toEqual([]);
      expect(await signatures(20)).toEqual(['b', 'c']);
      expect(await signatures(99, 1)).toEqual(['b']);
      await write({ unparked: ['c', 'unknown'], parked: [parked('b', { attempts: 2, retryAtMilliseconds: 40 })] });
      expect(await under.store.listParked(99, 9)).toEqual([
        rows[0],
        parked('b', { attempts: 2, retryAtMilliseconds: 40 }),
      ]);
    });

    test('are stored once when one write names them twice', async () => {
      await write({ parked: [parked('a'), parked('b'), parked('a', { slot: 8, attempts: 2 })] });
      expect(await under.store.listParked(Number.MAX_SAFE_INTEGER, 9)).toEqual([
        parked('a', { slot: 8, attempts: 2 }),
        parked('b'),
      ]);
    });

    test('are due when a clock that was ahead has parked them', async () => {
      await write({ parked: [parked('a', { retryAtMilliseconds: 30 }), parked('b', { retryAtMilliseconds: 31 })] });
      expect((await under.store.listParked(9, 9, 30)).map(({ signature }) => signature)).toEqual(['b']);
    });
  });

  describe('machines of the alt chain', () => {
    test('are returned unchanged in order of id', async () => {
      const states = ORDERED_IDS.map((machine, k) =>
        stateOf({
          id: machine,
          revision: k,
          incarnation: k,
          eventCount: k,
          nextIndex: k + 1,
          priorEventCount: MAX_U64,
          operationCount: 2 * k,
          lastSlot: 2 ** 40 + k,
          newestBlockTime: 1_700_000_000,
          problem: k === 0 ? 'numbering' : k === 1 ? 'counts' : undefined,
        }),
      );
      await write({
        machines: states.toReversed().map((state) => ({ state, isRewritten: false, operations: [] })),
      });
      expect(await under.store.listAltMachines()).toEqual(states);
      const some = [ORDERED_IDS[3]!, id(12345), ORDERED_IDS[0]!];
      expect(await under.store.readAltMachines(some)).toEqual([states[3], states[0]]);
      expect(await under.store.readAltMachines([])).toEqual([]);
    });
  });

  describe('operations of the alt chain', () => {
    const machineId = id(7);
    const all: NumberedOperation[] = [
      operation(0, {
        change: { kind: 'imported', machineId, priorEventCount: MAX_U64, record: undefined },
        eventIndex: undefined,
        blockTime: undefined,
      }),
      operation(1, {
        change: { kind: 'adopted', machineId, priorEventCount: 3n, count: 1n, record: ODD_RECORD },
        eventIndex: 0,
        position: 12,
        order: 3,
      }),
      operation(2, { change: { kind: 'submitted', machineId, eventIndex: undefined, record: RECORD }, eventIndex: 1 }),
      operation(3, { change: { kind: 'closed', machineId, count: MAX_U64 }, eventIndex: undefined }),
      operation(4, { change: { kind: 'closed', machineId, count: undefined }, incarnation: 1, eventIndex: undefined }),
      operation(5, {
        change: { kind: 'imported', machineId, priorEventCount: 0n, record: RECORD },
        incarnation: 2,
        eventIndex: 0,
      }),
      operation(6, {
        change: { kind: 'adopted', machineId, priorEventCount: 0n, count: undefined, record: undefined },
        incarnation: 2,
        eventIndex: undefined,
      }),
    ];

    test('are returned unchanged in their order', async () => {
      await write({ machines: [{ state: stateOf({ incarnation: 2 }), isRewritten: false, operations: all }] });
      expect(await under.store.listAltOperations(machineId)).toEqual(all);
      expect(await under.store.listAltOperations(id(8))).toEqual([]);
      expect((await under.store.listAltSignatures(machineId)).toSorted()).toEqual(
        all.map(({ signature }) => signature),
      );
      expect(await under.store.listAltSignatures(id(8))).toEqual([]);
    });

    test('are appended, or replace all previous ones', async () => {
      const state = stateOf();
      await write({ machines: [{ state, isRewritten: false, operations: [operation(0)] }] });
      await write({ machines: [{ state, isRewritten: false, operations: [operation(1)] }] });
      expect(await under.store.listAltOperations(machineId)).toEqual([operation(0), operation(1)]);
      const other = operation(0, { signature: 'other' });
      await write({ machines: [{ state, isRewritten: true, operations: [other] }] });
      expect(await under.store.listAltOperations(machineId)).toEqual([other]);
    });

    test('with an index in the current incarnation are events', async () => {
      await write({ machines: [{ state: stateOf({ incarnation: 0 }), isRewritten: false, operations: all }] });
      expect(await under.store.listAltEvents(machineId, 0, 9)).toEqual([
        { eventIndex: 0, slot: 101, blockTime: 1_700_000_001, record: ODD_RECORD },
        { eventIndex: 1, slot: 102, blockTime: 1_700_000_002, record: RECORD },
      ]);
      expect(await under.store.listAltEvents(machineId, 1, 1)).toEqual([]);
      await write({ machines: [{ state: stateOf({ incarnation: 2 }), isRewritten: false, operations: [] }] });
      expect(await under.store.listAltEvents(machineId, 0, 9)).toEqual([
        { eventIndex: 0, slot: 105, blockTime: 1_700_000_005, record: RECORD },
      ]);
      expect(await under.store.listAltEvents(id(8), 0, 9)).toEqual([]);
    });
  });

  describe('history of an alt-chain machine', () => {
    const indexes = async (count: number, limit = 99, fingerprint = 'rates') => {
      const { state, events } = await under.store.readAltHistory(id(7), fingerprint, count, limit);
      return [state?.nextSeq, events.map(({ eventIndex }) => eventIndex)];
    };

    test('is one snapshot from the rating state’s last event to the one after the last requested', async () => {
      expect(await under.store.readAltHistory(id(7), 'rates', 3, 9)).toEqual({
        walk: EMPTY_WALK,
        machine: undefined,
        state: undefined,
        events: [],
      });
      const state = stateOf({ eventCount: 6, nextIndex: 6, operationCount: 6 });
      await write({
        walk: WALKED,
        machines: [{ state, isRewritten: false, operations: times(6, (k) => operation(k)) }],
      });
      expect(await under.store.readAltHistory(id(7), 'rates', 0, 9)).toEqual({
        walk: { revision: 1, ...WALKED },
        machine: state,
        state: undefined,
        events: [{ eventIndex: 0, slot: 100, blockTime: 1_700_000_000, record: RECORD }],
      });
      expect(await indexes(3)).toEqual([undefined, [0, 1, 2, 3]]);
      expect(await indexes(3, 2)).toEqual([undefined, [0, 1]]);
      await under.store.writeAltRatingStates('rates', [{ id: id(7), revision: 0, nextSeq: 4, state: 'up to 4' }]);
      expect(await indexes(5)).toEqual([4, [3, 4, 5]]);
      expect(await indexes(4)).toEqual([4, [3, 4]]);
      expect(await indexes(3)).toEqual([undefined, [0, 1, 2, 3]]);
      expect(await indexes(9)).toEqual([4, [3, 4, 5]]);
      expect(await indexes(5, 99, 'other')).toEqual([undefined, [0, 1, 2, 3, 4, 5]]);
    });
  });

  describe('rating states of alt-chain machines', () => {
    const fold = async (machine = id(7), fingerprint = 'rates') =>
      (await under.store.readAltHistory(machine, fingerprint, 99, 1)).state;
    const keep = (nextSeq: number, revision = 0, machine = id(7)) =>
      under.store.writeAltRatingStates('rates', [{ id: machine, revision, nextSeq, state: `up to ${nextSeq}` }]);
    const know = (parts: Partial<AltMachineState>) =>
      write({ machines: [{ state: stateOf(parts), isRewritten: false, operations: [] }] });

    test('are stored unless they are of another revision, behind, or of an unknown machine', async () => {
      await keep(3);
      expect(await fold()).toBeUndefined();
      await know({});
      await keep(3);
      await keep(2);
      await keep(9, 1);
      expect(await fold()).toEqual({ revision: 0, nextSeq: 3, state: 'up to 3' });
      await keep(4);
      expect(await fold()).toEqual({ revision: 0, nextSeq: 4, state: 'up to 4' });
    });

    test('of an earlier revision are not read and are overwritten', async () => {
      await know({});
      await keep(9);
      await know({ revision: 1 });
      expect(await fold()).toBeUndefined();
      await keep(2, 1);
      expect(await fold()).toEqual({ revision: 1, nextSeq: 2, state: 'up to 2' });
    });

    test('of different rates are independent', async () => {
      await know({});
      await keep(9);
      await under.store.writeAltRatingStates('other', [{ id: id(7), revision: 0, nextSeq: 1, state: 'other' }]);
      expect(await fold()).toEqual({ revision: 0, nextSeq: 9, state: 'up to 9' });
      expect(await fold(id(7), 'other')).toEqual({ revision: 0, nextSeq: 1, state: 'other' });
    });

    test('are listed as unfolded with enough later events and without a problem of the machine', async () => {
      const states = ORDERED_IDS.slice(0, 5).map((machine) => stateOf({ id: machine, eventCount: 10 }));
      const [few, folded, wrong, plain, last] = states as [
        AltMachineState,
        AltMachineState,
        AltMachineState,
        AltMachineState,
        AltMachineState,
      ];
      const known = [{ ...few, eventCount: 3 }, folded, { ...wrong, problem: 'counts' as const }, plain, last];
      await write({ machines: known.map((state) => ({ state, isRewritten: false, operations: [] })) });
      await keep(7, 0, folded.id);
      await keep(6, 0, plain.id);
      const unfolded = async (limit = 9, after?: AltMachineState) =>
        (await under.store.listAltUnfolded('rates', 4, limit, after?.id)).map(({ machine, state }) => [
          machine,
          state?.nextSeq,
        ]);
      expect(await unfolded()).toEqual([
        [plain, 6],
        [last, undefined],
      ]);
      expect(await unfolded(1)).toEqual([[plain, 6]]);
      expect(await unfolded(9, plain)).toEqual([[last, undefined]]);
      expect((await under.store.listAltUnfolded('other', 4, 9)).map(({ machine }) => machine)).toEqual([
        folded,
        plain,
        last,
      ]);
    });
  });
}
