/** Runs the rating model in the browser for a machine with steady weekly revenue. */
import { createRateTable } from '../../src/domain/rating/rate-table.ts';
import { rateMachine, type Rating } from '../../src/domain/rating/rating.ts';
import { emptyRatingState } from '../../src/domain/rating/rating-state.ts';
import type { EvidenceClass, RatingEvent } from '../../src/domain/rating/event.ts';
import { SECONDS_PER_DAY } from '../../src/domain/rating/utc-day.ts';

export interface Scenario {
  /** US cents. */
  readonly weeklyCents: number;
  readonly evidence: EvidenceClass;
  /** Weeks of history up to now. */
  readonly weeks: number;
  readonly operatorVerified: boolean;
  /** Unix seconds. */
  readonly now: number;
}

const ACTIVE_DAYS = 5;
const DAYS_A_WEEK = 7;
const RATES = createRateTable(false);

/** Rates a bonded machine that earns the same on five days of every week, and nothing else. */
export function rateScenario({ weeklyCents, evidence, weeks, operatorVerified, now }: Scenario): Rating {
  const cents = Math.floor(weeklyCents / ACTIVE_DAYS);
  const events: RatingEvent[] = [];
  for (let day = weeks * DAYS_A_WEEK - 1; day >= 0; day--) {
    if (day % DAYS_A_WEEK >= ACTIVE_DAYS) continue;
    const time = now - day * SECONDS_PER_DAY;
    events.push({
      seq: events.length,
      type: 0,
      value: BigInt(cents),
      currency: 'USD',
      timestamp: BigInt(time),
      trust: evidence === 'attested' ? 2 : 0,
      blockTimestamp: time,
      attested: evidence === 'attested',
      paidCents: evidence === 'paid' ? cents : 0,
      changedHandsBefore: undefined,
    });
  }
  return rateMachine({
    state: emptyRatingState(),
    tail: events,
    changedHandsAfter: undefined,
    paidMoves: [],
    operatorVerified,
    rates: RATES,
    bondStatus: 'bonded',
    negativeFlagAt: 0n,
    trustOverride: undefined,
    priorEvents: 0n,
    ratingUnavailable: undefined,
    now,
  });
}
