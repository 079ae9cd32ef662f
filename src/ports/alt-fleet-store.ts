/**
 * Which machines does the alt chain list under an operator, as of the last snapshot, and what is the list of both chains? (chain-svm 7.)
 * Implemented by `adapters/sql` as a part of `Store`. A snapshot belongs to a deployment, its `identity`: that of another one is as good as none.
 */
import type { AltFleet, AltFleetObservation } from '../domain/alt-fleet.ts';
import type { Address, MachineId } from '../domain/identifiers.ts';
import type { HoldingPage } from './ownership-store.ts';

/** Where a machine of a list is listed. */
export interface ListedMachine {
  readonly id: MachineId;
  readonly listedBy: 'main' | 'alt';
}

export interface FleetListing extends Pick<HoldingPage, 'indexedBlock'> {
  /** Of the rows of the alt chain; undefined: there is no snapshot of this deployment. */
  readonly observation: AltFleetObservation | undefined;
  /** Rows of the alt chain under this operator that failed a check; they stand nowhere in the list. */
  readonly unreadableRows: number;
  /** Of both chains. A machine that the main chain's index holds, under whichever address, is not counted for the alt chain. */
  readonly total: number;
  /** Ascending as numbers. */
  readonly machines: readonly ListedMachine[];
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
