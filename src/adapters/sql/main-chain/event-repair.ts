/**
 * Replaces the stored logs of blocks by proven ones. The history of every machine that they concern is written again:
 * it begins a new epoch, so that no rating state of the old one is continued.
 */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { BlockRepair } from '../../../ports/index-proof.ts';
import type { EventGeneration } from '../../../ports/main-chain.ts';
import type { EventLogEntry } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import { execute, readRows, type Batch, type SqlProgram } from '../engine/sql-program.ts';
import { fromGenerationNumber, fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { createActiveMachines } from './active-machines.ts';
import { createEventHistories, HistoryMap, type HistoryKey, type StoredEventHistory } from './event-histories.ts';
import { createEventLogs } from './event-logs.ts';
import { createEventTotals } from './event-totals.ts';

export interface EventRepair {
  /** Requires the write lock. */
  replaceBlocks(repairs: readonly BlockRepair[]): SqlProgram<void>;
  /** Replaces all logs of one machine. Requires the write lock. */
  replaceHistory(generation: EventGeneration, id: MachineId, entries: readonly EventLogEntry[]): SqlProgram<void>;
}

interface FoundHistory {
  readonly machine_id: Uint8Array;
  readonly generation: number;
}

const HISTORY_TABLES = ['event_logs', 'event_imports', 'folds', 'fold_days'] as const;

export function createEventRepair(dialect: Dialect): EventRepair {
  const { builder, batch } = dialect;
  const histories = createEventHistories(dialect);
  const eventLogs = createEventLogs(dialect);
  const active = createActiveMachines(dialect);
  const totals = createEventTotals(dialect);
  const selectTouched = ['event_logs', 'event_imports'].map((table) =>
    batch(
      { block_number: 'integer' },
      `SELECT DISTINCT h.machine_id, h.generation FROM batch
       JOIN ${table} l ON l.block_number = batch.block_number
       JOIN event_histories h ON h.history_id = l.history_id`,
    ),
  );
  const selectLogs = prepareQuery({ history: integer }, ({ history }) =>
    builder.selectFrom('event_logs').selectAll().where('history_id', '=', history).orderBy('epoch').orderBy('seq'),
  );
  const selectImports = prepareQuery({ history: integer }, ({ history }) =>
    builder.selectFrom('event_imports').selectAll().where('history_id', '=', history).orderBy('epoch'),
  );
  const removeRows = HISTORY_TABLES.map((table) =>
    prepareQuery({ history: integer }, ({ history }) => builder.deleteFrom(table).where('history_id', '=', history)),
  );
  const removeActive = batch(
    { machine_id: 'bytes' },
    'DELETE FROM active_machines WHERE machine_id IN (SELECT machine_id FROM batch)',
  );

  return {
    *replaceBlocks(repairs) {
      const numbers = new Set(repairs.map(({ block }) => block.blockNumber));
      const proven = repairs.flatMap(({ events }) => events);
      const touched = yield* histories.load(yield* findTouched([...numbers], proven));
      const current = touched.filter(({ generation }) => generation === 'current');
      yield* execute({ sql: removeActive, batch: current.map(({ id }) => [toIdBytes(id)]) });
      for (const history of touched) {
        const isOwn = ({ generation, machineId }: EventLogEntry) =>
          generation === history.generation && machineId === history.id;
        const kept = (yield* loadEntries(history)).filter(({ blockNumber }) => !numbers.has(blockNumber));
        const entries = [...kept, ...proven.filter(isOwn)].sort((a, b) => a.blockNumber - b.blockNumber);
        yield* rewrite(history, entries);
        yield* active.record(entries);
      }
    },
    *replaceHistory(generation, id, entries) {
      const [history] = yield* histories.load([{ generation, id }]);
      yield* rewrite(history!, entries);
    },
  };

  function* rewrite(history: StoredEventHistory, entries: readonly EventLogEntry[]): SqlProgram<void> {
    if (history.generation === 'current') {
      const before = (yield* readRows(selectLogs({ history: history.historyId }))).length;
      yield* totals.add(entries.filter(({ kind }) => kind === 'submitted').length - before);
    }
    for (const remove of removeRows) yield* execute(remove({ history: history.historyId }));
    yield* histories.save([{ ...history, isQueued: false, epoch: history.epoch + 1, count: 0 }]);
    yield* eventLogs.append(entries);
  }

  /** Lists the machines with logs in the blocks, stored or proven. */
  function* findTouched(numbers: readonly number[], proven: readonly EventLogEntry[]): SqlProgram<HistoryKey[]> {
    const keys = new HistoryMap();
    const add = (key: HistoryKey) => {
      const unstored = { ...key, historyId: 0, isStored: false, isQueued: false, epoch: 0, count: 0 };
      return keys.get(key) ?? keys.add(unstored);
    };
    const found: HistoryKey[] = [];
    for (const text of selectTouched) {
      const query: Batch<FoundHistory> = { sql: text, batch: numbers.map((number) => [number]) };
      for (const { machine_id, generation } of yield* readRows(query))
        found.push(add({ generation: fromGenerationNumber(generation), id: fromIdBytes(machine_id) }));
    }
    for (const { generation, machineId } of proven) found.push(add({ generation, id: machineId }));
    return [...new Set(found)];
  }

  /** Returns every stored entry of the machine in chain order, those before an import included. */
  function* loadEntries({ historyId, generation, id }: StoredEventHistory): SqlProgram<EventLogEntry[]> {
    const rows = yield* readRows(selectLogs({ history: historyId }));
    const imports = yield* readRows(selectImports({ history: historyId }));
    const importBlocks = new Map(imports.map(({ epoch, block_number }) => [epoch, block_number]));
    const entries: EventLogEntry[] = [];
    const startEpoch = (blockNumber: number) => entries.push(toImport(generation, id, blockNumber));
    let epoch = rows[0]?.epoch ?? Infinity;
    for (const row of rows) {
      // Epochs without rows are imports that followed each other.
      while (epoch < row.epoch) startEpoch(importBlocks.get(++epoch) ?? row.block_number);
      entries.push({
        kind: 'submitted',
        generation,
        machineId: id,
        eventIndex: BigInt(row.event_index),
        eventType: row.event_type,
        value: BigInt(row.value),
        blockNumber: row.block_number,
        blockTimestamp: row.block_timestamp,
        logIndex: row.seq,
      });
    }
    for (const [started, blockNumber] of importBlocks) {
      if (rows.length === 0 || started > epoch) startEpoch(blockNumber);
      else if (started === rows[0]!.epoch) entries.unshift(toImport(generation, id, blockNumber));
    }
    return entries;
  }
}

function toImport(
  generation: HistoryKey['generation'],
  machineId: MachineId,
  blockNumber: number,
): EventLogEntry & { readonly kind: 'imported' } {
  return { kind: 'imported', generation, machineId, blockNumber, logIndex: 0 };
}
