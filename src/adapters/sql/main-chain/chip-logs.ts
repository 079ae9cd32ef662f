/** Logs of the chip records of machines, so that their number can be compared with the registry's (design/real-chains 1). */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { ChipLogEntry } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readRows, type SqlProgram, type SqlValue } from '../engine/sql-program.ts';

export interface ChipLogs {
  /** Stores the logs; one that is already stored is skipped. Requires the write lock. */
  append(logs: readonly ChipLogEntry[]): SqlProgram<void>;
  /** Replaces the logs of one machine in the blocks up to `throughBlock`. Requires the write lock. */
  replace(id: MachineId, throughBlock: number, logs: readonly ChipLogEntry[]): SqlProgram<void>;
  /** Returns the logs of one machine in chain order. */
  list(id: MachineId): SqlProgram<readonly ChipLogEntry[]>;
}

export function createChipLogs({ builder, batch }: Dialect): ChipLogs {
  const insert = batch(
    {
      machine_id: 'bytes',
      block_number: 'integer',
      log_index: 'integer',
      issued_at: 'text',
      expires_at: 'text',
      revoked_at: 'text',
    },
    `INSERT INTO chip_logs (machine_id, block_number, log_index, issued_at, expires_at, revoked_at)
     SELECT machine_id, block_number, log_index, issued_at, expires_at, revoked_at FROM batch WHERE true
     ON CONFLICT DO NOTHING`,
  );
  const remove = prepareQuery({ id: bytes, through: integer }, ({ id, through }) =>
    builder.deleteFrom('chip_logs').where('machine_id', '=', id).where('block_number', '<=', through),
  );
  const select = prepareQuery({ id: bytes }, ({ id }) =>
    builder
      .selectFrom('chip_logs')
      .selectAll()
      .where('machine_id', '=', id)
      .orderBy('block_number')
      .orderBy('log_index'),
  );

  function* append(logs: readonly ChipLogEntry[]): SqlProgram<void> {
    yield* execute({ sql: insert, batch: logs.map(toRow) });
  }

  return {
    append,
    *replace(id, throughBlock, logs) {
      yield* execute(remove({ id: toIdBytes(id), through: throughBlock }));
      yield* append(logs);
    },
    *list(id) {
      const rows = yield* readRows(select({ id: toIdBytes(id) }));
      return rows.map((row): ChipLogEntry => {
        const place = {
          machineId: fromIdBytes(row.machine_id),
          blockNumber: row.block_number,
          logIndex: row.log_index,
        };
        return row.revoked_at === null
          ? {
              kind: 'chip-attested',
              ...place,
              issuedAt: BigInt(row.issued_at!),
              expiresAt: BigInt(row.expires_at!),
            }
          : { kind: 'chip-revoked', ...place, revokedAt: BigInt(row.revoked_at) };
      });
    },
  };
}

function toRow(log: ChipLogEntry): SqlValue[] {
  const [issuedAt, expiresAt, revokedAt] =
    log.kind === 'chip-attested'
      ? [String(log.issuedAt), String(log.expiresAt), null]
      : [null, null, String(log.revokedAt)];
  return [toIdBytes(log.machineId), log.blockNumber, log.logIndex, issuedAt, expiresAt, revokedAt];
}
