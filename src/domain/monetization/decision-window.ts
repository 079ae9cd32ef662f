/** Freshness window of a decision ("Freshness window" of the interface). Both ends are inclusive. */
import { Fault, type DecisionRefusal } from '../faults.ts';

export const MAX_AGE_SECONDS = 300;
/** Tolerance for a client's clock that runs ahead. */
const MAX_LEAD_SECONDS = 30;

/** Returns a refusal when the timestamp is outside the window. `nowSeconds` is the service's clock, rounded down. */
export function judgeWindow(timestamp: number, nowSeconds: number): DecisionRefusal | undefined {
  const isFresh = timestamp >= nowSeconds - MAX_AGE_SECONDS && timestamp <= nowSeconds + MAX_LEAD_SECONDS;
  return isFresh ? undefined : new Fault('DecisionOutsideWindow', {});
}

/**
 * Chooses the timestamp of a new decision: now, or the first second after `currentTimestamp`, that of the decision in force.
 * Returns undefined when that second is too far ahead to be accepted now.
 */
export function chooseTimestamp(nowSeconds: number, currentTimestamp: number | undefined): number | undefined {
  const timestamp = Math.max(nowSeconds, (currentTimestamp ?? 0) + 1);
  return judgeWindow(timestamp, nowSeconds) === undefined ? timestamp : undefined;
}
