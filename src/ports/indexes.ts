/** Ports of the indexes: their progress, and what they know of events and fleets. Implemented by `indexing/`. */
import type { IndexProof } from '../domain/index-rules/index-proof.ts';
import type { AltMachineSnapshot } from '../domain/alt-chain/alt-machine-facts.ts';
import type { ExplainedCause } from '../domain/index-rules/index-cause.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { BlockRef, EventRecord, MachineSnapshot } from '../domain/machine/machine-facts.ts';
import type { FactLog } from '../domain/machine/fact-log.ts';
import type { EventEvidence, Provenance } from '../domain/machine/provenance.ts';
import type { DayHistory } from '../domain/rating/daily-rating.ts';
import type { RatingEvent } from '../domain/rating/event.ts';
import type { RatingState } from '../domain/rating/rating-state.ts';
import type { ProofSegment } from './index-proof.ts';
import type { EventGeneration } from './main-chain.ts';
import type { IndexedTokens } from './store.ts';

/** Progress of the main-chain index, read per request; freshness is judged from it and the clock (architecture, rule 6). */
export interface MainChainIndexStatus {
  /** Last block whose logs are stored; undefined before the first commit. */
  readonly indexedBlock: number | undefined;
  /** `latest` as the worker last read it; undefined before the first read. */
  readonly headBlock: number | undefined;
  /** Clock milliseconds of that reading. */
  readonly headObservedAtMilliseconds: number | undefined;
  /**
   * False while machines with recent events are refused, whatever the lag: block times or owners are missing, or the head follower of this
   * process is not joined to the index.
   */
  readonly servesRatings?: boolean | undefined;
  /** Whether nothing is served until blocks that another mode stored are proven (`INDEX_PROOF=before`). */
  readonly isHeldBack?: boolean | undefined;
  readonly proof?: IndexProofStatus | undefined;
}

/** Progress of the proof of the main-chain index (design/real-chains.md 1). */
export interface IndexProofStatus {
  readonly mode: IndexProof;
  /** Whether all owners and block times of the backfill are known. */
  readonly isBackfilled: boolean;
  /** Blocks whose stored logs are not proven. */
  readonly unprovenBlocks: number;
  readonly segmentCount: number;
  /** Newest ranges that are known to hold no other logs, newest first. */
  readonly segments: readonly ProofSegment[];
}

export interface IndexStatus {
  /** Throws `ChainUnreadable` while the stored index is rejected because it belongs to another chain or deployment; and `StoreUnavailable`. */
  readMainChainIndex(): Promise<MainChainIndexStatus>;
}

/** Compares the index with the contracts' own counters (design/real-chains 1). A difference starts a repair. */
export interface IndexCounters {
  /**
   * Returns when the index holds as many tokens of the address as `balanceOf` counts. Throws `OwnershipIndexRepairing` when it does not,
   * and `ChainUnreadable`.
   */
  checkTokens(owner: Address, tokens: IndexedTokens): Promise<void>;
  /**
   * Returns when the newest logs of the machine name its owner, its controller and its chip record, and none of the latter is missing.
   * `corrected`: its row was wrong until now, and so were listings. Throws `EventIndexSyncing` when one does not, and `ChainUnreadable`.
   * With the ordinal of this chain, the row also names the machine's home, or does so once it has been read again.
   */
  checkMachine(snapshot: MachineSnapshot, localOrdinal?: number): Promise<MachineCheck>;
}

export interface MachineCheck {
  readonly outcome: 'agrees' | 'corrected';
  /** Stored epoch of the machine's history, to whose logs the check applies. */
  readonly epoch: number;
}

/** What this process knows of its loops that read a chain. */
export interface IndexHealth {
  /** Causes that stop or slow them now, each once. */
  listCauses(): readonly ExplainedCause[];
}

/** Log of the record at position `seq`; `eventType`, `value` and `eventIndex` prove that both belong together. */
export interface EventLogRow extends EventEvidence {
  readonly seq: number;
  readonly eventIndex: bigint;
  readonly eventType: number;
  readonly value: bigint;
  readonly blockNumber: number;
  readonly blockTimestamp: number;
}

/** A machine as of one block. */
export interface PinnedMachine {
  readonly generation: EventGeneration;
  readonly id: MachineId;
  readonly block: BlockRef;
  /** Whether the history was restarted at least once, possibly after what is stored. Its logs must be proven. */
  readonly hasPriorEvents: boolean;
}

