/** Dormancy: what silence costs (design/scoring.md, Dormancy). */
import { greatest, least, max, min } from './arithmetic.ts';

export interface Dormancy {
  readonly idle: bigint | null;
  readonly free: bigint | null;
  readonly half: bigint | null;
  /** What is left of the sum of the factors. */
  readonly awake: bigint;
}

/** Reduces the sum of the factors by the rhythm of the qualifying days. */
export function judgeDormancy(factorSum: bigint, days: readonly bigint[], today: bigint): Dormancy {
  if (days.length === 0) return { idle: null, free: null, half: null, awake: factorSum };
  const first = least(days);
  const last = greatest(days);
  const n = BigInt(days.filter((day) => day >= last - 89n).length);
  const gap = (100n * min(90n, last - first + 1n)) / n;
  const free = min(45n, max(14n, (4n * gap) / 100n));
  const half = min(30n, max(14n, (3n * gap) / 100n));
  const idle = today - last;
  if (idle <= free) return { idle, free, half, awake: factorSum };
  const k = idle - free;
  const m = k / half;
  const r = k % half;
  // The sum is at most 10000 < 2^14, so the quotient is 0, and a distant `now` needs no huge power.
  const awake = m >= 14n ? 0n : (factorSum * (2n * half - r)) / (2n * half * 2n ** m);
  return { idle, free, half, awake };
}
