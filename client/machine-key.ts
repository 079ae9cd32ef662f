/** Identifies machines by id or DID. Ids are strings or bigints: a rounded number would name another machine. */
import { parseMachineDid, parseMachineId, toMachineId, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { invalidArgument, type Result } from './http.ts';

/** The id as a bigint or decimal string, or the DID. */
export type MachineKey = bigint | string;

/** Returns the id that `key` names, or undefined. Throws a `TypeError` for a number, which only JavaScript can pass. */
export function parseMachineKey(key: MachineKey, namespace: Namespace): MachineId | undefined {
  if (typeof key === 'bigint') return toMachineId(key);
  if (typeof key !== 'string') throw new TypeError('a machine id is text or a bigint: a number would be rounded');
  return parseMachineId(key) ?? parseMachineDid(key, namespace);
}

/** Runs a request for the machine that `key` names, or returns `invalid-argument`. */
export function withMachine<T>(
  key: MachineKey,
  namespace: Namespace,
  requestFor: (id: MachineId) => Promise<Result<T>>,
): Promise<Result<T>> {
  const id = parseMachineKey(key, namespace);
  return id === undefined ? Promise.resolve(invalidArgument('not a machine id or DID')) : requestFor(id);
}
