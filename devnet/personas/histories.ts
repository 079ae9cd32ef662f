/**
 * Event histories of the personas with the rating that the model `mcr/2` must give each. The expected numbers are derived by hand from
 * the specification of the model, as the comments show, never by the code under test.
 *
 * The ratings hold on every weekday, at every hour, and when midnight passes after the seeding. A history is therefore either
 * daily, where the running week is never better than a full one and is the one of 14 that is left out, or in steps of seven
 * days, where each week has one event whatever today is. A run of 7n + 1 days covers exactly n + 1 weeks.
 */
import type { VerdictCode } from '../../src/domain/rating/verdict.ts';
import { daysBetween } from './planned-event.ts';
import type { PlannedEvent } from './planned-event.ts';

/** Expected members of the `/mcr` response. Bond, flag and override may change some of them. */
export interface ExpectedRating {
  readonly mcr_score: number;
  readonly mcr: string;
  readonly mcr_degraded: boolean;
  readonly bond_status: 'bonded' | 'unbonded';
  readonly negative_flag: boolean;
  readonly event_count: number;
  readonly revenue_event_count: number;
  readonly activity_event_count: number;
  readonly revenue_trend: string;
  readonly total_revenue: number;
  readonly average_revenue_per_event: number;
  readonly summary: string;
}

/** Number of events with each verdict; the others are 0. */
export type VerdictCounts = Readonly<Partial<Record<VerdictCode, number>>>;

export interface History {
  readonly events: readonly PlannedEvent[];
  /**
   * Whether a chip is on record before the first event, so that hardware-signed events are attested, and the operator is verified. Absent:
   * every event is declared, and points above 50 count a sixth.
   */
  readonly isVerified?: true;
  /** Days on which the chip record came into force and ended; absent: in force throughout. */
  readonly chip?: { readonly fromDay: number; readonly untilDay: number };
  /** Day of a sale, before that day's events: evidence of earlier events is lost. `now`: at the moment of the rating. */
  readonly soldOn?: number | 'now';
  /** Absent: no payment is followed. */
  readonly verdicts?: VerdictCounts;
  readonly rating: ExpectedRating;
}

const SELF_REPORTED = 0;
const ON_CHAIN = 1;
const HARDWARE_SIGNED = 2;

function revenue(daysAgo: number, value: bigint, trustLevel: number, currency = 'USD'): PlannedEvent {
  return { daysAgo, eventType: 0, value, currency, trustLevel };
}

function activity(daysAgo: number, trustLevel: number): PlannedEvent {
  return { daysAgo, eventType: 1, value: 1n, trustLevel };
}

const BONDED = { mcr_degraded: false, bond_status: 'bonded', negative_flag: false } as const;

/** No events. */
export const NO_HISTORY: History = {
  events: [],
  rating: {
    ...BONDED,
    mcr_score: 0,
    mcr: 'Provisioned',
    event_count: 0,
    revenue_event_count: 0,
    activity_event_count: 0,
    revenue_trend: 'insufficient',
    total_revenue: 0,
    average_revenue_per_event: 0,
    summary: 'Provisioned: 0 of 10 qualifying events, 0 of 5 days and 0 of 30 days of history.',
  },
};

/** Three paydays, a week apart: 3 events, 3 days, 17 - 3 = 14 days of span. No day is older than 59: no trend. */
export const SHORT_HISTORY: History = {
  events: daysBetween(3, 17, 7).map((day) => revenue(day, 5_000n, ON_CHAIN)),
  rating: {
    ...NO_HISTORY.rating,
    event_count: 3,
    revenue_event_count: 3,
    total_revenue: 15_000,
    average_revenue_per_event: 5_000,
    summary: 'Provisioned: 3 of 10 qualifying events, 3 of 5 days and 14 of 30 days of history.',
  },
};

/** Six paydays from 22 days ago to 2 days ago: enough days, but not ten events and thirty days. */
export const ALMOST_GRADUATED: History = {
  events: daysBetween(2, 22, 4).map((day) => revenue(day, 5_000n, ON_CHAIN)),
  rating: {
    ...NO_HISTORY.rating,
    event_count: 6,
    revenue_event_count: 6,
    total_revenue: 30_000,
    average_revenue_per_event: 5_000,
    summary: 'Provisioned: 6 of 10 qualifying events, 5 of 5 days and 20 of 30 days of history.',
  },
};

/**
 * USD 400 a day, attested, for 15 weeks, and weekly for the 44 weeks before: 106 + 44 = 150 events in 60 weeks.
 * Revenue: a week earns 280,000 cents, above 250,000: 3000. Cadence: 13 weeks, 65 days: 2500. Trend: 30 against 30 equal
 * days: 1500. Trust: 2000. Tenure: above 52 weeks: 1000. Total 10000.
 */
