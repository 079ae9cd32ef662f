/** Contract of the most recently active machines of either chain. */
import { describe, expect, test } from 'vitest';
import { MAX_ACTIVE_MACHINES } from '../../../src/domain/machine/active-machine.ts';
import type { AltMachineState } from '../../../src/ports/alt-store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import type { EventLogEntry } from '../../../src/ports/store.ts';
import { append, id, imported, NO_OWNERSHIP, ORDERED_IDS, submitted } from './samples.ts';
import { replaceEventLogs } from '../../fixtures/replace-logs.ts';

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

    describe('after a repair', () => {
      const real = Array.from({ length: MAX_ACTIVE_MACHINES + 5 }, (_, k) => k + 1);
      const unforged = real.slice(-MAX_ACTIVE_MACHINES).map((machine) => active(machine, machine));
      unforged.reverse();
      const listed = () => under.store.listActiveMachines(99);
      const repair = async (blockNumber: number, ...events: readonly EventLogEntry[]) => {
        const hash = `0x${'ab'.repeat(32)}`;
        const block = { blockNumber, blockHash: hash, blockTimestamp: 1_000 + blockNumber, digest: hash };
        const repairs = [{ block, events, isProven: true }];
        const checkpoint = (await under.store.readMainChainCheckpoint())!;
        const touched = { machines: [], kybOperators: [] };
        expect(await under.store.repairBlocks(checkpoint, repairs, NO_OWNERSHIP, touched)).toBe(true);
      };

      /** Stores one event of each machine, the last of which is imported again later. */
      const storeReal = async () => {
        for (const machine of real) await append(under.store, at(machine, machine));
        await append(under.store, imported(id(real.at(-1)!)));
      };
      const forged = real.map((machine) => at(1_000 + machine, 50));

      test('hold the machines again that removed logs of others had evicted', async () => {
        await storeReal();
        await append(under.store, at(1, 50), ...forged);
        expect((await listed()).filter((machine) => machine.lastEventAt < 1_050)).toEqual([]);
        await repair(50, at(1, 50));
        expect(await listed()).toEqual([active(1, 50), ...unforged.slice(0, -1)]);
        await repair(50);
        expect(await listed()).toEqual(unforged);
      });

      test('hold the machines again that forged logs of older machines had evicted', async () => {
        await storeReal();
        await append(under.store, ...[1, 2, 3].map((machine) => at(machine, 50)));
        expect(await listed()).toHaveLength(MAX_ACTIVE_MACHINES);
        await repair(50);
        expect(await listed()).toEqual(unforged);
      });

      test('hold each machine by its newest log after the logs of one were replaced', async () => {
        await storeReal();
        await append(under.store, at(1, 50));
        const checkpoint = (await under.store.readMainChainCheckpoint())!;
        await replaceEventLogs(under.store, checkpoint, 'current', id(1), [at(1, 1)]);
        expect(await listed()).toEqual(unforged);
        await replaceEventLogs(under.store, checkpoint, 'current', id(2), [at(2, 2), at(2, 40)]);
        expect(await listed()).toEqual([active(2, 40), ...unforged.slice(0, -1)]);
      });

      test('lack machines of which no log is left, and legacy ones', async () => {
        await append(under.store, at(3, 1), submitted(id(4), { generation: 'legacy', blockNumber: 1 }));
        await append(under.store, at(5, 2), at(6, 2));
        expect(await listed()).toEqual([active(5, 2), active(6, 2), active(3, 1)]);
        await repair(2, at(6, 2));
        expect(await listed()).toEqual([active(6, 2), active(3, 1)]);
      });
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
