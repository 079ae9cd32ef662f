/**
 * Reads the ownership of all stored machines again after a range that was read from logs alone (design/real-chains.md 1): a node may have
 * hidden the only logs of the range that name a machine. Resumes where it stopped. The machines are served in the meantime.
 */
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';
import { countMachines, FIRST_MACHINES, MACHINES_PER_TRANSACTION } from './backfill-completion.ts';

export interface OwnershipReread {
  /** Reads the next machines at the checkpoint, for about two seconds. Throws like every chain read, and `StoreUnavailable`. */
  readNext(checkpoint: BlockRef): Promise<StepOutcome>;
}

export interface OwnershipRereadOptions {
  readonly chain: Pick<MainChainLog, 'readOwnership'>;
  readonly store: Pick<Store, 'listRereads' | 'storeRereads'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createOwnershipReread({ chain, store, clock, log }: OwnershipRereadOptions): OwnershipReread {
  let count = FIRST_MACHINES;

  return {
    async readNext(checkpoint) {
      const ids = await store.listRereads(count);
      if (ids.length === 0) return 'idle';
      const startedAt = clock.nowMilliseconds();
      const owners = await chain.readOwnership(checkpoint, ids);
      count = countMachines(count, ids.length, startedAt, clock);
      const expected = { blockNumber: checkpoint.number, blockHash: checkpoint.hash };
      for (let from = 0; from < owners.length; from += MACHINES_PER_TRANSACTION) {
        const differing = await store.storeRereads(expected, owners.slice(from, from + MACHINES_PER_TRANSACTION));
        if (differing === undefined) return 'more';
        if (differing.length > 0)
          log.warn({ block: checkpoint.number, machines: differing.length }, 'ownership had changed without a log');
      }
      return (await store.listRereads(1)).length === 0 ? 'idle' : 'more';
    },
  };
}