export const STEADY_YEAR: History = {
  events: [...daysBetween(112, 413, 7), ...daysBetween(0, 105)].map((day) => revenue(day, 40_000n, HARDWARE_SIGNED)),
  isVerified: true,
  rating: {
    ...BONDED,
    mcr_score: 100,
    mcr: 'AAA',
    event_count: 150,
    revenue_event_count: 150,
    activity_event_count: 0,
    revenue_trend: 'stable',
    total_revenue: 6_000_000,
    average_revenue_per_event: 40_000,
    summary: 'Rated AAA with 100 of 100 points; no deductions.',
  },
};

/**
 * The same history without evidence. Revenue and cadence: half, 1500 and 1250. Trend: 1500. Trust: 20 percent and 10 for the tenure: 600.
 * Tenure: 1000. Of the sum 5850 remain 5000 + 850 / 6 = 5141: 51. Largest loss: half of the revenue, 1500.
 */
export const DECLARED_YEAR: History = {
  events: STEADY_YEAR.events,
  rating: {
    ...STEADY_YEAR.rating,
    mcr_score: 51,
    mcr: 'BB',
    summary: 'Rated BB with 51 of 100 points; largest deduction: unverified revenue.',
  },
};

/**
 * USD 3,000 a week, declared, for 21 weeks.
 * Revenue: each week is above 250,000 cents: half of 3000. Cadence: 13 weeks 1500, and 14 days 1000 × 14 / 65 = 215 (13 days when
 * the running week has none: 200), half of 1715: 857. Trend: 5 paydays against 4, 125 percent: 1500, and not above 125: stable.
 * Trust: 20 percent: 400. Tenure: 500 + 8 × 500 / 39 = 602. Total 4859 (4852): 49. Largest loss: trust 1600.
 */
export const WEEKLY_PAYER: History = {
  events: daysBetween(0, 140, 7).map((day) => revenue(day, 300_000n, HARDWARE_SIGNED)),
  rating: {
    ...BONDED,
    mcr_score: 49,
    mcr: 'BB',
    event_count: 21,
    revenue_event_count: 21,
    activity_event_count: 0,
    revenue_trend: 'stable',
    total_revenue: 6_300_000,
    average_revenue_per_event: 300_000,
    summary: 'Rated BB with 49 of 100 points; largest deduction: low trust.',
  },
};

/**
 * The weekly payer with a chip on record and a verified operator. Revenue 3000, cadence 1715 (1700), trend 1500, trust 2000, tenure 602:
 * 8817 (8802): 88. Largest loss: cadence 785 (800).
 */
export const ATTESTED_WEEKLY_PAYER: History = {
  events: WEEKLY_PAYER.events,
  isVerified: true,
  rating: {
    ...WEEKLY_PAYER.rating,
    mcr_score: 88,
    mcr: 'AA',
    summary: 'Rated AA with 88 of 100 points; largest deduction: irregular activity.',
  },
};

/** USD 3,000 a week for 15 weeks. The oldest and the newest weeks are declared, so that midnight changes no verified week of the window. */
const CHIP_WEEKS = daysBetween(0, 98, 7).map((day) => revenue(day, 300_000n, HARDWARE_SIGNED));
const CHIP_WEEKS_RATING: ExpectedRating = {
  ...WEEKLY_PAYER.rating,
  event_count: CHIP_WEEKS.length,
  revenue_event_count: CHIP_WEEKS.length,
  total_revenue: 300_000 * CHIP_WEEKS.length,
};

/**
 * Attested on the days 84 to 42, then the chip was revoked. Revenue: (13 + 7) × 3000 / 26 = 2307. Cadence: 1715 (1700), and of 7 weeks
 * and days 807 + 107: 1314 (1307). Trend: 1500. Trust: 7 of 15 events at 100 percent, the others at 20: 86000 / 15 = 5733: 1146. Tenure of
 * 15 weeks: 500 + 2 × 500 / 39 = 525. Total 6792 (6785): 68. Largest loss: trust 854.
 */
export const CHIP_REVOKED_WEEKS: History = {
  events: CHIP_WEEKS,
  isVerified: true,
  chip: { fromDay: 90, untilDay: 40 },
  rating: {
    ...CHIP_WEEKS_RATING,
    mcr_score: 68,
    mcr: 'BBB',
    summary: 'Rated BBB with 68 of 100 points; largest deduction: low trust.',
  },
};

