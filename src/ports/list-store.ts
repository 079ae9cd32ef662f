/**
 * What is a page of a list made of? The two reads that a copy of the database may answer as well, each of one state of the rows and with the block up to which they are
 * indexed, so that a copy which lags is seen to.
 */
import type { AltFleetStore } from './alt-fleet-store.ts';
import type { OwnershipStore } from './ownership-store.ts';

export type ListStore = Pick<OwnershipStore, 'listHoldings'> & Pick<AltFleetStore, 'listFleet'>;

/** A copy of the store's lists, which may lag, fail or fall silent, and is left alone for a while when it does. */
export interface ListCopy {
  /** What `list` reads there, if `isFit` says so of it. Undefined: to be read from the store itself. */
  readCopy<T>(list: (copy: ListStore) => Promise<T>, isFit: (page: T) => boolean): Promise<T | undefined>;
}
