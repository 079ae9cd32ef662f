/**
 * Pairs event records with their logs, which name the block and the evidence (chain-evm 3.7). The k-th log since the last import belongs to the k-th
 * readable record; requests and the indexer both verify here that they agree.
 */
import { chainUnreadable } from '../faults.ts';
import { HIGHEST_TRUST_LEVEL } from '../rating/constants.ts';
import type { EventRecord } from './machine-facts.ts';
import type { EventEvidence } from './provenance.ts';
import type { RatingEvent } from '../rating/event.ts';

/** Facts of a record's log. */
export interface EventLogFacts extends EventEvidence {
  readonly seq: number;
  readonly eventIndex: bigint;
  readonly eventType: number;
  readonly value: bigint;
  readonly blockTimestamp: number;
}

/**
 * Joins the records from position `from` on with their logs.
 * Throws `ChainUnreadable` when one side is missing or contradicts the other.
 */
export function pairEvents(
  records: readonly EventRecord[],
  logs: readonly EventLogFacts[],
  from: number,
  hasPriorEvents: boolean,
): RatingEvent[] {
  if (records.length !== logs.length) throw chainUnreadable('main', 'events');
  return records.map((record, k) => {
    const log = logs[k]!;
    const seq = from + k;
    const agrees =
      log.seq === seq &&
      log.eventType === record.eventType &&
      log.value === record.value &&
      (hasPriorEvents || log.eventIndex === BigInt(seq));
    if (!agrees) throw chainUnreadable('main', 'events');
    return toRatingEvent(record, seq, log);
  });
}

function toRatingEvent(
  record: EventRecord,
  seq: number,
  { blockTimestamp, isChipOnRecord, changedHandsBefore }: EventLogFacts,
): RatingEvent {
  const { eventType: type, value, currency, timestamp, trustLevel: trust } = record;
  const attested = trust === HIGHEST_TRUST_LEVEL && isChipOnRecord;
  return { seq, type, value, currency, timestamp, trust, blockTimestamp, attested, paidCents: 0, changedHandsBefore };
}