/**
 * Attested on the days 77 to 21, then the chip record expired. Revenue: (13 + 9) × 3000 / 26 = 2538. Cadence: 1715 (1700), and of 9 weeks
 * and days 1038 + 138: 1445 (1438). Trend: 1500. Trust: 9 of 15 events at 100 percent: 102000 / 15 = 6800: 1360. Tenure: 525. Total 7368
 * (7361): 74. Largest loss: cadence 2500 - 1445 - 269 = 786.
 */
export const CHIP_EXPIRED_WEEKS: History = {
  events: CHIP_WEEKS,
  isVerified: true,
  chip: { fromDay: 83, untilDay: 20 },
  rating: {
    ...CHIP_WEEKS_RATING,
    mcr_score: 74,
    mcr: 'BBB',
    summary: 'Rated BBB with 74 of 100 points; largest deduction: irregular activity.',
  },
};

/**
 * The weekly payer with a hardware-signed activity event after each payday: twice the events on the same days.
 * Each week scores on the larger scale, which is revenue; cadence, trend and tenure count days and revenue; everything is
 * declared. The points are therefore those of the weekly payer.
 */
export const REPORTING_WEEKLY_PAYER: History = {
  events: WEEKLY_PAYER.events.flatMap((payday) => [payday, activity(payday.daysAgo, HARDWARE_SIGNED)]),
  rating: { ...WEEKLY_PAYER.rating, event_count: 42, activity_event_count: 21 },
};

/** The longest metadata that the alt chain accepts: 256 bytes. */
const LONG_METADATA = `{"note":"${'x'.repeat(245)}"}`;

/** Three paydays, a week apart, the last 152 days ago. */
export const ANCHOR_EVENTS: readonly PlannedEvent[] = daysBetween(152, 166, 7).map((day) => ({
  ...revenue(day, 300_000n, HARDWARE_SIGNED),
  metadata: LONG_METADATA,
}));

/**
 * The weekly payer after a relocation 143 days ago that imported its last earlier event. That event is nine days older than its
 * block, so it is late: it is counted and earns no points.
 */
export const ANCHORED_WEEKLY_PAYER: History = {
  events: [ANCHOR_EVENTS.at(-1)!, ...WEEKLY_PAYER.events],
  rating: { ...WEEKLY_PAYER.rating, event_count: 22, revenue_event_count: 22 },
};

/** Six paydays of a machine that was retired 150 days ago. */
export const RETIRED_HISTORY: Pick<History, 'events'> = {
  events: daysBetween(160, 195, 7).map((day) => revenue(day, 300_000n, HARDWARE_SIGNED)),
};

/**
 * USD 10 a day, declared, for 16 weeks (106 days).
 * Revenue: a week earns 7,000 cents: 1000 + 2000 × 400 / 5000 = 1160, half of it as nothing is verified: 580. Cadence: 2500,
 * half of it: 1250. Trend: 1500. Trust: 20 percent: 400. Tenure: 500 + 3 × 500 / 39 = 538. Total 4268: 43.
 * Losses: revenue 3000 - 580 - 580 = 1840 is the largest; trust 1600, cadence 1250.
 */
export const SELF_REPORTED_SMALL: History = {
  events: daysBetween(0, 105).map((day) => revenue(day, 1_000n, SELF_REPORTED)),
  rating: {
    ...BONDED,
    mcr_score: 43,
    mcr: 'B',
    event_count: 106,
    revenue_event_count: 106,
    activity_event_count: 0,
    revenue_trend: 'stable',
    total_revenue: 106_000,
    average_revenue_per_event: 1_000,
    summary: 'Rated B with 43 of 100 points; largest deduction: low revenue.',
  },
};

/** USD 100 in each convertible currency: the rates of the devnet's feed are 1 EUR = 1.25 USD = 160 JPY. ZZZ has no rate. */
const CURRENCY_WEEK = [
  { currency: 'USD', value: 10_000n },
  { currency: 'USD', value: 10_000n },
  { currency: 'EUR', value: 8_000n },
  { currency: 'EUR', value: 8_000n },
  { currency: 'JPY', value: 12_800n },
  { currency: 'JPY', value: 12_800n },
  { currency: 'ZZZ', value: 500n },
];

/**
 * USD 100 on six of seven days, attested, 106 days; on the seventh, 15 times, revenue that counts as activity.
 * Revenue: a week earns 60,000 cents: 2300 + 10000 × 400 / 50000 = 2380. Cadence: 2500. Trend: 26 paydays against 26: 1500.
 * Trust: 2000. Tenure of 16 weeks: 538. Total 8918: 89. Largest loss: revenue 620.
 */
