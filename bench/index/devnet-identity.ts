/** Identity of the devnet's main-chain index. */
import type { Devnet } from '../../devnet/start-devnet.ts';
import type { Address } from '../../src/domain/identifiers/identifiers.ts';
import { formatIndexIdentity, formatOptionalContracts } from '../../src/indexing/loops/index-identity.ts';

/** Returns the identity of an index that a service on the devnet continues. */
export function identityOf({ deployment }: Devnet): [identity: string, optionalContracts: string] {
  const { addresses, chainId, startBlock } = deployment;
  const lower = (address: string) => address.toLowerCase() as Address;
  const indexed = {
    chainId,
    startBlock,
    machineRegistry: lower(addresses.machineRegistry),
    crossChainMirror: lower(addresses.crossChainMirror),
    eventRegistry: lower(addresses.eventRegistry),
    legacyEventRegistry: lower(addresses.legacyEventRegistry),
    attestationRegistry: lower(addresses.attestationRegistry),
    adminFlags: lower(addresses.adminFlags),
  };
  return [formatIndexIdentity(indexed), formatOptionalContracts(indexed)];
}
