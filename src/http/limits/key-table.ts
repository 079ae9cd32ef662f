/**
 * Bounded LRU table of keys (address and path) for the rate limiter. All state is in numeric arrays that are allocated once, so
 * clients cannot make it grow. A key is 64 bits of a seeded hash; an entry is an index from 1, by which the caller holds its
 * own values.
 */
import { randomInt } from 'node:crypto';

/** Two words for the hash, three links, and up to two words for the bucket, 4 bytes each. */
export const MAX_KEY_BYTES = 28;

export class KeyTable {
  readonly capacity: number;
  readonly #seeds: readonly [number, number];
  /** Index of the first entry of a bucket; 0 = none, so entries are numbered from 1. */
  readonly #buckets: Uint32Array;
  readonly #nextInBucket: Uint32Array;
  /** Ring of all entries in the order of their last request; entry 0 is its end. */
  readonly #newer: Uint32Array;
  readonly #older: Uint32Array;
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;
  #size = 0;
  /** Hash of the selected key, in fields because returning two numbers would allocate: only `select` sets it. */
  #keyLow = 0;
  #keyHigh = 0;

  /** `seeds` are two 32-bit numbers that clients must not know. */
  constructor(capacity: number, seeds: readonly [number, number] = [randomInt(2 ** 32), randomInt(2 ** 32)]) {
    this.capacity = capacity;
    this.#seeds = seeds;
    this.#buckets = new Uint32Array(2 ** Math.ceil(Math.log2(capacity)));
    const create = () => new Uint32Array(capacity + 1);
    this.#nextInBucket = create();
    this.#newer = create();
    this.#older = create();
    this.#low = create();
    this.#high = create();
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the least recently used entry; 0 if there is none. */
  get oldest(): number {
    return this.#newer[0]!;
  }

  /** Selects the key that `findSelected` and `insertSelected` use until the next call. */
  select(address: string, path: string): void {
    this.#keyLow = this.#seeds[0];
    this.#keyHigh = this.#seeds[1];
    this.#absorb(address);
    this.#absorb(path);
    const low = this.#keyLow;
    this.#keyLow = mix(low, this.#keyHigh);
    this.#keyHigh = mix(this.#keyHigh, low);
  }

  /** Returns the entry of the selected key; 0 if it has none. */
  findSelected(): number {
    let entry = this.#buckets[this.#keyLow & (this.#buckets.length - 1)]!;
    while (entry !== 0 && (this.#low[entry] !== this.#keyLow || this.#high[entry] !== this.#keyHigh)) {
      entry = this.#nextInBucket[entry]!;
    }
    return entry;
  }

  /** Gives the selected key an entry, evicting the least recently used one if none is free, and makes it the newest. */
  insertSelected(): number {
    const entry = this.#size < this.capacity ? (this.#size += 1) : this.#evictOldest();
    const bucket = this.#keyLow & (this.#buckets.length - 1);
    this.#low[entry] = this.#keyLow;
    this.#high[entry] = this.#keyHigh;
    this.#nextInBucket[entry] = this.#buckets[bucket]!;
    this.#buckets[bucket] = entry;
    this.#link(entry);
    return entry;
  }

  /** Makes the entry the newest. */
  touch(entry: number): void {
    if (this.#older[0] === entry) return;
    this.#unlink(entry);
    this.#link(entry);
  }

  #evictOldest(): number {
    const entry = this.oldest;
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
