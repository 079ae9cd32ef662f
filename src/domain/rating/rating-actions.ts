/** Rating actions: the days on which the letter changed, and why (`GET /mcr/{did}/history`, decisions 4). */
import { isFlagInForce } from './negative-flag.ts';
import type { DailyRating } from './daily-rating.ts';
import type { RatingLetter } from './scale.ts';

/** The first that applies; `time` where nothing happened but that days passed. */
export type ActionCause = 'bond' | 'flag' | 'trust_override' | 'operator_verification' | 'events' | 'time';

export interface RatingAction {
  readonly day: number;
  readonly from: RatingLetter;
  readonly to: RatingLetter;
  readonly cause: ActionCause;
}

/** Compares each day with the one before. */
export function listRatingActions(days: readonly DailyRating[]): readonly RatingAction[] {
  return days.flatMap((day, i) => {
    const before = days[i - 1];
    if (before === undefined || before.letter === day.letter) return [];
    return [{ day: day.day, from: before.letter, to: day.letter, cause: findCause(before, day) }];
  });
}

function findCause(before: DailyRating, after: DailyRating): ActionCause {
  if (before.facts.bondStatus !== after.facts.bondStatus) return 'bond';
  if (isFlagged(before) !== isFlagged(after)) return 'flag';
  if (before.facts.trustOverride !== after.facts.trustOverride) return 'trust_override';
  if (before.facts.operatorVerified !== after.facts.operatorVerified) return 'operator_verification';
  return before.eventCount === after.eventCount ? 'time' : 'events';
}

function isFlagged({ ratedAt, facts }: DailyRating): boolean {
  return isFlagInForce(facts.negativeFlagAt, ratedAt);
}