export const MANY_CURRENCIES: History = {
  events: daysBetween(0, 105).map((day) => {
    const { value, currency } = CURRENCY_WEEK[day % 7]!;
    return revenue(day, value, HARDWARE_SIGNED, currency);
  }),
  isVerified: true,
  rating: {
    ...BONDED,
    mcr_score: 89,
    mcr: 'AA',
    mcr_degraded: true,
    event_count: 106,
    revenue_event_count: 106,
    activity_event_count: 0,
    revenue_trend: 'stable',
    total_revenue: 910_000,
    average_revenue_per_event: 10_000,
    summary:
      'Rated AA with 89 of 100 points; largest deduction: low revenue. Some amounts could not be converted to USD.',
  },
};

/**
 * One attested activity event a day, 106 days.
 * Revenue: 7 events a week: 300. Cadence: 2500. Trend on activity: at most 750. Trust: 2000. Tenure of 16 weeks: 538. Total 6088: 61.
 */
export const DAILY_ACTIVITY: History = {
  events: daysBetween(0, 105).map((day) => activity(day, HARDWARE_SIGNED)),
  isVerified: true,
  rating: {
    ...BONDED,
    mcr_score: 61,
    mcr: 'BBB',
    event_count: 106,
    revenue_event_count: 0,
    activity_event_count: 106,
    revenue_trend: 'insufficient',
    total_revenue: 0,
    average_revenue_per_event: 0,
    summary: 'Rated BBB with 61 of 100 points; largest deduction: low revenue.',
  },
};

/**
 * USD 3,000 a week, attested, for 43 weeks, the last 119 days ago.
 * Revenue, cadence, trend: 0. Trust of the last 180 days: 2000. Tenure: 500 + 30 × 500 / 39 = 884. Dormancy: 13 days in 90 are a gap of
 * 6.92, so 27 days are free and 20 halve: 92 days beyond, 2884 × (40 - 12) / (40 × 16) = 126 (a day later 121): 1. Largest loss: revenue
 * 3000.
 */
export const ENDED_LONG_AGO: History = {
  events: daysBetween(119, 413, 7).map((day) => revenue(day, 300_000n, HARDWARE_SIGNED)),
  isVerified: true,
  rating: {
    ...BONDED,
    mcr_score: 0,
    mcr: 'NR',
    event_count: 43,
    revenue_event_count: 43,
    activity_event_count: 0,
    revenue_trend: 'insufficient',
    total_revenue: 12_900_000,
    average_revenue_per_event: 300_000,
    summary: 'Not rated: 1 of 100 points, and a rating needs 30; largest deduction: low revenue.',
  },
};

const MANY_DAYS = daysBetween(0, 119);
const MANY_REVENUE_PER_DAY = 2;
const MANY_EVENTS_PER_DAY = 10;

/**
 * Ten events a day for 120 days (18 weeks): twice USD 50, attested, and eight declared activity events. 1,200 in all.
 * Revenue: a week earns 70,000 cents: 2300 + 20000 × 400 / 50000 = 2460. Cadence: 2500. Trend: 1500. Trust: a day weighs
 * 10,000 at 100 percent and 800 at 20: 101600000 / 10800 = 9407: 2000 × 9407 / 10000 = 1881. Tenure: 500 + 5 × 500 / 39 = 564.
 * Total 8905: 89. Largest loss: revenue 540.
 */
export const MANY_EVENTS: History = {
  events: MANY_DAYS.flatMap((day) =>
    Array.from({ length: MANY_EVENTS_PER_DAY }, (_, index) => ({
      ...(index < MANY_REVENUE_PER_DAY ? revenue(day, 5_000n, HARDWARE_SIGNED) : activity(day, ON_CHAIN)),
      secondsEarlier: 60 * index,
    })),
  ),
  isVerified: true,
  rating: {
    ...BONDED,
    mcr_score: 89,
    mcr: 'AA',
    event_count: 1_200,
    revenue_event_count: 240,
    activity_event_count: 960,
    revenue_trend: 'stable',
    total_revenue: 1_200_000,
    average_revenue_per_event: 5_000,
    summary: 'Rated AA with 89 of 100 points; largest deduction: low revenue.',
  },
};

/** Returns ten weekly paydays of USD 50, the newest `newestDaysAgo`, of a machine whose bond has since ended. */
export function endedWithBond(newestDaysAgo: number): History {
  return {
    events: daysBetween(newestDaysAgo, newestDaysAgo + 63, 7).map((day) => revenue(day, 5_000n, ON_CHAIN)),
    rating: {
      ...NO_HISTORY.rating,
      mcr: 'NR',
      bond_status: 'unbonded',
      event_count: 10,
      revenue_event_count: 10,
      total_revenue: 50_000,
      average_revenue_per_event: 5_000,
      summary: 'Not rated: the bond is not active.',
    },
  };
}
