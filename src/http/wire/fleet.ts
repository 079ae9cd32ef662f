/** Maps a page of an operator's machines to its response (http-facts 7, decisions 1). */
import type { FleetPage } from '../../actions/fleet.ts';
import type { MachineSummary } from '../../actions/alt-machine-rating.ts';
import { formatMachineDid, type MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { formatMachineName, toAltHome } from './machines.ts';
import type { FleetEntry, FleetIndex, FleetResponse } from './response-types.ts';
import type { Sent } from './sent.ts';

export interface FleetRequest {
  /** The DID as sent, or that of the raw address as sent. */
  readonly operatorDid: string;
  readonly offset: bigint;
  readonly limit: bigint;
}

/** Members of a machine or legacy machine that the entry contains. */
export type ListedMachine = Omit<MachineSummary, 'snapshot'> & { readonly snapshot: { readonly id: MachineId } };
type ListedPage = Omit<FleetPage, 'machines'> & { readonly machines: readonly ListedMachine[] };

/** `GET /operator/{did}/machines`. */
export function toFleetPage(
  page: ListedPage,
  { operatorDid, offset, limit }: FleetRequest,
  namespace: Namespace,
): Sent<FleetResponse> {
  return {
    operator_did: operatorDid,
    machines: page.machines.map((machine) => toEntry(machine, namespace)),
    pagination: { offset, limit, total: page.total },
    unreadable: page.unreadableCount,
    index: toFleetIndex(page),
  };
}

/** Ages of the indexes that a list comes from. */
export function toFleetIndex({
  index,
  altSnapshotAgeSeconds,
}: Pick<FleetPage, 'index' | 'altSnapshotAgeSeconds'>): FleetIndex {
  return {
    indexed_block: index.indexedBlock,
    head_block: index.headBlock,
    lag_blocks: index.lagBlocks,
    head_observed_age_seconds: index.headObservedAgeSeconds,
    alt_snapshot_age_seconds: altSnapshotAgeSeconds ?? null,
  };
}

export function toEntry({ snapshot: { id }, rating, alt }: ListedMachine, namespace: Namespace): FleetEntry {
  return {
    did: formatMachineDid(id, namespace),
    machine_id: String(id),
    mcr_score: rating.score,
    mcr: rating.letter,
    negative_flag: rating.hasNegativeFlag,
    name: formatMachineName(id),
    bond_status: rating.bondStatus,
    event_count: rating.eventCount,
    ...(alt && toAltHome(alt)),
  };
}