/** A machine with the number of its records at the block. */
export interface CountedMachine extends PinnedMachine {
  readonly count: number;
}

/** History of a machine as of one block, without its events. */
export interface PinnedHistory {
  readonly epoch: number;
  /** Epoch at the checkpoint, without imports in followed blocks. */
  readonly storedEpoch: number;
  readonly provenance: Provenance;
}

export interface EventLogQuery extends PinnedMachine {
  /** Position of the first record. */
  readonly from: number;
  /** Position after the last record. */
  readonly to: number;
  /** Number of records at the block; compared with the logs where the history was restarted. */
  readonly total?: number | undefined;
  /** Epoch of the history that the rows are joined with. */
  readonly epoch?: number | undefined;
}

/**
 * Block times of a machine's events, which only the logs contain (chain-evm 3.7). Combines the stored index up to the finalized block
 * with the head follower above it.
 */
export interface EventTimes {
  /**
   * Returns the logs of the records at positions `from` to `to - 1`, as of `block`.
   * Throws `EventIndexSyncing` while not all logs are known, or when the history is of another epoch, `ChainUnreadable` when the node cannot be read.
   */
  readEventLogs(query: EventLogQuery): Promise<readonly EventLogRow[]>;

  /**
   * Returns the history of the machine as of `block`. Also proves that the stored logs belong to the chain of the block, and are proven
   * where they must be: throws `EventIndexSyncing` while it cannot, `ChainUnreadable` when they do not.
   */
  readPinnedHistory(machine: CountedMachine): Promise<PinnedHistory>;

  /**
   * Returns the logs of the bond, the flag and the override of a machine as of `block`, in chain order. Undefined while not all
   * of them, or their times, are known. Throws as `readPinnedHistory`.
   */
  readFactLogs(id: MachineId, block: BlockRef): Promise<readonly FactLog[] | undefined>;
}

/** Events of one machine's current incarnation, as input of the model. */
export interface AltHistoryRead {
  /**
   * Whether these are all events that the machine's log account counts. False: the rating is unavailable, and these are the events
   * indexed so far.
   */
  readonly isComplete: boolean;
  readonly state: RatingState;
  /** All events after the state. */
  readonly tail: readonly RatingEvent[];
}

/** Progress of the alt chain's event index, for `/ready`. */
export interface AltIndexStatus {
  /** The node serves the whole history, and everything listed is applied. */
  readonly isReady: boolean;
  /** Finalized slot up to which everything is applied; undefined before the first one. */
  readonly slot: number | undefined;
  /** Clock milliseconds at which the slot was read. */
  readonly observedAtMilliseconds: number | undefined;
  /** Undefined where nothing has been listed yet, or the stored index is not of this deployment. */
  readonly progress: AltWalkProgress | undefined;
}

/**
 * Progress through the history. New transactions are first listed, newest to oldest, then applied, oldest to newest; `following`: all
 * known ones are applied.
 */
export interface AltWalkProgress {
  readonly phase: 'listing' | 'applying' | 'following';
  /** Slot up to which transactions are applied; undefined before the first. */
  readonly appliedSlot: number | undefined;
  /** Slot of the newest transaction known. */
  readonly targetSlot: number;
  /** Slot of the oldest transaction listed; undefined unless listing. */
  readonly listedDownToSlot: number | undefined;
}

/** Index of the alt chain's events (chain-svm 6). */
export interface AltIndex {
  /**
   * Returns the events up to exactly the count of the snapshot's log account. Throws `ChainUnreadable{alt, events}` when the stored last
   * record contradicts the account's, `StoreUnavailable`.
   */
  readHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<AltHistoryRead>;
  /**
   * Returns the records at positions `from` to `to - 1` of the current incarnation, with the events of the model; fewer when fewer are
   * known, and none when the last event of the log account is another one. Only where that last event is known are all records of this
   * incarnation.
   */
  readEvents(
    snapshot: AltMachineSnapshot,
    from: number,
    to: number,
  ): Promise<{ readonly records: readonly EventRecord[]; readonly events: readonly RatingEvent[] }>;
  /**
   * Returns all events up to the count of the snapshot's log account, as far as possible as stored days; undefined where too many would
   * have to be read, or where they are not proven to be the events that the account counts.
   */
  readDayHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<DayHistory | undefined>;
  readStatus(): Promise<AltIndexStatus>;
}
