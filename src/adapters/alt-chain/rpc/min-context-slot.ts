/**
 * Newest slot seen in any response, sent as `minContextSlot`. Load-balanced nodes are some slots apart, and a newer state must not
 * be undone by an older response (chain-svm 8). A slot that the chain cannot have reached yet is rejected, because it would block
 * every correct response. The first slot has nothing to be compared with, and a node can raise it step by step: one that no response
 * reaches any more is lowered where the chain cannot have reached it.
 */

/** One moment on two clocks. */
export interface Moment {
  /** Monotonic; may stand still while the host is suspended. */
  readonly stopwatchMilliseconds: number;
  /** Wall clock; may jump. */
  readonly clockMilliseconds: number;
}

/**
 * Whether the chain can have reached a slot since the newest one was seen. `doubtful`: only if the newest one is of a node that is
 * behind, so a block time in the future contradicts it. `unexplained`: only if the host was suspended, so the block time of the slot
 * decides.
 */
export type SlotPlausibility = 'plausible' | 'doubtful' | 'unexplained' | 'impossible';

export interface MinContextSlot {
  /** 0 if none was seen. */
  readonly slot: number;
  judge(slot: number, at: Moment): SlotPlausibility;
  observe(slot: number, at: Moment): void;
  /** Returns whether no response has reached the slot for a minute. */
  isUnreached(at: Moment): boolean;
  /** Lowers the slot to that of a block of this age, unless the chain may have reached it since that block. */
  lower(slot: number, ageMilliseconds: number, at: Moment): void;
}

/** Half of the slot time of every cluster. */
const FASTEST_SLOT_MILLISECONDS = 200;
/** Distance of healthy nodes: a minute. */
const NEAR_SLOTS = 150;
/** Nodes may be minutes apart while one of them catches up. */
const FAR_SLOTS = 1_500;
const MINUTE_MILLISECONDS = 60_000;

export function createMinContextSlot(): MinContextSlot {
  let newest = 0;
  let risenAt: Moment = { stopwatchMilliseconds: 0, clockMilliseconds: 0 };
  let reachedAt = risenAt;

  function set(slot: number, at: Moment): void {
    newest = slot;
    risenAt = at;
    reachedAt = at;
  }

  return {
    get slot() {
      return newest;
    },
    judge(slot, { stopwatchMilliseconds, clockMilliseconds }) {
      if (newest === 0) return 'plausible';
      const slots = slot - newest - countSlots(stopwatchMilliseconds - risenAt.stopwatchMilliseconds);
      if (slots <= FAR_SLOTS) return slots <= NEAR_SLOTS ? 'plausible' : 'doubtful';
      const latest = newest + FAR_SLOTS + countSlots(clockMilliseconds - risenAt.clockMilliseconds);
      return slot <= latest ? 'unexplained' : 'impossible';
    },
    observe(slot, at) {
      if (slot > newest) set(slot, at);
      else if (slot === newest) reachedAt = at;
    },
    isUnreached: ({ stopwatchMilliseconds }) =>
      newest > 0 && stopwatchMilliseconds - reachedAt.stopwatchMilliseconds >= MINUTE_MILLISECONDS,
    lower(slot, ageMilliseconds, at) {
      // The age of its block covers how far the node is behind.
      if (newest > slot + NEAR_SLOTS + countSlots(Math.abs(ageMilliseconds))) set(slot, at);
    },
  };
}

/** Returns the most slots that the chain can have produced in this time. */
export function countSlots(milliseconds: number): number {
  return milliseconds / FASTEST_SLOT_MILLISECONDS;
}
