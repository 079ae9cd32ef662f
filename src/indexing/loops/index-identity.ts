/**
 * Identity of the stored main-chain index (architecture, rule 5). It covers everything that decides which logs are
 * stored. Under another identity rows would be missing or foreign, so the index refuses to start instead of resuming.
 */
import type { Address } from '../../domain/identifiers/identifiers.ts';

/** Bumped when rows of an earlier version can no longer be continued. */
const LAYOUT_VERSION = 1;

export interface IndexedDeployment {
  readonly chainId: number;
  /** First block indexed; an earlier start makes another index. */
  readonly startBlock: number;
  readonly machineRegistry: Address;
  readonly crossChainMirror: Address;
  readonly eventRegistry: Address;
  readonly legacyEventRegistry: Address | undefined;
  readonly attestationRegistry?: Address | undefined;
  readonly adminFlags?: Address | undefined;
}

/** Returns one line that is equal exactly when the deployments are. */
export function formatIndexIdentity(deployment: IndexedDeployment): string {
  return [
    `layout=${LAYOUT_VERSION}`,
    `chain=${deployment.chainId}`,
    `start=${deployment.startBlock}`,
    `machines=${deployment.machineRegistry}`,
    `homes=${deployment.crossChainMirror}`,
    `events=${deployment.eventRegistry}`,
    `legacy-events=${deployment.legacyEventRegistry ?? 'none'}`,
  ].join(' ');
}

/**
 * Returns one line that is equal exactly when the optional contracts are. Their earlier logs are not in an index that was built without
 * them. It is recorded apart from the identity, which earlier versions recorded without it.
 */
export function formatOptionalContracts({ attestationRegistry, adminFlags }: IndexedDeployment): string {
  return `attestations=${attestationRegistry ?? 'none'} flags=${adminFlags ?? 'none'}`;
}
