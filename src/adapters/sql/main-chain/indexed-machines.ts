/** What the index holds about one machine, read at one state of the database. */
import { sql } from 'kysely';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import { isFactLog } from '../../../domain/machine/fact-log.ts';
import type { IndexedMachine, OwnershipChange } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, prepareQuery } from '../engine/prepared-query.ts';
import { readFirst, type SqlProgram } from '../engine/sql-program.ts';
import { columnToHex } from '../schema/hex-columns.ts';
import { toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import { isChipLog, isControllerLog, isTransfer, type RegistryLogs } from './registry-logs.ts';

export interface IndexedMachines {
  read(id: MachineId): SqlProgram<IndexedMachine | undefined>;
}

interface OwnersRow {
  readonly owner: Uint8Array | null;
  readonly controller: Uint8Array | null;
  readonly is_home: number | null;
}

export function createIndexedMachines({ builder }: Dialect, registryLogs: RegistryLogs): IndexedMachines {
  const select = prepareQuery({ id: bytes }, ({ id }) =>
    builder
      .selectFrom('checkpoints as c')
      .leftJoin('ownership_reads as r', (join) => join.onTrue())
      .leftJoin('machine_owners as m', (join) => join.on('m.machine_id', '=', id))
      .leftJoin('unread_machines as u', (join) => join.on('u.machine_id', '=', id))
      .leftJoin('event_histories as h', (join) =>
        join.on('h.machine_id', '=', id).on('h.generation', '=', sql.lit(toGenerationNumber('current'))),
      )
      .select([
        'c.block_number',
        'c.block_hash',
        'r.block_number as read_block',
        'm.owner',
        'm.controller',
        'm.is_home',
        'u.machine_id as unread',
        'h.epoch',
      ])
      .where('c.stream', '=', 'main-chain'),
  );

  return {
    *read(id) {
      const row = yield* readFirst(select({ id: toIdBytes(id) }));
      if (row === undefined || (yield* registryLogs.exceedsLimit(id))) return undefined;
      const logs = yield* registryLogs.list(id);
      return {
        checkpoint: { blockNumber: row.block_number, blockHash: row.block_hash },
        isSettled: row.unread === null && (row.read_block ?? 0) <= row.block_number,
        epoch: row.epoch ?? 0,
        ownership: toOwnership(id, row),
        chipLogs: logs.filter(isChipLog),
        transfers: logs.filter(isTransfer),
        controllers: logs.filter(isControllerLog),
        facts: logs.filter(isFactLog),
      };
    },
  };
}

function toOwnership(id: MachineId, { owner, controller, is_home }: OwnersRow): OwnershipChange {
  if (owner === null) return { kind: 'gone', id };
  const address = columnToHex(owner) as Address;
  if (is_home === 0) return { kind: 'away', id, owner: address };
  return {
    kind: 'held',
    id,
    owner: address,
    controller: controller === null ? undefined : (columnToHex(controller) as Address),
  };
}
