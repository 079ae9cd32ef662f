/** Deployment whose logs the main-chain index of a configuration stores. */
import type { Config } from '../config.ts';
import type { IndexedDeployment } from '../indexing/loops/index-identity.ts';

export function toIndexedDeployment({
  chainId,
  startBlock,
  addresses,
}: NonNullable<Config['mainChain']>): IndexedDeployment {
  return {
    chainId,
    startBlock,
    machineRegistry: addresses.machineRegistry,
    crossChainMirror: addresses.crossChainMirror,
    eventRegistry: addresses.eventRegistry,
    legacyEventRegistry: addresses.legacy?.eventRegistry,
    attestationRegistry: addresses.attestationRegistry,
    adminFlags: addresses.adminFlags,
  };
}
