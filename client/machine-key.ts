/** Which machine does a caller mean? Ids are text or bigint: a number would be rounded, and name another machine. */
import { parseMachineDid, parseMachineId, toMachineId, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { invalidArgument, type Answer } from './http.ts';

/** The id as bigint or decimal text, or the DID. */
export type MachineKey = bigint | string;

/** Throws a TypeError for a number, which only JavaScript can pass. */
export function parseMachineKey(key: MachineKey, namespace: Namespace): MachineId | undefined {
  if (typeof key === 'bigint') return toMachineId(key);
  if (typeof key !== 'string') throw new TypeError('a machine id is text or a bigint: a number would be rounded');
  return parseMachineId(key) ?? parseMachineDid(key, namespace);
}

/** Asks about the machine that `key` names, or answers that it names none. */
export function withMachine<T>(
  key: MachineKey,
  namespace: Namespace,
  askAbout: (id: MachineId) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const id = parseMachineKey(key, namespace);
  return id === undefined ? Promise.resolve(invalidArgument('not a machine id or DID')) : askAbout(id);
}
