/**
 * Ratings and summaries of alt-chain machines (http-facts 4 and 5, chain-svm 5 and 6, decisions 1). Events come from the alt chain's
 * index; bond and flags from the main chain.
 */
import { NO_EVENTS, type AltEventLog } from '../domain/alt-chain/alt-machine-facts.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import { judgeBond } from '../domain/machine/bond.ts';
import { chainUnreadable } from '../domain/faults.ts';
import type { MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { emptyRatingState } from '../domain/rating/rating-state.ts';
import { isFlagPlausible } from '../domain/rating/negative-flag.ts';
import type { Rating } from '../domain/rating/rating.ts';
import { nowSeconds } from '../ports/runtime.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { EventHistoryRead } from './event-history.ts';
import type { FoundAltMachine } from './find-machine.ts';
import { computeRating, type AltHomeInfo, type RatedSnapshot } from './machine-rating.ts';

/** Members of a rating that every route shows. */
export type MachineStatus = Pick<Rating, 'letter' | 'score' | 'bondStatus' | 'hasNegativeFlag' | 'eventCount'>;

/** Machine as shown by routes that do not rate machines of the alt chain. */
export interface MachineSummary {
  readonly snapshot: MachineSnapshot;
  readonly rating: MachineStatus;
  readonly alt: AltHomeInfo | undefined;
}

/**
 * Rates a machine from its indexed events, or reports why it cannot: while the index lags, the counts are of the indexed events.
 * Throws `ChainUnreadable` of either chain, `StoreUnavailable`.
 */
export async function rateAltMachine(
  ctx: Ctx,
  alt: FoundAltMachine,
  snapshot: MachineSnapshot,
): Promise<RatedSnapshot> {
  const log = readEventLog(alt);
  const rates = ctx.fxRates.current();
  const history: EventHistoryRead & { readonly isComplete: boolean } =
    log.count === 0
      ? { isComplete: true, state: emptyRatingState(), tail: [] }
      : await alt.index.readHistory(alt.snapshot, rates.fingerprint);
  const unavailable = log.count === 0 ? 'no_events_yet' : history.isComplete ? undefined : 'indexer_behind';
  const facts = { snapshot, history, priorEvents: log.priorEventCount, eventCount: log.count };
  return computeRating({ ...facts, alt: toHomeInfo(alt, unavailable) }, rates, nowSeconds(ctx.clock));
}

/** Summarizes a machine without rating it. Throws `ChainUnreadable` of either chain. */
export function summarizeAltMachine(ctx: Ctx, alt: FoundAltMachine, snapshot: MachineSnapshot): MachineSummary {
  const { count } = readEventLog(alt);
  const flaggedAt = unwrapOptional(snapshot.flags)?.flaggedAt ?? 0n;
  return {
    snapshot,
    rating: {
      letter: 'Provisioned',
      score: 0,
      bondStatus: judgeBond(unwrap(snapshot.subscriptionStatus)),
      hasNegativeFlag: isFlagPlausible(flaggedAt, nowSeconds(ctx.clock)),
      eventCount: count,
    },
    alt: toHomeInfo(alt, count === 0 ? 'no_events_yet' : 'not_rated_here'),
  };
}

/** Returns the counts of the machine's log account. Throws `ChainUnreadable` where a position is not a safe integer. */
export function readEventLog({ snapshot }: FoundAltMachine): {
  readonly count: number;
  readonly priorEventCount: bigint;
} {
  const { count, priorEventCount }: AltEventLog = unwrapOptional(snapshot.eventLog, 'alt') ?? NO_EVENTS;
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw chainUnreadable('alt', 'undecodable');
  return { count: Number(count), priorEventCount };
}

function toHomeInfo(alt: FoundAltMachine, unavailable: AltHomeInfo['unavailable']): AltHomeInfo {
  return { ordinal: alt.chain.ordinal, slot: alt.snapshot.slot, unavailable };
}
