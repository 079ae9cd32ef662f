/**
 * Rate limiter with fixed windows that start with the first request of a key, one key per address and path (decisions 3).
 *
 * All state is in numeric arrays that are allocated once, so clients cannot make it grow. A key is 64 bits of a seeded hash. When all entries are
 * used, the least recently used key is evicted, which can only admit a request. An address that opens very many keys meanwhile is counted as one
 * key from then on.
 */
import { randomInt } from 'node:crypto';

export interface RateLimiterOptions {
  /** Requests of one key in one window. */
  readonly limit: number;
  readonly windowMilliseconds: number;
  readonly memoryBytes: number;
  /** Two 32-bit numbers that clients must not know; random unless a test sets them. */
  readonly seeds?: readonly [number, number];
}

/** State for metrics. */
export interface LimiterReport {
  readonly keys: number;
  /** The largest number of keys. */
  readonly capacity: number;
  /** Since the process started. */
  readonly refused: number;
}

/** Two words for the hash, one for the count, three links, up to two for the bucket, 4 bytes each; 8 bytes for the start of the window. */
const MAX_BYTES_PER_ENTRY = 40;
/** An address is collapsed when it opens more than this share of all keys in one window while others are evicted for them. */
const COLLAPSE_SHARE = 1 / 64;
/** Bit in the count of a collapsed address: one that is counted as one key. */
const COLLAPSED = 0x8000_0000;
/** Not a path; with it, `#selectKey` selects the key of the address itself. */
const ANY_PATH = '*';

export class RateLimiter {
  readonly #limit: number;
  readonly #windowMilliseconds: number;
  readonly #seeds: readonly [number, number];
  readonly #capacity: number;
  /** Index of the first entry of a bucket; 0 = none, so entries are numbered from 1. */
  readonly #buckets: Uint32Array;
  readonly #nextInBucket: Uint32Array;
  /** Ring of all entries in the order of their last request; entry 0 is its end. */
  readonly #newer: Uint32Array;
  readonly #older: Uint32Array;
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #startedAt: Float64Array;
  #size = 0;
  #refused = 0;
  /** Until this time some address may be collapsed. */
  #anyCollapsedUntil = -Infinity;
  /** Hash of the selected key, in fields because returning two numbers would allocate: only `#selectKey` sets it. */
  #keyLow = 0;
  #keyHigh = 0;

