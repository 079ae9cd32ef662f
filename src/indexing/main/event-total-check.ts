/**
 * Comparison of the indexed events with `totalEventCount` at each checkpoint (design/real-chains 1). A difference raises an alert and starts
 * a repair; it refuses nothing by itself, because each machine is compared with its own count.
 */
import { Fault } from '../../domain/faults.ts';
import type { BlockId } from '../../domain/machine/machine-facts.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { Log } from '../../ports/runtime.ts';
import type { MainChainIndexStore } from '../../ports/store.ts';
import type { IndexRepair } from './index-repair.ts';

export interface EventTotalCheck {
  /** Compares the current checkpoint with `chain`, once. Never throws for a chain that cannot be read. */
  compare(chain: Pick<MainChainLog, 'readEventTotal'>): Promise<void>;
  /** Returns the events that the index lacks, negative for ones that it has in excess; undefined before the first comparison. */
  missing(): number | undefined;
  /** Returns whether the last comparison was at this block, and the index lacked nothing. */
  agreesAt(block: Pick<BlockId, 'hash'>): boolean;
}

export interface EventTotalCheckOptions {
  readonly store: Pick<MainChainIndexStore, 'readEventTotal'>;
  readonly repair: Pick<IndexRepair, 'startEventTotal'>;
  readonly log: Log;
}

export function createEventTotalCheck({ store, repair, log }: EventTotalCheckOptions): EventTotalCheck {
  let comparedHash: string | undefined;
  let missing: number | undefined;

  async function compare(chain: Pick<MainChainLog, 'readEventTotal'>): Promise<void> {
    const stored = await store.readEventTotal();
    if (stored === undefined) return;
    const { blockNumber: number, blockHash: hash } = stored.checkpoint;
    // A repair may end without a new checkpoint.
    if (hash === comparedHash && missing === 0) return;
    const counted = Number(await chain.readEventTotal({ number, hash }));
    const before = missing;
    missing = counted - stored.total;
    comparedHash = hash;
    if (missing === 0) return;
    if (missing !== before) log.warn({ block: number, missing }, 'the event index disagrees with totalEventCount');
    repair.startEventTotal();
  }

  return {
    async compare(chain) {
      try {
        await compare(chain);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        log.warn({ cause: error.message }, 'totalEventCount could not be read');
      }
    },
    missing: () => missing,
    agreesAt: ({ hash }) => hash === comparedHash && missing === 0,
  };
}
