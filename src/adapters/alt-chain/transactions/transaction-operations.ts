/**
 * Which changes of event logs does a transaction prove? (chain-svm 6, "Reading one transaction".)
 * Instructions are the source; logs number what they say and must agree with it. Whatever does not fit together is unreadable,
 * never a shorter list.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { EventChange, EventOperation, TransactionReading } from '../../../domain/alt-chain/event-operation.ts';
import { parseBase58 } from '../../../domain/identifiers/base58.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { decodable, Undecodable } from '../accounts/byte-reader.ts';
import { isSameRecord } from './event-record.ts';
import { readEventInstruction, type EventInstruction } from './event-registry-instructions.ts';
import { readEventLogEvent, type EventLogEvent } from './event-registry-log-events.ts';
import { readExecutedTransaction, type ExecutedInstruction, type ExecutedTransaction } from './executed-transaction.ts';
import { isTruncatedLog, listProgramData } from './program-log.ts';

/** What is known of a transaction from the list it was found in, and of the program it is read for. */
export interface TransactionContext {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds; undefined: nobody knows the time of the block. */
  readonly blockTime: number | undefined;
  readonly eventRegistry: AltKey;
  /** The address of a machine's event log; the caller may remember what it costs a look at the curve to find. */
  readonly eventLogOf: (id: MachineId) => AltKey;
}

/** The most that one program can hand to another; outer instructions are shorter still. */
const MAX_INSTRUCTION_BYTES = 10_240;

/** Reads an answer of `getTransaction`; never throws. */
export function readTransaction(answer: unknown, context: TransactionContext): TransactionReading {
  if (answer === null) return { state: 'not-here-yet' };
  const operations = decodable(() => readOperations(answer, context));
  if (operations === undefined) return { state: 'unreadable' };
  const needsTime = operations.some((operation) => operation.kind !== 'closed' && operation.record !== undefined);
  if (needsTime && context.blockTime === undefined) return { state: 'parked' };
  return { state: 'read', operations };
}

function readOperations(answer: unknown, context: TransactionContext): EventOperation[] {
  const transaction = readExecutedTransaction(answer);
  if (transaction.signature !== context.signature || transaction.slot !== context.slot) throw new Undecodable();
  if (transaction.hasFailed) return [];
  const instructions = transaction.instructions.flatMap((instruction) => readInstruction(instruction, context));
  const events = readLogEvents(transaction, context.eventRegistry);
  if (events === undefined) return instructions.map((instruction) => toOperation(instruction, undefined));
  if (events.length !== instructions.length) throw new Undecodable();
  return instructions.map((instruction, k) => toOperation(instruction, events[k]));
}

/** None or one: an instruction of another program, or of another kind, changes no log. */
function readInstruction(
  { program, data, accountAt }: ExecutedInstruction,
  { eventRegistry, eventLogOf }: TransactionContext,
): EventInstruction[] {
  if (program !== eventRegistry) return [];
  const bytes = parseBase58(data, MAX_INSTRUCTION_BYTES);
  if (bytes === undefined) throw new Undecodable();
  const read = readEventInstruction(bytes);
  if (read === undefined) return [];
  if (accountAt(read.logAccount) !== eventLogOf(read.instruction.machineId)) throw new Undecodable();
  return [read.instruction];
}

/** Undefined: the node kept no logs, or not all of them. */
function readLogEvents({ logs }: ExecutedTransaction, eventRegistry: AltKey): EventLogEvent[] | undefined {
  if (logs === undefined || isTruncatedLog(logs)) return undefined;
  return listProgramData(logs, eventRegistry).flatMap((payload) => readEventLogEvent(payload) ?? []);
}

/** Joins an instruction with the log event of its place. Throws `Undecodable` when they tell of different changes. */
function toOperation(instruction: EventInstruction, event: EventLogEvent | undefined): EventOperation {
  if (event === undefined) return { ...withoutLog(instruction), evidence: 'instruction' };
  if (event.machineId !== instruction.machineId) throw new Undecodable();
  return { ...withLog(instruction, event), evidence: 'log+instruction' };
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
