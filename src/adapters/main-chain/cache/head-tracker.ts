/**
 * Which block is read at? The newest one that the head follower has told, or, when it is overdue by too long, the newest one
 * that the node tells. What was kept falls whenever the two are not known to be of one line.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Header, HeadStep } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import type { Headers } from '../logs/headers.ts';

export interface HeadTracker {
  /** The newest head, if it was seen recently enough, or the follower waits for the next as it said it would. */
  fresh(): Header | undefined;
  /** The same, read from the node when it was not; reads under way are shared. Throws `ChainUnreadable`. */
  read(deadline: Deadline): Promise<Header>;
  /** Takes a step of the follower. */
  advance(step: HeadStep): void;
}

export interface HeadTrackerOptions {
  readonly headers: Headers;
  readonly clock: Clock;
  readonly maxAgeMilliseconds: number;
  /** The head moved, and what changed in between is not known. */
  readonly onJump: () => void;
}

interface Seen {
  readonly header: Header;
  readonly atMilliseconds: number;
  /** For how long it serves. */
  readonly maxAgeMilliseconds: number;
  readonly isFollowed: boolean;
}

export function createHeadTracker({ headers, clock, maxAgeMilliseconds, onJump }: HeadTrackerOptions): HeadTracker {
  let seen: Seen | undefined;
  let reading: Promise<Header> | undefined;

  function fresh(): Header | undefined {
    if (seen === undefined) return undefined;
    return isFresh(clock, seen.atMilliseconds, seen.maxAgeMilliseconds) ? seen.header : undefined;
  }

  function see(next: Seen): void {
    const isSameBlock = seen?.header.hash === next.header.hash;
    const isNextStep = next.isFollowed && seen?.isFollowed === true;
    if (!isSameBlock && !isNextStep) onJump();
    headers.remember(next.header);
    seen = isSameBlock && seen!.isFollowed ? { ...next, isFollowed: true } : next;
  }

  async function readLatest(deadline: Deadline): Promise<Header> {
    const atMilliseconds = clock.nowMilliseconds();
    const before = seen;
    const header = await headers.read('latest', deadline);
    // The follower may have spoken meanwhile, and it knows what changed.
    if (seen === before) see({ header, atMilliseconds, maxAgeMilliseconds, isFollowed: false });
    return fresh() ?? header;
  }

  return {
    fresh,
    async read(deadline) {
      const known = fresh();
      if (known !== undefined) return known;
      if (deadline.signal.aborted) throw chainUnreadable('main', 'deadline');
      reading ??= readLatest(deadline).finally(() => {
        reading = undefined;
      });
      return reading;
    },
    advance({ head, observedAtMilliseconds, waitMilliseconds }) {
      see({
        header: head,
        atMilliseconds: observedAtMilliseconds,
        maxAgeMilliseconds: waitMilliseconds + maxAgeMilliseconds,
        isFollowed: true,
      });
    },
  };
}
