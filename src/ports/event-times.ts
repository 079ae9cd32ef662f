/**
 * In which blocks were a machine's events stored? (chain-evm 3.7.) A record does not say; its log does.
 * Implemented by `indexers/`, from the stored index up to the finalized block and the head follower above it.
 */
import type { MachineId } from '../domain/identifiers.ts';
import type { BlockRef } from '../domain/machine-facts.ts';
import type { EventGeneration } from './main-chain-log.ts';

/** The log of the record at position `seq`; `eventType`, `value` and `eventIndex` serve to prove that they belong together. */
export interface EventLogRow {
  readonly seq: number;
  readonly eventIndex: bigint;
  readonly eventType: number;
  readonly value: bigint;
  readonly blockNumber: number;
  readonly blockTimestamp: number;
}

export interface EventTimes {
  /**
   * The logs of the records at positions `from` to `to - 1`, as of `block`.
   * `hasPriorEvents`: its history has begun anew at least once, and may have since what is stored.
   * Throws `EventIndexSyncing` while not all of them are known, `ChainUnreadable` when the node cannot be read.
   */
  readEventLogs(
    generation: EventGeneration,
    id: MachineId,
    from: number,
    to: number,
    block: BlockRef,
    hasPriorEvents: boolean,
  ): Promise<readonly EventLogRow[]>;

  /**
   * How many imports the machine had as of `block`: each begins the history anew. Proves as well that what is stored belongs to the chain of
   * the block; throws `EventIndexSyncing` while it cannot, `ChainUnreadable` when it does not.
   */
  readEventEpoch(generation: EventGeneration, id: MachineId, block: BlockRef): Promise<number>;
}
