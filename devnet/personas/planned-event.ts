/** Planned event of a fixture. Its time is in days before the seeding, because every expected score is relative to the seeding. */

/** Event to submit during seeding. */
export interface PlannedEvent {
  /** Whole days before the seeding; the event is in that day's block. */
  readonly daysAgo: number;
  /** Seconds before its block, limited to the start of the UTC day; absent = 0. */
  readonly secondsEarlier?: number;
  /** 0 revenue, 1 activity. */
  readonly eventType: number;
  /** Minor units of `currency`; for activity an arbitrary metric. */
  readonly value: bigint;
  /** Absent for activity. */
  readonly currency?: string;
  readonly trustLevel: number;
  /** Text, or raw bytes as `0x` hex. */
  readonly metadata?: string;
  /** Name of the payment that it cites. */
  readonly cites?: string;
  /** Cites this transaction of the main chain, which may not exist. */
  readonly sourceTxHash?: `0x${string}`;
  /** Chain of the citation; absent: the main chain. */
  readonly sourceChainId?: bigint;
}

export const DAY_SECONDS = 86_400;

/** Returns the timestamp (Unix seconds) of the block of a day, for a seeding at `now`. */
export function blockTimestamp(now: number, daysAgo: number): number {
  return now - daysAgo * DAY_SECONDS;
}

/** Returns the timestamp (Unix seconds) of an event. It is on the UTC day of its block, so the event is never late. */
export function eventTimestamp(now: number, { daysAgo, secondsEarlier }: PlannedEvent): number {
  const block = blockTimestamp(now, daysAgo);
  return Math.max(block - (block % DAY_SECONDS), block - (secondsEarlier ?? 0));
}

/** Returns the days from `newest` to `oldest` (inclusive) in steps of `step`, oldest first. */
export function daysBetween(newest: number, oldest: number, step = 1): number[] {
  const days: number[] = [];
  for (let day = newest; day <= oldest; day += step) days.unshift(day);
  return days;
}

/** Returns the events in the order of the chain: by day, then as planned. */
export function inChainOrder(events: readonly PlannedEvent[]): PlannedEvent[] {
  return events.toSorted((a, b) => b.daysAgo - a.daysAgo);
}
