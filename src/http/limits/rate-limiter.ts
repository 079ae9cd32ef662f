/**
 * Rate limiter with fixed windows that start with the first request of a key, one key per address and path (decisions 3).
 *
 * Memory is allocated once (`key-table.ts`), so clients cannot make it grow. When all entries are used, the least recently used key is
 * evicted: its next request begins a window, which may admit more requests, and refuses none before the limit was admitted within one
 * window. An address that opens very many keys meanwhile is counted as one key from then on.
 */
import { KeyTable, MAX_KEY_BYTES } from './key-table.ts';

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

/** The key, 4 bytes for the count and 8 bytes for the start of the window. */
const MAX_BYTES_PER_ENTRY = MAX_KEY_BYTES + 12;
/** An address is collapsed when it opens more than this share of all keys in one window while others are evicted for them. */
const COLLAPSE_SHARE = 1 / 64;
/** Bit in the count of a collapsed address: one that is counted as one key. */
const COLLAPSED = 0x8000_0000;
/** Not a path; with it, `select` selects the key of the address itself. */
const ANY_PATH = '*';

export class RateLimiter {
  readonly #limit: number;
  readonly #windowMilliseconds: number;
  readonly #keys: KeyTable;
  readonly #counts: Uint32Array;
  readonly #startedAt: Float64Array;
  #refused = 0;
  /** Until this time some address may be collapsed. */
  #anyCollapsedUntil = -Infinity;

  constructor({ limit, windowMilliseconds, memoryBytes, seeds }: RateLimiterOptions) {
    this.#limit = limit;
    this.#windowMilliseconds = windowMilliseconds;
    const capacity = Math.max(1, Math.floor(memoryBytes / MAX_BYTES_PER_ENTRY) - 1);
    this.#keys = new KeyTable(capacity, seeds);
    this.#counts = new Uint32Array(capacity + 1);
    this.#startedAt = new Float64Array(capacity + 1);
  }

  /** Counts one request. Returns 0 when admitted, else the whole seconds until the window ends, at least 1. Refused requests do not count. */
  count(address: string, path: string, nowMilliseconds: number): number {
    if (nowMilliseconds < this.#anyCollapsedUntil) {
      this.#keys.select(address, ANY_PATH);
      const addressEntry = this.#keys.findSelected();
      if (addressEntry !== 0 && this.#isCollapsed(addressEntry, nowMilliseconds))
        return this.#countEntry(addressEntry, nowMilliseconds);
    }
    this.#keys.select(address, path);
    const entry = this.#keys.findSelected();
    if (entry !== 0) return this.#countEntry(entry, nowMilliseconds);
    if (this.#isFull(nowMilliseconds)) {
      if (this.#countOpenedKey(address, nowMilliseconds)) return 0;
      this.#keys.select(address, path);
    }
    this.#start(this.#keys.insertSelected(), nowMilliseconds);
    return 0;
  }

  report(): LimiterReport {
    return { keys: this.#keys.size, capacity: this.#keys.capacity, refused: this.#refused };
  }

  #countEntry(entry: number, now: number): number {
    this.#keys.touch(entry);
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
    return this.#keys.size === this.#keys.capacity && this.#isOpen(this.#keys.oldest, now);
  }

  /**
   * Counts a key opened for `address`. Returns true when this collapses the address, with this request as the first of its
   * key. Selects the key of the address.
   */
  #countOpenedKey(address: string, now: number): boolean {
    this.#keys.select(address, ANY_PATH);
    let addressEntry = this.#keys.findSelected();
    if (addressEntry === 0) this.#start((addressEntry = this.#keys.insertSelected()), now);
    else if (this.#isOpen(addressEntry, now)) this.#counts[addressEntry]! += 1;
    else this.#start(addressEntry, now);
    this.#keys.touch(addressEntry);
    if (this.#counts[addressEntry]! <= this.#keys.capacity * COLLAPSE_SHARE) return false;
    this.#start(addressEntry, now, COLLAPSED);
    this.#anyCollapsedUntil = now + 2 * this.#windowMilliseconds;
    return true;
  }

  /** Returns false after a whole window without a request: the address is counted by path again. */
  #isCollapsed(addressEntry: number, now: number): boolean {
    const age = now - this.#startedAt[addressEntry]!;
    return this.#counts[addressEntry]! >= COLLAPSED && age >= 0 && age < 2 * this.#windowMilliseconds;
  }
}
