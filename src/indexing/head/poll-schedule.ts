/**
 * Adaptive poll schedule of the head follower. When blocks come at a fixed block time, the next poll waits until the
 * next block is due; otherwise, and for a late block, it uses the interval. The schedule is learned from the blocks and
 * dropped as soon as they deviate from it.
 */
import type { BlockRef } from '../../domain/machine/machine-facts.ts';

export interface PollSchedule {
  /** Records the head that a poll returned; returns the milliseconds from the start of that poll until the next one. */
  recordHead(head: BlockRef, polledAtMilliseconds: number): number;
}

/** Block gaps that the schedule is computed from, and the minimum number of them. */
const MAX_GAPS = 16;
const MIN_GAPS = 4;
/** Timestamps are whole seconds, so equal gaps may differ by this much. */
const GAP_SLACK_MILLISECONDS = 1_000;
/**
 * Delays between a block's timestamp and its first sighting: the number retained, and the most recent ones that decide.
 */
const MAX_DELAYS = 64;
const RECENT_DELAYS = 8;
/** A block that is visible when it is due may have been visible earlier, so the next poll is this much earlier. */
const EARLY_MILLISECONDS = 25;
/** Delay after a late block; doubles up to the interval. */
const FIRST_RETRY_MILLISECONDS = 250;
/** Upper bound of any delay, whatever the timestamps of blocks say. */
const MAX_WAIT_MILLISECONDS = 15_000;

interface LastPoll {
  readonly head: BlockRef;
  readonly atMilliseconds: number;
  /** When the next poll was due; `isPlanned` says whether the schedule decided that. */
  readonly dueAtMilliseconds: number;
  readonly isPlanned: boolean;
}

export function createPollSchedule(intervalMilliseconds: number): PollSchedule {
  let before: LastPoll | undefined;
  let retries = 0;
  /** Milliseconds of block time between a block and its child, newest last. */
  const gaps: number[] = [];
  /** Clock milliseconds from a block's timestamp to its first sighting, newest last. */
  const delays: number[] = [];

  /**
   * Returns the usual gap: the shortest one, if at least half of the gaps are like it. Undefined: blocks follow no
   * schedule.
   */
  function findGap(): number | undefined {
    const shortest = Math.min(...gaps);
    if (gaps.length < MIN_GAPS || shortest <= intervalMilliseconds) return undefined;
    const alike = gaps.filter((gap) => gap <= shortest + GAP_SLACK_MILLISECONDS);
    return alike.length * 2 >= gaps.length ? shortest : undefined;
  }

  /**
   * Returns the longest of the recent delays, but not much more than the shortest, so that a stall does not shift the
   * schedule.
   */
  function findDelay(): number {
    return Math.min(Math.max(...delays.slice(-RECENT_DELAYS)), Math.min(...delays) + intervalMilliseconds);
  }

  /** Records a delay only when the previous poll, shortly before, could not have seen the block yet. */
  function recordSighting(head: BlockRef, atMilliseconds: number, last: LastPoll): void {
    if (atMilliseconds < last.atMilliseconds) delays.length = 0;
    if (head.number !== last.head.number + 1) return;
    push(gaps, (head.timestamp - last.head.timestamp) * 1000, MAX_GAPS);
    const lateness = atMilliseconds - Math.max(last.atMilliseconds, last.dueAtMilliseconds);
    if (lateness < 0 || lateness > intervalMilliseconds) return;
    const delay = atMilliseconds - head.timestamp * 1000;
    push(delays, last.isPlanned ? Math.min(delay, findDelay()) - EARLY_MILLISECONDS : delay, MAX_DELAYS);
  }

  /** Returns when the child of the head is due by the schedule. */
  function findNextDue(head: BlockRef, atMilliseconds: number): number | undefined {
    const gap = findGap();
    if (gap === undefined || delays.length === 0 || retries > 0) return undefined;
    const dueAtMilliseconds = head.timestamp * 1000 + gap + findDelay();
    const longest = Math.min(gap + intervalMilliseconds, MAX_WAIT_MILLISECONDS);
    return atMilliseconds + Math.min(Math.max(dueAtMilliseconds - atMilliseconds, FIRST_RETRY_MILLISECONDS), longest);
  }

  function findRetryDelay(): number {
    if (retries === 0 || findGap() === undefined) return intervalMilliseconds;
    return Math.min(FIRST_RETRY_MILLISECONDS * 2 ** (retries - 1), intervalMilliseconds);
  }

  return {
    recordHead(head, polledAtMilliseconds) {
      const last = before;
      const isNew = last?.head.hash !== head.hash;
      retries = isNew ? 0 : Math.min(retries + 1, 16);
      if (isNew && last !== undefined) recordSighting(head, polledAtMilliseconds, last);
      const planned = findNextDue(head, polledAtMilliseconds);
      const dueAtMilliseconds = planned ?? polledAtMilliseconds + findRetryDelay();
      before = { head, atMilliseconds: polledAtMilliseconds, dueAtMilliseconds, isPlanned: planned !== undefined };
      return dueAtMilliseconds - polledAtMilliseconds;
    },
  };
}

function push(items: number[], item: number, max: number): void {
  items.push(item);
  if (items.length > max) items.shift();
}
