/**
 * Tracks the head that reads use: the newest one reported by the head follower or, when the follower is overdue, the
 * newest one of the node. Caches are invalidated whenever the two are not known to be on the same branch.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Header, HeadStep } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { isNodeBehind, type Headers } from '../logs/headers.ts';

export interface HeadTracker {
  /** Returns the newest head while it is recent, or while the follower waits for the next one as it announced. */
  fresh(): Header | undefined;
  /** Returns the fresh head, else reads it from the node; concurrent reads are shared. Throws `ChainUnreadable`. */
  read(deadline: Deadline): Promise<Header>;
  /**
   * Returns the header of a node. Throws `ChainUnreadable` where the node is behind: the block is below the last indexed one, or much older
   * than the head that the follower reported last, which stays the newest one until the follower reports another.
   */
  requireCurrent(header: Header): Header;
  /** Applies a step of the follower. */
  advance(step: HeadStep): void;
  /** Sets the number of the last indexed block. */
  observeFinal(blockNumber: number | undefined): void;
  /** Sets the listener that is called when the head moves and what changed in between is unknown. */
  onJump(listener: () => void): void;
}

export interface HeadTrackerOptions {
  readonly headers: Headers;
  readonly clock: Clock;
  readonly maxAgeMilliseconds: number;
}

interface SeenHead {
  readonly header: Header;
  readonly atMilliseconds: number;
  readonly maxAgeMilliseconds: number;
  readonly isFollowed: boolean;
}

export function createHeadTracker({ headers, clock, maxAgeMilliseconds }: HeadTrackerOptions): HeadTracker {
  let onJump = () => {};
  let seen: SeenHead | undefined;
  let reading: Promise<Header> | undefined;
  let followed: Header | undefined;
  let finalNumber = 0;

  function requireCurrent(header: Header): Header {
    const isOld = followed !== undefined && isNodeBehind(header, followed);
    if (isOld || header.number < finalNumber) throw chainUnreadable('main', 'block-mismatch');
    return header;
  }

  function fresh(): Header | undefined {
    if (seen === undefined) return undefined;
    return isFresh(clock, seen.atMilliseconds, seen.maxAgeMilliseconds) ? seen.header : undefined;
  }

  function see(next: SeenHead): void {
    const isSameBlock = seen?.header.hash === next.header.hash;
    const isNextStep = next.isFollowed && seen?.isFollowed === true;
    if (!isSameBlock && !isNextStep) onJump();
    headers.remember(next.header);
    seen = isSameBlock && seen!.isFollowed ? { ...next, isFollowed: true } : next;
  }

  async function readLatest(deadline: Deadline): Promise<Header> {
    const atMilliseconds = clock.nowMilliseconds();
    const header = requireCurrent(await headers.read('latest', deadline));
    // A step reported by the follower meanwhile wins, unless it has expired: it knows what changed.
    if (fresh() === undefined) see({ header, atMilliseconds, maxAgeMilliseconds, isFollowed: false });
    return fresh() ?? header;
  }

  return {
    fresh,
    requireCurrent,
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
      followed = head;
      see({
        header: head,
        atMilliseconds: observedAtMilliseconds,
        maxAgeMilliseconds: waitMilliseconds + maxAgeMilliseconds,
        isFollowed: true,
      });
    },
    observeFinal(blockNumber = 0) {
      finalNumber = blockNumber;
    },
    onJump(listener) {
      onJump = listener;
    },
  };
}
