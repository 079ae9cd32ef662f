/**
 * What is a page of a list made of? The two reads that a copy of the database may answer as well, each of one state of the rows and with the block up to which they are
 * indexed, so that a copy which lags is seen to.
 */
import type { AltFleetStore } from './alt-fleet-store.ts';
import type { OwnershipStore } from './ownership-store.ts';

export type ListStore = Pick<OwnershipStore, 'listHoldings'> & Pick<AltFleetStore, 'listFleet'>;
