/**
 * List of machines with logs that are not folded yet. Uses the index of `settled_<slot>` to skip settled machines: the column has few
 * distinct values, and unfolded machines have one other than the configuration's own.
 */
import { sql } from 'kysely';
import { MIN_EVENTS_FOR_STORED_DAYS } from '../../../domain/rating/rating-state-days.ts';
import type { MainChainIndexStore } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { HistoryKey } from './event-histories.ts';
import { createRatingStateSlots, SLOTS, type RatingStateSlot, type Slot } from '../rating/rating-state-slots.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { fromGenerationNumber, fromIdBytes, toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import { readFirst, readRows, type SqlProgram } from '../engine/sql-program.ts';

type Unfolded = Awaited<ReturnType<MainChainIndexStore['listUnfolded']>>;

export interface UnfoldedList {
  /** Lists machines in order of id, the first generation before the second for equal ids. */
  list(ratesFingerprint: string, limit: number, after: HistoryKey | undefined): SqlProgram<Unfolded>;
}

/** Slot of a configuration that never wrote, under which nothing is settled. */
const UNKNOWN_CONFIGURATION: RatingStateSlot = { slot: 0, configurationId: -1 };

interface UnfoldedRow {
  readonly machine_id: Uint8Array;
  readonly generation: number;
  readonly log_count: number;
  readonly epoch: number;
}

export function createUnfoldedList(dialect: Dialect): UnfoldedList {
  const slots = createRatingStateSlots(dialect);
  const bySlot = SLOTS.map((slot) => ({
    selectNextValue: prepareNextValue(dialect, slot),
    selectUnfolded: prepareUnfolded(dialect, slot),
  }));

  return {
    *list(ratesFingerprint, limit, after) {
      const { slot, configurationId } = (yield* slots.find(ratesFingerprint)) ?? UNKNOWN_CONFIGURATION;
      const { selectNextValue, selectUnfolded } = bySlot[slot]!;
      const position = {
        id: after === undefined ? new Uint8Array() : toIdBytes(after.id),
        generation: after === undefined ? 0 : toGenerationNumber(after.generation),
      };
      const rows: UnfoldedRow[] = [];
      let value = -1;
      for (;;) {
        const next = yield* readFirst(selectNextValue({ value }));
        if (next === undefined) break;
        value = next.settled;
        if (value === configurationId) continue;
        rows.push(...(yield* readRows(selectUnfolded({ ...position, settled: value, slot, configurationId, limit }))));
      }
      return rows.sort(compareRows).slice(0, limit).map(toUnfolded);
    },
  };
}

function prepareNextValue({ builder }: Dialect, slot: Slot) {
  return prepareQuery({ value: integer }, ({ value }) =>
    builder
      .selectFrom('event_histories')
      .select(sql<number>`${sql.ref(`settled_${slot}`)}`.as('settled'))
      .where(`settled_${slot}`, '>', value)
      .orderBy(`settled_${slot}`)
      .limit(sql.lit(1)),
  );
}

/** The index only preselects; the rating state and its days decide. */
function prepareUnfolded({ builder }: Dialect, slot: Slot) {
  return prepareQuery(
    { settled: integer, id: bytes, generation: integer, slot: integer, configurationId: integer, limit: integer },
    (value) =>
      builder
        .selectFrom('event_histories as h')
        .leftJoin('folds as f', (join) =>
          join
            .onRef('f.history_id', '=', 'h.history_id')
            .on('f.slot', '=', value.slot)
            .on('f.configuration_id', '=', value.configurationId),
        )
        .select(['h.machine_id', 'h.generation', 'h.log_count', 'h.epoch'])
        .where(`h.settled_${slot}`, '=', value.settled)
        .where(sql<boolean>`(h.machine_id, h.generation) > (${value.id}, ${value.generation})`)
        .where(
          sql<boolean>`(f.history_id IS NULL OR (f.epoch, f.next_seq) < (h.epoch, h.log_count)
            OR (h.log_count > ${sql.lit(MIN_EVENTS_FOR_STORED_DAYS)} AND NOT EXISTS (SELECT 1 FROM fold_days d
              WHERE d.history_id = h.history_id AND d.slot = ${value.slot} AND d.configuration_id = ${value.configurationId}
                AND d.epoch = h.epoch AND d.next_seq >= h.log_count)))`,
        )
        .orderBy('h.machine_id')
        .orderBy('h.generation')
        .limit(value.limit),
  );
}

function compareRows(a: UnfoldedRow, b: UnfoldedRow): number {
  return Buffer.compare(a.machine_id, b.machine_id) || a.generation - b.generation;
}

function toUnfolded({ machine_id, generation, log_count, epoch }: UnfoldedRow): Unfolded[number] {
  return { generation: fromGenerationNumber(generation), id: fromIdBytes(machine_id), count: log_count, epoch };
}
