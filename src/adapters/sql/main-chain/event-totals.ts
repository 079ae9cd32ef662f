/** Number of indexed events of the current registry, to be compared with its `totalEventCount` (design/real-chains 1). */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { execute, readFirst, readRows, type SqlProgram } from '../engine/sql-program.ts';
import { fromIdBytes, toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';

const CURRENT = toGenerationNumber('current');

export interface EventTotals {
  /** Requires the write lock. */
  add(count: number): SqlProgram<void>;
  read(): SqlProgram<number>;
  /** Lists machines with a token in order of id, after `after`, with their number of logs. */
  listCounts(
    after: MachineId | undefined,
    limit: number,
  ): SqlProgram<readonly { readonly id: MachineId; readonly count: number }[]>;
}

export function createEventTotals({ builder }: Dialect): EventTotals {
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

  const selectCounts = prepareQuery({ after: bytes, limit: integer }, ({ after, limit }) =>
    builder
      .selectFrom('machine_owners as m')
      .leftJoin('event_histories as h', (join) =>
        join.onRef('h.machine_id', '=', 'm.machine_id').on('h.generation', '=', CURRENT),
      )
      .select(['m.machine_id', 'h.log_count'])
      .where('m.machine_id', '>', after)
      .orderBy('m.machine_id')
      .limit(limit),
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
