/** Which machine does somebody name at a terminal? Its decimal id, or its DID as it stands. */
import { formatMachineDid, parseMachineId } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { CommandFailed } from './exit-codes.ts';

/** Whether a DID is one the service says, because it knows the words of its deployment. Throws `CommandFailed` for what is neither. */
export function toMachineDid(text: string): string {
  if (text.startsWith('did:')) return text;
  const id = parseMachineId(text);
  if (id === undefined) throw new CommandFailed('usage', `${JSON.stringify(text)} is not a machine id or DID`);
  return formatMachineDid(id, DEFAULT_NAMESPACE);
}
