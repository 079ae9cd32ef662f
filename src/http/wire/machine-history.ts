/** Maps the history of a rating and the listing of events to their responses (decisions 4). */
import type { EventListing, ListedEvent, MachineHistory } from '../../actions/machine-history.ts';
import { formatMachineDid } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { listRatingActions } from '../../domain/rating/rating-actions.ts';
import { formatDay } from '../../domain/rating/utc-day.ts';
import { toAltHome, toMachineEvent } from './machines.ts';
import type { EventEntry, EventListingResponse, HistoryResponse } from './response-types.ts';
import type { Sent } from './sent.ts';

/** `GET /mcr/{did}/history`. */
export function toHistory(
  { rated, isComplete, revenueBeforeCents, days, changes, bond }: MachineHistory,
  namespace: Namespace,
): HistoryResponse {
  const { snapshot, rating, alt } = rated;
  return {
    did: formatMachineDid(snapshot.id, namespace),
    machine_id: String(snapshot.id),
    model: rating.model,
    complete: isComplete,
    bond: {
      status: bond.status,
      period_end: bond.periodEnd ?? null,
      grace_end: bond.graceEnd ?? null,
    },
    revenue_before: revenueBeforeCents,
    points: days.map(({ day, letter, score, totalHundredths, isDegraded, revenueCents, facts }) => ({
      day: formatDay(day),
      mcr_score: score,
      mcr: letter,
      mcr_degraded: isDegraded,
      total_hundredths: totalHundredths,
      revenue: revenueCents,
      bond_status: facts.bondStatus,
    })),
    changes: changes.map(({ at, kind, value }) => ({ at, kind, value: value ?? null })),
    actions: listRatingActions(days).map(({ day, from, to, cause }) => ({ day: formatDay(day), from, to, cause })),
    ...(alt && toAltHome(alt)),
  };
}

/** `GET /machines/{machine_id}/events`. */
export function toEventListing(
  { snapshot, eventCount, events, nextCursor, alt }: EventListing,
  namespace: Namespace,
): Sent<EventListingResponse> {
  return {
    did: formatMachineDid(snapshot.id, namespace),
    machine_id: String(snapshot.id),
    event_count: eventCount,
    events: events.map(toEventEntry),
    next_cursor: nextCursor ?? null,
    ...(alt && toAltHome(alt)),
  };
}

function toEventEntry(event: ListedEvent): Sent<EventEntry> {
  const { record, position, blockTimestamp, judgement, amount, evidence, payment } = event;
  return {
    position,
    ...toMachineEvent({ record, amount }),
    block_timestamp: blockTimestamp,
    judgement,
    data_hash: record.dataHash,
    source_chain_id: String(record.sourceChainId),
    source_tx_hash: record.sourceTxHash,
    class: evidence ?? null,
    verdict: payment?.code ?? null,
    paid_cents: payment?.paidCents ?? 0,
    source: payment?.source ?? null,
    token: payment?.token ?? null,
    payer: payment?.payer ?? null,
    worth_cents: payment?.worthCents ?? null,
    returned_cents: payment?.returnedCents ?? null,
  };
}
