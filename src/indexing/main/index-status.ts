/** How far is the main-chain index? The implementation of `IndexStatus`: what the worker last wrote, whichever process it runs in. */
import type { IndexStatus } from '../../ports/indexes.ts';
import type { MainChainIndexStore } from '../../ports/store.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';

export function createIndexStatus(
  store: Pick<MainChainIndexStore, 'readMainChainCheckpoint' | 'readHeadObservation'>,
  standing: IndexIntegrity,
): IndexStatus {
  return {
    async readMainChainIndex() {
      standing.check();
      const [checkpoint, observation] = await Promise.all([
        store.readMainChainCheckpoint(),
        store.readHeadObservation(),
      ]);
      return {
        indexedBlock: checkpoint?.blockNumber,
        headBlock: observation?.blockNumber,
        headObservedAtMilliseconds: observation?.observedAtMilliseconds,
      };
    },
  };
}
