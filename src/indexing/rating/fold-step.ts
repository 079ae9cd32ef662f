/**
 * Plans one fold step of a machine: its rating state, its days, or both. Both advance together while the days end where
 * the state does. A state without days (of an older release, or of a machine that had few events until now) is folded
 * first to its end; then its days are computed from the beginning.
 */
import type { RatingEvent } from '../../domain/rating/event.ts';
import { encodeRatingStateDay, decodeRatingStateDay } from '../../domain/rating/rating-state-day-codec.ts';
import {
  foldDays,
  restoreRatingState,
  RESTORE_DAYS,
  type RatingStateDay,
} from '../../domain/rating/rating-state-days.ts';
import { foldEvents, type RatingState, type FoldedEvents } from '../../domain/rating/rating-state.ts';
import type { RateTable } from '../../domain/rating/rate-table.ts';
import type { RatingStateDaysWrite, StoredRatingStateDay } from '../../ports/store.ts';

export interface FoldStep {
  /** State that the next events are folded into. */
  readonly state: RatingState;
  /** Undefined: the step adds no days. */
  readonly days: { readonly newest: RatingStateDay | undefined } | undefined;
  /** False: the stored state is further along already. */
  readonly isStateBehind: boolean;
  /** Whether days remain to be computed after this step. */
  readonly hasDaysLeft: boolean;
}

export interface FoldStepOptions {
  /** Stored rating state, or an empty one. */
  readonly state: RatingState;
  /** Lists the newest of the days that belong to the state, oldest first. */
  readonly listDays: (limit: number) => Promise<readonly StoredRatingStateDay[]>;
  /** Whether the state itself has further events to fold. */
  readonly hasNext: boolean;
}

/** Plans the next step. Throws `RatingStateUnreadable`. */
export async function planFoldStep({ state, listDays, hasNext }: FoldStepOptions): Promise<FoldStep> {
  const [last] = await listDays(1);
  if ((last?.nextSeq ?? 0) === state.nextSeq) {
    const newest = last && decodeRatingStateDay(last.state);
    return { state, days: { newest }, isStateBehind: true, hasDaysLeft: false };
  }
  if (hasNext) return { state, days: undefined, isStateBehind: true, hasDaysLeft: true };
  const days = (await listDays(RESTORE_DAYS)).map((day) => decodeRatingStateDay(day.state));
  return { state: restoreRatingState(days), days: { newest: days.at(-1) }, isStateBehind: false, hasDaysLeft: false };
}

/** Plans a step of a machine without days. */
export function planWithoutDays(state: RatingState): FoldStep {
  return { state, days: undefined, isStateBehind: true, hasDaysLeft: false };
}

export interface FoldStepResult extends FoldedEvents {
  readonly write: RatingStateDaysWrite | undefined;
}

/** Folds the events. Throws `EventsUnreadable`. */
export function runFoldStep(
  { state, days }: FoldStep,
  events: readonly RatingEvent[],
  rates: RateTable,
): FoldStepResult {
  if (days === undefined) return { ...foldEvents(state, events, rates), write: undefined };
  const folded = foldDays(state, days.newest, events, rates);
  return { ...folded, write: { afterSeq: state.nextSeq, days: folded.days.map(toStored) } };
}

function toStored(day: RatingStateDay): StoredRatingStateDay {
  return { day: day.day, nextSeq: day.totals.nextSeq, state: encodeRatingStateDay(day) };
}
