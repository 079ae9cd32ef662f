/** How is an answer that is known given without waiting? A hot read crosses no promise at all; a cold one waits as usual. */

export type MaybePromise<T> = T | Promise<T>;

/** Goes on at once with a value that is here, else when it comes. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
