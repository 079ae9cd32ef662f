/** Event histories: one row per machine with its epoch and log count, read and written in batches, in exclusive programs only. */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventGeneration } from '../../../ports/main-chain.ts';
import type { Dialect } from '../engine/dialect.ts';
import { fromGenerationNumber, fromIdBytes, toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import {
  execute,
  readFirst,
  readRows,
  type Batch,
  type Query,
  type SqlValue,
  type SqlProgram,
} from '../engine/sql-program.ts';

export interface HistoryKey {
  readonly generation: EventGeneration;
  readonly id: MachineId;
}

export interface StoredEventHistory extends HistoryKey {
  readonly historyId: number;
  readonly isStored: boolean;
  /** Whether the machine is already indexed as unfolded for every configuration. */
  readonly isQueued: boolean;
  epoch: number;
  count: number;
}

export interface EventHistories {
  /** Loads one history per key, in the order of the keys; creates an unstored one where there is none. */
  load(keys: readonly HistoryKey[]): SqlProgram<StoredEventHistory[]>;
  /** Stores histories; those with a log become unfolded. */
  save(histories: readonly StoredEventHistory[]): SqlProgram<void>;
}

interface HistoryRow {
  readonly history_id: number;
  readonly machine_id: Uint8Array;
  readonly generation: number;
  readonly epoch: number;
  readonly log_count: number;
  readonly settled_0: number | null;
  readonly settled_1: number | null;
}

export function createEventHistories({ builder, batch }: Dialect): EventHistories {
  const select = batch(
    { machine_id: 'bytes', generation: 'integer' },
    `SELECT h.history_id, h.machine_id, h.generation, h.epoch, h.log_count, h.settled_0, h.settled_1
     FROM batch CROSS JOIN event_histories h
     WHERE h.machine_id = batch.machine_id AND h.generation = batch.generation`,
  );
  const upsert = batch(
    {
      history_id: 'integer',
      machine_id: 'bytes',
      generation: 'integer',
      epoch: 'integer',
      log_count: 'integer',
      settled: 'integer',
    },
    `INSERT INTO event_histories (history_id, machine_id, generation, epoch, log_count, settled_0, settled_1)
     SELECT history_id, machine_id, generation, epoch, log_count, settled, settled FROM batch WHERE true
     ON CONFLICT (history_id) DO UPDATE
     SET epoch = excluded.epoch, log_count = excluded.log_count, settled_0 = excluded.settled_0, settled_1 = excluded.settled_1`,
  );
  // Updates no indexed column, because indexes are most of the cost of a row.
  const grow = batch(
    { history_id: 'integer', epoch: 'integer', log_count: 'integer' },
    `UPDATE event_histories SET epoch = batch.epoch, log_count = batch.log_count
     FROM batch WHERE event_histories.history_id = batch.history_id`,
  );
  const newest = builder
    .selectFrom('event_histories')
    .select('history_id')
    .orderBy('history_id', 'desc')
    .limit(1)
    .compile() as Query<{ history_id: number }>;

  return {
    *load(keys) {
      const query: Batch<HistoryRow> = {
        sql: select,
        batch: keys.map(({ id, generation }) => [toIdBytes(id), toGenerationNumber(generation)]),
      };
      const loaded = new HistoryMap();
      for (const row of yield* readRows(query)) loaded.add(toHistory(row));
      if (keys.every((key) => loaded.get(key) !== undefined)) return keys.map((key) => loaded.get(key)!);

      let lastId = (yield* readFirst(newest))?.history_id ?? 0;
      return keys.map((key) => {
        const { generation, id } = key;
        return (
          loaded.get(key) ??
          loaded.add({ generation, id, historyId: ++lastId, isStored: false, isQueued: false, epoch: 0, count: 0 })
        );
      });
    },
    *save(histories) {
      const sorted = histories.toSorted((a, b) => a.historyId - b.historyId);
      const growing = sorted.filter(canGrow);
      yield* execute({ sql: grow, batch: growing.map(({ historyId, epoch, count }) => [historyId, epoch, count]) });
      yield* execute({ sql: upsert, batch: sorted.filter((history) => !canGrow(history)).map(toRow) });
    },
  };
}

function canGrow({ isQueued, count }: StoredEventHistory): boolean {
  return isQueued && count > 0;
}

function toRow({ historyId, id, generation, epoch, count }: StoredEventHistory): SqlValue[] {
  return [historyId, toIdBytes(id), toGenerationNumber(generation), epoch, count, count > 0 ? 0 : null];
}

function toHistory(row: HistoryRow): StoredEventHistory {
  return {
    historyId: row.history_id,
    id: fromIdBytes(row.machine_id),
    generation: fromGenerationNumber(row.generation),
    isStored: true,
    isQueued: row.settled_0 === 0 && row.settled_1 === 0,
    epoch: row.epoch,
    count: row.log_count,
  };
}

/** Histories by generation and id; ids of the two generations are unrelated. */
export class HistoryMap {
  readonly #byGeneration: Readonly<Record<EventGeneration, Map<MachineId, StoredEventHistory>>> = {
    legacy: new Map(),
    current: new Map(),
  };

  get({ generation, id }: HistoryKey): StoredEventHistory | undefined {
    return this.#byGeneration[generation].get(id);
  }

  add(history: StoredEventHistory): StoredEventHistory {
    this.#byGeneration[history.generation].set(history.id, history);
    return history;
  }
}
