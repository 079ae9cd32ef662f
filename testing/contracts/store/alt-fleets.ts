/** Contract of `AltFleetStore`: the alt chain's ownership snapshot and the fleet listing over both chains. */
import { describe, expect, it } from 'vitest';
import type { SlotObservation } from '../../../src/domain/alt-chain/alt-fleet.ts';
import type { Address, MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import type { OwnershipChange, OwnershipReads, Store } from '../../../src/ports/store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { checkpointAt, id, ORDERED_IDS } from './samples.ts';

const ALICE = `0x${'a1'.repeat(20)}` as Address;
const BOB = `0x${'b0'.repeat(20)}` as Address;
const OURS = 'layout=1 genesis=ours registry=ours';
const FIRST: SlotObservation = { slot: 300_000_000, observedAtMilliseconds: 1_788_900_000_000 };
const SECOND: SlotObservation = { slot: 300_000_150, observedAtMilliseconds: 1_788_900_060_000 };

type Fleets = Readonly<Record<Address, readonly (bigint | number)[]>>;

function toFleet(fleets: Fleets, unreadable: Readonly<Record<Address, number>> = {}) {
  return {
    machinesByOperator: new Map(
      (Object.entries(fleets) as [Address, Fleets[Address]][]).map(([operator, machines]) => [
        operator,
        machines.map((machine) => id(machine)),
      ]),
    ),
    unreadableByOperator: new Map(Object.entries(unreadable) as [Address, number][]),
  };
}

/** Stores a first snapshot. */
async function storeFleet(store: Store, fleets: Fleets, unreadable?: Readonly<Record<Address, number>>): Promise<void> {
  expect(await store.replaceAltFleet(OURS, undefined, FIRST, toFleet(fleets, unreadable))).toBe(true);
}

/** Stores main-chain ownership changes with the next block. */
async function advanceOwnership(
  store: Store,
  machines: readonly (bigint | number)[],
  owner: Address | undefined,
): Promise<void> {
  const expected = await store.readMainChainCheckpoint();
  const next = checkpointAt((expected?.blockNumber ?? 0) + 1);
  const changes = machines.map((machine): OwnershipChange => {
    if (owner === undefined) return { kind: 'gone', id: id(machine) };
    return { kind: 'held', id: id(machine), owner, controller: undefined };
  });
  await store.advanceMainChain(expected, next, [], { readAtBlock: next.blockNumber, changes });
}

/** Lists a page as texts: prefix `m` for the main chain, `a` for the alt chain. */
async function list(store: Store, operator = ALICE, offset = 0, limit = 20, identity = OURS) {
  const { machines, total } = await store.listFleet(identity, operator, offset, limit);
  return { total, page: machines.map((machine) => `${machine.listedBy[0]}${machine.id}`) };
}

async function listOnBoth(store: Store): Promise<readonly MachineId[]> {
  return (await store.listFleet(OURS, ALICE, 0, 1)).onBoth;
}

export function testAltFleets(under: StoreUnderTest): void {
  describe('the ownership snapshot of the alt chain', () => {
    it('is absent at first', async () => {
      expect(await under.store.readAltFleetObservation(OURS)).toBeUndefined();
      expect(await under.store.listFleet(OURS, ALICE, 0, 20)).toEqual({
        indexedBlock: undefined,
        tokens: undefined,
        observation: undefined,
        unreadableRows: 0,
        onBoth: [],
        total: 0,
        machines: [],
      });
    });

    it('is served by every process with its slot and unreadable rows', async () => {
      await storeFleet(under.store, { [ALICE]: [2, 7], [BOB]: [5] }, { [ALICE]: 3 });
      const other = await under.openAnother();
      expect(await other.readAltFleetObservation(OURS)).toEqual(FIRST);
      expect(await other.listFleet(OURS, ALICE, 0, 20)).toEqual({
        indexedBlock: undefined,
        observation: FIRST,
        unreadableRows: 3,
        onBoth: [],
        total: 2,
        machines: [
          { id: 2n, listedBy: 'alt' },
          { id: 7n, listedBy: 'alt' },
        ],
      });
      expect(await list(other, BOB)).toEqual({ total: 1, page: ['a5'] });
    });

    it('replaces the previous one entirely', async () => {
      await storeFleet(under.store, { [ALICE]: [1, 2, 3] }, { [ALICE]: 1, [BOB]: 2 });
      const next = toFleet({ [ALICE]: [2, 4], [BOB]: [3] }, { [BOB]: 1 });
      expect(await under.store.replaceAltFleet(OURS, FIRST, SECOND, next)).toBe(true);
      expect(await under.store.readAltFleetObservation(OURS)).toEqual(SECOND);
      expect(await list(under.store)).toEqual({ total: 2, page: ['a2', 'a4'] });
      expect(await list(under.store, BOB)).toEqual({ total: 1, page: ['a3'] });
      const unreadable = [ALICE, BOB].map(
        async (each) => (await under.store.listFleet(OURS, each, 0, 1)).unreadableRows,
      );
      expect(await Promise.all(unreadable)).toEqual([0, 1]);
    });

    it('updates the observation when it changes nothing else', async () => {
      await storeFleet(under.store, { [ALICE]: [1] });
      expect(await under.store.replaceAltFleet(OURS, FIRST, SECOND, toFleet({ [ALICE]: [1] }))).toBe(true);
      expect(await under.store.listFleet(OURS, ALICE, 0, 20)).toMatchObject({ observation: SECOND, total: 1 });
    });

    it('replaces one that another process stored in between', async () => {
      await storeFleet(under.store, { [ALICE]: [1, 2] });
      const other = await under.openAnother();
      expect(await other.replaceAltFleet(OURS, FIRST, SECOND, toFleet({ [ALICE]: [2, 3] }))).toBe(true);
      const third = { slot: 300_000_300, observedAtMilliseconds: 1_788_900_120_000 };
      expect(await under.store.replaceAltFleet(OURS, FIRST, third, toFleet({ [ALICE]: [9] }))).toBe(false);
      expect(await under.store.replaceAltFleet(OURS, SECOND, third, toFleet({ [ALICE]: [1, 3] }))).toBe(true);
      expect(await list(other)).toEqual({ total: 2, page: ['a1', 'a3'] });
      const fourth = { slot: 300_000_450, observedAtMilliseconds: 1_788_900_180_000 };
      expect(await under.store.replaceAltFleet(OURS, third, fourth, toFleet({ [ALICE]: [3, 4], [BOB]: [1] }))).toBe(
        true,
      );
      expect([await list(other), await list(other, BOB)]).toEqual([
        { total: 2, page: ['a3', 'a4'] },
        { total: 1, page: ['a1'] },
      ]);
    });

    it('is not stored when another process stored one first', async () => {
      await storeFleet(under.store, { [ALICE]: [1] });
      expect(await under.store.replaceAltFleet(OURS, undefined, SECOND, toFleet({ [BOB]: [2] }))).toBe(false);
      expect(await under.store.replaceAltFleet(OURS, SECOND, SECOND, toFleet({ [BOB]: [2] }))).toBe(false);
      expect(await under.store.readAltFleetObservation(OURS)).toEqual(FIRST);
      expect([await list(under.store), await list(under.store, BOB)].map(({ total }) => total)).toEqual([1, 0]);
    });

    it('of another deployment counts as absent and is replaced', async () => {
      const theirs = 'layout=1 genesis=theirs registry=ours';
      await storeFleet(under.store, { [ALICE]: [1] }, { [ALICE]: 1 });
      await advanceOwnership(under.store, [9], ALICE);
      expect(await under.store.readAltFleetObservation(theirs)).toBeUndefined();
      expect(await under.store.listFleet(theirs, ALICE, 0, 20)).toMatchObject({
        observation: undefined,
        unreadableRows: 0,
        total: 1,
      });
      expect(await under.store.replaceAltFleet(theirs, undefined, SECOND, toFleet({ [ALICE]: [4] }))).toBe(true);
      expect(await list(under.store, ALICE, 0, 20, theirs)).toEqual({ total: 2, page: ['a4', 'm9'] });
      expect(await under.store.readAltFleetObservation(OURS)).toBeUndefined();
    });
  });

  describe('the fleet listing over both chains', () => {
    it('lists a machine for the alt chain while its token here is homed elsewhere, and once after a repair', async () => {
      await storeFleet(under.store, { [ALICE]: [1, 2] });
      const checkpoint = checkpointAt(1);
      const changes: OwnershipChange[] = [{ kind: 'away', id: id(1), owner: ALICE }];
      await under.store.advanceMainChain(undefined, checkpoint, [], { readAtBlock: 1, changes });
      expect(await list(under.store)).toEqual({ total: 2, page: ['a1', 'a2'] });
      const change = { kind: 'held', id: id(1), owner: ALICE, controller: undefined } as const;
      expect(await under.store.repairOwnership(checkpoint, [change])).toBe(true);
      expect(await list(under.store)).toEqual({ total: 2, page: ['m1', 'a2'] });
    });

    it('lists a machine for the alt chain once its token here is read again and homed elsewhere', async () => {
      const { store } = under;
      await storeFleet(store, { [ALICE]: [1, 2] });
      await advanceOwnership(store, [1], ALICE);
      const [first, second] = [checkpointAt(1), checkpointAt(2)];
      const unproven = { blocks: [], ownershipOf: [], rereadsOwnership: true };
      await store.advanceMainChain(first, second, [], { readAtBlock: 2, changes: [] }, unproven);
      expect(await list(store)).toEqual({ total: 2, page: ['m1', 'a2'] });
      expect(await store.storeRereads(second, [{ kind: 'away', id: id(1), owner: ALICE }])).toEqual([id(1)]);
      expect(await list(store)).toEqual({ total: 2, page: ['a1', 'a2'] });
    });

    it('lists a machine for the alt chain once a proof or the first read finds its token homed elsewhere', async () => {
      const { store } = under;
      await storeFleet(store, { [ALICE]: [1, 2] });
      await advanceOwnership(store, [1, 2], ALICE);
      expect(await list(store)).toEqual({ total: 2, page: ['m1', 'm2'] });
      const ownershipOf = (machine: number): OwnershipReads => ({
        readAtBlock: 1,
        changes: [{ kind: 'away', id: id(machine), owner: ALICE }],
      });
      await store.storeOwnershipReads(checkpointAt(1), ownershipOf(1));
      expect(await list(store)).toEqual({ total: 2, page: ['a1', 'm2'] });
      await store.repairBlocks(checkpointAt(1), [], ownershipOf(2), { machines: [], kybOperators: [] });
      expect(await list(store)).toEqual({ total: 2, page: ['a1', 'a2'] });
    });

    it('sorts the ids of both chains as numbers', async () => {
      const [even, odd] = [0, 1].map((rest) => ORDERED_IDS.filter((_, place) => place % 2 === rest));
      await advanceOwnership(under.store, even!, ALICE);
      await storeFleet(under.store, { [ALICE]: odd! });
      const page = ORDERED_IDS.map((each, place) => `${place % 2 === 0 ? 'm' : 'a'}${each}`);
      expect(await list(under.store)).toEqual({ total: ORDERED_IDS.length, page });
    });

    it('excludes alt-chain machines that the main chain holds, for any holder', async () => {
      await storeFleet(under.store, { [ALICE]: [1, 2, 3, 4] });
      await advanceOwnership(under.store, [2], ALICE);
      await advanceOwnership(under.store, [3], BOB);
      expect(await list(under.store)).toEqual({ total: 3, page: ['a1', 'm2', 'a4'] });
      expect(await list(under.store, BOB)).toEqual({ total: 1, page: ['m3'] });
      expect(await listOnBoth(under.store)).toEqual([3n]);
      await advanceOwnership(under.store, [2, 3], undefined);
      expect(await listOnBoth(under.store)).toEqual([]);
      expect(await list(under.store)).toEqual({ total: 4, page: ['a1', 'a2', 'a3', 'a4'] });
    });

    it.each([
      ['few of the alt chain', (n: number) => n % 37 === 0],
      ['half of each chain', (n: number) => n % 2 === 0],
      ['few of the main chain', (n: number) => n % 37 !== 0],
      ['all of the alt chain before', (n: number) => n <= 617],
      ['all of the alt chain after', (n: number) => n > 617],
      ['all of the alt chain at one place', (n: number) => n > 400 && n < 900],
      ['none of the main chain', () => true],
    ])('returns the same pages as a slice of the whole list, with %s', async (_name, isAlt) => {
      const machines = Array.from({ length: 2_345 }, (_, n) => n + 1);
      await advanceOwnership(
        under.store,
        machines.filter((n) => !isAlt(n)),
        ALICE,
      );
      await storeFleet(under.store, { [ALICE]: machines.filter(isAlt) });
      const texts = machines.map((n) => `${isAlt(n) ? 'a' : 'm'}${n}`);
      for (let offset = 0; offset < 2_500; offset += 31) {
        expect(await list(under.store, ALICE, offset)).toEqual({
          total: 2_345,
          page: texts.slice(offset, offset + 20),
        });
      }
    });
  });
}
