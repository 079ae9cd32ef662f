/**
 * What does the service remember of the alt chain's events? (chain-svm 6, "Numbering" and "Walking the history".)
 * Implemented by `adapters/sql`. The store judges nothing: who writes has read, numbered and proven, and is refused when another process has
 * written since. Every method throws `StoreUnavailable` when the database fails.
 */
import type { AltFleet, AltFleetObservation } from '../domain/alt-chain/alt-fleet.ts';
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

/** A finalized slot, and the clock's milliseconds at which it was read. */
export interface ObservedSlot {
  readonly slot: number;
  readonly atMilliseconds: number;
}

/** How far the history is known. */
export interface AltWalk {
  /** Grows with every write; 0: nothing was ever written. */
  readonly revision: number;
  /** Newest signature below which all is applied; undefined until something was. */
  readonly done: SignatureMark | undefined;
  /** As of this slot all is applied; undefined before the first walk has ended. */
  readonly observed: ObservedSlot | undefined;
  /** The interval above `done` that is being listed, or applied. */
  readonly open: OpenInterval | undefined;
}

export interface OpenInterval {
  readonly top: SignatureMark;
  /** Oldest row listed so far. */
  readonly cursor: SignatureMark;
  /** All of it is listed; what is left of its rows is to be applied. */
  readonly isListed: boolean;
  /** Read before its first page was. */
  readonly observed: ObservedSlot;
}

/** A successful transaction that is listed and not yet applied. */
export type ListedTransaction = Omit<SignatureRow, 'hasFailed'>;

/** A transaction that could not be read; it is asked for again from `retryAtMilliseconds` of the clock on. */
export interface ParkedTransaction extends ListedTransaction {
  readonly attempts: number;
  readonly retryAtMilliseconds: number;
}

/** One change of a machine's log, and where it was found. */
export interface FoundOperation {
  readonly change: EventChange;
  readonly signature: string;
  readonly slot: number;
  /** Of the transaction in its block; undefined where nobody had to ask. */
  readonly position: number | undefined;
  /** Of the operation among those of its transaction. */
  readonly order: number;
  /** Unix seconds; there is one wherever there is a record. */
  readonly blockTime: number | undefined;
}

/** An operation with its place in the machine's history. */
export interface NumberedOperation extends FoundOperation {
  /** Counts all operations of the machine, from 0. */
  readonly seq: number;
  readonly incarnation: number;
  /** Undefined without a record, and where a record has no place: its log names one that is taken. */
  readonly eventIndex: number | undefined;
}

/**
 * `numbering`: the operations contradict each other or leave a gap. `counts`: the log account counts otherwise. `last-event`: a request saw
 * another last event in the log account, which is judged anew by each request.
 */
export type AltMachineProblem = 'numbering' | 'counts' | 'last-event';

export interface AltMachineState {
  readonly id: MachineId;
  /** Grows whenever what was known of the events turns out otherwise, and with every new incarnation. */
  readonly revision: number;
  readonly incarnation: number;
  /** Events of this incarnation that have an index. */
  readonly eventCount: number;
  /** The index after the largest of this incarnation. */
  readonly nextIndex: number;
  readonly priorEventCount: bigint;
  /** Operations of all incarnations. */
  readonly operationCount: number;
  /** Slot of the newest operation. */
  readonly lastSlot: number;
  /** Unix seconds; of this incarnation's newest event. */
  readonly newestBlockTime: number | undefined;
  readonly problem: AltMachineProblem | undefined;
}

export interface AltMachineWrite {
  readonly state: AltMachineState;
  /** The operations are all that the machine has, instead of further ones. */
  readonly isRewritten: boolean;
  readonly operations: readonly NumberedOperation[];
}

export interface AltIndexChange {
  /** What the walk becomes. */
  readonly walk: Omit<AltWalk, 'revision'>;
  readonly listed?: readonly ListedTransaction[];
  /** Forgets the listed rows up to this slot, before it adds others. */
  readonly unlistThroughSlot?: number;
  readonly machines?: readonly AltMachineWrite[];
  /** Parked, or parked once more. */
  readonly parked?: readonly ParkedTransaction[];
  /** Parked no longer. */
  readonly unparked?: readonly string[];
}

export interface StoredAltEvent {
  readonly eventIndex: number;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly record: EventRecord;
}

/** A fold of the current revision of a machine's events. `state` is the serialized fold of `domain/rating`. */
export interface StoredAltRatingState {
  readonly revision: number;
  readonly nextSeq: number;
  readonly state: string;
}

export interface AltRatingStateWrite extends StoredAltRatingState {
  readonly id: MachineId;
  /** As of `RatingStateWrite`. */
  readonly days?: RatingStateDaysWrite | undefined;
}

