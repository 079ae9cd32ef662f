/**
 * Port of what the main-chain index still owes after it was built from logs: owners to read, block times to look up,
 * and blocks to prove (design/real-chains.md 1). Part of the `Store`; every method throws `StoreUnavailable`.
 */
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { TouchedMachines } from './change-store.ts';
import type { EventGeneration } from './main-chain.ts';
import type { Checkpoint, EventLogEntry, OwnershipChange, OwnershipReads } from './store.ts';

/** Time of an event log whose block time is not known yet. Such a log counts, but is not listed. */
export const UNKNOWN_BLOCK_TIME = 0;

/** Block with logs that were stored as a node returned them. */
export interface LogBlock {
  readonly blockNumber: number;
  readonly blockHash: string;
  /** `UNKNOWN_BLOCK_TIME` until a header was read. */
  readonly blockTimestamp: number;
  /** `digestLogs` of the stored logs. */
  readonly digest: string;
}

/** What a window that was read from logs alone leaves to be done. */
export interface UnprovenWindow {
  readonly blocks: readonly LogBlock[];
  /** Machines whose ownership has to be read. */
  readonly ownershipOf: readonly MachineId[];
  /** Whether the ownership of all other stored machines has to be read again, because logs that name them may be hidden. */
  readonly rereadsOwnership?: boolean | undefined;
}

/**
 * How a range is known to hold no further logs. `headers`: every header, and the receipts of every block that may hold
 * logs. `second-node`: the logs of two hosts. `sample`: random headers. `unprovable`: two hosts return the same block,
 * which is not the child of the one before it.
 */
export type ProofKind = 'headers' | 'second-node' | 'sample' | 'unprovable';

/** Inclusive range of blocks whose completeness is proven. */
export interface ProofSegment {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly kind: ProofKind;
}

/** Logs that replace the stored ones of a block. */
export interface BlockRepair {
  readonly block: LogBlock;
  /** In chain order. */
  readonly events: readonly EventLogEntry[];
  /** Whether they are those of the block's receipts. */
  readonly isProven: boolean;
}

/** Number of blocks whose logs are not proven, and their extent; undefined without one. */
export interface UnprovenExtent {
  readonly blocks: number;
  readonly oldest: number;
  readonly newest: number;
}

export interface IndexProofStore {
  /** Returns machines whose ownership has to be read, in order of id, after `after`. */
  listUnreadMachines(after: MachineId | undefined, limit: number): Promise<readonly MachineId[]>;
  /**
   * Stores ownership reads, marks their machines for observation and removes them from the unread ones. Returns false,
   * and stores nothing, when the stored checkpoint is not `expected`.
   */
  storeOwnershipReads(expected: Checkpoint, reads: OwnershipReads): Promise<boolean>;
  /** Returns the next machines whose stored ownership has to be read again, in order of id. */
  listRereads(limit: number): Promise<readonly MachineId[]>;
  /**
   * Stores the ownership of the next machines that was read again at `expected`, in order of id, and returns those whose rows differed; they
   * become due for observation. Returns undefined, and stores nothing, when the stored checkpoint is not `expected`.
   */
  storeRereads(expected: Checkpoint, changes: readonly OwnershipChange[]): Promise<readonly MachineId[] | undefined>;
  /** Returns blocks with logs of unknown time below `below`, newest first. */
  listUntimedBlocks(below: number, limit: number): Promise<readonly LogBlock[]>;
  /** Sets the times of blocks and of their logs, where they are unknown, and judges events again whose evidence depends on them. */
  writeBlockTimes(times: readonly { readonly blockNumber: number; readonly blockTimestamp: number }[]): Promise<void>;
  /** Returns unproven blocks below `below`, newest first. */
  listUnprovenBlocks(below: number, limit: number): Promise<readonly LogBlock[]>;
  readUnprovenExtent(): Promise<UnprovenExtent | undefined>;
  /** Returns the blocks with logs of a range that is not complete, ascending. */
  listLogBlocks(fromBlock: number, toBlock: number): Promise<readonly (LogBlock & { readonly isProven: boolean })[]>;
  /** Returns those of the blocks that are stored with logs. */
  filterLogBlocks(numbers: readonly number[]): Promise<readonly number[]>;
  /** Returns the newest block of the range that is stored with logs; undefined without one. */
  findNewestLogBlock(fromBlock: number, toBlock: number): Promise<number | undefined>;
  /** Records that these blocks hold exactly the stored logs, except where others were stored since they were listed. */
  recordProvenBlocks(blocks: readonly LogBlock[]): Promise<void>;
  /**
   * Replaces the stored logs of the blocks where they differ and renumbers the histories they belong to, whose rating
   * states become invalid. Returns false, and stores nothing, when the stored checkpoint is not `expected`, and when ownership is given
   * that is older than that of stored rows. Machines of these histories, of differing ownership and of `touched` become due for observation.
   */
  repairBlocks(
    expected: Checkpoint,
    repairs: readonly BlockRepair[],
    ownership: OwnershipReads,
    touched: TouchedMachines,
  ): Promise<boolean>;
  /**
   * Records those of the blocks as proven that were forgotten after a segment covered them, and of which exactly these logs are stored.
   * Returns their numbers.
   */
  recordForgottenBlocks(blocks: readonly BlockRepair[]): Promise<readonly number[]>;
  /** Returns whether every stored log from `fromBlock` to `toBlock` is proven. */
  areBlocksProven(fromBlock: number, toBlock: number): Promise<boolean>;
  /**
   * Returns whether every stored event log of the machine since its last import is proven, and all blocks after the first of them. False
   * when the history is no longer of this epoch.
   */
  areEventLogsProven(generation: EventGeneration, id: MachineId, epoch: number): Promise<boolean>;
  /** Returns the segments in order; segments of one kind neither touch nor overlap. */
  listProofSegments(): Promise<readonly ProofSegment[]>;
  /** Adds a segment, joined with those of its kind that it touches. */
  addProofSegment(segment: ProofSegment): Promise<void>;
  /**
   * Deletes proven log blocks of a range that a segment covers, except for the newest of all. Returns the block with which to continue;
   * undefined: nothing is left.
   */
  forgetProvenBlocks(fromBlock: number, toBlock: number): Promise<number | undefined>;
}
