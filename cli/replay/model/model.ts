/**
 * Rating model `mcr/2`, second implementation, behind `svc replay`.
 *
 * Follows `design/scoring.md` and shares no code with `src/domain/rating`: no rating state, no buckets, every number computed from
 * the whole list of events. Where it and the service differ, one of the two is wrong. All numbers are bigints until they are
 * returned.
 */
import { distinct, greatest, least, max, min, shown, SAFE, sum } from './arithmetic.ts';
import { judgeDormancy } from './dormancy.ts';
import { ladder, TENURE_LADDER } from './ladders.ts';
import type { ModelInput } from './model-input.ts';
import { findQualifying, type QualifyingEvents } from './qualifying.ts';
import { requireReadable, weekOf } from './raw-events.ts';
import { listReasons, sortLosses, summarize, type GateCode, type Reason } from './reasons.ts';
import { judgeTrend } from './trend.ts';
import { judgeTrust } from './trust.ts';
import { judgeCadence, judgeRevenue } from './verified-factors.ts';

export interface Factor {
  readonly name: string;
  readonly points_hundredths: number;
  readonly max_hundredths: number;
  readonly measure: Readonly<Record<string, number | string | null>>;
}

/** The complete rating, with the member names of the vectors and the explanation. */
export interface ModelResult {
  readonly model: string;
  readonly mcr: string;
  readonly mcr_score: number;
  readonly mcr_degraded: boolean;
  readonly bond_status: string;
  readonly negative_flag: boolean;
  readonly event_count: number;
  readonly revenue_event_count: number;
  readonly activity_event_count: number;
  readonly total_revenue: number;
  /** Hundredths of a cent. */
  readonly average_hundredths: number | null;
  readonly revenue_trend: string | null;
  readonly last_updated: number | null;
  readonly total_hundredths: number | null;
  readonly factors: readonly Factor[];
  readonly dormancy: {
    readonly idle_days: number | null;
    readonly free_days: number | null;
    readonly half_days: number | null;
    readonly lost_hundredths: number;
  } | null;
  readonly anchor: { readonly operator_verified: boolean; readonly lost_hundredths: number } | null;
  readonly reasons: readonly Reason[];
  readonly summary: string;
}

const LETTERS: readonly (readonly [letter: string, least: bigint])[] = [
  ['AAA', 95n],
  ['AA', 85n],
  ['A', 75n],
  ['BBB', 60n],
  ['BB', 45n],
  ['B', 30n],
];

/** Result while the events are not all known. */
const UNAVAILABLE = {
  mcr: 'Provisioned',
  mcr_score: 0,
  mcr_degraded: false,
  revenue_trend: null,
  average_hundredths: null,
  total_hundredths: null,
  factors: [],
  dormancy: null,
  anchor: null,
  reasons: [],
  summary: 'Not rated yet.',
} as const;

