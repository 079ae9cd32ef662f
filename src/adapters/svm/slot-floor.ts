/**
 * Which is the newest slot that any answer was of? Balanced nodes are some slots apart; what was seen once must not be undone by
 * an answer of an older slot (chain-svm 8). A slot that no node comes to within seconds was never there: whoever named it is not believed
 * for longer, or one such answer would make the chain unreadable for good.
 */

export interface SlotFloor {
  /** 0: none has been seen. */
  readonly slot: number;
  note(slot: number): void;
  /** A node is behind the floor, at this moment of any clock that never jumps. */
  miss(atMilliseconds: number): void;
}

/** Longer than any balanced node is behind. */
const MAX_MISSED_MILLISECONDS = 10_000;

export function createSlotFloor(): SlotFloor {
  let newest = 0;
  /** When the floor was first missed, since it was last reached. */
  let missedAtMilliseconds: number | undefined;
  return {
    get slot() {
      return newest;
    },
    note(slot) {
      if (slot < newest) return;
      newest = slot;
      missedAtMilliseconds = undefined;
    },
    miss(atMilliseconds) {
      missedAtMilliseconds ??= atMilliseconds;
      if (atMilliseconds - missedAtMilliseconds < MAX_MISSED_MILLISECONDS) return;
      newest = 0;
      missedAtMilliseconds = undefined;
    },
  };
}
