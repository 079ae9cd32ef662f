/** Transactions of the virtual alt chain as `getTransaction` returns them, in the forms of chain-svm 6. */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import { addressesOf, ADMIN, CALLER_PROGRAM, PROGRAMS, SINGLETONS, SYSTEM_PROGRAM } from './deployment.ts';
import { encodeInstruction, encodeLogEvent, type EventOperation } from './records.ts';

export interface AltTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly hasFailed: boolean;
  /** Requested operations; a failed transaction has performed none. */
  readonly operations: readonly EventOperation[];
  readonly form: 'plain' | 'cpi' | 'lookup-table';
  /** Whether the node truncated its log. */
  readonly isTruncated: boolean;
  /** Operation that another program imitates in log lines like the registry's. */
  readonly spoof: EventOperation | undefined;
  /** Machines whose log account it names without changing it. */
  readonly mentions: readonly bigint[];
}

export function mentionsLog({ operations, mentions }: AltTransaction, id: bigint): boolean {
  return mentions.includes(id) || operations.some((operation) => operation.id === id);
}

interface Instruction {
  readonly program: AltKey;
  readonly accounts: readonly AltKey[];
  readonly data: Uint8Array;
}

/** Returns the `result` of `getTransaction`. */
export function toTransactionJson(transaction: AltTransaction, blockTime: number | null) {
  const { signature, slot, hasFailed, operations, form } = transaction;
  const inner = operations.map(toInstruction);
  const isCalled = form === 'cpi';
  const loaded = form === 'lookup-table' ? [...new Set(inner.flatMap(({ accounts }) => accounts.slice(2)))] : [];
  const named = inner.flatMap(({ program, accounts }) => [...accounts, program]);
  const fixed = [...new Set([ADMIN, CALLER_PROGRAM, PROGRAMS.eventRegistry, ...named])].filter(
    (key) => !loaded.includes(key),
  );
  const keys = [...fixed, ...loaded];
  const toJson = ({ program, accounts, data }: Instruction, stackHeight: number | null) => ({
    programIdIndex: keys.indexOf(program),
    accounts: accounts.map((key) => keys.indexOf(key)),
    data: formatBase58(data),
    stackHeight,
  });
  const called = inner.map((instruction) => ({
    program: CALLER_PROGRAM,
    accounts: [PROGRAMS.eventRegistry, ...instruction.accounts],
    data: Uint8Array.of(0, ...instruction.data),
  }));
  const noise: Instruction = { program: CALLER_PROGRAM, accounts: [], data: Uint8Array.of(1) };
  const outer = [noise, ...(isCalled ? called : inner)];
  return {
    slot,
    blockTime,
    version: form === 'lookup-table' ? 0 : 'legacy',
    transaction: {
      signatures: [signature],
      message: {
        accountKeys: fixed,
        instructions: outer.map((instruction) => toJson(instruction, null)),
        ...(form === 'lookup-table' && {
          addressTableLookups: [
            { accountKey: ADMIN, writableIndexes: [], readonlyIndexes: loaded.map((_, index) => index) },
          ],
        }),
      },
    },
    meta: {
      err: hasFailed ? { InstructionError: [0, { Custom: 6000 }] } : null,
      logMessages: toLog(transaction) as string[] | null,
      innerInstructions: isCalled
        ? inner.map((instruction, index) => ({ index: index + 1, instructions: [toJson(instruction, 2)] }))
        : [],
      loadedAddresses: { writable: [], readonly: loaded },
    },
  };
}

export type TransactionJson = ReturnType<typeof toTransactionJson>;

function toInstruction(operation: EventOperation): Instruction {
  const { machine, subscriptionTerminal, eventLog } = addressesOf(operation.id);
  const registry = SINGLETONS.eventRegistry.address;
  const accounts = {
    submit: [ADMIN, registry, machine.address, subscriptionTerminal.address, eventLog.address, SYSTEM_PROGRAM],
    import: [ADMIN, ADMIN, registry, eventLog.address, SYSTEM_PROGRAM],
    adopt: [ADMIN, ADMIN, registry, eventLog.address, SYSTEM_PROGRAM],
    close: [ADMIN, registry, ADMIN, eventLog.address],
  }[operation.kind];
  return { program: PROGRAMS.eventRegistry, accounts, data: encodeInstruction(operation) };
}

const toLine = (payload: Uint8Array) => `Program data: ${Buffer.from(payload).toString('base64')}`;

function toLog({ operations, form, spoof, isTruncated, hasFailed }: AltTransaction): string[] {
  const { eventRegistry } = PROGRAMS;
  const lines = [`Program ${CALLER_PROGRAM} invoke [1]`];
  if (spoof !== undefined) {
    const line = toLine(encodeLogEvent(spoof));
    lines.push(line, `Program log: \nProgram ${eventRegistry} invoke [2]\n${line}`);
  }
  lines.push(`Program ${CALLER_PROGRAM} success`);
  for (const [k, operation] of operations.entries()) {
    const isLast = k === operations.length - 1;
    const depth = form === 'cpi' ? 2 : 1;
    if (depth === 2) lines.push(`Program ${CALLER_PROGRAM} invoke [1]`);
    lines.push(`Program ${eventRegistry} invoke [${depth}]`, 'Program log: Instruction');
    lines.push(toLine(encodeLogEvent(operation)), `Program ${eventRegistry} consumed 5000 of 200000 compute units`);
    const end = hasFailed && isLast ? 'failed: custom program error: 0x1770' : 'success';
    lines.push(`Program ${eventRegistry} ${end}`);
    if (depth === 2) lines.push(`Program ${CALLER_PROGRAM} ${end}`);
  }
  return isTruncated ? [...lines.slice(0, 3), 'Log truncated'] : lines;
}
