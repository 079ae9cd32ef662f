/** Contract of `OwnershipStore`: machines by holder (chain-evm 4). */
import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/domain/identifiers/identifiers.ts';
import { NO_PROVENANCE } from '../../../src/domain/machine/provenance.ts';
import {
  MAX_MACHINE_LOGS,
  type ChipLogEntry,
  type ControllerLogEntry,
  type FactLogEntry,
  type OwnershipChange,
  type Store,
} from '../../../src/ports/store.ts';
import type { StoreUnderTest } from '../store-contract.ts';
import {
  append,
  checkpointAt,
  controlled,
  controlledTooOften,
  id,
  imported,
  NO_OWNERSHIP,
  ORDERED_IDS,
  submitted,
} from './samples.ts';
import { replaceEventLogs, replaceRegistryLogs } from '../../fixtures/replace-logs.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as Address;
const [ALICE, BOB, CAROL] = [address('a'), address('b'), address('c')];

const held = (machine: bigint | number, owner: Address, controller?: Address): OwnershipChange => ({
  kind: 'held',
  id: id(machine),
  owner,
  controller,
});
const away = (machine: bigint | number, owner: Address): OwnershipChange => ({ kind: 'away', id: id(machine), owner });
const gone = (machine: bigint | number): OwnershipChange => ({ kind: 'gone', id: id(machine) });

/** Stores ownership changes with the next block. */
async function advanceOwnership(
  store: Store,
  changes: readonly OwnershipChange[],
  readAtBlock?: number,
): Promise<void> {
  const expected = await store.readMainChainCheckpoint();
  const next = checkpointAt((expected?.blockNumber ?? 0) + 1);
  const ownership = { readAtBlock: readAtBlock ?? next.blockNumber, changes };
  expect(await store.advanceMainChain(expected, next, [], ownership)).toBe(true);
}

