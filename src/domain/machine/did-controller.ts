/** Effective DID controller: the controller, or the owner where none is set ("Verify" of the interface). */
import type { Address } from '../identifiers/identifiers.ts';
import type { MachineSnapshot } from './machine-facts.ts';
import { unwrapOptional } from '../read-result.ts';

/** Returns who signs for the machine's DID. Throws `ChainUnreadable`: an unreadable controller is not an absent one. */
export function findDidController({ controller }: Pick<MachineSnapshot, 'controller'>, owner: Address): Address {
  return unwrapOptional(controller) ?? owner;
}
