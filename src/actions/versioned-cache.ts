/**
 * Cache of one value per object, weakly held. A value is valid for one version, a list of primitives and objects compared by
 * identity, and is computed again for another one.
 */
import type { MaybePromise } from './maybe-async.ts';

type Version = readonly unknown[];

interface Entry<T> {
  readonly version: Version;
  value: T;
}

export class VersionedCache<K extends object, T> {
  readonly #entries = new WeakMap<K, Entry<MaybePromise<T>>>();

  /** Returns the cached value of `key`, or computes and caches it. An exception is not cached. */
  get(key: K, version: Version, compute: () => T): T;
  /** Returns the cached value or the promise of a read that concurrent callers share. Neither a failure nor `undefined` stays cached. */
  get(key: K, version: Version, compute: () => Promise<T>): MaybePromise<T>;
  get(key: K, version: Version, compute: () => MaybePromise<T>): MaybePromise<T> {
    const cached = this.#entries.get(key);
    if (cached !== undefined && isSame(cached.version, version)) return cached.value;
    const entry: Entry<MaybePromise<T>> = { version, value: compute() };
    this.#entries.set(key, entry);
    if (entry.value instanceof Promise) this.#settle(key, entry, entry.value);
    return entry.value;
  }

  /** Drops the value of `key` where it is outdated; one that is being read is not. */
  drop(key: K, isOutdated: (value: T) => boolean): void {
    const value = this.#entries.get(key)?.value;
    if (value !== undefined && !(value instanceof Promise) && isOutdated(value)) this.#entries.delete(key);
  }

  /** Replaces the promise by its value, so that later callers do not wait, or drops the entry. */
  #settle(key: K, entry: Entry<MaybePromise<T>>, pending: Promise<T>): void {
    const drop = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    pending.then((value) => (value === undefined ? drop() : void (entry.value = value)), drop);
  }
}

function isSame(a: Version, b: Version): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at]);
}
