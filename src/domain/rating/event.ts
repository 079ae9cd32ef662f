/**
 * Validation of events: form and time (design/scoring.md, Events). Time is judged against the event's own block, so the result never
 * changes.
 */

import { isCurrencyCode } from './currency.ts';
import { dayOf } from './utc-day.ts';
import {
  ACTIVITY_TYPE,
  EARLY_AFTER_SECONDS,
  EVIDENCE_CLASSES,
  LATE_AFTER_SECONDS,
  REVENUE_TYPE,
  TRUST_LEVELS,
} from './constants.ts';

/** An event as a registry stores it, with the time of the block that stored it and the evidence found for it. */
export interface RatingEvent {
  /** Position in the machine's events, from 0 without gaps. */
  readonly seq: number | bigint;
  readonly type: number;
  /** Minor units of `currency`, or a free metric. */
  readonly value: bigint;
  readonly currency: string;
  /** When it happened, in Unix seconds: any uint256. */
  readonly timestamp: bigint;
  readonly trust: number;
  /** Unix seconds; never decreases from one event to the next. */
  readonly blockTimestamp: number;
  /** Whether its trust level is the highest and a device was on record when it was stored. */
  readonly attested: boolean;
  /** USD cents of the payment that was followed for it; 0 without one. */
  readonly paidCents: number;
  /** Block time of the first change of hands between the event before and this one; undefined without one. */
  readonly changedHandsBefore: number | undefined;
}

/** What supports a claim of an event: nothing, a payment, or a device. */
export type EvidenceClass = (typeof EVIDENCE_CLASSES)[number];

export type EventJudgement = 'sound' | 'malformed' | 'late' | 'early';

/** Returns whether an event has a form that the contracts should have rejected. It counts in `event_count` but never qualifies. */
export function isMalformed(event: Pick<RatingEvent, 'type' | 'currency' | 'trust'>): boolean {
  if (!TRUST_LEVELS.includes(event.trust)) return true;
  if (event.type === REVENUE_TYPE) return !isCurrencyCode(event.currency);
  return event.type !== ACTIVITY_TYPE || event.currency !== '';
}

/** Judges form first, then time. Only a sound event can qualify. */
export function judgeEvent(event: RatingEvent): EventJudgement {
  if (isMalformed(event)) return 'malformed';
  if (event.timestamp < event.blockTimestamp - LATE_AFTER_SECONDS) return 'late';
  if (event.timestamp > event.blockTimestamp + EARLY_AFTER_SECONDS) return 'early';
  return 'sound';
}

/** Returns the day an event belongs to: the day it happened, and at the latest the day of its block. */
export function eventDay(event: Pick<RatingEvent, 'timestamp' | 'blockTimestamp'>): number {
  const isBeforeBlock = event.timestamp < event.blockTimestamp;
  return dayOf(isBeforeBlock ? Number(event.timestamp) : event.blockTimestamp);
}
