/**
 * Stored days of rating states (`domain/rating/rating-state-days.ts`). One table of the same shape per chain: the days of a machine
 * under one configuration of rates and one version of its history.
 */
import { sql, type RawBuilder } from 'kysely';
import { RETAINED_DAYS } from '../../../domain/rating/rating-state-days.ts';
import type { RatingStateDaysWrite, StoredRatingStateDay } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { RatingStateSlot } from './rating-state-slots.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { execute, readFirst, readRows, type SqlValue, type SqlProgram } from '../engine/sql-program.ts';

const TABLES = {
  main: { name: 'fold_days', machine: 'history_id', machineType: 'integer', version: 'epoch' },
  alt: { name: 'alt_fold_days', machine: 'machine_id', machineType: 'bytes', version: 'revision' },
} as const;

/** Machine, by the key of its table, and version of its history. */
export interface DaysKey<Machine extends SqlValue> {
  readonly machine: Machine;
  readonly version: number;
}

export interface RatingStateDaysTable<Machine extends SqlValue> {
  /** Lists the newest `limit` days, oldest first. */
  list(slot: RatingStateSlot, key: DaysKey<Machine>, limit: number): SqlProgram<readonly StoredRatingStateDay[]>;
  /**
   * Adds days to those of the key and deletes days outside of the retention; replaces days of another configuration or version.
   * Returns false without writing if the stored days do not end at `afterSeq`. Requires the write lock and the current version.
   */
  add(slot: RatingStateSlot, key: DaysKey<Machine>, write: RatingStateDaysWrite): SqlProgram<boolean>;
}

interface DayRow {
  readonly day: number;
  readonly next_seq: number;
  readonly state: string;
}

interface EndRow {
  readonly configuration_id: number;
  readonly version: number;
  readonly next_seq: number;
}

export function createRatingStateDays<Chain extends keyof typeof TABLES>(
  { builder, batch }: Dialect,
  chain: Chain,
): RatingStateDaysTable<Chain extends 'main' ? number : Uint8Array> {
  const { name, machine, machineType, version } = TABLES[chain];
  const kind = machineType === 'integer' ? integer : bytes;
  const [table, machineColumn, versionColumn] = [sql.table(name), sql.ref(machine), sql.ref(version)];
  const compiled = <Row>(text: RawBuilder<Row>) => ({ compile: () => text.compile(builder) });

  const selectEnd = prepareQuery({ machine: kind, slot: integer }, (value) =>
    compiled(sql<EndRow>`SELECT configuration_id, ${versionColumn} AS version, next_seq FROM ${table}
      WHERE ${machineColumn} = ${value.machine} AND slot = ${value.slot} ORDER BY day DESC LIMIT 1`),
  );
  const selectNewest = prepareQuery(
    { machine: kind, slot: integer, configurationId: integer, version: integer, limit: integer },
    (value) =>
      compiled(sql<DayRow>`SELECT day, next_seq, state FROM ${table}
        WHERE ${machineColumn} = ${value.machine} AND slot = ${value.slot}
          AND configuration_id = ${value.configurationId} AND ${versionColumn} = ${value.version}
        ORDER BY day DESC LIMIT ${value.limit}`),
  );
  const removeAll = prepareQuery({ machine: kind, slot: integer }, (value) =>
    compiled(sql`DELETE FROM ${table} WHERE ${machineColumn} = ${value.machine} AND slot = ${value.slot}`),
  );
  const removeOld = prepareQuery({ machine: kind, slot: integer, day: integer }, (value) =>
    compiled(sql`DELETE FROM ${table} WHERE ${machineColumn} = ${value.machine} AND slot = ${value.slot}
      AND day < (SELECT max(day) FROM ${table}
        WHERE ${machineColumn} = ${value.machine} AND slot = ${value.slot} AND day <= ${value.day})`),
  );
  const columns = [machine, 'slot', 'day', 'configuration_id', version, 'next_seq', 'state'].join(', ');
  const upsert = batch(
    {
      [machine]: machineType,
      ...{ slot: 'integer', day: 'integer', configuration_id: 'integer', [version]: 'integer' },
      ...{ next_seq: 'integer', state: 'text' },
    },
    `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM batch WHERE true
     ON CONFLICT (${machine}, slot, day) DO UPDATE SET next_seq = excluded.next_seq, state = excluded.state`,
  );

  return {
    *list({ slot, configurationId }, key, limit) {
      const rows = yield* readRows(selectNewest({ ...key, slot, configurationId, limit }));
      return rows.map(({ day, next_seq, state }) => ({ day, nextSeq: next_seq, state })).reverse();
    },
    *add({ slot, configurationId }, key, { afterSeq, days }) {
      const newest = days.at(-1);
      const place = { machine: key.machine, slot };
      const end = yield* readFirst(selectEnd(place));
      const isOfKey = end?.configuration_id === configurationId && end.version === key.version;
      if (newest === undefined || (isOfKey ? end.next_seq : 0) !== afterSeq) return false;
      if (end !== undefined && !isOfKey) yield* execute(removeAll(place));
      yield* execute({
        sql: upsert,
        batch: days.map(({ day, nextSeq, state }) => [
          ...[key.machine, slot, day, configurationId, key.version, nextSeq, state],
        ]),
      });
      yield* execute(removeOld({ ...place, day: newest.day - RETAINED_DAYS }));
      return true;
    },
  };
}
