/** Parses the machine argument of a command: a decimal id, or a DID, which is passed through. */
import { formatMachineDid, parseMachineId } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed } from './exit-codes.ts';

/** Returns the DID. Only the service can validate a DID, by its namespace. Throws `CommandFailed` for any other text. */
export function toMachineDid(text: string): string {
  if (text.startsWith('did:')) return text;
  const id = parseMachineId(text);
  if (id === undefined) throw new CommandFailed('usage', `${JSON.stringify(text)} is not a machine id or DID`);
  return formatMachineDid(id, DEFAULT_NAMESPACE);
}
