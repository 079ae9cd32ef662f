/** Event logs of the main chain by machine (chain-evm 3.7), with the evidence that the provenance before each gives. */
import { sql } from 'kysely';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import {
  applyProvenanceLog,
  passEvent,
  restartPositions,
  type EventEvidence,
} from '../../../domain/machine/provenance.ts';
import { UNKNOWN_BLOCK_TIME } from '../../../ports/index-proof.ts';
import type { EventLogRow } from '../../../ports/indexes.ts';
import type { EventGeneration } from '../../../ports/main-chain.ts';
import type { EventLogEntry, RegistryLogEntry } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { createMachineProvenance } from './machine-provenance.ts';
import { createRegistryLogs } from './registry-logs.ts';
import { createEventHistories, type StoredEventHistory, type HistoryKey } from './event-histories.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, readRows, type SqlValue, type SqlProgram } from '../engine/sql-program.ts';

export interface EventLogs {
  /** Assigns positions to the logs of events, judges them by those of registries, and stores both. Requires the write lock. */
  append(logs: readonly EventLogEntry[]): SqlProgram<void>;
  list(generation: EventGeneration, id: MachineId, from: number, to: number): SqlProgram<EventLogRow[]>;
  count(generation: EventGeneration, id: MachineId): SqlProgram<{ readonly count: number; readonly epoch: number }>;
}

export function createEventLogs(dialect: Dialect): EventLogs {
  const { builder, batch } = dialect;
  const histories = createEventHistories(dialect);
  const provenances = createMachineProvenance(dialect);
  const registryLogs = createRegistryLogs(dialect);
  const insert = batch(
    {
      history_id: 'integer',
      epoch: 'integer',
      seq: 'integer',
      event_index: 'text',
      event_type: 'integer',
      value: 'text',
      block_number: 'integer',
      block_timestamp: 'integer',
      log_index: 'integer',
      is_chip_on_record: 'integer',
      changed_hands_before: 'integer',
    },
    `INSERT INTO event_logs (history_id, epoch, seq, event_index, event_type, value, block_number, block_timestamp,
       log_index, is_chip_on_record, changed_hands_before)
     SELECT history_id, epoch, seq, event_index, event_type, value, block_number, block_timestamp,
       log_index, is_chip_on_record, changed_hands_before FROM batch`,
  );
  const insertImport = batch(
    { history_id: 'integer', epoch: 'integer', block_number: 'integer', log_index: 'integer' },
    `INSERT INTO event_imports (history_id, epoch, block_number, log_index)
     SELECT history_id, epoch, block_number, log_index FROM batch`,
  );
  const select = prepareQuery(
    { id: bytes, generation: integer, from: integer, to: integer },
    ({ id, generation, from, to }) =>
      builder
        .selectFrom('event_histories as h')
        .innerJoin('event_logs as l', (join) =>
          join.onRef('l.history_id', '=', 'h.history_id').onRef('l.epoch', '=', 'h.epoch'),
        )
        .select(['l.seq', 'l.event_index', 'l.event_type', 'l.value', 'l.block_number', 'l.block_timestamp'])
        .select(['l.is_chip_on_record', 'l.changed_hands_before'])
        .where('h.machine_id', '=', id)
        .where('h.generation', '=', generation)
        .where('l.seq', '>=', from)
        .where('l.seq', '<', to)
        .where('l.block_timestamp', '>', sql.lit(UNKNOWN_BLOCK_TIME))
        .orderBy('l.seq'),
  );
  const selectCount = prepareQuery({ id: bytes, generation: integer }, ({ id, generation }) =>
    builder
      .selectFrom('event_histories')
      .select(['log_count', 'epoch'])
      .where('machine_id', '=', id)
      .where('generation', '=', generation),
  );

  return {
    *append(logs) {
      const touched = findMachines(logs);
      const found = yield* histories.load(touched.keys);
      const provenance = yield* provenances.load(listCurrent(touched.keys));
      const rows: SqlValue[][] = [];
      const imports: SqlValue[][] = [];
      const registry: RegistryLogEntry[] = [];
      logs.forEach((log, index) => {
        const history = found[touched.positions[index]!]!;
        const before = provenance.of(log);
        if (log.kind === 'submitted') {
          const [evidence, after] = passEvent(before, log.blockTimestamp);
          rows.push(toRow(history, log, evidence));
          provenance.set(log, after);
        } else if (log.kind === 'imported') {
          startEpoch(history);
          imports.push([history.historyId, history.epoch, log.blockNumber, log.logIndex]);
          provenance.set(log, restartPositions(before));
        } else {
          registry.push(log);
          provenance.set(log, applyProvenanceLog(before, log, history.count));
        }
      });
      yield* execute({ sql: insert, batch: rows });
      yield* execute({ sql: insertImport, batch: imports });
      yield* registryLogs.append(registry);
      yield* histories.save(found.filter(hasHistory));
      yield* provenances.save(provenance);
    },
    *list(generation, id, from, to) {
      const rows = yield* readRows(select({ id: toIdBytes(id), generation: toGenerationNumber(generation), from, to }));
      return rows.map((row) => ({
        seq: row.seq,
        eventIndex: BigInt(row.event_index),
        eventType: row.event_type,
        value: BigInt(row.value),
        blockNumber: row.block_number,
        blockTimestamp: row.block_timestamp,
        isChipOnRecord: row.is_chip_on_record === 1,
        changedHandsBefore: row.changed_hands_before ?? undefined,
      }));
    },
    *count(generation, id) {
      const row = yield* readFirst(selectCount({ id: toIdBytes(id), generation: toGenerationNumber(generation) }));
      return { count: row?.log_count ?? 0, epoch: row?.epoch ?? 0 };
    },
  };
}

/** Lists the machines of the logs once each, and for every log the position of its machine. */
function findMachines(logs: readonly EventLogEntry[]): {
  readonly keys: readonly HistoryKey[];
  readonly positions: readonly number[];
} {
  const keys: HistoryKey[] = [];
  const known = { legacy: new Map<MachineId, number>(), current: new Map<MachineId, number>() };
  const positions = logs.map(({ generation, machineId: id }) => {
    const position = known[generation].get(id);
    if (position !== undefined) return position;
    known[generation].set(id, keys.length);
    return keys.push({ generation, id }) - 1;
  });
  return { keys, positions };
}

function listCurrent(keys: readonly HistoryKey[]): readonly MachineId[] {
  return keys.flatMap(({ generation, id }) => (generation === 'current' ? [id] : []));
}

/** Returns whether the machine ever had a log of an event registry; others need no history. */
function hasHistory({ isStored, epoch, count }: StoredEventHistory): boolean {
  return isStored || epoch > 0 || count > 0;
}

/** Creates a row at the next position of the history. */
function toRow(
  history: StoredEventHistory,
  log: EventLogEntry & { readonly kind: 'submitted' },
  { isChipOnRecord, changedHandsBefore }: EventEvidence,
): SqlValue[] {
  return [
    history.historyId,
    history.epoch,
    history.count++,
    log.eventIndex.toString(),
    log.eventType,
    log.value.toString(),
    log.blockNumber,
    log.blockTimestamp,
    log.logIndex,
    isChipOnRecord ? 1 : 0,
    changedHandsBefore ?? null,
  ];
}

function startEpoch(history: StoredEventHistory): void {
  history.epoch += 1;
  history.count = 0;
}
