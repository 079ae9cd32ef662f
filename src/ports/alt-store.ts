/**
 * Stored index of the alt chain: events and fleets (chain-svm 6, "Numbering" and "Walking the history"; 7).
 * Implemented by `adapters/sql`. The store validates nothing: the writer has read, numbered and proven, and is rejected when another
 * process has written since. Every method throws `StoreUnavailable` when the database fails.
 */
import type { AltFleet, SlotObservation } from '../domain/alt-chain/alt-fleet.ts';
import type { EventChange } from '../domain/alt-chain/event-operation.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { ActiveMachine } from '../domain/machine/active-machine.ts';
import type { EventRecord } from '../domain/machine/machine-facts.ts';
import type { SignatureRow } from './alt-chain.ts';
import type { RatingStateDaysWrite, OwnershipPage, StoredRatingStateDay } from './store.ts';

export interface SignatureMark {
  readonly signature: string;
  readonly slot: number;
}

/** Progress through the history. */
export interface AltWalk {
  /** Increases with every write; 0 before the first. */
  readonly revision: number;
  /** Newest signature up to which everything is applied; undefined before the first. */
  readonly done: SignatureMark | undefined;
  /** Slot up to which everything is applied; undefined before the first walk has ended. */
  readonly observed: SlotObservation | undefined;
  /** Interval above `done` that is being listed or applied. */
  readonly open: OpenInterval | undefined;
}

export interface OpenInterval {
  readonly top: SignatureMark;
  /** Oldest row listed so far. */
  readonly cursor: SignatureMark;
  /** The interval is fully listed; the remaining rows are to be applied. */
  readonly isListed: boolean;
  /** Read before the first page. */
  readonly observed: SlotObservation;
}

/** Successful transaction that is listed but not yet applied. */
export type ListedTransaction = Omit<SignatureRow, 'hasFailed'>;

/** Transaction that could not be read; it is read again from `retryAtMilliseconds` of the clock on. */
export interface ParkedTransaction extends ListedTransaction {
  readonly attempts: number;
  readonly retryAtMilliseconds: number;
}

/** Change of a machine's log, and its position on the chain. */
export interface FoundOperation {
  readonly change: EventChange;
  readonly signature: string;
  readonly slot: number;
  /** Position of the transaction in its block; undefined where it is not needed. */
  readonly position: number | undefined;
  /** Position of the operation in its transaction. */
  readonly order: number;
  /** Unix seconds; always present with a record. */
  readonly blockTime: number | undefined;
}

/** Operation with its position in the machine's history. */
export interface NumberedOperation extends FoundOperation {
  /** Counts all operations of the machine, from 0. */
  readonly seq: number;
  readonly incarnation: number;
  /** Undefined without a record, and for a record whose log names an index that is taken. */
  readonly eventIndex: number | undefined;
}

/**
 * `numbering`: the operations contradict each other or have a gap. `counts`: the log account has another count. `last-event`: a request
 * saw another last event in the log account; each request checks it again.
 */
export type AltMachineProblem = 'numbering' | 'counts' | 'last-event';

export interface AltMachineState {
  readonly id: MachineId;
  /** Increases whenever known events turn out to be wrong, and with every incarnation. */
  readonly revision: number;
  readonly incarnation: number;
  /** Events of this incarnation that have an index. */
  readonly eventCount: number;
  /** Index after the largest one of this incarnation. */
  readonly nextIndex: number;
  readonly priorEventCount: bigint;
  /** Number of operations of all incarnations. */
  readonly operationCount: number;
  /** Slot of the newest operation. */
  readonly lastSlot: number;
  /** Unix seconds of this incarnation's newest event. */
  readonly newestBlockTime: number | undefined;
  readonly problem: AltMachineProblem | undefined;
}

export interface AltMachineWrite {
  readonly state: AltMachineState;
  /** The operations replace all stored ones instead of extending them. */
  readonly isRewritten: boolean;
  readonly operations: readonly NumberedOperation[];
}

export interface AltIndexChange {
  /** New state of the walk. */
  readonly walk: Omit<AltWalk, 'revision'>;
  readonly listed?: readonly ListedTransaction[];
  /** Deletes the listed rows up to this slot before it adds others. */
  readonly unlistThroughSlot?: number;
  readonly machines?: readonly AltMachineWrite[];
  /** Transactions to park, or to park again. */
  readonly parked?: readonly ParkedTransaction[];
  /** Signatures that are no longer parked. */
  readonly unparked?: readonly string[];
}

export interface StoredAltEvent {
  readonly eventIndex: number;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly record: EventRecord;
}

/** Rating state of the current revision of a machine's events. `state` is the serialized state of `domain/rating`. */
export interface StoredAltRatingState {
  readonly revision: number;
  readonly nextSeq: number;
  readonly state: string;
}

export interface AltRatingStateWrite extends StoredAltRatingState {
  readonly id: MachineId;
  /** Days up to `nextSeq`; absent where none are stored for the machine, or where they do not continue the stored ones. */
  readonly days?: RatingStateDaysWrite | undefined;
}

/** Stored days of a rating state; `revision` has no meaning without days. */
export interface StoredAltRatingStateDays {
  readonly revision: number;
  /** Oldest first. */
  readonly days: readonly StoredRatingStateDay[];
}

