/**
 * Late application of verdicts: a verdict `paid` moves cents and weight of its event's day from declared to paid (design/scoring.md, Fold).
 * Moves commute, so the rating is the same in whichever order verdicts are made.
 */
import { TRUST } from '../constants.ts';
import type { DayBucket, RatingState } from '../rating-state.ts';

/** Sum of the moves of events of one day, in blocks of one day. */
export interface PaidMove {
  /** UTC day of the blocks. */
  readonly blockDay: number;
  /** UTC day of the events. */
  readonly day: number;
  readonly cents: number;
  readonly weight: number;
  /** Block time of the first change of hands after the events, which makes them declared again. */
  readonly endedAt: number | undefined;
}

/** Returns the weight that moves with the paid cents of one event. */
export function paidWeight(paidCents: number): number {
  return Math.min(paidCents, TRUST.maxRevenueWeight);
}

/** Applies moves to a state that holds their events; those of dropped days change nothing. */
export function applyPaidMoves(state: RatingState, moves: readonly PaidMove[]): RatingState {
  if (moves.length === 0) return state;
  const byDay = Map.groupBy(moves, ({ day }) => day);
  const buckets = state.buckets.map((bucket) => (byDay.get(bucket.day) ?? []).reduce(moveToPaid, bucket));
  return { ...state, buckets };
}

function moveToPaid({ day, classes }: DayBucket, { cents, weight }: PaidMove): DayBucket {
  const { declared, paid, attested } = classes;
  return {
    day,
    classes: {
      declared: { ...declared, cents: declared.cents - BigInt(cents), weight: declared.weight - weight },
      paid: { ...paid, cents: paid.cents + BigInt(cents), weight: paid.weight + weight },
      attested,
    },
  };
}
