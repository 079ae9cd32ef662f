/** Weeks of a history, for its bars and its table. */
import { isRated } from '../parts/texts.ts';
import type { HistoryPoint } from '../parts/wire.ts';

export const DAYS_A_WEEK = 7;

export interface Week {
  /** Last day of the week. */
  readonly end: HistoryPoint;
  readonly revenue: number;
}

/** Groups days into weeks, counted back from today. The oldest week may be shorter. */
export function toWeeks(points: readonly HistoryPoint[]): readonly Week[] {
  const weeks: Week[] = [];
  for (let end = points.length; end > 0; end -= DAYS_A_WEEK) {
    const days = points.slice(Math.max(0, end - DAYS_A_WEEK), end);
    weeks.unshift({ end: days.at(-1)!, revenue: days.reduce((sum, { revenue }) => sum + revenue, 0) });
  }
  return weeks;
}

export function isRatedPoint({ mcr }: HistoryPoint): boolean {
  return isRated(mcr);
}
