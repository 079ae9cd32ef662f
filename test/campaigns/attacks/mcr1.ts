/**
 * The rating that the replaced model `mcr/1` gave. It took the trust level that an event writes for evidence: level 2 counted as attested
 * and level 1 as paid. It knew neither changes of hands nor operators, and half of the points were lost for every 30 idle days after 30.
 */
import { rateRawEvents } from '../../../cli/replay/model/model.ts';
import { LEAST_QUALIFYING_CENTS } from '../../../src/domain/rating/constants.ts';
import { letterOf, roundScore } from '../../../src/domain/rating/scale.ts';
import { dayOf, formatDay } from '../../../src/domain/rating/utc-day.ts';

/** Event as its submitter writes it. */
export interface ClaimedEvent {
  readonly type: number;
  readonly value: bigint;
  readonly currency: string;
  /** Unix seconds; also the time of its block. */
  readonly timestamp: number;
  readonly trust: number;
}

export interface HistoricalRating {
  readonly mcr: string;
  readonly score: number;
}

const IDLE_DAYS = 30;

/** Rates the events of a bonded machine without flags at a time (Unix seconds). Throws `RangeError` for activity of level 1. */
export function rateUnderMcr1(events: readonly ClaimedEvent[], now: number): HistoricalRating {
  if (events.some(({ type, trust }) => type === 1 && trust === 1)) throw new RangeError('activity of level 1');
  const rating = rateRawEvents({
    events: events.map(({ type, value, currency, timestamp, trust }, seq) => ({
      ...{ seq: BigInt(seq), type: BigInt(type), value, currency, trust: BigInt(trust) },
      ...{ timestamp: BigInt(timestamp), blockTimestamp: BigInt(timestamp), attested: trust === 2 },
      paidCents: trust === 1 && value >= BigInt(LEAST_QUALIFYING_CENTS) ? value : 0n,
    })),
    ...{ hands: [], operatorVerified: true, priorEvents: 0n, subscription: 'Active', negativeFlagAt: 0n },
    ...{ trustOverride: null, ratingUnavailable: null, now: BigInt(now) },
    rates: { feed: true, through: formatDay(dayOf(now) - 1), tokens: {}, fixed: {}, rates: {} },
  });
  if (rating.mcr === 'Provisioned') return { mcr: rating.mcr, score: 0 };
  const sum = rating.factors.reduce((points, { points_hundredths }) => points + points_hundredths, 0);
  const score = roundScore(halveWhenIdle(sum, rating.dormancy?.idle_days ?? 0));
  return { mcr: letterOf(score) ?? 'NR', score };
}

function halveWhenIdle(sum: number, idleDays: number): number {
  const excess = idleDays - IDLE_DAYS;
  if (excess <= 0) return sum;
  const halvings = Math.floor(excess / IDLE_DAYS);
  return Math.floor((sum * (2 * IDLE_DAYS - (excess % IDLE_DAYS))) / (2 * IDLE_DAYS * 2 ** halvings));
}
