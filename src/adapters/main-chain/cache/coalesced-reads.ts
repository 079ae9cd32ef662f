/**
 * How do many callers share a read without being told what was true before they asked? Whoever asks while a read runs waits for
 * the next one: of one key no more than one read runs at a time, and each caller's read began after the call.
 */

export function coalesceAfterCall<K, T>(read: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const running = new Map<K, { readonly current: Promise<unknown>; next: Promise<T> | undefined }>();

  function start(key: K): Promise<T> {
    const reading = read(key);
    const current = reading.then(
      () => finish(),
      () => finish(),
    );
    const entry = { current, next: undefined };
    const finish = () => {
      if (running.get(key) === entry && entry.next === undefined) running.delete(key);
    };
    running.set(key, entry);
    return reading;
  }

  return (key) => {
    const entry = running.get(key);
    if (entry === undefined) return start(key);
    entry.next ??= entry.current.then(() => start(key));
    return entry.next;
  };
}
