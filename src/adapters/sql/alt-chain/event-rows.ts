/** Row encoding of alt-chain machines and event-log operations. A record is one JSON text, which fits any metadata and currency. */
import type { EventChange } from '../../../domain/alt-chain/event-operation.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventRecord } from '../../../domain/machine/machine-facts.ts';
import type {
  AltMachineProblem,
  AltMachineState,
  NumberedOperation,
  StoredAltEvent,
} from '../../../ports/alt-store.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import type { SqlValue } from '../engine/sql-program.ts';

export const MACHINE_COLUMNS = {
  machine_id: 'bytes',
  revision: 'integer',
  incarnation: 'integer',
  event_count: 'integer',
  next_index: 'integer',
  prior_event_count: 'text',
  operation_count: 'integer',
  last_slot: 'integer',
  newest_block_time: 'integer',
  problem: 'text',
} as const;

export const OPERATION_COLUMNS = {
  machine_id: 'bytes',
  seq: 'integer',
  incarnation: 'integer',
  event_index: 'integer',
  kind: 'text',
  log_number: 'text',
  prior_event_count: 'text',
  record: 'text',
  signature: 'text',
  slot: 'integer',
  position: 'integer',
  op_order: 'integer',
  block_time: 'integer',
} as const;

export type MachineRow = Schema['alt_machines'];
export type OperationRow = Schema['alt_operations'];
export type EventRow = Pick<OperationRow, 'slot'> & {
  readonly event_index: number | null;
  readonly block_time: number | null;
  readonly record: string | null;
};

export function toMachineRow(state: AltMachineState): SqlValue[] {
  return [
    toIdBytes(state.id),
    state.revision,
    state.incarnation,
    state.eventCount,
    state.nextIndex,
    state.priorEventCount.toString(),
    state.operationCount,
    state.lastSlot,
    state.newestBlockTime ?? null,
    state.problem ?? null,
  ];
}

export function fromMachineRow(row: MachineRow): AltMachineState {
  return {
    id: fromIdBytes(row.machine_id),
    revision: row.revision,
    incarnation: row.incarnation,
    eventCount: row.event_count,
    nextIndex: row.next_index,
    priorEventCount: BigInt(row.prior_event_count),
    operationCount: row.operation_count,
    lastSlot: row.last_slot,
    newestBlockTime: row.newest_block_time ?? undefined,
    problem: (row.problem ?? undefined) as AltMachineProblem | undefined,
  };
}

export function toOperationRow(operation: NumberedOperation): SqlValue[] {
  const { change } = operation;
  const record = 'record' in change ? change.record : undefined;
  return [
    toIdBytes(change.machineId),
    operation.seq,
    operation.incarnation,
    operation.eventIndex ?? null,
    change.kind,
    logNumberOf(change)?.toString() ?? null,
    'priorEventCount' in change ? change.priorEventCount.toString() : null,
    record === undefined ? null : formatRecord(record),
    operation.signature,
    operation.slot,
    operation.position ?? null,
    operation.order,
    operation.blockTime ?? null,
  ];
}

export function fromOperationRow(row: OperationRow): NumberedOperation {
  return {
    change: toChange(row, fromIdBytes(row.machine_id)),
    seq: row.seq,
    incarnation: row.incarnation,
    eventIndex: row.event_index ?? undefined,
    signature: row.signature,
    slot: row.slot,
    position: row.position ?? undefined,
    order: row.op_order,
    blockTime: row.block_time ?? undefined,
  };
}

/** Decodes a row with an event index, which always has a record and a time. */
export function fromEventRow({ event_index, slot, block_time, record }: EventRow): StoredAltEvent {
  return { eventIndex: event_index!, slot, blockTime: block_time!, record: parseRecord(record!) };
}

function logNumberOf(change: EventChange): bigint | undefined {
  switch (change.kind) {
    case 'submitted':
      return change.eventIndex;
    case 'imported':
      return undefined;
    case 'adopted':
    case 'closed':
      return change.count;
  }
}

function toChange(row: OperationRow, machineId: MachineId): EventChange {
  const logNumber = row.log_number === null ? undefined : BigInt(row.log_number);
  const record = row.record === null ? undefined : parseRecord(row.record);
  switch (row.kind as EventChange['kind']) {
    case 'submitted':
      return { kind: 'submitted', machineId, eventIndex: logNumber, record: record! };
    case 'imported':
      return { kind: 'imported', machineId, priorEventCount: BigInt(row.prior_event_count!), record };
    case 'adopted':
      return { kind: 'adopted', machineId, priorEventCount: BigInt(row.prior_event_count!), count: logNumber, record };
    case 'closed':
      return { kind: 'closed', machineId, count: logNumber };
  }
}

type RecordText = [number, string, string, string, number, string, string, string, string];

function formatRecord(record: EventRecord): string {
  const members: RecordText = [
    record.eventType,
    record.value.toString(),
    record.timestamp.toString(),
    record.dataHash,
    record.trustLevel,
    record.sourceChainId.toString(),
    record.sourceTxHash,
    record.metadata,
    record.currency,
  ];
  return JSON.stringify(members);
}

function parseRecord(text: string): EventRecord {
  const [eventType, value, timestamp, dataHash, trustLevel, sourceChainId, sourceTxHash, metadata, currency] =
    JSON.parse(text) as RecordText;
  return {
    eventType,
    value: BigInt(value),
    timestamp: BigInt(timestamp),
    dataHash,
    trustLevel,
    sourceChainId: BigInt(sourceChainId),
    sourceTxHash,
    metadata,
    currency,
  };
}
