/**
 * Hand-derived ratings of the histories, compared with the model on every weekday, at several times of day, and up to a day after the
 * seeding.
 */
import { describe, expect, test } from 'vitest';
import { parseReferenceFile } from '../../src/adapters/fx/reference-file.ts';
import type { RatingEvent } from '../../src/domain/rating/event.ts';
import { emptyRatingState } from '../../src/domain/rating/rating-state.ts';
import { createRateTable, extendRateTable } from '../../src/domain/rating/rate-table.ts';
import { rateMachine } from '../../src/domain/rating/rating.ts';
import { dayOf } from '../../src/domain/rating/utc-day.ts';
import { formatEuroRates } from '../euro-rates.ts';
import * as histories from './histories.ts';
import type { History } from './histories.ts';
import { CITATIONS_HISTORY } from './citation-persona.ts';
import {
  accountMoved,
  borrowedWeekly,
  boughtWeekly,
  CITES_DOWN_SOURCE,
  halfPaid,
  listCitedDays,
  MOVED_DAY,
  NEWLY_SOLD_DAY,
  newlySold,
  PAID_DAYS,
  paidRobot,
  paidStation,
  paidWeekly,
  paymentName,
  resoldWeekly,
  sellingNow,
  silentMonthly,
  silentWeekly,
  unverifiedStation,
  unverifiedWeekly,
} from './paid-histories.ts';
import { blockTimestamp, DAY_SECONDS, eventTimestamp, inChainOrder, type PlannedEvent } from './planned-event.ts';

const MIDNIGHT = 20_500 * DAY_SECONDS;
const SEEDINGS = Array.from({ length: 7 }, (_, day) => MIDNIGHT + day * DAY_SECONDS).flatMap((midnight) =>
  [0, 1, 43_200, 86_399].map((second) => midnight + second),
);
const RATED_SECONDS_LATER = [0, 3_600, 86_399];
const RATE_DAYS = 440;

const PAID: readonly (readonly [string, History])[] = [
  ['paidStation', paidStation('paid-aa')],
  ['unverifiedStation', unverifiedStation('paid-unverified')],
  ['halfPaid', halfPaid('paid-half')],
  ['paidRobot 1500', paidRobot('robot', 1_500n)],
  ['paidRobot 1600', paidRobot('robot', 1_600n)],
  ['paidRobot 1700', paidRobot('robot', 1_700n)],
  ['accountMoved', accountMoved('account-moved')],
  ['CITATIONS_HISTORY', CITATIONS_HISTORY],
];
const RHYTHMS: readonly (readonly [string, History])[] = [
  ['paidWeekly', paidWeekly('paid-weekly')],
  ['unverifiedWeekly', unverifiedWeekly('unverified-weekly')],
  ['boughtWeekly', boughtWeekly('bought')],
  ['resoldWeekly', resoldWeekly('resold')],
  ['borrowedWeekly', borrowedWeekly('borrowed')],
  ['sellingNow', sellingNow('selling')],
  ['silentWeekly', silentWeekly('silent-weekly')],
  ['silentMonthly', silentMonthly('silent-monthly')],
];
const NEWLY_SOLD = newlySold('newly-sold');
const DAILY_CITATIONS = ['paid-aa', 'paid-unverified', 'paid-half', 'robot'].flatMap((machine) =>
  PAID_DAYS.map((day) => paymentName(machine, day)),
);
/** Citations with the verdict `paid`. */
const PAID_CITATIONS = new Set([
  ...DAILY_CITATIONS,
  ...PAID_DAYS.filter((day) => day > MOVED_DAY).map((day) => paymentName('account-moved', day)),
  'citations paid',
  'citations refunded',
  ...RHYTHMS.flatMap(([, { events }]) => events.flatMap(({ cites }) => cites ?? [])),
  ...listCitedDays(NEWLY_SOLD)
    .filter((day) => day > NEWLY_SOLD_DAY)
    .map((day) => paymentName('newly-sold', day)),
]);

const rated = [
  ...Object.entries(histories).filter(
    (entry): entry is [string, History] => typeof entry[1] === 'object' && 'rating' in entry[1],
  ),
  ...PAID,
  ...RHYTHMS,
  ['newlySold', NEWLY_SOLD] as const,
  ['CITES_DOWN_SOURCE', CITES_DOWN_SOURCE] as const,
];

/** Returns whether an earlier event cites the same payment. */
function isRepeated(events: readonly PlannedEvent[], seq: number): boolean {
  return events.slice(0, seq).some(({ cites }) => cites === events[seq]!.cites);
}

function isAttested({ isVerified, chip }: History, { trustLevel, daysAgo }: PlannedEvent): boolean {
  const isOnRecord = chip === undefined || (daysAgo <= chip.fromDay && daysAgo > chip.untilDay);
  return isVerified === true && trustLevel === 2 && isOnRecord;
}

function toRatingEvents(history: History, now: number): RatingEvent[] {
  const { events, soldOn } = history;
  const firstSold = inChainOrder(events).findIndex(({ daysAgo }) => typeof soldOn === 'number' && daysAgo <= soldOn);
  return inChainOrder(events).map((event, seq, ordered) => ({
    seq,
    type: event.eventType,
    value: event.value,
    currency: event.currency ?? '',
    timestamp: BigInt(eventTimestamp(now, event)),
    trust: event.trustLevel,
    blockTimestamp: blockTimestamp(now, event.daysAgo),
    attested: isAttested(history, event),
    // A payment is worth what its event says.
    paidCents: PAID_CITATIONS.has(event.cites ?? '') && !isRepeated(ordered, seq) ? Number(event.value) : 0,
    changedHandsBefore: seq === firstSold ? blockTimestamp(now, event.daysAgo) : undefined,
  }));
}

/** Moves the imported anchor event to the block of the arrival, nine days after the event. */
function arrivedLate(events: readonly RatingEvent[], now: number): RatingEvent[] {
  return events.map((event) => (event.seq === 0 ? { ...event, blockTimestamp: blockTimestamp(now, 143) } : event));
}

describe.each(rated)('the history %s', (name, history) => {
  test.each(SEEDINGS)('has the expected rating when seeded at %i', (now) => {
    const rows = parseReferenceFile(formatEuroRates(now, RATE_DAYS));
    const rates = extendRateTable(createRateTable(true), rows, dayOf(now) - 1);
    const ratingEvents = toRatingEvents(history, now);
    const { summary, ...expected } = history.rating;
    for (const later of RATED_SECONDS_LATER) {
      const rating = rateMachine({
        state: emptyRatingState(),
        tail: name === 'ANCHORED_WEEKLY_PAYER' ? arrivedLate(ratingEvents, now) : ratingEvents,
        rates,
        now: now + later,
        bondStatus: expected.bond_status,
        negativeFlagAt: 0n,
        trustOverride: undefined,
        priorEvents: 0n,
        ratingUnavailable: undefined,
        changedHandsAfter: history.soldOn === 'now' ? now + later : undefined,
        paidMoves: [],
        operatorVerified: history.isVerified === true,
      });
      expect({
        mcr_score: rating.score,
        mcr: rating.letter,
        mcr_degraded: rating.isDegraded,
        bond_status: rating.bondStatus,
        negative_flag: rating.hasNegativeFlag,
        event_count: rating.eventCount,
        revenue_event_count: rating.revenueEventCount,
        activity_event_count: rating.activityEventCount,
        revenue_trend: rating.revenueTrend,
        total_revenue: rating.totalRevenueCents,
        average_revenue_per_event: rating.averageHundredths! / 100,
      }).toEqual(expected);
      expect(rating.summary).toBe(summary);
    }
  });
});
