/**
 * Who owns or controls which machines of the main chain? Rows that the index decided by reads, as of its checkpoint (chain-evm 4).
 * Implemented by `adapters/sql` as a part of `Store`.
 */
import type { Address, MachineId } from '../domain/identifiers.ts';

/** What the chain says about one machine at the last block of a window. */
export type OwnershipChange =
  | { readonly kind: 'held'; readonly id: MachineId; readonly owner: Address; readonly controller: Address | undefined }
  /** No token here: retired, bridged out, reissued. */
  | { readonly kind: 'gone'; readonly id: MachineId };

/** What was read about the machines that the logs of a range name. */
export interface OwnershipReads {
  /** The block they were read at: the last of the range or, where its state may be gone, a later one. */
  readonly readAtBlock: number;
  readonly changes: readonly OwnershipChange[];
}

export interface HoldingPage {
  /** The block that all rows are of; undefined while some were read at a block that the index has not reached. */
  readonly indexedBlock: number | undefined;
  /** How many machines the address owns or controls. */
  readonly total: number;
  /** Ascending as numbers. */
  readonly ids: readonly MachineId[];
}

export interface OwnershipStore {
  /** One entry per machine, also when the address both owns and controls it; all of one state of the rows. Costs the same at every offset. */
  listHoldings(address: Address, offset: number, limit: number): Promise<HoldingPage>;
}
