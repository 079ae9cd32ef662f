/**
 * Progress of the main-chain index. Implements `IndexStatus` from what the worker last wrote, whichever process it runs
 * in.
 */
import type { IndexStatus } from '../../ports/indexes.ts';
import type { MainChainIndexStore } from '../../ports/store.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';

export function createIndexStatus(
  store: Pick<MainChainIndexStore, 'readMainChainCheckpoint' | 'readHeadObservation'>,
  integrity: IndexIntegrity,
): IndexStatus {
  return {
    async readMainChainIndex() {
      integrity.check();
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
