/** Counts how often something happens within one tick of the event loop: a measure of blocking that does not depend on time. */

export interface TickCounter {
  count(): void;
  /** Returns the highest count within one tick. */
  readonly most: number;
}

export function createTickCounter(): TickCounter {
  let inTick = 0;
  let most = 0;
  return {
    count() {
      if (inTick++ === 0) setImmediate(() => (inTick = 0));
      most = Math.max(most, inTick);
    },
    get most() {
      return most;
    },
  };
}
