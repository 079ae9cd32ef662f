/**
 * Absences of transactions that count once they are seen again later. A node of Solana that cannot read its archive for a moment answers as
 * if the transaction did not exist, and a verdict without it is never made again.
 */
import type { Clock } from '../../ports/runtime.ts';

export interface RepeatedAbsence {
  /** Records an absence. Returns whether it was seen ten minutes ago as well; where too many are remembered, whether it was read often. */
  confirm(reference: string, attempts: number): boolean;
  /** Forgets a transaction that was found or decided on. */
  forget(reference: string): void;
}

export const ABSENCE_REPEAT_MILLISECONDS = 600_000;
const MAX_REMEMBERED = 100_000;
/** Readings that take longer than the time above. */
const MIN_ATTEMPTS = 4;

/** Requires a monotonic clock: a step of the wall clock would make one outage of a node two, or delay the second look for as long. */
export function createRepeatedAbsence(clock: Clock): RepeatedAbsence {
  const absentSince = new Map<string, number>();
  return {
    confirm(reference, attempts) {
      const now = clock.nowMilliseconds();
      const since = absentSince.get(reference);
      if (since !== undefined) return now - since >= ABSENCE_REPEAT_MILLISECONDS;
      if (absentSince.size >= MAX_REMEMBERED) return attempts >= MIN_ATTEMPTS;
      absentSince.set(reference, now);
      return false;
    },
    forget: (reference) => void absentSince.delete(reference),
  };
}
