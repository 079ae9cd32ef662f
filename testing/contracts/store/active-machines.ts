/** Contract of the most recently active machines of either chain. */
import { describe, expect, test } from 'vitest';
import { MAX_ACTIVE_MACHINES } from '../../../src/domain/machine/active-machine.ts';
import type { AltMachineState } from '../../../src/ports/alt-store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import { append, id, imported, ORDERED_IDS, submitted } from './samples.ts';

export function testActiveMachines(under: StoreUnderTest): void {
  const at = (machine: number, blockNumber: number) =>
    submitted(id(machine), { blockNumber, blockTimestamp: 1_000 + blockNumber });
  const active = (machine: number, blockNumber: number) => ({ id: id(machine), lastEventAt: 1_000 + blockNumber });

  describe('active machines', () => {
    test('are listed by their newest log', async () => {
      expect(await under.store.listActiveMachines(9)).toEqual([]);
      await append(under.store, at(9, 1), at(7, 1), at(8, 2), at(7, 3));
      expect(await under.store.listActiveMachines(9)).toEqual([active(7, 3), active(8, 2), active(9, 1)]);
      await append(under.store, at(9, 4), imported(id(8)), submitted(id(6), { generation: 'legacy', blockNumber: 5 }));
      expect(await under.store.listActiveMachines(9)).toEqual([active(9, 4), active(7, 3), active(8, 2)]);
      expect(await under.store.listActiveMachines(1)).toEqual([active(9, 4)]);
    });

    test(`are at most ${MAX_ACTIVE_MACHINES}, of one block those of the smallest ids`, async () => {
      const all = Array.from({ length: MAX_ACTIVE_MACHINES + 5 }, (_, k) => k + 1);
      for (const machine of all) await append(under.store, at(machine, machine));
      const newest = all.slice(-MAX_ACTIVE_MACHINES).reverse();
      expect(await under.store.listActiveMachines(99)).toEqual(newest.map((machine) => active(machine, machine)));
      await append(under.store, ...[50, 49, 51].map((machine) => at(machine, 100)));
      expect((await under.store.listActiveMachines(4)).map(({ id }) => id)).toEqual([49n, 50n, 51n, 25n]);
    });

    test('do not depend on how many blocks are indexed at once', async () => {
      const all = Array.from({ length: MAX_ACTIVE_MACHINES + 5 }, (_, k) => k + 1);
      await append(under.store, at(99, 1), ...all.map((machine) => at(machine, 2)));
      const smallest = all.slice(0, MAX_ACTIVE_MACHINES).map((machine) => active(machine, 2));
      expect(await under.store.listActiveMachines(99)).toEqual(smallest);
    });

    test('of the alt chain are listed by their newest event', async () => {
      const machines = ORDERED_IDS.slice(0, 4).map((machine, place) => ({
        state: {
          ...{ id: machine, revision: 0, incarnation: 0, eventCount: 9, nextIndex: 9, priorEventCount: 0n },
          ...{ operationCount: 9, lastSlot: 9, newestBlockTime: [30, undefined, 50, 40][place], problem: undefined },
        } satisfies AltMachineState,
        isRewritten: false,
        operations: [],
      }));
      const { revision, ...walk } = await under.store.readAltWalk();
      expect(await under.store.writeAltIndex(revision, { walk, machines })).toBe(true);
      const [first, , third, fourth] = ORDERED_IDS;
      expect(await under.store.listActiveAltMachines(9)).toEqual([
        { id: third, lastEventAt: 50 },
        { id: fourth, lastEventAt: 40 },
        { id: first, lastEventAt: 30 },
      ]);
      expect((await under.store.listActiveAltMachines(1)).map(({ id }) => id)).toEqual([third]);
    });
  });
}
