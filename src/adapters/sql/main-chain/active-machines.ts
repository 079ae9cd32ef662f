/** Most recently active machines of the main chain, stored separately because event logs are not indexed by time. */
import { sql } from 'kysely';
import { MAX_ACTIVE_MACHINES, type ActiveMachine } from '../../../domain/machine/active-machine.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventLogEntry } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import { fromIdBytes, toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, readRows, type Query, type SqlProgram } from '../engine/sql-program.ts';

export interface ActiveMachines {
  /** Records the newest of the logs, given in chain order. Requires the write lock. */
  record(logs: readonly EventLogEntry[]): SqlProgram<void>;
  /**
   * Reads the list again after the stored logs of these machines were replaced: theirs may have evicted others, or be older than those
   * of others now. Requires the write lock.
   */
  refresh(ids: readonly MachineId[]): SqlProgram<void>;
  /** Lists machines, newest first. */
  list(limit: number): SqlProgram<readonly ActiveMachine[]>;
}

type SubmittedLog = EventLogEntry & { readonly kind: 'submitted' };

/** Place of a machine in the list. */
interface Place {
  readonly machine_id: Uint8Array;
  readonly block_number: number;
}

const CURRENT = toGenerationNumber('current');

/** Returns a subquery for a column of the newest log of the history `h`, also where an import restarted its positions. */
function newestLog(column: 'block_number' | 'block_timestamp'): string {
  return `(SELECT l.${column} FROM event_logs l WHERE l.history_id = h.history_id ORDER BY l.epoch DESC, l.seq DESC LIMIT 1)`;
}

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
  const remove = batch(
    { machine_id: 'bytes' },
    'DELETE FROM active_machines WHERE machine_id IN (SELECT machine_id FROM batch)',
  );
  const insertStored = batch(
    { machine_id: 'bytes' },
    `INSERT INTO active_machines (machine_id, block_number, block_timestamp)
     SELECT machine_id, block_number, ${newestLog('block_timestamp')} FROM (
       SELECT h.history_id, h.machine_id, ${newestLog('block_number')} AS block_number
       FROM batch CROSS JOIN event_histories h
       WHERE h.machine_id = batch.machine_id AND h.generation = ${CURRENT}) h
     WHERE block_number IS NOT NULL`,
  );
  const removeAll = prepareQuery({}, () => builder.deleteFrom('active_machines'));
  // Reads the newest logs until they are of enough machines.
  const fill: Query = {
    sql: `INSERT INTO active_machines (machine_id, block_number, block_timestamp)
      SELECT h.machine_id, l.block_number, l.block_timestamp
      FROM event_logs l JOIN event_histories h ON h.history_id = l.history_id AND h.generation = ${CURRENT}
      WHERE NOT EXISTS (
        SELECT 1 FROM event_logs newer WHERE newer.history_id = l.history_id AND (newer.epoch, newer.seq) > (l.epoch, l.seq))
      ORDER BY l.block_number DESC, h.machine_id LIMIT ${MAX_ACTIVE_MACHINES}`,
    parameters: [],
  };
  const selectLast = prepareQuery({ offset: integer }, ({ offset }) =>
    builder
      .selectFrom('active_machines')
      .select(['machine_id', 'block_number'])
      .orderBy('block_number', 'desc')
      .orderBy('machine_id')
      .limit(sql.lit(1))
      .offset(offset),
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
    *refresh(ids) {
      if (ids.length === 0) return;
      const before = yield* readLast();
      const rows = ids.map((id) => [toIdBytes(id)]);
      yield* execute({ sql: remove, batch: rows });
      yield* execute({ sql: insertStored, batch: rows });
      yield* execute(removeOthers({ limit: MAX_ACTIVE_MACHINES }));
      const after = yield* readLast();
      if (after !== undefined && (before === undefined || !isBehind(after, before))) return;
      yield* execute(removeAll({}));
      yield* execute(fill);
    },
    *list(limit) {
      const rows = yield* readRows(select({ limit }));
      return rows.map((row) => ({ id: fromIdBytes(row.machine_id), lastEventAt: row.block_timestamp }));
    },
  };

  /** Returns the last place of a full list, behind which all others are; undefined where the list is not full. */
  function readLast(): SqlProgram<Place | undefined> {
    return readFirst(selectLast({ offset: MAX_ACTIVE_MACHINES - 1 }));
  }
}

function isBehind(place: Place, other: Place): boolean {
  const blocks = other.block_number - place.block_number;
  return blocks > 0 || (blocks === 0 && Buffer.compare(place.machine_id, other.machine_id) > 0);
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
