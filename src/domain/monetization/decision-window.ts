/** Is a decision fresh? ("Freshness window" of the interface.) Both ends are inside. */
import { Fault } from '../faults.ts';
import type { DecisionRefusal } from './decision-refusal.ts';

export const MAX_AGE_SECONDS = 300;
/** For a clock that runs ahead of ours. */
export const MAX_LEAD_SECONDS = 30;

/** `nowSeconds` is the service's clock, rounded down. */
export function judgeWindow(timestamp: number, nowSeconds: number): DecisionRefusal | undefined {
  const isFresh = timestamp >= nowSeconds - MAX_AGE_SECONDS && timestamp <= nowSeconds + MAX_LEAD_SECONDS;
  return isFresh ? undefined : new Fault('DecisionOutsideWindow', {});
}

/**
 * The time that a new decision is signed for: now, or the first second after the decision in force (undefined: none).
 * Undefined when that second is too far ahead to be taken now.
 */
export function chooseTimestamp(nowSeconds: number, currentTimestamp: number | undefined): number | undefined {
  const timestamp = Math.max(nowSeconds, (currentTimestamp ?? 0) + 1);
  return judgeWindow(timestamp, nowSeconds) === undefined ? timestamp : undefined;
}
