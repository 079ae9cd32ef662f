/**
 * What does a machine's turn fold: its fold, its days, or both? Both go together while the days end where the fold does. A fold without them, of an
 * older release or of a machine that had few events until now, comes first until nothing is left; then its days are made up from the beginning.
 */
import type { RatingEvent } from '../../domain/rating/event.ts';
import { encodeRatingStateDay, decodeRatingStateDay } from '../../domain/rating/rating-state-day-codec.ts';
import {
  foldDays,
  restoreRatingState,
  RESTORING_DAYS,
  type RatingStateDay,
} from '../../domain/rating/rating-state-days.ts';
import { foldEvents, type RatingState, type FoldedEvents } from '../../domain/rating/rating-state.ts';
import type { RateTable } from '../../domain/rating/rate-table.ts';
import type { RatingStateDaysWrite, StoredRatingStateDay } from '../../ports/store.ts';

export interface FoldStep {
  /** What the next events are laid on. */
  readonly fold: RatingState;
  /** Undefined: the turn adds no days. */
  readonly days: { readonly newest: RatingStateDay | undefined } | undefined;
  /** False: the stored fold is further already. */
  readonly isFoldBehind: boolean;
  /** There are days left to be made up when this turn has ended. */
  readonly leavesDays: boolean;
}

export interface FoldStepOptions {
  /** The fold that is stored, or an empty one. */
  readonly fold: RatingState;
  /** The newest of the days that go with it, oldest first; of no other history. */
  readonly listDays: (limit: number) => Promise<readonly StoredRatingStateDay[]>;
  /** Whether the fold itself has events to go on with. */
  readonly hasNext: boolean;
}

/** Throws `RatingStateUnreadable`. */
export async function planFoldStep({ fold, listDays, hasNext }: FoldStepOptions): Promise<FoldStep> {
  const [last] = await listDays(1);
  if ((last?.nextSeq ?? 0) === fold.nextSeq) {
    const newest = last && decodeRatingStateDay(last.state);
    return { fold, days: { newest }, isFoldBehind: true, leavesDays: false };
  }
  if (hasNext) return { fold, days: undefined, isFoldBehind: true, leavesDays: true };
  const days = (await listDays(RESTORING_DAYS)).map(({ state }) => decodeRatingStateDay(state));
  return { fold: restoreRatingState(days), days: { newest: days.at(-1) }, isFoldBehind: false, leavesDays: false };
}

/** A turn of a machine that has no days. */
export function planWithoutDays(fold: RatingState): FoldStep {
  return { fold, days: undefined, isFoldBehind: true, leavesDays: false };
}

export interface FoldStepResult extends FoldedEvents {
  readonly write: RatingStateDaysWrite | undefined;
}

/** Throws `EventsUnreadable`. */
export function runFoldStep(
  { fold, days }: FoldStep,
  events: readonly RatingEvent[],
  rates: RateTable,
): FoldStepResult {
  if (days === undefined) return { ...foldEvents(fold, events, rates), write: undefined };
  const folded = foldDays(fold, days.newest, events, rates);
  return { ...folded, write: { afterSeq: fold.nextSeq, days: folded.days.map(toStored) } };
}

function toStored(day: RatingStateDay): StoredRatingStateDay {
  return { day: day.day, nextSeq: day.totals.nextSeq, state: encodeRatingStateDay(day) };
}
