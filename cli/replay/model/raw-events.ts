/** Events as the chain stores them, and which of them can qualify (design/scoring.md, Events). */
import { min } from './arithmetic.ts';

/** One event as stored on the chain, with the time of its block and the evidence found for it. */
export interface RawEvent {
  readonly seq: bigint;
  readonly type: bigint;
  readonly value: bigint;
  readonly currency: string;
  /** Unix seconds; the reported time of the event. */
  readonly timestamp: bigint;
  readonly trust: bigint;
  /** Unix seconds. */
  readonly blockTimestamp: bigint;
  /** Trust level 2, and a chip record in force when it was stored. */
  readonly attested: boolean;
  /** US cents of the payment with the verdict `paid`; 0 without one. */
  readonly paidCents: bigint;
}

/** The events contradict each other (a gap, a decreasing block time), so there is no score. */
export class UnreadableEvents extends Error {
  override readonly name = 'UnreadableEvents';
}

/** Throws `UnreadableEvents`. */
export function requireReadable(events: readonly RawEvent[]): void {
  events.forEach((event, position) => {
    if (event.seq !== BigInt(position)) throw new UnreadableEvents(`event ${position} carries seq ${event.seq}`);
    const before = events[position - 1];
    if (before !== undefined && event.blockTimestamp < before.blockTimestamp) {
      throw new UnreadableEvents(`the block time decreases at event ${position}`);
    }
  });
}

const isLate = (event: RawEvent): boolean => event.timestamp < event.blockTimestamp - 604800n;

const isEarly = (event: RawEvent): boolean => event.timestamp > event.blockTimestamp + 900n;

/** UTC day number of the earlier of both times. */
export const dayOf = (event: Pick<RawEvent, 'timestamp' | 'blockTimestamp'>): bigint =>
  min(event.timestamp, event.blockTimestamp) / 86400n;

/** Weeks begin on Monday. */
export const weekOf = (day: bigint): bigint => (day + 3n) / 7n;

/** Returns whether an event can qualify: it is not late, early or malformed. */
export function isSound(event: RawEvent): boolean {
  return !isLate(event) && !isEarly(event) && !isMalformed(event);
}

function isMalformed(event: RawEvent): boolean {
  if (event.type !== 0n && event.type !== 1n) return true;
  if (event.trust > 2n) return true;
  // Without the flag `m`, `$` matches only the end of the text: a trailing newline fails.
  if (event.type === 0n) return !/^[A-Z0-9]{3,10}$/.test(event.currency);
  return event.currency !== '';
}
