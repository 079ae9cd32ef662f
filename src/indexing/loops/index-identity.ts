/**
 * Which deployment do the stored rows belong to? (architecture, rule 5.) Everything that decides which logs are stored: with another
 * identity rows would be missing or foreign, so the index refuses instead of resuming.
 */
import type { Address } from '../../domain/identifiers/identifiers.ts';

/** Changes when rows of an earlier version can no longer be continued. */
const LAYOUT_VERSION = 1;

export interface IndexedDeployment {
  readonly chainId: number;
  /** Blocks before it are not indexed, so an earlier start is another index. */
  readonly startBlock: number;
  readonly machineRegistry: Address;
  readonly crossChainMirror: Address;
  readonly eventRegistry: Address;
  readonly legacyEventRegistry: Address | undefined;
}

/** One line that is equal exactly when the deployments are. */
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
