/** How are the transactions of the vectors changed, read and compared? Test support. */
import type { EventOperation, TransactionReading } from '../../domain/alt-event-operation.ts';
import { deriveEventLogAddress, rememberById } from './account-addresses.ts';
import { transactionCases, vectorPrograms, type TransactionCase } from './svm-vectors.ts';
import { readTransaction } from './transaction-operations.ts';

export type Answer = TransactionCase['response'];

const BLOCK_TIME = 1_788_000_100;

const { eventRegistry } = vectorPrograms;
const eventLogOf = rememberById((id) => deriveEventLogAddress(eventRegistry, id), 10);

/** The answer of a case, by the case's name. */
export function answerOf(name: string): Answer {
  return transactionCases.find((item) => item.name === name)!.response;
}

/** Reads any answer as the one to the question for `asked`. `blockTime` null: nobody knows it. */
export function readAs(asked: Answer, answer: unknown, blockTime: number | null = BLOCK_TIME): TransactionReading {
  return readTransaction(answer, {
    signature: asked.transaction.signatures[0]!,
    slot: asked.slot,
    blockTime: blockTime ?? undefined,
    eventRegistry,
    eventLogOf,
  });
}

/** Reads the answer to the question for `asked` after a change. */
export function readChanged(asked: Answer, apply: (copy: Answer) => unknown): TransactionReading {
  const copy = structuredClone(asked);
  apply(copy);
  return readAs(asked, copy);
}

/** A reading in the spelling of the vectors. */
export function toVectorReading(reading: TransactionReading): unknown {
  return reading.state === 'read' ? reading.operations.map(toVectorOperation) : reading.state;
}

function toVectorOperation(operation: EventOperation): Record<string, unknown> {
  const { machineId, evidence } = operation;
  const common = { machineId: String(machineId), evidence };
  switch (operation.kind) {
    case 'submitted': {
      const eventIndex = toText(operation.eventIndex);
      return { op: 'submit', ...common, eventIndex, event: toVectorEvent(operation.record) };
    }
    case 'imported': {
      const priorEventCount = String(operation.priorEventCount);
      return { op: 'import', ...common, priorEventCount, eventIndex: '0', event: toVectorEvent(operation.record!) };
    }
    case 'closed':
      return { op: 'close', ...common, count: toText(operation.count) };
    case 'adopted':
      throw new Error('the vectors hold no adoption');
  }
}

function toVectorEvent(record: object): Record<string, unknown> {
  const members = Object.entries(record) as [string, unknown][];
  return Object.fromEntries(members.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]));
}

function toText(value: bigint | undefined): string | null {
  return value === undefined ? null : String(value);
}
