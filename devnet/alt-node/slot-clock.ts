/**
 * Slot clock of the local alt chain: a slot is 400 ms of chain time. The time is set explicitly until the chain follows the wall clock;
 * then it is computed from the wall clock, without a timer.
 */

const SLOT_MS = 400;

/** Known time of one slot, from which later slots are computed. */
interface Anchor {
  readonly slot: number;
  readonly ms: number;
}

export class SlotClock {
  readonly #anchors: Anchor[];
  readonly #now: () => number;
  #slot: number;
  #isFollowing = false;

  /** Creates a clock. `genesisTimestamp` in Unix seconds, `now` in Unix milliseconds. The first open slot is 1. */
  constructor(genesisTimestamp: number, now: () => number) {
    this.#anchors = [
      { slot: 0, ms: genesisTimestamp * 1000 },
      { slot: 1, ms: genesisTimestamp * 1000 },
    ];
    this.#slot = 1;
    this.#now = now;
  }

  /** Newest slot. */
  get slot(): number {
    if (this.#isFollowing) {
      const { slot, ms } = this.#anchors.at(-1)!;
      this.#slot = Math.max(this.#slot, slot + Math.floor((this.#now() - ms) / SLOT_MS));
    }
    return this.#slot;
  }

  /** Returns the time (Unix seconds) of a slot that is not after the newest. */
  timeOf(slot: number): number {
    let low = 0;
    let high = this.#anchors.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#anchors[middle]!.slot <= slot) low = middle;
      else high = middle;
    }
    const anchor = this.#anchors[low]!;
    const end = this.#anchors[low + 1]?.ms ?? Infinity; // there may be more slots between two times than fit
    return Math.floor(Math.min(end, anchor.ms + (slot - anchor.slot) * SLOT_MS) / 1000);
  }

  /** Moves to a later second, or to another slot of the current one. Throws `RangeError` for an earlier time. */
  advanceTo(unixSeconds: number): void {
    this.#assertNotFollowing();
    const passed = unixSeconds - this.timeOf(this.#slot);
    if (!(passed >= 0)) throw new RangeError(`${unixSeconds} is in the past`);
    this.#anchor(Math.max(1, Math.floor((passed * 1000) / SLOT_MS)), unixSeconds * 1000);
  }

  /** Moves `count` slots forward. */
  advanceSlots(count: number): void {
    this.#assertNotFollowing();
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`cannot advance by ${count} slots`);
    this.#slot += count;
  }

  /** Moves at least `leastSlots` slots forward to the time of the wall clock, and follows it from there. */
  follow(leastSlots: number): void {
    this.#assertNotFollowing();
    const now = Math.max(this.#now(), this.timeOf(this.#slot) * 1000);
    const passed = Math.floor((now - this.timeOf(this.#slot) * 1000) / SLOT_MS);
    this.#anchor(Math.max(leastSlots, passed), now);
    this.#isFollowing = true;
  }

  #anchor(slots: number, ms: number): void {
    this.#slot += slots;
    this.#anchors.push({ slot: this.#slot, ms });
  }

  #assertNotFollowing(): void {
    if (this.#isFollowing) throw new Error('the chain follows the wall clock');
  }
}