  constructor({ limit, windowMilliseconds, memoryBytes, seeds }: RateLimiterOptions) {
    this.#limit = limit;
    this.#windowMilliseconds = windowMilliseconds;
    this.#seeds = seeds ?? [randomInt(2 ** 32), randomInt(2 ** 32)];
    this.#capacity = Math.max(1, Math.floor(memoryBytes / MAX_BYTES_PER_ENTRY) - 1);
    this.#buckets = new Uint32Array(2 ** Math.ceil(Math.log2(this.#capacity)));
    const create = () => new Uint32Array(this.#capacity + 1);
    this.#nextInBucket = create();
    this.#newer = create();
    this.#older = create();
    this.#low = create();
    this.#high = create();
    this.#counts = create();
    this.#startedAt = new Float64Array(this.#capacity + 1);
  }

  /** Counts one request. Returns 0 when admitted, else the whole seconds until the window ends, at least 1. Refused requests do not count. */
  count(address: string, path: string, nowMilliseconds: number): number {
    if (nowMilliseconds < this.#anyCollapsedUntil) {
      this.#selectKey(address, ANY_PATH);
      const addressEntry = this.#findSelected();
      if (addressEntry !== 0 && this.#isCollapsed(addressEntry, nowMilliseconds))
        return this.#countEntry(addressEntry, nowMilliseconds);
    }
    this.#selectKey(address, path);
    const entry = this.#findSelected();
    if (entry !== 0) return this.#countEntry(entry, nowMilliseconds);
    if (this.#isFull(nowMilliseconds)) {
      if (this.#countOpenedKey(address, nowMilliseconds)) return 0;
      this.#selectKey(address, path);
    }
    this.#start(this.#insertSelected(), nowMilliseconds);
    return 0;
  }

  report(): LimiterReport {
    return { keys: this.#size, capacity: this.#capacity, refused: this.#refused };
  }

  #countEntry(entry: number, now: number): number {
    this.#touch(entry);
    const flag = this.#counts[entry]! >= COLLAPSED ? COLLAPSED : 0;
    if (flag !== 0) this.#anyCollapsedUntil = now + 2 * this.#windowMilliseconds;
    if (!this.#isOpen(entry, now)) this.#start(entry, now, flag);
    else if (this.#counts[entry]! - flag < this.#limit) this.#counts[entry]! += 1;
    else return this.#refuse(entry, now);
    return 0;
  }

  #refuse(entry: number, now: number): number {
    this.#refused += 1;
    return Math.ceil((this.#startedAt[entry]! + this.#windowMilliseconds - now) / 1000);
  }

  /** Returns false for a window that starts in the future: the clock was set back since. */
  #isOpen(entry: number, now: number): boolean {
    const age = now - this.#startedAt[entry]!;
    return age >= 0 && age < this.#windowMilliseconds;
  }

  #start(entry: number, now: number, flag = 0): void {
    this.#startedAt[entry] = now;
    this.#counts[entry] = flag + 1;
  }

  /** Returns whether a new key would evict one whose window is still open. */
  #isFull(now: number): boolean {
    return this.#size === this.#capacity && this.#isOpen(this.#newer[0]!, now);
  }

  /**
   * Counts a key opened for `address`. Returns true when this collapses the address, with this request as the first of its
   * key. Selects the key of the address.
   */
  #countOpenedKey(address: string, now: number): boolean {
    this.#selectKey(address, ANY_PATH);
    let addressEntry = this.#findSelected();
    if (addressEntry === 0) this.#start((addressEntry = this.#insertSelected()), now);
    else if (this.#isOpen(addressEntry, now)) this.#counts[addressEntry]! += 1;
    else this.#start(addressEntry, now);
    this.#touch(addressEntry);
    if (this.#counts[addressEntry]! <= this.#capacity * COLLAPSE_SHARE) return false;
    this.#start(addressEntry, now, COLLAPSED);
    this.#anyCollapsedUntil = now + 2 * this.#windowMilliseconds;
    return true;
  }

  /** Returns false after a whole window without a request: the address is counted by path again. */
  #isCollapsed(addressEntry: number, now: number): boolean {
    const age = now - this.#startedAt[addressEntry]!;
    return this.#counts[addressEntry]! >= COLLAPSED && age >= 0 && age < 2 * this.#windowMilliseconds;
  }

  /** Returns the entry of the selected key; 0 if it has none. */
  #findSelected(): number {
    let entry = this.#buckets[this.#keyLow & (this.#buckets.length - 1)]!;
    while (entry !== 0 && (this.#low[entry] !== this.#keyLow || this.#high[entry] !== this.#keyHigh)) {
      entry = this.#nextInBucket[entry]!;
    }
    return entry;
  }

  /** Gives the selected key an entry, evicting the least recently used one if none is free, and makes it the newest. */
  #insertSelected(): number {
    const entry = this.#size < this.#capacity ? (this.#size += 1) : this.#evictOldest();
    const bucket = this.#keyLow & (this.#buckets.length - 1);
    this.#low[entry] = this.#keyLow;
    this.#high[entry] = this.#keyHigh;
    this.#nextInBucket[entry] = this.#buckets[bucket]!;
    this.#buckets[bucket] = entry;
    this.#link(entry);
    return entry;
  }

  #evictOldest(): number {
    const entry = this.#newer[0]!;
    this.#unlink(entry);
    const bucket = this.#low[entry]! & (this.#buckets.length - 1);
    let before = this.#buckets[bucket]!;
    if (before === entry) {
      this.#buckets[bucket] = this.#nextInBucket[entry]!;
    } else {
      while (this.#nextInBucket[before] !== entry) before = this.#nextInBucket[before]!;
      this.#nextInBucket[before] = this.#nextInBucket[entry]!;
    }
    return entry;
  }

  #touch(entry: number): void {
    if (this.#older[0] === entry) return;
    this.#unlink(entry);
    this.#link(entry);
  }

  /** Adds the entry to the ring, which runs from 0 by `newer` to the oldest and by `older` to the newest. */
  #link(entry: number): void {
    const newest = this.#older[0]!;
    this.#older[entry] = newest;
    this.#newer[entry] = 0;
    this.#newer[newest] = entry;
    this.#older[0] = entry;
  }

  #unlink(entry: number): void {
    const older = this.#older[entry]!;
    const newer = this.#newer[entry]!;
    this.#newer[older] = newer;
    this.#older[newer] = older;
  }

  /** Selects the key that `#findSelected` and `#insertSelected` use until the next call. */
  #selectKey(address: string, path: string): void {
    this.#keyLow = this.#seeds[0];
    this.#keyHigh = this.#seeds[1];
    this.#absorb(address);
    this.#absorb(path);
    const low = this.#keyLow;
    this.#keyLow = mix(low, this.#keyHigh);
    this.#keyHigh = mix(this.#keyHigh, low);
  }

  /** Rotates, adds a character and multiplies, in two independent lanes. */
  #absorb(text: string): void {
    let low = this.#keyLow;
    let high = this.#keyHigh;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      low = Math.imul(((low << 5) | (low >>> 27)) ^ code, 0x9e3779b1);
      high = Math.imul(((high << 11) | (high >>> 21)) ^ code, 0x85ebca77);
    }
    this.#keyLow = low;
    this.#keyHigh = high;
  }
}

/** Mixes both numbers so that every bit affects the result. */
function mix(own: number, other: number): number {
  const mixed = Math.imul(own ^ (own >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
