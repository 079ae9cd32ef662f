/**
 * Replaces the stored logs of blocks by proven ones. The history of every machine that they concern is written again:
 * it begins a new epoch, so that no rating state of the old one is continued.
 */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { comparePlaces, nameLog, nameLogs } from '../../../domain/index-rules/stored-logs.ts';
import { UNKNOWN_BLOCK_TIME, type BlockRepair } from '../../../ports/index-proof.ts';
import { KINDS_OF_GROUP, type EventGeneration, type RegistryLogGroup } from '../../../ports/main-chain.ts';
import type { EventLogEntry, RegistryLogEntry } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import { execute, readRows, type Batch, type SqlProgram } from '../engine/sql-program.ts';
import type { Schema } from '../schema/schema.ts';
import { fromGenerationNumber, fromIdBytes, toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import { createActiveMachines } from './active-machines.ts';
import { createEventHistories, type HistoryKey, type StoredEventHistory } from './event-histories.ts';
import { createEventLogs } from './event-logs.ts';
import { createEventTotals } from './event-totals.ts';
import { createMachineProvenance } from './machine-provenance.ts';
import { createRegistryLogs } from './registry-logs.ts';

export interface EventRepair {
  /**
   * Writes the histories again that hold other logs of the blocks, and returns their machines of the second generation. Requires the
   * write lock.
   */
  replaceBlocks(repairs: readonly BlockRepair[]): SqlProgram<readonly MachineId[]>;
  /** Lists the blocks whose stored logs are not these. */
  listDifferingBlocks(repairs: readonly BlockRepair[]): SqlProgram<readonly number[]>;
  /** Replaces all event logs of one machine. Returns the blocks in which they differ. Requires the write lock. */
  replaceHistory(
    generation: EventGeneration,
    id: MachineId,
    entries: readonly EventLogEntry[],
  ): SqlProgram<readonly number[]>;
  /**
   * Replaces the logs of one group of one machine in the blocks up to `throughBlock`. Returns as `replaceHistory`. Requires the write
   * lock.
   */
  replaceRegistryLogs(
    group: RegistryLogGroup,
    id: MachineId,
    throughBlock: number,
    logs: readonly RegistryLogEntry[],
  ): SqlProgram<readonly number[]>;
  /** Lists machines of the second generation with events or transfers of unknown time in the blocks. */
  listUntimed(numbers: readonly number[]): SqlProgram<readonly MachineId[]>;
  /**
   * Judges again the events of those machines whose evidence depends on times, once those of all transfers and events are known. Requires
   * the write lock.
   */
  judgeAgain(ids: readonly MachineId[]): SqlProgram<void>;
}

type LogRow = Schema['event_logs'];
type ImportRow = Schema['event_imports'];
type WithMachine<Row> = Row & { readonly machine_id: Uint8Array; readonly generation: number };

const HISTORY_TABLES = ['event_logs', 'event_imports', 'folds', 'fold_days'] as const;

export function createEventRepair(dialect: Dialect): EventRepair {
  const { builder, batch } = dialect;
  const histories = createEventHistories(dialect);
  const eventLogs = createEventLogs(dialect);
  const active = createActiveMachines(dialect);
  const totals = createEventTotals(dialect);
  const provenances = createMachineProvenance(dialect);
  const registryLogs = createRegistryLogs(dialect);
  const current = toGenerationNumber('current');
  const [selectLogsOfBlocks, selectImportsOfBlocks] = (['event_logs', 'event_imports'] as const).map((table) =>
    batch(
      { block_number: 'integer' },
      `SELECT h.machine_id, h.generation, l.* FROM batch
       JOIN ${table} l ON l.block_number = batch.block_number
       JOIN event_histories h ON h.history_id = l.history_id`,
    ),
  ) as [string, string];
  const selectUntimed = batch(
    { block_number: 'integer' },
    `SELECT h.machine_id FROM batch
     JOIN event_logs l ON l.block_number = batch.block_number AND l.block_timestamp = ${UNKNOWN_BLOCK_TIME}
     JOIN event_histories h ON h.history_id = l.history_id AND h.generation = ${current}
     UNION SELECT r.machine_id FROM batch
     JOIN registry_logs r ON r.block_number = batch.block_number AND r.block_timestamp = ${UNKNOWN_BLOCK_TIME}`,
  );
  // Evidence depends on times where a machine may have changed hands, or its chip record expires; never on those of facts.
  const selectDependent = batch(
    { machine_id: 'bytes' },
    `SELECT batch.machine_id FROM batch
     WHERE NOT EXISTS (
       SELECT 1 FROM registry_logs r
       WHERE r.machine_id = batch.machine_id AND r.kind = 'transfer' AND r.block_timestamp = ${UNKNOWN_BLOCK_TIME})
     AND NOT EXISTS (
       SELECT 1 FROM event_histories h JOIN event_logs l ON l.history_id = h.history_id
       WHERE h.machine_id = batch.machine_id AND h.generation = ${current}
         AND l.block_timestamp = ${UNKNOWN_BLOCK_TIME})
     AND (
       (SELECT count(*) FROM registry_logs r WHERE r.machine_id = batch.machine_id AND r.kind = 'transfer') > 1
       OR EXISTS (
         SELECT 1 FROM registry_logs r
         WHERE r.machine_id = batch.machine_id AND r.kind = 'chip-attested' AND r.expires_at <> '0'))`,
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

  return {
    *replaceBlocks(repairs) {
      const numbers = new Set(repairs.map(({ block }) => block.blockNumber));
      const proven = repairs.flatMap(({ events }) => events);
      const differing = (yield* findDiffering(repairs)).map(({ generation, machineId: id }) => ({ generation, id }));
      const keys = new Map(differing.map((key) => [`${key.generation} ${key.id}`, key]));
      const touched = yield* histories.load([...keys.values()]);
      for (const history of touched) {
        const isOwn = ({ generation, machineId }: EventLogEntry) =>
          generation === history.generation && machineId === history.id;
        const kept = (yield* loadEntries(history)).filter(({ blockNumber }) => !numbers.has(blockNumber));
        const entries = [...kept, ...proven.filter(isOwn)].sort(comparePlaces);
        yield* rewrite(history, entries);
      }
      const tokens = touched.filter(({ generation }) => generation === 'current').map(({ id }) => id);
      yield* active.refresh(tokens);
      return tokens;
    },
    *listDifferingBlocks(repairs) {
      return [...new Set((yield* findDiffering(repairs)).map(({ blockNumber }) => blockNumber))];
    },
    *replaceHistory(generation, id, entries) {
      const [history] = yield* histories.load([{ generation, id }]);
      const stored = yield* loadEntries(history!);
      const registry = stored.filter(({ kind }) => !isEvent(kind));
      yield* rewrite(history!, [...registry, ...entries].sort(comparePlaces));
      if (generation === 'current') yield* active.refresh([id]);
      return listDiffering(
        stored.filter(({ kind }) => isEvent(kind)),
        entries,
      );
    },
    *replaceRegistryLogs(group, id, throughBlock, logs) {
      const [history] = yield* histories.load([{ generation: 'current', id }]);
      const kinds: readonly EventLogEntry['kind'][] = KINDS_OF_GROUP[group];
      const isReplaced = ({ kind, blockNumber }: EventLogEntry) => kinds.includes(kind) && blockNumber <= throughBlock;
      const stored = yield* loadEntries(history!);
      const kept = stored.filter((entry) => !isReplaced(entry));
      yield* rewrite(history!, [...kept, ...logs].sort(comparePlaces));
      return listDiffering(stored.filter(isReplaced), logs);
    },
    *listUntimed(numbers) {
      const query: Batch<{ machine_id: Uint8Array }> = {
        sql: selectUntimed,
        batch: numbers.map((number) => [number]),
      };
      return [...new Set((yield* readRows(query)).map(({ machine_id }) => fromIdBytes(machine_id)))];
    },
    *judgeAgain(ids) {
      const query: Batch<{ machine_id: Uint8Array }> = {
        sql: selectDependent,
        batch: ids.map((id) => [toIdBytes(id)]),
      };
      for (const { machine_id } of yield* readRows(query)) {
        const [history] = yield* histories.load([{ generation: 'current', id: fromIdBytes(machine_id) }]);
        yield* rewrite(history!, yield* loadEntries(history!));
      }
    },
  };

  function* rewrite(history: StoredEventHistory, entries: readonly EventLogEntry[]): SqlProgram<void> {
    if (history.generation === 'current') {
      const before = (yield* readRows(selectLogs({ history: history.historyId }))).length;
      yield* totals.add(entries.filter(({ kind }) => kind === 'submitted').length - before);
      yield* registryLogs.remove(history.id);
      yield* provenances.remove(history.id);
    }
    for (const remove of removeRows) yield* execute(remove({ history: history.historyId }));
    yield* histories.save([{ ...history, isQueued: false, epoch: history.epoch + 1, count: 0 }]);
    yield* eventLogs.append(entries);
  }

  /** Returns one log for each machine and block of which other logs are stored than these. */
  function* findDiffering(repairs: readonly BlockRepair[]): SqlProgram<EventLogEntry[]> {
    const stored = yield* loadBlocks(repairs.map(({ block }) => block.blockNumber));
    const [before, after] = [stored, repairs.flatMap(({ events }) => events)].map((entries) =>
      Map.groupBy(entries, ({ generation, machineId, blockNumber }) => `${generation} ${machineId} ${blockNumber}`),
    ) as [Map<string, EventLogEntry[]>, Map<string, EventLogEntry[]>];
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
      const [some, others] = [before.get(key) ?? [], after.get(key) ?? []];
      return nameLogs(some) === nameLogs(others) ? [] : [...some, ...others].slice(0, 1);
    });
  }

  /** Returns every stored entry of these blocks. */
  function* loadBlocks(numbers: readonly number[]): SqlProgram<EventLogEntry[]> {
    const rows = numbers.map((number) => [number]);
    const logs: Batch<WithMachine<LogRow>> = { sql: selectLogsOfBlocks, batch: rows };
    const imports: Batch<WithMachine<ImportRow>> = { sql: selectImportsOfBlocks, batch: rows };
    return [
      ...(yield* readRows(logs)).map((row) => toSubmitted(toKey(row), row)),
      ...(yield* readRows(imports)).map((row) => toImported(toKey(row), row)),
      ...(yield* registryLogs.listOfBlocks(numbers)),
    ];
  }

  /** Returns every stored entry of the machine in chain order, those before an import included. */
  function* loadEntries(history: StoredEventHistory): SqlProgram<EventLogEntry[]> {
    const { historyId, generation, id } = history;
    const rows = yield* readRows(selectLogs({ history: historyId }));
    const imports = yield* readRows(selectImports({ history: historyId }));
    const registry = generation === 'current' ? yield* registryLogs.list(id) : [];
    const submitted = rows.map((row) => toSubmitted(history, row));
    const imported = imports.map((row) => toImported(history, row));
    return [...submitted, ...imported, ...registry].sort(comparePlaces);
  }
}

