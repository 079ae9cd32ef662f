/** Operations of published transactions: through programs, in version 0, without logs, and invalid ones. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readEventOperations, type ExecutedOperation } from './event-operations.ts';
import { deriveAddress, MalformedSolana, toWord } from './solana-bytes.ts';

interface Expected {
  readonly op: 'submit' | 'import' | 'close';
  readonly machineId: string;
  readonly priorEventCount?: string;
  readonly event?: {
    readonly eventType: number;
    readonly value: string;
    readonly timestamp: string;
    readonly trustLevel: number;
    readonly currency: string;
  };
}
interface Case {
  readonly name: string;
  readonly response: {
    readonly transaction: { readonly signatures: readonly string[] };
    readonly meta: { readonly err: unknown };
  };
  readonly expect: 'unreadable' | readonly Expected[];
}

const readVectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../test/vectors/svm/${name}.json`, import.meta.url), 'utf8'));
const { cases } = readVectors('transactions') as { readonly cases: readonly Case[] };
const { programs } = readVectors('programs') as { readonly programs: Readonly<Record<string, string>> };
const { machines } = readVectors('machines') as { readonly machines: readonly { readonly machineId: string }[] };
const eventRegistry = programs['event_registry']!;

function readFor(machineId: bigint, { response }: Case): ExecutedOperation[] {
  const logAddress = deriveAddress(eventRegistry, 'MachineEventLog', toWord(machineId));
  return readEventOperations(response, response.transaction.signatures[0]!, { machineId, eventRegistry, logAddress });
}

const toRecord = (event: NonNullable<Expected['event']>) => ({
  type: BigInt(event.eventType),
  value: BigInt(event.value),
  timestamp: BigInt(event.timestamp),
  trust: BigInt(event.trustLevel),
  currencyBytes: Buffer.from(event.currency),
});

const toOperation = ({ op, event, priorEventCount }: Expected) => {
  if (op === 'close') return { kind: 'closed' };
  const record = event && toRecord(event);
  return op === 'submit'
    ? { kind: 'append', record }
    : { kind: 'carried', prior: BigInt(priorEventCount ?? -1), record };
};

/** Removes the raw bytes and the order, which other tests cover. */
const simplify = ({ order: _, ...operation }: ExecutedOperation) => {
  if (operation.kind === 'closed' || operation.record === undefined) return operation;
  const { type, value, timestamp, trust, currencyBytes } = operation.record;
  return { ...operation, record: { type, value, timestamp, trust, currencyBytes: Buffer.from(currencyBytes) } };
};

describe('readEventOperations for the vectors', () => {
  const readable = cases.filter((each) => each.expect !== 'unreadable' && each.response.meta.err === null);

  it.each(readable)('returns the operations of each machine: $name', (each) => {
    const expected = each.expect as readonly Expected[];
    for (const machineId of new Set(machines.map((machine) => machine.machineId))) {
      const ofMachine = expected.filter((operation) => operation.machineId === machineId).map(toOperation);
      expect(readFor(BigInt(machineId), each).map(simplify)).toEqual(ofMachine);
    }
  });

  it('numbers the operations of all machines in the order of their instructions', () => {
    for (const each of readable) {
      const expected = (each.expect as readonly Expected[]).map(({ machineId }) => machineId);
      const ids = [...new Set(machines.map((machine) => machine.machineId))];
      const found = ids.flatMap((id) => readFor(BigInt(id), each).map(({ order }) => ({ id, order })));
      expect(found.sort((a, b) => a.order - b.order).map(({ id }) => id)).toEqual(expected);
    }
  });

  it('rejects a failed transaction and a truncated record, and no other', () => {
    const others = cases.filter((each) => !readable.includes(each));
    expect(others.map(({ name }) => name)).toEqual(['failed transaction', 'truncated record in instruction data']);
    for (const each of others) expect(() => readFor(BigInt(machines[0]!.machineId), each)).toThrow(MalformedSolana);
  });
});

const [FIRST] = cases;
const OWN = BigInt((FIRST!.expect as readonly Expected[])[0]!.machineId);

describe('readEventOperations rejects a transaction', () => {
  const change = (path: readonly (string | number)[], value: unknown): Case => {
    const copy = structuredClone(FIRST!);
    let place = copy.response as unknown as Record<string | number, unknown>;
    for (const name of path.slice(0, -1)) place = place[name] as Record<string | number, unknown>;
    place[path.at(-1)!] = value;
    return copy;
  };

  it.each<[string, readonly (string | number)[], unknown, string]>([
    ['of an unknown version', ['version'], 1, 'an unknown version'],
    ['without its inner instructions', ['meta', 'innerInstructions'], null, 'not an array'],
    ['without a result', ['meta', 'err'], undefined, 'a failed transaction'],
    ['with an undeclared account', ['transaction', 'message', 'instructions', 0, 'accounts', 4], 99, 'name'],
    [
      'with the log of another machine',
      ['transaction', 'message', 'instructions', 0, 'accounts', 4],
      0,
      'another machine',
    ],
  ])('as malformed: %s', (_, path, value, message) => {
    expect(() => readFor(OWN, change(path, value))).toThrow(message);
  });

  it('as malformed: of another signature', () => {
    const { response } = FIRST!;
    const log = { machineId: OWN, eventRegistry, logAddress: '' };
    expect(() => readEventOperations(response, 'another', log)).toThrow('another transaction');
  });
});
