/**
 * Renewal of cached facts together with the next head poll: what would expire before the step after the next is read
 * again. Readers then need no request each, and the next step drops what its block touches.
 */
import type { DeploymentFacts } from '../../../domain/machine/machine-facts.ts';
import type { Header, HeadStep } from '../../../ports/main-chain.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import type { Multicall } from '../reads/multicall.ts';
import type { SnapshotReader } from '../reads/snapshot-reader.ts';
import type { DeploymentCache } from './deployment-cache.ts';
import type { MachineSnapshots } from './machine-snapshots.ts';

export interface SnapshotRenewalOptions {
  readonly maxHeadAgeMilliseconds: number;
  readonly snapshots: Pick<MachineSnapshots, 'listAging' | 'renew'>;
  readonly deployment: Pick<DeploymentCache, 'renewAging'>;
  readonly snapshotReader: SnapshotReader;
  readonly readFacts: (block: Header, deadline: Deadline) => Promise<DeploymentFacts>;
  /** Its calls travel with the next head poll. */
  readonly multicall: Multicall;
  readonly startRead: () => Deadline;
}

/** Returns a function that renews what expires soon after this step. */
export function createSnapshotRenewal(options: SnapshotRenewalOptions): (step: HeadStep) => void {
  const { maxHeadAgeMilliseconds, snapshots, deployment, snapshotReader, readFacts, multicall, startRead } = options;
  return ({ head: block, observedAtMilliseconds, waitMilliseconds }) => {
    const byMilliseconds = observedAtMilliseconds + 2 * waitMilliseconds + maxHeadAgeMilliseconds;
    for (const { id, events, firstEvents } of snapshots.listAging(byMilliseconds, waitMilliseconds)) {
      const offset = events.state === 'present' ? events.value.offset : 0;
      const request = { id, firstEvents: firstEvents !== undefined, offset, block };
      snapshots.renew(id, () => snapshotReader.read({ ...request, deadline: startRead() }, multicall));
    }
    deployment.renewAging(byMilliseconds, () => readFacts(block, startRead()));
  };
}
