/**
 * Which is the newest slot that any answer was of? Balanced nodes are some slots apart; what was seen once must not be undone by
 * an answer of an older slot (chain-svm 8). A slot that the chain cannot have come to yet is not seen: it would shut out every true answer.
 */

export interface MinContextSlot {
  /** 0: none has been seen. */
  readonly slot: number;
  /** Whether the chain can have come so far since the newest slot was seen. Moments are of any clock that never jumps. */
  isWithinReach(slot: number, atMilliseconds: number): boolean;
  note(slot: number, atMilliseconds: number): void;
}

/** Half of what a slot takes on every cluster. */
const FASTEST_SLOT_MILLISECONDS = 200;
/** The nodes of a service may be minutes apart when one of them starts. */
const MARGIN_SLOTS = 1_500;

export function createMinContextSlot(): MinContextSlot {
  let newest = 0;
  let notedAtMilliseconds = 0;
  return {
    get slot() {
      return newest;
    },
    isWithinReach(slot, atMilliseconds) {
      const passed = (atMilliseconds - notedAtMilliseconds) / FASTEST_SLOT_MILLISECONDS;
      return newest === 0 || slot <= newest + MARGIN_SLOTS + passed;
    },
    note(slot, atMilliseconds) {
      if (slot < newest) return;
      newest = slot;
      notedAtMilliseconds = atMilliseconds;
    },
  };
}
