/** Which machines have a history here, and how much of it is known? Read and written many at a time, inside exclusive work only. */
import type { MachineId } from '../../domain/identifiers.ts';
import type { EventGeneration } from '../../ports/main-chain-log.ts';
import type { Dialect } from './dialect.ts';
import { fromGenerationNumber, fromIdBytes, toGenerationNumber, toIdBytes } from './stored-machine-id.ts';
import { change, readFirst, readRows, type Batch, type Query, type Work } from './work.ts';

export interface HistoryKey {
  readonly generation: EventGeneration;
  readonly id: MachineId;
}

export interface History extends HistoryKey {
  readonly historyId: number;
  epoch: number;
  count: number;
}

export interface EventHistories {
  /** One history for each key, in the order of the keys; a new one, not yet stored, where there is none. */
  load(keys: readonly HistoryKey[]): Work<History[]>;
  /** Stores histories; whatever is folded of them counts as unsettled. */
  save(histories: Iterable<History>): Work<void>;
}

interface HistoryRow {
  readonly history_id: number;
  readonly machine_id: Uint8Array;
  readonly generation: number;
  readonly epoch: number;
  readonly log_count: number;
}

export function createEventHistories({ builder, batch }: Dialect): EventHistories {
  const select = batch(
    { machine_id: 'bytes', generation: 'integer' },
    `SELECT h.history_id, h.machine_id, h.generation, h.epoch, h.log_count
     FROM batch CROSS JOIN event_histories h
     WHERE h.machine_id = batch.machine_id AND h.generation = batch.generation`,
  );
  const upsert = batch(
    { history_id: 'integer', machine_id: 'bytes', generation: 'integer', epoch: 'integer', log_count: 'integer' },
    `INSERT INTO event_histories (history_id, machine_id, generation, epoch, log_count)
     SELECT history_id, machine_id, generation, epoch, log_count FROM batch WHERE true
     ON CONFLICT (history_id) DO UPDATE
     SET epoch = excluded.epoch, log_count = excluded.log_count, settled_0 = 0, settled_1 = 0`,
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
      const known = new HistoryMap();
      for (const row of yield* readRows(query)) known.add(toHistory(row));
      if (keys.every((key) => known.get(key) !== undefined)) return keys.map((key) => known.get(key)!);

      let lastId = (yield* readFirst(newest))?.history_id ?? 0;
      return keys.map((key) => {
        const { generation, id } = key;
        return known.get(key) ?? known.add({ generation, id, historyId: ++lastId, epoch: 0, count: 0 });
      });
    },
    *save(histories) {
      const rows = Array.from(histories, ({ historyId, id, generation, epoch, count }) => [
        historyId,
        toIdBytes(id),
        toGenerationNumber(generation),
        epoch,
        count,
      ]);
      yield* change({ sql: upsert, batch: rows });
    },
  };
}

function toHistory({ history_id, machine_id, generation, epoch, log_count }: HistoryRow): History {
  return {
    historyId: history_id,
    id: fromIdBytes(machine_id),
    generation: fromGenerationNumber(generation),
    epoch,
    count: log_count,
  };
}

/** What is kept for machines of two generations, whose ids share nothing. */
export class HistoryMap {
  readonly #byGeneration: Readonly<Record<EventGeneration, Map<MachineId, History>>> = {
    first: new Map(),
    second: new Map(),
  };

  get({ generation, id }: HistoryKey): History | undefined {
    return this.#byGeneration[generation].get(id);
  }

  add(history: History): History {
    this.#byGeneration[history.generation].set(history.id, history);
    return history;
  }
}
