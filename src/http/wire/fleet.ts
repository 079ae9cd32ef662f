/** How does a page of an operator's machines look on the wire? (http-facts 7, decisions 1.) */
import type { FleetPage } from '../../actions/fleet.ts';
import type { ShownMachine } from '../../actions/alt-machine-rating.ts';
import { formatMachineDid } from '../../domain/identifiers.ts';
import type { Namespace } from '../../domain/namespace.ts';
import { formatMachineName, toAltStanding } from './machines.ts';

export interface FleetRequest {
  /** As sent, or made from the raw address as sent. */
  readonly operatorDid: string;
  readonly offset: number;
  readonly limit: number;
}

/** `GET /operator/{did}/machines`. */
export function toFleetPage(page: FleetPage, { operatorDid, offset, limit }: FleetRequest, namespace: Namespace) {
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

function toEntry({ snapshot: { id }, rating, alt }: ShownMachine, namespace: Namespace) {
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
