/**
 * Search of one machine's events for payout proofs and citations (design/scoring.md, Claims, Verdict 1). A pure function of finalized
 * records in chain order.
 */
import { fromHex } from '../../domain/evidence/signed-bytes.ts';
import type { EventRecord } from '../../domain/machine/machine-facts.ts';
import { convertAmount } from '../../domain/rating/amount.ts';
import { LEAST_QUALIFYING_CENTS, REVENUE_TYPE } from '../../domain/rating/constants.ts';
import { eventDay, judgeEvent, type RatingEvent } from '../../domain/rating/event.ts';
import { findCitation, isFollowed, toCitingEvent, type CitedSource } from '../../domain/rating/paid/citation.ts';
import { applyClaimRecord, claimsInForceAt, type ClaimContext } from '../../domain/rating/paid/claims.ts';
import { parsePayoutProof } from '../../domain/rating/paid/payout-proof.ts';
import type { RateTable } from '../../domain/rating/rate-table.ts';
import { dayOf } from '../../domain/rating/utc-day.ts';
import type { ChainPlace, NewCitation, PlacedClaim } from '../../ports/payment-store.ts';

/** Event of a machine with its record. */
export interface ScannedEvent {
  readonly event: RatingEvent;
  readonly record: EventRecord;
}

/** Transfer of a main-chain machine; without `to` it is a burn. */
export interface OwnerLog {
  readonly place: ChainPlace;
  readonly to: string | undefined;
  readonly blockTimestamp: number;
}

/** Events that may make claims, with their places, and what a main-chain machine's owner was. */
export interface ClaimSearch {
  readonly events: readonly ScannedEvent[];
  readonly places: readonly ChainPlace[];
  /** All transfers of a main-chain machine in chain order; undefined on the alt chain. */
  readonly ownerLogs: readonly OwnerLog[] | undefined;
  /** Number of events when the search includes everything up to the head; undefined while more events follow. */
  readonly endSeq: number | undefined;
}

/** Returns whether the metadata of an event holds a payout proof, valid or not. */
export function carriesProof({ record }: ScannedEvent): boolean {
  return record.metadata.length > 2 && parsePayoutProof(toBytes(record)) !== undefined;
}

/** Applies events and transfers to the claims of a machine. A transfer that was applied before changes nothing. */
export function searchClaims(
  before: readonly PlacedClaim[],
  { events, places, ownerLogs = [], endSeq }: ClaimSearch,
  context: ClaimContext,
  isMainChain: boolean,
): readonly PlacedClaim[] {
  let claims = before;
  let owner: string | undefined;
  let nextLog = 0;
  const applyLogsBefore = (place: ChainPlace | undefined, seq: number): void => {
    for (; nextLog < ownerLogs.length; nextLog++) {
      const log = ownerLogs[nextLog]!;
      if (place !== undefined && !isBefore(log.place, place)) return;
      const isEnd = log.to === undefined || (owner !== undefined && log.to !== owner);
      if (isEnd && claims.some((claim) => claim.end === undefined && isBefore(claim.place, log.place))) {
        claims = applyClaimRecord(
          claims,
          { kind: 'end', seq, blockTimestamp: log.blockTimestamp },
          context,
        ) as readonly PlacedClaim[];
      }
      owner = log.to ?? owner;
    }
  };
  events.forEach((scanned, index) => {
    const seq = Number(scanned.event.seq);
    const place = places[index]!;
    applyLogsBefore(place, seq);
    // Without a known owner no proof of a main-chain machine is valid.
    if (isMainChain && owner === undefined) return;
    const { blockTimestamp } = scanned.event;
    const after = applyClaimRecord(
      claims,
      { kind: 'event', seq, blockTimestamp, owner: isMainChain ? owner : undefined, metadata: toBytes(scanned.record) },
      context,
    );
    claims = after.map((claim) => ({ ...claim, place: (claim as Partial<PlacedClaim>).place ?? toPlace(place) }));
  });
  if (endSeq !== undefined) applyLogsBefore(undefined, endSeq);
  return claims;
}

export interface CitationSearch {
  readonly events: readonly ScannedEvent[];
  /** All claims that the events can rely on. */
  readonly claims: readonly PlacedClaim[];
  readonly sources: readonly CitedSource[];
  readonly rates: RateTable;
  /** Followed citations before the events, in blocks of the first event's day. */
  readonly citedOnFirstDay: number;
  /** Events of earlier blocks are not followed. */
  readonly followedFrom: number;
}

/** Returns the followed citations up to the first event whose amount is pending, and the number of events before it. */
export function searchCitations(search: CitationSearch): {
  readonly citations: readonly NewCitation[];
  readonly searched: number;
} {
  const { events, claims, sources, rates } = search;
  const citations: NewCitation[] = [];
  let day = events[0] === undefined ? 0 : dayOf(events[0].event.blockTimestamp);
  let citedToday = search.citedOnFirstDay;
  for (const [index, { event, record }] of events.entries()) {
    const amount =
      event.type === REVENUE_TYPE && judgeEvent(event) === 'sound' ? convertAmount(event, rates) : undefined;
    if (amount?.status === 'fx_unavailable' && amount.isPending) return { citations, searched: index };
    if (amount?.status !== 'ok' || amount.cents < LEAST_QUALIFYING_CENTS) continue;
    if (event.blockTimestamp < search.followedFrom) continue;
    const blockDay = dayOf(event.blockTimestamp);
    if (blockDay !== day) [day, citedToday] = [blockDay, 0];
    const citation = findCitation(toCitingEvent(record), sources);
    const seq = Number(event.seq);
    if (citation === undefined || !isFollowed(claimsInForceAt(claims, seq).length, citedToday)) continue;
    citedToday += 1;
    citations.push({
      seq,
      source: citation.source.name,
      reference: citation.reference,
      cents: amount.cents,
      day: eventDay(event),
      timestamp: Number(event.timestamp),
      blockTimestamp: event.blockTimestamp,
      isAttested: event.attested,
    });
  }
  return { citations, searched: events.length };
}

function toBytes({ metadata }: EventRecord): Uint8Array {
  return fromHex(metadata);
}

function toPlace({ block, index }: ChainPlace): ChainPlace {
  return { block, index };
}

function isBefore(a: ChainPlace, b: ChainPlace): boolean {
  return a.block < b.block || (a.block === b.block && a.index < b.index);
}