/** Computes the rating from raw events, facts, rates and a clock alone. Throws `UnreadableEvents`. */
export function rateRawEvents(input: ModelInput): ModelResult {
  requireReadable(input.events);
  const now = max(input.now, input.events.at(-1)?.blockTimestamp ?? 0n);
  const today = now / 86400n;
  const events = findQualifying(input);
  const counts = countEvents(input, events, now);
  if (input.ratingUnavailable !== null) return { ...counts, ...UNAVAILABLE };

  // Graduation
  const days = distinct(events.all.map(({ day }) => day));
  const firstDay = days.length === 0 ? null : least(days);
  const span = firstDay === null ? 0n : greatest(days) - firstDay;
  const isGraduated = events.all.length >= 10 && days.length >= 5 && span >= 30n;

  // Factors
  const revenue = judgeRevenue(events, today);
  const cadence = judgeCadence(events, today);
  const trend = judgeTrend(events.revenue, events.activity, firstDay, today);
  const tenureWeeks = BigInt(distinct(events.all.map(({ day }) => weekOf(day))).length);
  const tenurePoints = ladder(TENURE_LADDER, tenureWeeks);
  const flagIsPlausible = counts.negative_flag;
  const trust = judgeTrust({ ...events, today, now, flagIsPlausible, tenureWeeks, input });
  const trustPoints = (2000n * trust.percentHundredths) / 10000n;

  // Dormancy
  const factorSum = revenue.points + cadence.points + trend.points + trustPoints + tenurePoints;
  const dormancy = judgeDormancy(factorSum, days, today);
  const { awake } = dormancy;

  // Anchor
  const anchored = input.operatorVerified && trust.source !== 'flag';
  const total = anchored || awake <= 5000n ? awake : 5000n + (awake - 5000n) / 6n;
  const anchorLoss = awake - total;

  // Score
  const isBonded = counts.bond_status === 'bonded';
  const score = (total + 50n) / 100n;
  const letter = LETTERS.find(([, least]) => score >= least)?.[0];
  const isRated = isBonded && isGraduated && letter !== undefined;

  // Reasons
  const trustLoss = (source: typeof trust.source) => (trust.source === source ? 2000n - trustPoints : 0n);
  const trendLoss = (basis: typeof trend.basis) => (trend.basis === basis ? 1500n - trend.points : 0n);
  const isFlagged = trust.source === 'flag';
  const losses = sortLosses([
    { code: 'dormant', lost: factorSum - awake },
    { code: 'unanchored', lost: isFlagged ? 0n : anchorLoss },
    { code: 'flagged', lost: isFlagged ? trustLoss('flag') + anchorLoss : 0n },
    { code: 'revenue_low', lost: 3000n - revenue.points - revenue.unverified },
    { code: 'revenue_unverified', lost: revenue.unverified },
    { code: 'cadence_low', lost: 2500n - cadence.points - cadence.unverified },
    { code: 'cadence_unverified', lost: cadence.unverified },
    { code: 'trend_below', lost: trendLoss('revenue') },
    { code: 'trend_without_revenue', lost: trendLoss('activity') },
    { code: 'trend_unknown', lost: trendLoss('none') },
    { code: 'trust_override', lost: trustLoss('override') },
    { code: 'trust_none', lost: trustLoss('none') },
    { code: 'trust_low', lost: trustLoss('events') },
    { code: 'tenure_short', lost: 1000n - tenurePoints },
  ]);
  const gates: GateCode[] = [
    ...(isBonded ? [] : ['not_bonded' as const]),
    ...(isGraduated ? [] : ['not_graduated' as const]),
    ...(input.priorEvents === 0n ? [] : ['history_elsewhere' as const]),
  ];
  const isDegraded = events.unconvertedDays.some((day) => day >= today - 179n);
  const history = { events: events.all.length, days: days.length, span };

  return {
    ...counts,
    mcr: !isBonded ? 'NR' : !isGraduated ? 'Provisioned' : (letter ?? 'NR'),
    mcr_score: isRated ? shown(score) : 0,
    mcr_degraded: isDegraded,
    revenue_trend: trend.revenueTrend,
    average_hundredths: averageOf(events),
    total_hundredths: shown(total),
    factors: [
      {
        name: 'revenue',
        points_hundredths: shown(revenue.points),
        max_hundredths: 3000,
        measure: { usd_cents: shown(revenue.cents), verified_usd_cents: shown(revenue.verifiedCents) },
      },
      {
        name: 'cadence',
        points_hundredths: shown(cadence.points),
        max_hundredths: 2500,
        measure: {
          weeks: shown(cadence.all.weeks),
          days: shown(cadence.all.days),
          verified_weeks: shown(cadence.verified.weeks),
          verified_days: shown(cadence.verified.days),
        },
      },
      {
        name: 'trend',
        points_hundredths: shown(trend.points),
        max_hundredths: 1500,
        measure: {
          basis: trend.basis,
          percent: shownOrNull(trend.percent),
          even_percent: shownOrNull(trend.evenPercent),
        },
      },
      {
        name: 'trust',
        points_hundredths: shown(trustPoints),
        max_hundredths: 2000,
        measure: {
          source: trust.source,
          percent_hundredths: shown(trust.percentHundredths),
          declared_usd_cents: shown(sum(trust.revenue.map(({ cents, paid, attested }) => cents - paid - attested))),
          paid_usd_cents: shown(sum(trust.revenue.map(({ paid }) => paid))),
          attested_usd_cents: shown(sum(trust.revenue.map(({ attested }) => attested))),
        },
      },
      {
        name: 'tenure',
        points_hundredths: shown(tenurePoints),
        max_hundredths: 1000,
        measure: { weeks: shown(tenureWeeks) },
      },
    ],
    dormancy: {
      idle_days: shownOrNull(dormancy.idle),
      free_days: shownOrNull(dormancy.free),
      half_days: shownOrNull(dormancy.half),
      lost_hundredths: shown(factorSum - awake),
    },
    anchor: { operator_verified: input.operatorVerified, lost_hundredths: shown(anchorLoss) },
    reasons: listReasons(gates, losses),
    summary: summarize({ isBonded, isGraduated, isDegraded, ...history, letter, score, largest: losses[0] }),
  };
}

/** Returns what is shown whether or not there is a rating. */
function countEvents({ events, negativeFlagAt, subscription }: ModelInput, { revenue }: QualifyingEvents, now: bigint) {
  const newest = events.at(-1)?.blockTimestamp;
  const revenueEventCount = events.filter(({ type }) => type === 0n).length;
  return {
    model: 'mcr/2',
    bond_status: subscription === 'Active' || subscription === 'Grace' ? 'bonded' : 'unbonded',
    negative_flag: negativeFlagAt >= 1577836800n && negativeFlagAt <= now + 86400n,
    event_count: events.length,
    revenue_event_count: revenueEventCount,
    activity_event_count: events.length - revenueEventCount,
    total_revenue: shown(sum(revenue.map(({ cents }) => cents))),
    last_updated: newest === undefined ? null : shown(newest),
  };
}

function averageOf({ revenue }: QualifyingEvents): number {
  const total = min(sum(revenue.map(({ cents }) => cents)), SAFE);
  return revenue.length === 0 ? 0 : shown((100n * total) / BigInt(revenue.length));
}

function shownOrNull(x: bigint | null): number | null {
  return x === null ? null : shown(x);
}
