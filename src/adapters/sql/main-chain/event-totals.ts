/** Number of indexed events of the current registry, to be compared with its `totalEventCount` (design/real-chains 1). */
import { sql } from 'kysely';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { execute, readFirst, readRows, type SqlProgram } from '../engine/sql-program.ts';
import { fromIdBytes, toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';

const CURRENT = toGenerationNumber('current');

export interface EventTotals {
  /** Requires the write lock. */
  add(count: number): SqlProgram<void>;
  read(): SqlProgram<number>;
  /** Lists machines with a token or events in order of id, after `after`, with their number of logs. */
  listCounts(
    after: MachineId | undefined,
    limit: number,
  ): SqlProgram<readonly { readonly id: MachineId; readonly count: number }[]>;
}

export function createEventTotals(dialect: Dialect): EventTotals {
  const { builder } = dialect;
  const upsert = prepareQuery({ count: integer }, ({ count }) =>
    builder
      .insertInto('event_totals')
      .values({ only_row: 1, log_count: count })
      .onConflict((conflict) =>
        conflict
          .column('only_row')
          .doUpdateSet(({ eb, ref }) => ({ log_count: eb('event_totals.log_count', '+', ref('excluded.log_count')) })),
      ),
  );
  const select = prepareQuery({}, () => builder.selectFrom('event_totals').select('log_count'));

  const selectCounts = prepareText(dialect)<{ machine_id: Uint8Array; log_count: number | null }>()(
    { after: bytes, limit: integer },
    (q, { after, limit }) => q`SELECT known.machine_id, h.log_count FROM (
        SELECT machine_id FROM (SELECT machine_id FROM machine_owners
          WHERE machine_id > ${after} ORDER BY machine_id LIMIT ${limit}) owned
        UNION SELECT machine_id FROM (SELECT machine_id FROM event_histories
          WHERE generation = ${sql.lit(CURRENT)} AND machine_id > ${after} ORDER BY machine_id LIMIT ${limit}) logged) known
      LEFT JOIN event_histories h ON h.machine_id = known.machine_id AND h.generation = ${sql.lit(CURRENT)}
      ORDER BY known.machine_id LIMIT ${limit}`,
  );

  return {
    *listCounts(after, limit) {
      // No machine has id 0.
      const first = after === undefined ? new Uint8Array(32) : toIdBytes(after);
      const rows = yield* readRows(selectCounts({ after: first, limit }));
      return rows.map(({ machine_id, log_count }) => ({ id: fromIdBytes(machine_id), count: log_count ?? 0 }));
    },
    *add(count) {
      if (count !== 0) yield* execute(upsert({ count }));
    },
    *read() {
      return (yield* readFirst(select({})))?.log_count ?? 0;
    },
  };
}
