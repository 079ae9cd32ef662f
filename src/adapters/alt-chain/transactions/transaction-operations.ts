/**
 * Event-log operations that a transaction proves (chain-svm 6, "Reading one transaction").
 * Instructions are the source; logs number the operations and must agree with them. An inconsistent transaction is unreadable,
 * never a shorter list.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { EventChange, TransactionReadResult } from '../../../domain/alt-chain/event-operation.ts';
import { parseBase58 } from '../../../domain/identifiers/base58.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { mapInTicks } from '../../rpc/map-in-ticks.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { isSameRecord } from './event-record.ts';
import { readEventInstruction, type EventInstruction } from './event-registry-instructions.ts';
import { readEventLogEvent, type EventLogEvent } from './event-registry-log-events.ts';
import { readExecutedTransaction, type ExecutedInstruction, type ExecutedTransaction } from './executed-transaction.ts';
import { isTruncatedLog, listProgramData } from './program-log.ts';

/** Facts of a transaction from the list that named it, and the program it is read for. */
export interface TransactionContext {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds; undefined if the block time is unknown. */
  readonly blockTime: number | undefined;
  readonly eventRegistry: AltKey;
  /** Returns the address of a machine's event log; callers may memoize it. */
  readonly eventLogOf: (id: MachineId) => AltKey;
}

/** Limit of instruction data between programs; outer instructions are shorter. */
const MAX_INSTRUCTION_BYTES = 10_240;
/** Instructions decoded per tick. Real transactions have few; one of the maximum length takes some milliseconds. */
const INSTRUCTIONS_PER_TICK = 10;
const PAYLOADS_PER_TICK = 100;

/** Reads a result of `getTransaction`. Never rejects. */
export async function readTransaction(result: unknown, context: TransactionContext): Promise<TransactionReadResult> {
  if (result === null) return { state: 'not-here-yet' };
  const operations = await readOperations(result, context).catch((error: unknown) => {
    if (error instanceof Undecodable) return undefined;
    throw error;
  });
  if (operations === undefined) return { state: 'unreadable' };
  const needsTime = operations.some((operation) => operation.kind !== 'closed' && operation.record !== undefined);
  if (needsTime && context.blockTime === undefined) return { state: 'parked' };
  return { state: 'read', operations };
}

async function readOperations(result: unknown, context: TransactionContext): Promise<EventChange[]> {
  const transaction = readExecutedTransaction(result);
  if (transaction.signature !== context.signature || transaction.slot !== context.slot) throw new Undecodable();
  if (transaction.hasFailed) return [];
  const ofProgram = transaction.instructions.filter(({ program }) => program === context.eventRegistry);
  const read = await mapInTicks(ofProgram, INSTRUCTIONS_PER_TICK, (instruction) =>
    readInstruction(instruction, context),
  );
  const instructions = read.filter((instruction) => instruction !== undefined);
  const events = await readLogEvents(transaction, context.eventRegistry);
  if (events === undefined) return instructions.map((instruction) => toOperation(instruction, undefined));
  if (events.length !== instructions.length) throw new Undecodable();
  return instructions.map((instruction, k) => toOperation(instruction, events[k]));
}

/** Reads an instruction of the event registry; undefined when it changes no log. */
function readInstruction(
  { data, accountAt }: ExecutedInstruction,
  { eventLogOf }: TransactionContext,
): EventInstruction | undefined {
  const bytes = parseBase58(data, MAX_INSTRUCTION_BYTES);
  if (bytes === undefined) throw new Undecodable();
  const read = readEventInstruction(bytes);
  if (read === undefined) return undefined;
  if (accountAt(read.logAccount) !== eventLogOf(read.instruction.machineId)) throw new Undecodable();
  return read.instruction;
}

/** Reads the logged events; undefined if the logs are missing or truncated. */
async function readLogEvents(
  { logs }: ExecutedTransaction,
  eventRegistry: AltKey,
): Promise<EventLogEvent[] | undefined> {
  if (logs === undefined || isTruncatedLog(logs)) return undefined;
  const payloads = await listProgramData(logs, eventRegistry);
  const events = await mapInTicks(payloads, PAYLOADS_PER_TICK, readEventLogEvent);
  return events.filter((event) => event !== undefined);
}

/** Merges an instruction with its log event. Throws `Undecodable` when they describe different changes. */
function toOperation(instruction: EventInstruction, event: EventLogEvent | undefined): EventChange {
  if (event === undefined) return withoutLog(instruction);
  if (event.machineId !== instruction.machineId) throw new Undecodable();
  return withLog(instruction, event);
}

function withoutLog(instruction: EventInstruction): EventChange {
  switch (instruction.kind) {
    case 'submitted':
      return { ...instruction, eventIndex: undefined };
    case 'imported':
      return instruction;
    case 'adopted':
    case 'closed':
      return { ...instruction, count: undefined };
  }
}

function withLog(instruction: EventInstruction, event: EventLogEvent): EventChange {
  if (instruction.kind === 'submitted' && event.kind === 'submitted') {
    if (isSameRecord(instruction.record, event.record)) return { ...instruction, eventIndex: event.eventIndex };
  } else if (instruction.kind === 'imported' && event.kind === 'imported') {
    if (instruction.priorEventCount === event.priorEventCount) return instruction;
  } else if (instruction.kind === 'adopted' && event.kind === 'adopted') {
    if (instruction.priorEventCount === event.priorEventCount) return { ...instruction, count: event.count };
  } else if (instruction.kind === 'closed' && event.kind === 'closed') {
    return { ...instruction, count: event.count };
  }
  throw new Undecodable();
}
