/** Repeats what a rate limit, a lost connection or the page of a gateway ended: the index repeats it too. */
import { setTimeout as pause } from 'node:timers/promises';

/** Least pauses before the further attempts. */
const PAUSES_MILLISECONDS = [500, 1_000, 2_000];
const MAX_PAUSE_MILLISECONDS = 10_000;

/**
 * Returns the first outcome for which `findPause` returns undefined, or the last one. It returns the milliseconds that the node requested,
 * or 0, for an outcome that may be another a moment later. Throws what the attempt throws.
 */
export async function repeatTransient<T>(
  attempt: () => Promise<T>,
  findPause: (outcome: T) => number | undefined,
): Promise<T> {
  let outcome = await attempt();
  for (const milliseconds of PAUSES_MILLISECONDS) {
    const requested = findPause(outcome);
    if (requested === undefined) break;
    await pause(Math.max(milliseconds, Math.min(requested, MAX_PAUSE_MILLISECONDS)));
    outcome = await attempt();
  }
  return outcome;
}
