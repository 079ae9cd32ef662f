/**
 * When does an event of a fixture happen? Told in days before the seeding, because every expected score is relative to it.
 */

/** An event that seeding submits. */
export interface PlannedEvent {
  /** Whole days before the seeding; that day's block stores it. */
  readonly daysAgo: number;
  /** How long before its block it happened, as far as its UTC day reaches back; absent = in the second of the block. */
  readonly secondsEarlier?: number;
  /** 0 revenue, 1 activity. */
  readonly eventType: number;
  /** Minor units of `currency`; for activity a free metric. */
  readonly value: bigint;
  /** Absent for activity. */
  readonly currency?: string;
  readonly trustLevel: number;
  /** A text, or `0x` hex of raw bytes. */
  readonly metadata?: string;
}

export const DAY_SECONDS = 86_400;

/** Unix seconds of the block of a day, for a seeding at `now`. */
export function blockTimestamp(now: number, daysAgo: number): number {
  return now - daysAgo * DAY_SECONDS;
}

/** Unix seconds of the event itself: on the UTC day of its block, so never late. */
export function eventTimestamp(now: number, { daysAgo, secondsEarlier }: PlannedEvent): number {
  const block = blockTimestamp(now, daysAgo);
  return Math.max(block - (block % DAY_SECONDS), block - (secondsEarlier ?? 0));
}

/** The days from `newest` to `oldest`, both included, `step` apart, oldest first. */
export function daysBetween(newest: number, oldest: number, step = 1): number[] {
  const days: number[] = [];
  for (let day = newest; day <= oldest; day += step) days.unshift(day);
  return days;
}
