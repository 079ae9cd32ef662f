/**
 * Adaptive poll schedule of the head follower. When blocks come at a fixed block time, the next poll waits until the
 * next block is due; otherwise, and for a late block, it uses the interval. The schedule is learned from the blocks and
 * dropped as soon as they deviate from it.
 */
import type { BlockRef } from '../../domain/machine/machine-facts.ts';

export interface PollSchedule {
  /** Learns the block time from consecutive blocks that were read together, where the polls have not shown it yet. */
  recordBlocks(blocks: readonly BlockRef[]): void;
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
/** Upper bound of any delay, whatever the timestamps of blocks say; a block that is due later is polled for again then. */
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
  /** Polls since the next block was due. */
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
    const isKnown = last.isPlanned && delays.length > 0;
    push(delays, isKnown ? Math.min(delay, findDelay()) - EARLY_MILLISECONDS : delay, MAX_DELAYS);
  }

  /**
   * Returns when the child of the head is due by the schedule. Before a block was seen to appear, that is its earliest time,
   * where the clock agrees with the head.
   */
  function findDue({ timestamp }: BlockRef, atMilliseconds: number): number | undefined {
    const gap = findGap();
    if (gap === undefined) return undefined;
    const minedAtMilliseconds = timestamp * 1000;
    const earliest = minedAtMilliseconds + gap;
    if (delays.length > 0) return earliest + findDelay();
    return minedAtMilliseconds <= atMilliseconds && atMilliseconds < earliest ? earliest : undefined;
  }

  /** Returns the delay until the next poll of a block that is due in a while. */
  function findWait(milliseconds: number): number {
    const longest = Math.min(findGap()! + intervalMilliseconds, MAX_WAIT_MILLISECONDS);
    return Math.min(Math.max(milliseconds, FIRST_RETRY_MILLISECONDS), longest);
  }

  return {
    recordBlocks(blocks) {
      if (gaps.length >= MIN_GAPS) return;
      for (const [i, { timestamp }] of blocks.slice(1).entries())
        push(gaps, (timestamp - blocks[i]!.timestamp) * 1000, MAX_GAPS);
    },
    recordHead(head, polledAtMilliseconds) {
      const last = before;
      const isNew = last?.head.hash !== head.hash;
      if (isNew && last !== undefined) recordSighting(head, polledAtMilliseconds, last);
      const due = findDue(head, polledAtMilliseconds);
      const isEarly = due !== undefined && polledAtMilliseconds < due;
      retries = isNew || isEarly ? 0 : Math.min(retries + 1, 16);
      const isPlanned = due !== undefined && retries === 0;
      const retryDelay =
        due === undefined
          ? intervalMilliseconds
          : Math.min(FIRST_RETRY_MILLISECONDS * 2 ** (retries - 1), intervalMilliseconds);
      const wait = isPlanned ? findWait(due - polledAtMilliseconds) : retryDelay;
      before = {
        head,
        atMilliseconds: polledAtMilliseconds,
        dueAtMilliseconds: polledAtMilliseconds + wait,
        isPlanned,
      };
      return wait;
    },
  };
}

function push(items: number[], item: number, max: number): void {
  items.push(item);
  if (items.length > max) items.shift();
}
