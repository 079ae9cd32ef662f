/**
 * Which slot is it, and when was a slot? A slot is 400 ms of the chain's time. The time stands until it is moved, and once the chain
 * follows the wall clock it is computed from that; nothing runs in between.
 */

const SLOT_MS = 400;

/** Known time of one slot; later slots follow from it. */
interface Anchor {
  readonly slot: number;
  readonly ms: number;
}

export class SlotClock {
  readonly #anchors: Anchor[];
  readonly #now: () => number;
  #slot: number;
  #isFollowing = false;

  /** `genesisTimestamp` in Unix seconds, `now` in Unix milliseconds. Slot 0 has passed: the first to be open is 1. */
  constructor(genesisTimestamp: number, now: () => number) {
    this.#anchors = [
      { slot: 0, ms: genesisTimestamp * 1000 },
      { slot: 1, ms: genesisTimestamp * 1000 },
    ];
    this.#slot = 1;
    this.#now = now;
  }

  /** The newest slot. */
  get slot(): number {
    if (this.#isFollowing) {
      const { slot, ms } = this.#anchors.at(-1)!;
      this.#slot = Math.max(this.#slot, slot + Math.floor((this.#now() - ms) / SLOT_MS));
    }
    return this.#slot;
  }

  /** Unix seconds of a slot that is not after the newest. */
  timeOf(slot: number): number {
    let low = 0;
    let high = this.#anchors.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#anchors[middle]!.slot <= slot) low = middle;
      else high = middle;
    }
    const anchor = this.#anchors[low]!;
    const end = this.#anchors[low + 1]?.ms ?? Infinity; // more slots may lie between two times than fit
    return Math.floor(Math.min(end, anchor.ms + (slot - anchor.slot) * SLOT_MS) / 1000);
  }

  /** Moves to a later second, or to another slot of the same. Throws `RangeError` for a time that has passed. */
  advanceTo(unixSeconds: number): void {
    this.#refuseWhenFollowing();
    const passed = unixSeconds - this.timeOf(this.#slot);
    if (!(passed >= 0)) throw new RangeError(`${unixSeconds} has passed`);
    this.#anchor(Math.max(1, Math.floor((passed * 1000) / SLOT_MS)), unixSeconds * 1000);
  }

  /** Moves `count` slots on. */
  advanceSlots(count: number): void {
    this.#refuseWhenFollowing();
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`${count} slots`);
    this.#slot += count;
  }

  /** Moves at least `leastSlots` slots on, to the time of the wall clock, and goes with it from there. */
  follow(leastSlots: number): void {
    this.#refuseWhenFollowing();
    const now = Math.max(this.#now(), this.timeOf(this.#slot) * 1000);
    const passed = Math.floor((now - this.timeOf(this.#slot) * 1000) / SLOT_MS);
    this.#anchor(Math.max(leastSlots, passed), now);
    this.#isFollowing = true;
  }

  #anchor(slots: number, ms: number): void {
    this.#slot += slots;
    this.#anchors.push({ slot: this.#slot, ms });
  }

  #refuseWhenFollowing(): void {
    if (this.#isFollowing) throw new Error('the chain follows the wall clock');
  }
}
