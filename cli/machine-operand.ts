/** Parses the machine argument of a command: a decimal id or a DID of the deployment. */
import { parseMachineKey } from '../client/machine-key.ts';
import type { MachineId } from '../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed } from './exit-codes.ts';

/** Throws `CommandFailed` for a text that names no machine of the namespace. */
export function parseMachineOperand(text: string, namespace: Namespace): MachineId {
  const id = parseMachineKey(text, namespace);
  if (id === undefined) throw new CommandFailed('usage', `${JSON.stringify(text)} is not a machine id or DID`);
  return id;
}
