/**
 * Storage of changes (docs/decisions/changes.md): the machines to observe, what was observed of each, and the changes in one order.
 * Every method throws `StoreUnavailable`.
 */
import type {
  ChangeKind,
  ChangePage,
  ChangeRange,
  MachineChange,
  MachineValues,
} from '../domain/changes/machine-change.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { MachineListing } from '../domain/machine/machine-directory.ts';

/** Machines that logs of a range of blocks may have changed. */
export interface TouchedMachines {
  readonly machines: readonly MachineId[];
  /** Operators whose KYB record may have changed; each touches its machines. */
  readonly kybOperators: readonly Address[];
}

/** Machine whose observation is due, as stored. */
export interface DueMachine {
  readonly id: MachineId;
  /** Grows with every write of the values. */
  readonly version: number;
  /** Grows with every touch. */
  readonly touches: number;
  /** Undefined: never observed, or absent when it was. */
  readonly values: MachineValues | undefined;
  /** Undefined: not listed in the directory yet. */
  readonly listing: MachineListing | undefined;
  /** The machine was known but never observed when the feed opened: its first observation adds no changes. */
  readonly precedesFeed?: true | undefined;
}

export interface ObservationWrite {
  readonly machine: DueMachine;
  readonly values: MachineValues | undefined;
  /** What the directory lists; left out: the machine is not listed. */
  readonly listing?: MachineListing | undefined;
  /** Whether the machine was found to be absent; it is observed again when something touches it. */
  readonly isAbsent: boolean;
  readonly changes: readonly MachineChange[];
  /** Unix seconds of the next observation. */
  readonly dueAt: number;
  /** Final block that was observed; left out where nothing was. */
  readonly blockNumber?: number;
}

export interface ChangeQuery {
  /** Cursor that the page begins after. */
  readonly after: number;
  readonly limit: number;
  /** Undefined: every kind. */
  readonly kinds?: readonly ChangeKind[] | undefined;
}

/** Changes that are scanned for one page. Bounds the cost of a page of rare kinds. */
export const MAX_SCANNED_CHANGES = 1_000;

export interface ChangeStore {
  /** Lists machines that are touched or due at `nowSeconds`, the longest due first. */
  listDueMachines(nowSeconds: number, limit: number): Promise<DueMachine[]>;
  /** Returns the second at which the next machine is due that nothing has touched; undefined without one. */
  readNextDue(): Promise<number | undefined>;
  /**
   * Stores observations and numbers their changes, in one transaction. Skips a machine whose values another process wrote meanwhile.
   * A machine that was touched meanwhile stays due, and so does one with a new operator where the index has passed the observed block: a touch of the
   * operator in between did not reach it. While the feed is closed, first observations add no changes. Returns the number of
   * added changes.
   */
  writeObservations(writes: readonly ObservationWrite[]): Promise<number>;
  /** Opens the feed: from now on the first observation of a machine that was not known before adds changes. */
  openChanges(nowSeconds: number): Promise<void>;
  /** Returns at most `limit` changes out of the next `MAX_SCANNED_CHANGES`, from one consistent read. */
  listChanges(query: ChangeQuery): Promise<ChangePage>;
  readChangeRange(): Promise<ChangeRange>;
  /** Deletes changes that are older than `beforeSeconds` or not among the newest `maxChanges`. Returns false when more are left to delete. */
  pruneChanges(beforeSeconds: number, maxChanges: number): Promise<boolean>;
}
