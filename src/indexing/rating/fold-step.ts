/**
 * What does a machine's turn fold: its fold, its days, or both? Both go together while the days end where the fold does. A fold without them, of an
 * older release or of a machine that had few events until now, comes first until nothing is left; then its days are made up from the beginning.
 */
import type { RatingEvent } from '../../domain/rating/event.ts';
import { formatFoldDay, parseFoldDay } from '../../domain/rating/rating-state-day-codec.ts';
import { foldDays, restoreFold, RESTORING_DAYS, type FoldDay } from '../../domain/rating/rating-state-days.ts';
import { foldEvents, type Fold, type FoldedEvents } from '../../domain/rating/rating-state.ts';
import type { RateTable } from '../../domain/rating/rate-table.ts';
import type { FoldDaysWrite, StoredFoldDay } from '../../ports/store.ts';

export interface DayTurn {
  /** What the next events are laid on. */
  readonly fold: Fold;
  /** Undefined: the turn adds no days. */
  readonly days: { readonly newest: FoldDay | undefined } | undefined;
  /** False: the stored fold is further already. */
  readonly isFoldBehind: boolean;
  /** There are days left to be made up when this turn has ended. */
  readonly leavesDays: boolean;
}

export interface DayTurnOptions {
  /** The fold that is stored, or an empty one. */
  readonly fold: Fold;
  /** The newest of the days that go with it, oldest first; of no other history. */
  readonly listDays: (limit: number) => Promise<readonly StoredFoldDay[]>;
  /** Whether the fold itself has events to go on with. */
  readonly hasNext: boolean;
}

/** Throws `FoldUnreadable`. */
export async function chooseDayTurn({ fold, listDays, hasNext }: DayTurnOptions): Promise<DayTurn> {
  const [last] = await listDays(1);
  if ((last?.nextSeq ?? 0) === fold.nextSeq) {
    const newest = last && parseFoldDay(last.state);
    return { fold, days: { newest }, isFoldBehind: true, leavesDays: false };
  }
  if (hasNext) return { fold, days: undefined, isFoldBehind: true, leavesDays: true };
  const days = (await listDays(RESTORING_DAYS)).map(({ state }) => parseFoldDay(state));
  return { fold: restoreFold(days), days: { newest: days.at(-1) }, isFoldBehind: false, leavesDays: false };
}

/** A turn of a machine that has no days. */
export function turnWithoutDays(fold: Fold): DayTurn {
  return { fold, days: undefined, isFoldBehind: true, leavesDays: false };
}

export interface FoldedTurn extends FoldedEvents {
  readonly write: FoldDaysWrite | undefined;
}

/** Throws `EventsUnreadable`. */
export function foldTurn({ fold, days }: DayTurn, events: readonly RatingEvent[], rates: RateTable): FoldedTurn {
  if (days === undefined) return { ...foldEvents(fold, events, rates), write: undefined };
  const folded = foldDays(fold, days.newest, events, rates);
  return { ...folded, write: { afterSeq: fold.nextSeq, days: folded.days.map(toStored) } };
}

function toStored(day: FoldDay): StoredFoldDay {
  return { day: day.day, nextSeq: day.totals.nextSeq, state: formatFoldDay(day) };
}
