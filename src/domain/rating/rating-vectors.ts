/**
 * What do the published vectors of the rating say? Test support: their cases as inputs, and an answer in their spelling
 * (spec/vectors/rating/README.md).
 */

import { readFileSync } from 'node:fs';

import { judgeBond } from '../bond.ts';
import type { SubscriptionStatus } from '../machine-facts.ts';
import { parseDay } from '../utc-day.ts';
import type { RatingEvent } from './event.ts';
import type { Factor } from './factor.ts';
import type { RateTable } from './rate-table.ts';
import { createRateTable, extendRateTable } from './rate-table.ts';
import type { Rating, RatingInput } from './rating.ts';

type EventRow = [
  seq: number,
  type: number,
  value: string,
  currency: string,
  timestamp: string,
  trust: number,
  blockTimestamp: number,
];

interface TableSource {
  feed: boolean;
  through: string;
  tokens: Record<string, number>;
  fixed: Record<string, string>;
  rates: Record<string, [string, string][]>;
}

interface CaseSource {
  name: string;
  fx: string;
  now: number;
  subscription: SubscriptionStatus;
  negative_flag_at: string;
  trust_override: number | null;
  rating_unavailable: string | null;
  prior_events: number;
  events: EventRow[];
  expected: Record<string, unknown>;
}

/** One case: all that the model takes but the fold, and the answer in the spelling of the vectors. */
export interface VectorCase {
  readonly name: string;
  readonly events: readonly RatingEvent[];
  readonly facts: Omit<RatingInput, 'fold' | 'tail'>;
  readonly expected: Record<string, unknown>;
}

/** All cases of the vectors. */
export function readVectorCases(): readonly VectorCase[] {
  const file = new URL('../../../test/vectors/rating/public.json', import.meta.url);
  const source = JSON.parse(readFileSync(file, 'utf8')) as {
    fx_tables: Record<string, TableSource>;
    cases: CaseSource[];
  };
  return source.cases.map((item) => ({
    name: item.name,
    events: item.events.map(toEvent),
    facts: {
      rates: toTable(source.fx_tables[item.fx]!),
      bondStatus: judgeBond(item.subscription),
      ratingUnavailable: item.rating_unavailable ?? undefined,
      priorEvents: BigInt(item.prior_events),
      negativeFlagAt: BigInt(item.negative_flag_at),
      trustOverride: item.trust_override ?? undefined,
      now: item.now,
    },
    expected: item.expected,
  }));
}

/** An answer in the spelling of the vectors. */
export function toVectorAnswer(rating: Rating): Record<string, unknown> {
  return {
    model: rating.model,
    mcr: rating.letter,
    mcr_score: rating.score,
    mcr_degraded: rating.isDegraded,
    bond_status: rating.bondStatus,
    negative_flag: rating.hasNegativeFlag,
    event_count: rating.eventCount,
    revenue_event_count: rating.revenueEventCount,
    activity_event_count: rating.activityEventCount,
    total_revenue: rating.totalRevenueCents,
    average_hundredths: rating.averageHundredths,
    revenue_trend: rating.revenueTrend,
    last_updated: rating.lastUpdated,
    total_hundredths: rating.totalHundredths,
    factors: rating.factors.map((factor) => ({
      name: factor.name,
      points_hundredths: factor.pointsHundredths,
      max_hundredths: factor.maxHundredths,
      measure: toVectorMeasure(factor),
    })),
    dormancy: rating.dormancy && {
      idle_days: rating.dormancy.idleDays,
      lost_hundredths: rating.dormancy.lostHundredths,
    },
    reasons: rating.reasons.map(({ code, lostHundredths, text }) => ({ code, lost_hundredths: lostHundredths, text })),
    summary: rating.summary,
  };
}

function toVectorMeasure({ name, measure }: Factor): Record<string, unknown> {
  switch (name) {
    case 'revenue':
      return { usd_cents: measure.usdCents, verified_usd_cents: measure.verifiedUsdCents };
    case 'cadence':
      return {
        weeks: measure.weeks,
        days: measure.days,
        verified_weeks: measure.verifiedWeeks,
        verified_days: measure.verifiedDays,
      };
    case 'trend':
      return { basis: measure.basis, percent: measure.percent, even_percent: measure.evenPercent };
    case 'trust':
      return { source: measure.source, percent_hundredths: measure.percentHundredths };
    case 'tenure':
      return { weeks: measure.weeks };
  }
}

function toEvent([seq, type, value, currency, timestamp, trust, blockTimestamp]: EventRow): RatingEvent {
  return { seq, type, value: BigInt(value), currency, timestamp: BigInt(timestamp), trust, blockTimestamp };
}

function toTable(source: TableSource): RateTable {
  const tokens = Object.entries(source.tokens).map(
    ([symbol, decimals]) =>
      [symbol, { decimals, fixedRate: symbol in source.fixed ? BigInt(source.fixed[symbol]!) : undefined }] as const,
  );
  const rows = Object.entries(source.rates).flatMap(([currency, rates]) =>
    rates.map(([day, rate]) => ({ currency, day: parseDay(day)!, rate: BigInt(rate) })),
  );
  return extendRateTable(createRateTable(source.feed, new Map(tokens)), rows, parseDay(source.through)!);
}
