/**
 * Newest slot seen in any response, sent as `minContextSlot`. Load-balanced nodes are some slots apart, and a newer state must not
 * be undone by an older response (chain-svm 8). A slot that the chain cannot have reached yet is rejected, because it would block
 * every correct response.
 */

/** One moment on two clocks. */
export interface Moment {
  /** Monotonic; may stand still while the host is suspended. */
  readonly stopwatchMilliseconds: number;
  /** Wall clock; may jump. */
  readonly clockMilliseconds: number;
}

/**
 * Whether the chain can have reached a slot since the newest one was seen. `unexplained`: only if the host was suspended, so the
 * block time of the slot decides.
 */
export type SlotPlausibility = 'plausible' | 'unexplained' | 'impossible';

export interface MinContextSlot {
  /** 0 if none was seen. */
  readonly slot: number;
  judge(slot: number, at: Moment): SlotPlausibility;
  observe(slot: number, at: Moment): void;
}

/** Half of the slot time of every cluster. */
const FASTEST_SLOT_MILLISECONDS = 200;
/** Nodes may be minutes apart while one of them catches up. */
const MARGIN_SLOTS = 1_500;

export function createMinContextSlot(): MinContextSlot {
  let newest = 0;
  let observedAt: Moment = { stopwatchMilliseconds: 0, clockMilliseconds: 0 };

  function isReachable(slot: number, elapsedMilliseconds: number): boolean {
    return slot <= newest + MARGIN_SLOTS + elapsedMilliseconds / FASTEST_SLOT_MILLISECONDS;
  }

  return {
    get slot() {
      return newest;
    },
    judge(slot, { stopwatchMilliseconds, clockMilliseconds }) {
      if (newest === 0) return 'plausible';
      if (isReachable(slot, stopwatchMilliseconds - observedAt.stopwatchMilliseconds)) return 'plausible';
      return isReachable(slot, clockMilliseconds - observedAt.clockMilliseconds) ? 'unexplained' : 'impossible';
    },
    observe(slot, at) {
      if (slot < newest) return;
      newest = slot;
      observedAt = at;
    },
  };
}
