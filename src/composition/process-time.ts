/** Clocks and timers of the process. All other modules receive theirs by injection. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Timers } from '../ports/runtime.ts';

export const CLOCK: Clock = { nowMilliseconds: () => Date.now() };

export const MONOTONIC_CLOCK: Clock = { nowMilliseconds: () => performance.now() };

export const TIMERS: Timers = {
  async wait(milliseconds, signal) {
    await delay(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};
