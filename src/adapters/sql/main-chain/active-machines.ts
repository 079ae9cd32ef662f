/** Most recently active machines of the main chain, stored separately because event logs are not indexed by time. */
import { MAX_ACTIVE_MACHINES, type ActiveMachine } from '../../../domain/machine/active-machine.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventLogEntry } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readRows, type SqlProgram } from '../engine/sql-program.ts';

export interface ActiveMachines {
  /** Records the newest of the logs, given in chain order. Requires the write lock. */
  record(logs: readonly EventLogEntry[]): SqlProgram<void>;
  /** Lists machines, newest first. */
  list(limit: number): SqlProgram<readonly ActiveMachine[]>;
}

type SubmittedLog = EventLogEntry & { readonly kind: 'submitted' };

export function createActiveMachines({ builder, batch }: Dialect): ActiveMachines {
  const upsert = batch(
    { machine_id: 'bytes', block_number: 'integer', block_timestamp: 'integer' },
    `INSERT INTO active_machines (machine_id, block_number, block_timestamp)
     SELECT machine_id, block_number, block_timestamp FROM batch WHERE true
     ON CONFLICT (machine_id) DO UPDATE
     SET block_number = excluded.block_number, block_timestamp = excluded.block_timestamp`,
  );
  const removeOthers = prepareQuery({ limit: integer }, ({ limit }) =>
    builder
      .deleteFrom('active_machines')
      .where('machine_id', 'not in', (query) =>
        query
          .selectFrom('active_machines')
          .select('machine_id')
          .orderBy('block_number', 'desc')
          .orderBy('machine_id')
          .limit(limit),
      ),
  );
  const select = prepareQuery({ limit: integer }, ({ limit }) =>
    builder
      .selectFrom('active_machines')
      .select(['machine_id', 'block_timestamp'])
      .orderBy('block_number', 'desc')
      .orderBy('machine_id')
      .limit(limit),
  );

  return {
    *record(logs) {
      const newest = findNewest(logs);
      if (newest.length === 0) return;
      yield* execute({
        sql: upsert,
        batch: newest.map((log) => [toIdBytes(log.machineId), log.blockNumber, log.blockTimestamp]),
      });
      yield* execute(removeOthers({ limit: MAX_ACTIVE_MACHINES }));
    },
    *list(limit) {
      const rows = yield* readRows(select({ limit }));
      return rows.map((row) => ({ id: fromIdBytes(row.machine_id), lastEventAt: row.block_timestamp }));
    },
  };
}

/**
 * Finds the last log of each of the last machines. Includes every machine of the block that completes the list, so that the result
 * depends on the order of ids within a block, not on how many blocks are indexed at once. Skips legacy machines, whose ids differ.
 */
function findNewest(logs: readonly EventLogEntry[]): readonly SubmittedLog[] {
  const newest = new Map<MachineId, SubmittedLog>();
  let oldestBlock = Infinity;
  for (let place = logs.length - 1; place >= 0; place--) {
    const log = logs[place]!;
    if (newest.size >= MAX_ACTIVE_MACHINES && log.blockNumber < oldestBlock) break;
    if (log.kind === 'submitted' && log.generation === 'current' && !newest.has(log.machineId)) {
      newest.set(log.machineId, log);
      oldestBlock = log.blockNumber;
    }
  }
  return [...newest.values()];
}
