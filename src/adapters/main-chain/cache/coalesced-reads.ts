/**
 * Coalesces concurrent reads of one key without serving anything older than the call. At most one read of a key runs at
 * a time; calls made while it runs share the next one, so each caller's read begins after its call (read-your-writes).
 * Only callers that share a read whose turn was refused read on their own.
 */
import { joinRead } from '../../rpc/join-read.ts';

interface Entry<T> {
  readonly current: Promise<unknown>;
  next: Promise<T> | undefined;
}

export function coalesceAfterCall<K, T>(read: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const running = new Map<K, Entry<T>>();

  function start(key: K): Promise<T> {
    const result = read(key);
    const current = result.then(
      () => finish(),
      () => finish(),
    );
    const entry: Entry<T> = { current, next: undefined };
    const finish = () => {
      if (running.get(key) === entry && entry.next === undefined) running.delete(key);
    };
    running.set(key, entry);
    return result;
  }

  return (key) => {
    const entry = running.get(key);
    if (entry === undefined) return start(key);
    if (entry.next !== undefined) return joinRead(entry.next, () => read(key));
    entry.next = entry.current.then(() => start(key));
    return entry.next;
  };
}
