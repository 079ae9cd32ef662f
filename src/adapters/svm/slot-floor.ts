/**
 * Which is the newest slot that any answer was of? Balanced nodes are some slots apart; what was seen once must not be undone by
 * an answer of an older slot (chain-svm 8).
 */

export interface SlotFloor {
  /** 0: none has been seen. */
  readonly slot: number;
  note(slot: number): void;
}

export function createSlotFloor(): SlotFloor {
  let newest = 0;
  return {
    get slot() {
      return newest;
    },
    note(slot) {
      newest = Math.max(newest, slot);
    },
  };
}