function toKey({ machine_id, generation }: WithMachine<unknown>): HistoryKey {
  return { generation: fromGenerationNumber(generation), id: fromIdBytes(machine_id) };
}

function toSubmitted({ generation, id }: HistoryKey, row: LogRow): EventLogEntry {
  return {
    kind: 'submitted',
    generation,
    machineId: id,
    eventIndex: BigInt(row.event_index),
    eventType: row.event_type,
    value: BigInt(row.value),
    blockNumber: row.block_number,
    blockTimestamp: row.block_timestamp,
    logIndex: row.log_index,
  };
}

function toImported({ generation, id }: HistoryKey, row: ImportRow): EventLogEntry {
  return {
    kind: 'imported',
    generation,
    machineId: id,
    blockNumber: row.block_number,
    logIndex: row.log_index,
  };
}

function isEvent(kind: EventLogEntry['kind']): boolean {
  return kind === 'submitted' || kind === 'imported';
}

/** Lists the blocks of the entries that only one of the lists has. */
function listDiffering(some: readonly EventLogEntry[], others: readonly EventLogEntry[]): number[] {
  const names = [some, others].map((entries) => new Set(entries.map(nameLog)));
  const isShared = (entry: EventLogEntry) => names.every((each) => each.has(nameLog(entry)));
  return [...new Set([...some, ...others].filter((entry) => !isShared(entry)).map(({ blockNumber }) => blockNumber))];
}
