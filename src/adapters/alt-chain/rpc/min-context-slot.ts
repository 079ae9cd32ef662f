/**
 * Newest slot seen in any response, sent as `minContextSlot`. Load-balanced nodes are some slots apart, and a newer state must not
 * be undone by an older response (chain-svm 8). A slot that the chain cannot have reached yet is rejected, because it would block
 * every correct response.
 */

export interface MinContextSlot {
  /** 0 if none was seen. */
  readonly slot: number;
  /** Returns whether the chain can have reached a slot since the newest one was seen. Times are of any monotonic clock. */
  isPlausible(slot: number, atMilliseconds: number): boolean;
  observe(slot: number, atMilliseconds: number): void;
}

/** Half of the slot time of every cluster. */
const FASTEST_SLOT_MILLISECONDS = 200;
/** Nodes may be minutes apart while one of them catches up. */
const MARGIN_SLOTS = 1_500;

export function createMinContextSlot(): MinContextSlot {
  let newest = 0;
  let observedAtMilliseconds = 0;
  return {
    get slot() {
      return newest;
    },
    isPlausible(slot, atMilliseconds) {
      const elapsedSlots = (atMilliseconds - observedAtMilliseconds) / FASTEST_SLOT_MILLISECONDS;
      return newest === 0 || slot <= newest + MARGIN_SLOTS + elapsedSlots;
    },
    observe(slot, atMilliseconds) {
      if (slot < newest) return;
      newest = slot;
      observedAtMilliseconds = atMilliseconds;
    },
  };
}
