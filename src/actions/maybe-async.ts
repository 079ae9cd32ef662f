/** Values that are available now or later: a cached read passes no promise, an uncached one is awaited as usual. */

export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` synchronously to an available value, else when the promise resolves. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