export function testOwnership(under: StoreUnderTest): void {
  describe('ownership', () => {
    const list = async (holder: Address, offset = 0, limit = 20) => {
      const { total, ids } = await under.store.listOwnership(holder, offset, limit);
      return { total, ids: ids.map(String) };
    };

    it('is empty for an address that holds nothing', async () => {
      const nothing = { indexedBlock: undefined, tokens: undefined, total: 0, ids: [] };
      expect(await under.store.listOwnership(ALICE, 0, 20)).toEqual(nothing);
    });

    it('lists machines by owner and by controller, each once', async () => {
      await advanceOwnership(under.store, [held(1, ALICE), held(2, BOB, ALICE), held(3, ALICE, ALICE), held(4, BOB)]);
      expect(await list(ALICE)).toEqual({ total: 3, ids: ['1', '2', '3'] });
      expect(await list(BOB)).toEqual({ total: 2, ids: ['2', '4'] });
    });

    it('sorts ids as numbers', async () => {
      await advanceOwnership(
        under.store,
        ORDERED_IDS.toReversed().map((each) => held(each, ALICE)),
      );
      expect((await list(ALICE)).ids).toEqual(ORDERED_IDS.map(String));
    });

    it('follows a sale, a new controller and a cleared one', async () => {
      await advanceOwnership(under.store, [held(1, ALICE, CAROL)]);
      await advanceOwnership(under.store, [held(1, BOB, CAROL)]);
      expect([await list(ALICE), await list(BOB), await list(CAROL)].map(({ total }) => total)).toEqual([0, 1, 1]);
      await advanceOwnership(under.store, [held(1, BOB, ALICE)]);
      expect([await list(ALICE), await list(BOB), await list(CAROL)].map(({ total }) => total)).toEqual([1, 1, 0]);
      await advanceOwnership(under.store, [held(1, BOB)]);
      expect([await list(ALICE), await list(BOB)].map(({ ids }) => ids)).toEqual([[], ['1']]);
    });

    it('removes a machine that is gone and lists it again when it returns', async () => {
      await advanceOwnership(under.store, [held(1, ALICE, BOB), held(2, ALICE)]);
      await advanceOwnership(under.store, [gone(1), gone(7)]);
      expect([await list(ALICE), await list(BOB)]).toEqual([
        { total: 1, ids: ['2'] },
        { total: 0, ids: [] },
      ]);
      await advanceOwnership(under.store, [held(1, BOB)]);
      expect(await list(BOB)).toEqual({ total: 1, ids: ['1'] });
    });

    it('applies the last of several changes of one machine', async () => {
      await advanceOwnership(under.store, [held(1, ALICE), gone(1), held(1, BOB)]);
      expect([(await list(ALICE)).total, (await list(BOB)).total]).toEqual([0, 1]);
    });

    it('stores nothing when the checkpoint is not the expected one', async () => {
      await advanceOwnership(under.store, [held(1, ALICE)]);
      const ownership = { readAtBlock: 9, changes: [held(2, ALICE)] };
      expect(await under.store.advanceMainChain(checkpointAt(5), checkpointAt(9), [], ownership)).toBe(false);
      const tokens = { count: 1, checkpoint: checkpointAt(1) };
      expect(await under.store.listOwnership(ALICE, 0, 20)).toEqual({
        indexedBlock: 1,
        tokens,
        total: 1,
        ids: [id(1)],
      });
    });

    it('counts the tokens of an owner, also of machines homed elsewhere, and not those that it controls', async () => {
      const countTokens = async (holder: Address) => (await under.store.listOwnership(holder, 0, 20)).tokens?.count;
      await advanceOwnership(under.store, [held(1, ALICE, BOB), held(2, ALICE, ALICE), away(3, ALICE), away(4, CAROL)]);
      expect([await list(ALICE), await list(CAROL)].map(({ ids }) => ids)).toEqual([['1', '2'], []]);
      expect([await countTokens(ALICE), await countTokens(BOB), await countTokens(CAROL)]).toEqual([3, 0, 1]);
      await advanceOwnership(under.store, [away(1, ALICE), held(3, ALICE), gone(4)]);
      expect([await list(ALICE), await list(BOB)].map(({ ids }) => ids)).toEqual([['2', '3'], []]);
      expect([await countTokens(ALICE), await countTokens(CAROL)]).toEqual([3, 0]);
      await advanceOwnership(under.store, [away(1, CAROL), gone(2)]);
      expect([await countTokens(ALICE), await countTokens(CAROL)]).toEqual([1, 1]);
    });

    it('repairs rows at the checkpoint, and none when the checkpoint has moved', async () => {
      await advanceOwnership(under.store, [held(1, ALICE)]);
      expect(await under.store.repairOwnership(checkpointAt(1), [held(1, BOB), held(2, ALICE)])).toBe(true);
      const tokens = { count: 1, checkpoint: checkpointAt(1) };
      expect(await under.store.listOwnership(ALICE, 0, 20)).toEqual({
        indexedBlock: 1,
        tokens,
        total: 1,
        ids: [id(2)],
      });
      await advanceOwnership(under.store, []);
      expect(await under.store.repairOwnership(checkpointAt(1), [gone(2)])).toBe(false);
      expect((await list(ALICE)).ids).toEqual(['2']);
    });

    it('repairs no rows before the checkpoint has reached the block of all others', async () => {
      const { store } = under;
      await advanceOwnership(store, [held(1, BOB)], 9);
      expect(await store.repairOwnership(checkpointAt(1), [held(1, ALICE)])).toBe(false);
      expect([(await list(ALICE)).ids, (await list(BOB)).ids]).toEqual([[], ['1']]);
      await store.advanceMainChain(checkpointAt(1), checkpointAt(9), [], NO_OWNERSHIP);
      expect(await store.repairOwnership(checkpointAt(9), [held(1, ALICE)])).toBe(true);
      expect([(await list(ALICE)).ids, (await list(BOB)).ids]).toEqual([['1'], []]);
    });

    it('returns what the index holds about one machine', async () => {
      expect(await under.store.readIndexedMachine(id(1))).toBeUndefined();
      await advanceOwnership(under.store, [held(1, ALICE, BOB), held(2, BOB), away(3, CAROL)], 2);
      const indexed = {
        checkpoint: checkpointAt(1),
        isSettled: false,
        epoch: 0,
        chipLogs: [],
        transfers: [],
        controllers: [],
        facts: [],
      };
      expect(await under.store.readIndexedMachine(id(1))).toEqual({ ...indexed, ownership: held(1, ALICE, BOB) });
      await advanceOwnership(under.store, []);
      const settled = { ...indexed, checkpoint: checkpointAt(2), isSettled: true };
      expect(await under.store.readIndexedMachine(id(2))).toEqual({ ...settled, ownership: held(2, BOB) });
      expect(await under.store.readIndexedMachine(id(3))).toEqual({ ...settled, ownership: away(3, CAROL) });
      expect(await under.store.readIndexedMachine(id(4))).toEqual({ ...settled, ownership: gone(4) });
    });

    it('returns a machine with as many logs as are read, and none with more', async () => {
      const [first, ...others] = controlledTooOften(id(1));
      await append(under.store, ...others, controlled(id(2), '0x01'));
      expect((await under.store.readIndexedMachine(id(1)))?.controllers).toHaveLength(MAX_MACHINE_LOGS);
      expect(await under.store.readProvenance(id(1))).toEqual(NO_PROVENANCE);
      await append(under.store, first!);
      expect(await under.store.readIndexedMachine(id(1))).toBeUndefined();
      expect(await under.store.readProvenance(id(1))).toBeUndefined();
      expect((await under.store.readIndexedMachine(id(2)))?.controllers).toHaveLength(1);
    });

    it('returns the chip logs of a machine in chain order, and replaces those up to a block', async () => {
      const attested = (machine: number, blockNumber: number, logIndex = 0): ChipLogEntry => {
        const times = { issuedAt: 2n ** 64n - 1n, expiresAt: 0n };
        return {
          kind: 'chip-attested',
          generation: 'current',
          machineId: id(machine),
          blockNumber,
          logIndex,
          ...times,
        };
      };
      const revoked: ChipLogEntry = {
        kind: 'chip-revoked',
        generation: 'current',
        machineId: id(1),
        blockNumber: 2,
        logIndex: 7,
        revokedAt: 5n,
      };
      const listChipLogs = async (machine: number) => (await under.store.readIndexedMachine(id(machine)))?.chipLogs;
      const first = [revoked, attested(1, 2, 3), attested(2, 2, 4), attested(1, 1)];
      await under.store.advanceMainChain(undefined, checkpointAt(2), first, NO_OWNERSHIP);
      expect(await listChipLogs(1)).toEqual([attested(1, 1), attested(1, 2, 3), revoked]);
      await under.store.advanceMainChain(checkpointAt(2), checkpointAt(3), [attested(1, 3)], NO_OWNERSHIP);
      await replaceRegistryLogs(under.store, 'chip', id(1), 2, [attested(1, 2)]);
      expect(await listChipLogs(1)).toEqual([attested(1, 2), attested(1, 3)]);
      expect(await listChipLogs(2)).toEqual([attested(2, 2, 4)]);
    });

    it('returns the controllers of a machine in chain order, that of a mint first, and replaces them', async () => {
      const place = (blockNumber: number) =>
        ({
          generation: 'current',
          machineId: id(1),
          blockNumber,
          logIndex: 1,
          blockTimestamp: 1_000 + blockNumber,
          transactionHash: `0x${'ab'.repeat(32)}`,
        }) as const;
      const mint: ControllerLogEntry = { kind: 'minted', to: ALICE, ...place(1) };
      const change = (blockNumber: number, to: Address | undefined): ControllerLogEntry => ({
        kind: 'controller',
        from: ALICE,
        to,
        ...place(blockNumber),
      });
      await under.store.advanceMainChain(undefined, checkpointAt(3), [change(3, undefined), mint], NO_OWNERSHIP);
      const listControllers = async () => (await under.store.readIndexedMachine(id(1)))?.controllers;
      expect(await listControllers()).toEqual([mint, change(3, undefined)]);
      await replaceRegistryLogs(under.store, 'controllers', id(1), 2, [mint, change(2, BOB)]);
      expect(await listControllers()).toEqual([mint, change(2, BOB), change(3, undefined)]);
      const { epoch } = (await under.store.readIndexedMachine(id(1)))!;
      expect((await under.store.readEventLogCount('current', id(1))).epoch).toBe(epoch);
      expect(await under.store.replaceRegistryLogs('controllers', id(1), 3, [], epoch - 1)).toBe(false);
      expect(await listControllers()).toHaveLength(3);
      expect(await under.store.replaceRegistryLogs('controllers', id(1), 3, [], epoch)).toBe(true);
      expect(await listControllers()).toEqual([]);
    });

    it('returns the logs of facts in chain order, also after the logs of the machine were replaced', async () => {
      const fact = (kind: FactLogEntry['kind'], blockNumber: number, value: bigint | undefined): FactLogEntry => ({
        ...{ kind, generation: 'current', machineId: id(1), blockNumber, logIndex: 1, value },
        ...{ blockTimestamp: 1_000 + blockNumber, transactionHash: `0x${'ab'.repeat(32)}` },
      });
      const facts = [
        fact('bond-period', 1, 2n ** 64n - 1n),
        fact('flagged', 2, 5n),
        fact('flag-cleared', 3, undefined),
      ];
      await under.store.advanceMainChain(undefined, checkpointAt(3), facts.toReversed(), NO_OWNERSHIP);
      expect((await under.store.readIndexedMachine(id(1)))?.facts).toEqual(facts);
      await replaceRegistryLogs(under.store, 'chip', id(1), 3, []);
      expect((await under.store.readIndexedMachine(id(1)))?.facts).toEqual(facts);
    });

    it('counts the events of all machines, and replaces those of one as a new epoch', async () => {
      const { store } = under;
      expect(await store.readEventTotal()).toBeUndefined();
      await advanceOwnership(store, [held(1, ALICE), held(2, ALICE), held(4, BOB)]);
      await append(
        store,
        submitted(id(1)),
        submitted(id(1)),
        submitted(id(2)),
        submitted(id(2), { generation: 'legacy' }),
      );
      await append(store, imported(id(2)), submitted(id(2)), submitted(id(3)));
      const checkpoint = (await store.readMainChainCheckpoint())!;
      expect(await store.readEventTotal()).toEqual({ checkpoint, total: 5 });
      const counts = [
        { id: id(1), count: 2 },
        { id: id(2), count: 1 },
        // Without a token, as after a burn.
        { id: id(3), count: 1 },
        { id: id(4), count: 0 },
      ];
      expect(await store.listEventCounts(undefined, 9)).toEqual({ checkpoint, counts });
      expect((await store.listEventCounts(id(1), 1)).counts).toEqual(counts.slice(1, 2));

      const found = [submitted(id(1)), submitted(id(1)), submitted(id(1))];
      const { epoch } = await store.readEventLogCount('current', id(1));
      expect(await store.replaceEventLogs(checkpointAt(1), 'current', id(1), found, epoch)).toBe(false);
      expect(await store.replaceEventLogs(checkpoint, 'current', id(1), found, epoch + 1)).toBe(false);
      expect((await store.readEventLogCount('current', id(1))).count).toBe(2);
      expect(await store.replaceEventLogs(checkpoint, 'current', id(1), found, epoch)).toBe(true);
      expect(await store.readEventLogCount('current', id(1))).toEqual({ count: 3, epoch: epoch + 1 });
      expect(await store.listEventLogs('current', id(1), 0, 9)).toHaveLength(3);
      const restarted = [submitted(id(2)), imported(id(2)), submitted(id(2)), submitted(id(2))];
      await replaceEventLogs(store, checkpoint, 'current', id(2), restarted);
      expect((await store.readEventLogCount('current', id(2))).count).toBe(2);
      expect(await store.readEventTotal()).toEqual({ checkpoint, total: 7 });
    });

    it('returns the same pages as a slice of the whole list, at any offset', async () => {
      const machines = Array.from({ length: 1_234 }, (_, n) => n + 1);
      await advanceOwnership(
        under.store,
        machines.map((machine) => held(machine, ALICE)),
      );
      for (const offset of [0, 1, 499, 500, 501, 999, 1_000, 1_214, 1_233, 1_234, 5_000]) {
        const ids = machines.slice(offset, offset + 20).map(String);
        expect(await list(ALICE, offset)).toEqual({ total: 1_234, ids });
      }
    });

    it('does not page by outdated anchors', async () => {
      const machines = Array.from({ length: 1_100 }, (_, n) => 2 * n + 10);
      await advanceOwnership(
        under.store,
        machines.map((machine) => held(machine, ALICE)),
      );
      await list(ALICE, 1_000);
      await advanceOwnership(under.store, [held(1, ALICE), held(2, ALICE), gone(12)]);
      const now = [1, 2, ...machines.filter((machine) => machine !== 12)];
      expect((await list(ALICE, 1_000)).ids).toEqual(now.slice(1_000, 1_020).map(String));
    });

    it('names the block of its rows, and none while some are of a later one', async () => {
      await advanceOwnership(under.store, [held(1, ALICE)], 3);
      expect((await under.store.listOwnership(ALICE, 0, 20)).indexedBlock).toBeUndefined();
      await advanceOwnership(under.store, []);
      await advanceOwnership(under.store, []);
      expect((await under.store.listOwnership(ALICE, 0, 20)).indexedBlock).toBe(3);
      await advanceOwnership(under.store, [held(2, ALICE)]);
      expect((await under.store.listOwnership(ALICE, 0, 20)).indexedBlock).toBe(4);
    });
  });
}
