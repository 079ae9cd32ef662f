/** Conversions of stored alt-chain events into rating events, and comparison with the last event of a log account. */
import type { EventRecord } from '../../domain/machine/machine-facts.ts';
import type { RatingEvent } from '../../domain/rating/event.ts';
import type { StoredAltEvent } from '../../ports/alt-store.ts';

/** The alt chain has no chip records and logs no change of owner. */
export function toRatingEvent({ eventIndex, blockTime, record }: StoredAltEvent): RatingEvent {
  const { eventType: type, value, currency, timestamp, trustLevel: trust } = record;
  const event = { seq: eventIndex, type, value, currency, timestamp, trust, blockTimestamp: blockTime };
  return { ...event, attested: false, paidCents: 0, changedHandsBefore: undefined };
}

/** Returns the events from index `from` up to the first gap. */
export function pickConsecutive(events: readonly StoredAltEvent[], from: number): readonly StoredAltEvent[] {
  const gap = events.findIndex(({ eventIndex }, k) => eventIndex !== from + k);
  return gap === -1 ? events : events.slice(0, gap);
}

export function isLastRecord(a: EventRecord, b: EventRecord): boolean {
  return (
    a.eventType === b.eventType &&
    a.value === b.value &&
    a.timestamp === b.timestamp &&
    a.dataHash === b.dataHash &&
    a.trustLevel === b.trustLevel &&
    a.sourceChainId === b.sourceChainId &&
    a.sourceTxHash === b.sourceTxHash &&
    a.metadata === b.metadata &&
    a.currency === b.currency
  );
}
