/** How does a page of an operator's machines look on the wire? (http-facts 7, decisions 1.) */
import type { FleetPage } from '../../actions/fleet.ts';
import type { ShownMachine } from '../../actions/alt-machine-rating.ts';
import { formatMachineDid, type MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { formatMachineName, toAltStanding } from './machines.ts';

export interface FleetRequest {
  /** As sent, or made from the raw address as sent. */
  readonly operatorDid: string;
  readonly offset: bigint;
  readonly limit: bigint;
}

/** A machine of either generation, as far as an entry tells of it. */
export type ListedMachine = Omit<ShownMachine, 'snapshot'> & { readonly snapshot: { readonly id: MachineId } };
type ListedPage = Omit<FleetPage, 'machines'> & { readonly machines: readonly ListedMachine[] };

/** `GET /operator/{did}/machines`. */
export function toFleetPage(page: ListedPage, { operatorDid, offset, limit }: FleetRequest, namespace: Namespace) {
  const { indexedBlock, headBlock, lagBlocks, headObservedAgeSeconds } = page.index;
  return {
    operator_did: operatorDid,
    machines: page.machines.map((machine) => toEntry(machine, namespace)),
    pagination: { offset, limit, total: page.total },
    unreadable: page.unreadableCount,
    index: {
      indexed_block: indexedBlock,
      head_block: headBlock,
      lag_blocks: lagBlocks,
      head_observed_age_seconds: headObservedAgeSeconds,
      alt_snapshot_age_seconds: page.altSnapshotAgeSeconds ?? null,
    },
  };
}

export function toEntry({ snapshot: { id }, rating, alt }: ListedMachine, namespace: Namespace) {
  return {
    did: formatMachineDid(id, namespace),
    machine_id: String(id),
    mcr_score: rating.score,
    mcr: rating.letter,
    negative_flag: rating.hasNegativeFlag,
    name: formatMachineName(id),
    bond_status: rating.bondStatus,
    event_count: rating.eventCount,
    ...(alt && toAltStanding(alt)),
  };
}
