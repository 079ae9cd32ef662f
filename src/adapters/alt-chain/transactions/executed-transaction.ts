/**
 * Executed instructions of a transaction, in order (chain-svm 6, steps 1 and 2: the result of `getTransaction` in encoding `json`).
 * The result is checked for consistency: every index must exist, and the number of loaded addresses must equal that of the lookups.
 */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import {
  expectArray,
  expectCount,
  expectItem,
  expectKey,
  expectObject,
  expectOptional,
  expectText,
  type RpcObject,
} from '../rpc/json-shape.ts';

export interface ExecutedInstruction {
  readonly program: AltKey;
  /** Base58. */
  readonly data: string;
  /** Returns the key of the account at an index of the instruction. Throws `Undecodable` when it does not exist. */
  readonly accountAt: (position: number) => AltKey;
}

export interface ExecutedTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly hasFailed: boolean;
  /** Outer and inner instructions in execution order; empty if the transaction failed. */
  readonly instructions: readonly ExecutedInstruction[];
  /** Undefined if the node stores no logs. */
  readonly logs: readonly string[] | undefined;
}

/** Account indexes are single bytes on the wire. */
const MAX_KEYS = 256;

/** Reads the result of `getTransaction`. Throws `Undecodable`, also for an unsupported version. */
export function readExecutedTransaction(result: unknown): ExecutedTransaction {
  const { slot, version, transaction, meta: metaValue } = expectObject(result);
  if (version !== 'legacy' && version !== 0) throw new Undecodable();
  const { signatures, message: messageValue } = expectObject(transaction);
  const meta = expectObject(metaValue);
  const message = expectObject(messageValue);
  const hasFailed = readFailure(meta);
  return {
    signature: expectText(expectArray(signatures)[0]),
    slot: expectCount(slot),
    hasFailed,
    instructions: hasFailed ? [] : readInstructions(message, meta, readKeyTable(message, meta)),
    logs: expectOptional(meta['logMessages'], expectArray)?.map(expectText),
  };
}

function readFailure({ err }: RpcObject): boolean {
  if (err === undefined) throw new Undecodable();
  return err !== null;
}

/** Lists the static keys, then the writable loaded addresses, then the readonly ones. */
function readKeyTable(message: RpcObject, meta: RpcObject): readonly AltKey[] {
  const lookups = expectOptionalArray(message['addressTableLookups']).map(expectObject);
  const loaded = expectOptional(meta['loadedAddresses'], expectObject) ?? {};
  const loadedAs = (member: 'writable' | 'readonly', indexes: 'writableIndexes' | 'readonlyIndexes') => {
    const keys = expectOptionalArray(loaded[member]);
    const expected = lookups.reduce((sum, lookup) => sum + expectArray(lookup[indexes]).length, 0);
    if (keys.length !== expected) throw new Undecodable();
    return keys;
  };
  const keys = [
    ...expectArray(message['accountKeys']),
    ...loadedAs('writable', 'writableIndexes'),
    ...loadedAs('readonly', 'readonlyIndexes'),
  ];
  if (keys.length > MAX_KEYS) throw new Undecodable();
  return keys.map(expectKey);
}

function readInstructions(message: RpcObject, meta: RpcObject, keys: readonly AltKey[]): ExecutedInstruction[] {
  const outer = expectArray(message['instructions']);
  const innerOf = new Map<number, readonly unknown[]>();
  for (const value of expectArray(meta['innerInstructions'])) {
    const { index, instructions } = expectObject(value);
    const position = expectCount(index);
    if (position >= outer.length || innerOf.has(position)) throw new Undecodable();
    innerOf.set(position, expectArray(instructions));
  }
  return outer
    .flatMap((instruction, position) => [instruction, ...(innerOf.get(position) ?? [])])
    .map((instruction) => toInstruction(instruction, keys));
}

function toInstruction(value: unknown, keys: readonly AltKey[]): ExecutedInstruction {
  const { programIdIndex, accounts, data } = expectObject(value);
  const positions = expectArray(accounts);
  return {
    program: expectItem(keys, programIdIndex),
    data: expectText(data),
    accountAt: (position) => expectItem(keys, positions[position]),
  };
}

function expectOptionalArray(value: unknown): readonly unknown[] {
  return expectOptional(value, expectArray) ?? [];
}
