/** Who signs for a machine's DID? The controller that is set, or the owner where none is ("Verify" of the interface: effective DID controller). */
import type { Address } from '../identifiers/identifiers.ts';
import type { MachineSnapshot } from './machine-facts.ts';
import { unwrapOptional } from '../read-result.ts';

/** Throws `ChainUnreadable`: an unreadable controller is not an absent one. */
export function findDidController({ controller }: Pick<MachineSnapshot, 'controller'>, owner: Address): Address {
  return unwrapOptional(controller) ?? owner;
}