/** Consistent read of a machine's stored history. */
export interface StoredAltHistory {
  readonly walk: AltWalk;
  readonly machine: AltMachineState | undefined;
  /** Undefined when there is none of at most `count` events. */
  readonly state: StoredAltRatingState | undefined;
  /** Ascending, from the state's last event to position `count`, at most `limit`. */
  readonly events: readonly StoredAltEvent[];
}

export interface AltEventStore {
  /**
   * Stores the identity of the indexed deployment (genesis hash, program, layout version), or compares it with the stored one.
   * Returns false, and changes nothing, when the database holds the index of another deployment. The first claim of a process
   * replaces an earlier one while the walk has not begun.
   */
  claimAltIdentity(identity: string): Promise<boolean>;
  readAltWalk(): Promise<AltWalk>;
  /**
   * Applies the change atomically. Returns false, and stores nothing, when the walk's revision is not the expected one, or when
   * the first change no longer has the claim of this process.
   */
  writeAltIndex(expectedRevision: number, change: AltIndexChange): Promise<boolean>;
  /** Returns the oldest listed rows: as many whole slots as contain `count` rows, or all. */
  listOldestListed(count: number): Promise<readonly ListedTransaction[]>;
  /**
   * Returns the transactions that are due for another read, longest waiting first. Those after `latestMilliseconds` are due too: a clock that
   * was ahead has parked them.
   */
  listParked(
    untilMilliseconds: number,
    limit: number,
    latestMilliseconds?: number,
  ): Promise<readonly ParkedTransaction[]>;
  /** Returns the machines in the order of the ids, without unknown ones. */
  readAltMachines(ids: readonly MachineId[]): Promise<readonly AltMachineState[]>;
  /** Returns all machines in order of id. */
  listAltMachines(): Promise<readonly AltMachineState[]>;
  /** Returns the machines with the newest events, newest first. */
  listActiveAltMachines(limit: number): Promise<readonly ActiveMachine[]>;
  /** Returns all operations of a machine in order. */
  listAltOperations(id: MachineId): Promise<readonly NumberedOperation[]>;
  /** Returns the signatures of all operations of a machine, once for each operation. */
  listAltSignatures(id: MachineId): Promise<readonly string[]>;
  /** Returns the events of the current incarnation at indexes `from` to `to - 1`, as far as they exist. */
  listAltEvents(id: MachineId, from: number, to: number): Promise<readonly StoredAltEvent[]>;
  readAltHistory(id: MachineId, ratesFingerprint: string, count: number, limit: number): Promise<StoredAltHistory>;
  /** Returns the newest `limit` days of the current revision. */
  listAltRatingStateDays(id: MachineId, ratesFingerprint: string, limit: number): Promise<StoredAltRatingStateDays>;
  /**
   * Stores rating states; skips one of another revision than the machine's, or behind the stored one of the same fingerprint. Days as in
   * `writeRatingStates`.
   */
  writeAltRatingStates(ratesFingerprint: string, states: readonly AltRatingStateWrite[]): Promise<void>;
  /**
   * Returns the machines without a problem that have at least `least` events after their state, or many events and days that end before
   * it; in order of id, after `after`.
   */
  listAltUnfolded(
    ratesFingerprint: string,
    least: number,
    limit: number,
    after?: MachineId,
  ): Promise<readonly { readonly machine: AltMachineState; readonly state: StoredAltRatingState | undefined }[]>;
}

/** Machine of a fleet, and the chain that lists it. */
export interface FleetRow {
  readonly id: MachineId;
  readonly listedBy: 'main' | 'alt';
}

export interface FleetListing extends Pick<OwnershipPage, 'indexedBlock' | 'tokens'> {
  /** Observation of the alt chain's rows; undefined: no snapshot of this deployment. */
  readonly observation: SlotObservation | undefined;
  /** Number of alt-chain rows of this operator that failed a check and are not in the list. */
  readonly unreadableRows: number;
  /** Machines in the alt chain's rows of this operator that the main chain's index holds for others; ascending. */
  readonly onBoth: readonly MachineId[];
  /** Total of both chains; those on both count for their holder on the main chain only. */
  readonly total: number;
  /** Ascending as numbers. */
  readonly machines: readonly FleetRow[];
}

/**
 * Fleet snapshot of the alt chain, and fleet lists of both chains (chain-svm 7). A snapshot belongs to the deployment `identity`; that of
 * another deployment is ignored.
 */
export interface AltFleetStore {
  readAltFleetObservation(identity: string): Promise<SlotObservation | undefined>;
  /**
   * Replaces the snapshot in one transaction.
   * Returns false, and stores nothing, when the stored observation is not `expected` (another process was first).
   */
  replaceAltFleet(
    identity: string,
    expected: SlotObservation | undefined,
    next: SlotObservation,
    fleet: Pick<AltFleet, 'machinesByOperator' | 'unreadableByOperator'>,
  ): Promise<boolean>;
  /** Returns one page of both chains from one consistent read. The cost does not depend on the offset. */
  listFleet(identity: string, operator: Address, offset: number, limit: number): Promise<FleetListing>;
}
