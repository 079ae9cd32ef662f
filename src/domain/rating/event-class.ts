/** Class of one event, for lists of events (design/scoring.md, Classes). The rating state computes the same for all of them. */

import { convertAmount } from './amount.ts';
import { LEAST_QUALIFYING_CENTS, REVENUE_TYPE } from './constants.ts';
import { judgeEvent, type EvidenceClass, type RatingEvent } from './event.ts';
import type { RateTable } from './rate-table.ts';

export interface EventClass {
  /** Undefined: the event does not qualify. */
  readonly evidence: EvidenceClass | undefined;
  /** Whether its payment is judged: only for qualifying revenue. */
  readonly hasVerdict: boolean;
}

const NONE: EventClass = { evidence: undefined, hasVerdict: false };

/** Classifies an event; after a change of hands everything before it is declared. The limit of activity events per day is not applied. */
export function classifyEvent(event: RatingEvent, rates: RateTable, isBeforeChangeOfHands: boolean): EventClass {
  if (judgeEvent(event) !== 'sound') return NONE;
  const amount = event.type === REVENUE_TYPE ? convertAmount(event, rates) : undefined;
  if (amount?.status === 'fx_unavailable') return NONE;
  const isRevenue = amount?.status === 'ok';
  if (isRevenue && amount.cents < LEAST_QUALIFYING_CENTS) return NONE;
  const evidence = isBeforeChangeOfHands ? 'declared' : evidenceOf(event, isRevenue);
  return { evidence, hasVerdict: isRevenue };
}

function evidenceOf({ attested, paidCents }: RatingEvent, isRevenue: boolean): EvidenceClass {
  if (attested) return 'attested';
  return isRevenue && paidCents > 0 ? 'paid' : 'declared';
}
