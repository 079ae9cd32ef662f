/**
 * When is it worth asking for the next block? Where blocks come by a timetable, not before the next one is due; else, and where it is late,
 * at the interval. A timetable is learned from the blocks themselves and forgotten as soon as they do not keep it.
 */
import type { BlockRef } from '../../domain/machine/machine-facts.ts';

export interface HeadPace {
  /** Takes what a question was answered with, and tells for how many milliseconds from its asking there is nothing to ask. */
  note(head: BlockRef, askedAtMilliseconds: number): number;
}

/** Gaps between blocks that a timetable is read from, and how many there must be. */
const GAPS = 16;
const MIN_GAPS = 4;
/** Block times are whole seconds, so equal gaps may differ by so much. */
const GAP_SLACK_MILLISECONDS = 1_000;
/** First sights that tell how long after its own time a block can be had: all that count, and the newest of them. */
const SIGHTS = 64;
const NEWEST_SIGHTS = 8;
/** A block that was there when it was due may have been there before: so much earlier the next is asked for. Rarely too early, then. */
const HASTE_MILLISECONDS = 25;
/** After a block that is late; doubles up to the interval. */
const FIRST_RETRY_MILLISECONDS = 250;
/** Nobody waits longer, whatever blocks say of their times. */
const MAX_WAIT_MILLISECONDS = 15_000;

interface Asked {
  readonly head: BlockRef;
  readonly atMilliseconds: number;
  /** When the next question was due, and whether a timetable said so. */
  readonly dueAtMilliseconds: number;
  readonly isPlanned: boolean;
}

export function createHeadPace(intervalMilliseconds: number): HeadPace {
  let before: Asked | undefined;
  let retries = 0;
  /** Milliseconds of block time between a block and its child, newest last. */
  const gaps: number[] = [];
  /** Clock milliseconds from a block's time to its first sight, newest last. */
  const delays: number[] = [];

  /** The usual gap: the shortest, where at least every second one is like it. Undefined: blocks come when they like. */
  function findGap(): number | undefined {
    const shortest = Math.min(...gaps);
    if (gaps.length < MIN_GAPS || shortest <= intervalMilliseconds) return undefined;
    const alike = gaps.filter((gap) => gap <= shortest + GAP_SLACK_MILLISECONDS);
    return alike.length * 2 >= gaps.length ? shortest : undefined;
  }

  /** The longest of the newest delays, but not much longer than the shortest: after a hold-up, the timetable is as before. */
  function findDelay(): number {
    return Math.min(Math.max(...delays.slice(-NEWEST_SIGHTS)), Math.min(...delays) + intervalMilliseconds);
  }

  /** A sight tells when a block could first be had only if it followed soon on a moment at which it could not. */
  function noteSight(head: BlockRef, atMilliseconds: number, last: Asked): void {
    if (atMilliseconds < last.atMilliseconds) delays.length = 0;
    if (head.number !== last.head.number + 1) return;
    push(gaps, (head.timestamp - last.head.timestamp) * 1000, GAPS);
    const lateness = atMilliseconds - Math.max(last.atMilliseconds, last.dueAtMilliseconds);
    if (lateness < 0 || lateness > intervalMilliseconds) return;
    const delay = atMilliseconds - head.timestamp * 1000;
    push(delays, last.isPlanned ? Math.min(delay, findDelay()) - HASTE_MILLISECONDS : delay, SIGHTS);
  }

  /** When the child of the head is due by the timetable. */
  function findDue(head: BlockRef, atMilliseconds: number): number | undefined {
    const gap = findGap();
    if (gap === undefined || delays.length === 0 || retries > 0) return undefined;
    const dueAtMilliseconds = head.timestamp * 1000 + gap + findDelay();
    const longest = Math.min(gap + intervalMilliseconds, MAX_WAIT_MILLISECONDS);
    return atMilliseconds + Math.min(Math.max(dueAtMilliseconds - atMilliseconds, FIRST_RETRY_MILLISECONDS), longest);
  }

  function findRetry(): number {
    if (retries === 0 || findGap() === undefined) return intervalMilliseconds;
    return Math.min(FIRST_RETRY_MILLISECONDS * 2 ** (retries - 1), intervalMilliseconds);
  }

  return {
    note(head, askedAtMilliseconds) {
      const last = before;
      const isNews = last?.head.hash !== head.hash;
      retries = isNews ? 0 : Math.min(retries + 1, 16);
      if (isNews && last !== undefined) noteSight(head, askedAtMilliseconds, last);
      const planned = findDue(head, askedAtMilliseconds);
      const dueAtMilliseconds = planned ?? askedAtMilliseconds + findRetry();
      before = { head, atMilliseconds: askedAtMilliseconds, dueAtMilliseconds, isPlanned: planned !== undefined };
      return dueAtMilliseconds - askedAtMilliseconds;
    },
  };
}

function push(items: number[], item: number, max: number): void {
  items.push(item);
  if (items.length > max) items.shift();
}
