/** UTC day numbers (Unix seconds / 86400) and ISO weeks, Monday to Sunday in UTC (design/scoring.md, Days and weeks). */

export const SECONDS_PER_DAY = 86_400;

/** 1970-01-01 was a Thursday: three days into its week. */
const DAYS_FROM_MONDAY_TO_EPOCH = 3;

/** Returns the day number of Unix seconds. */
export function dayOf(unixSeconds: number): number {
  return Math.floor(unixSeconds / SECONDS_PER_DAY);
}

/** Returns the week number of a day number. */
export function weekOf(day: number): number {
  return Math.floor((day + DAYS_FROM_MONDAY_TO_EPOCH) / 7);
}

/** Parses `YYYY-MM-DD` to a day number; undefined when the text is not a calendar day. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = Date.parse(`${text}T00:00:00Z`) / (SECONDS_PER_DAY * 1000);
  return Number.isInteger(day) && formatDay(day) === text ? day : undefined;
}

/** Formats a day number of the years 0 to 9999 as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  return new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10);
}