/** The days of a fold; without any, the revision says nothing. */
export interface StoredAltRatingStateDays {
  readonly revision: number;
  /** Oldest first. */
  readonly days: readonly StoredRatingStateDay[];
}

/** All of one moment. */
export interface StoredAltHistory {
  readonly walk: AltWalk;
  readonly machine: AltMachineState | undefined;
  /** Undefined when there is none of at most `count` events. */
  readonly state: StoredAltRatingState | undefined;
  /** Ascending: from the fold's last event on, up to the one at position `count`, at most `limit`. */
  readonly events: readonly StoredAltEvent[];
}

export interface AltEventStore {
  /** Like `claimMainChainIdentity`: genesis hash, program and layout version. */
  claimAltIdentity(identity: string): Promise<boolean>;
  readAltWalk(): Promise<AltWalk>;
  /** All of the change or nothing. False, and nothing stored: the walk's revision is not the expected one. */
  writeAltIndex(expectedRevision: number, change: AltIndexChange): Promise<boolean>;
  /** The oldest listed rows: as many whole slots as hold `count` rows, or all. */
  listOldestListed(count: number): Promise<readonly ListedTransaction[]>;
  /** Those to be asked for again by now, longest waiting first. */
  listParked(untilMilliseconds: number, limit: number): Promise<readonly ParkedTransaction[]>;
  /** In the order of the ids; those unknown are left out. */
  readAltMachines(ids: readonly MachineId[]): Promise<readonly AltMachineState[]>;
  /** In order of id. */
  listAltMachines(): Promise<readonly AltMachineState[]>;
  /** Those whose newest event is the newest, that one first. */
  listActiveAltMachines(limit: number): Promise<readonly ActiveMachine[]>;
  /** All operations of a machine in their order. */
  listAltOperations(id: MachineId): Promise<readonly NumberedOperation[]>;
  /** Events of the current incarnation at indexes `from` to `to - 1`, as many as there are. */
  listAltEvents(id: MachineId, from: number, to: number): Promise<readonly StoredAltEvent[]>;
  readAltHistory(id: MachineId, ratesFingerprint: string, count: number, limit: number): Promise<StoredAltHistory>;
  /** Of the current revision, the newest `limit` days. */
  listAltRatingStateDays(id: MachineId, ratesFingerprint: string, limit: number): Promise<StoredAltRatingStateDays>;
  /** Keeps folds; one of another revision than the machine's, or behind the one kept under the same fingerprint, is left out. Days as by `writeRatingStates`. */
  writeAltRatingStates(ratesFingerprint: string, folds: readonly AltRatingStateWrite[]): Promise<void>;
  /**
   * Machines without a problem that have at least `least` events after their fold, or many events and days that end before it; in order of id,
   * after `after`.
   */
  listAltUnfolded(
    ratesFingerprint: string,
    least: number,
    limit: number,
    after?: MachineId,
  ): Promise<readonly { readonly machine: AltMachineState; readonly fold: StoredAltRatingState | undefined }[]>;
}

/**
 * Which machines does the alt chain list under an operator, as of the last snapshot, and what is the list of both chains? (chain-svm 7.)
 * Implemented by `adapters/sql` as a part of `Store`. A snapshot belongs to a deployment, its `identity`: that of another one is as good as none.
 */

/** Where a machine of a list is listed. */
export interface FleetRow {
  readonly id: MachineId;
  readonly listedBy: 'main' | 'alt';
}

export interface FleetListing extends Pick<OwnershipPage, 'indexedBlock'> {
  /** Of the rows of the alt chain; undefined: there is no snapshot of this deployment. */
  readonly observation: AltFleetObservation | undefined;
  /** Rows of the alt chain under this operator that failed a check; they stand nowhere in the list. */
  readonly unreadableRows: number;
  /** Of both chains. A machine that the main chain's index holds, under whichever address, is not counted for the alt chain. */
  readonly total: number;
  /** Ascending as numbers. */
  readonly machines: readonly FleetRow[];
}

export interface AltFleetStore {
  readAltFleetObservation(identity: string): Promise<AltFleetObservation | undefined>;
  /**
   * Stores a whole snapshot in place of the one before, in one transaction.
   * False, and nothing stored: the observation stored is not `expected` (another process was first).
   */
  replaceAltFleet(
    identity: string,
    expected: AltFleetObservation | undefined,
    next: AltFleetObservation,
    fleet: Pick<AltFleet, 'machinesByOperator' | 'unreadableByOperator'>,
  ): Promise<boolean>;
  /** One page of both chains; all of one state of the rows. Costs the same at every offset. */
  listFleet(identity: string, operator: Address, offset: number, limit: number): Promise<FleetListing>;
}
