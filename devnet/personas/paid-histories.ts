/**
 * Event histories of paid personas with the rating that the model `mcr/2` must give each once the payments are followed. The numbers are
 * derived by hand, as the comments show. Every run ends a day before the seeding: the verdict on an event waits 15 minutes for its source.
 *
 * A run covers the days 106 to 1, 16 weeks. The event of the oldest day claims the payout account and is declared; all later ones may be
 * paid. Where nothing else is said: cadence 2500 (13 verified weeks, 65 verified days), trend 1500, tenure of 16 weeks 538.
 */
import { NO_HISTORY, WEEKLY_PAYER } from './histories.ts';
import type { ExpectedRating, History, VerdictCounts } from './histories.ts';
import { daysBetween } from './planned-event.ts';
import type { PlannedEvent } from './planned-event.ts';

export const FIRST_DAY = 106;
const DAYS = daysBetween(1, FIRST_DAY);
/** Day on which another machine claims the account of the one that loses it, in the block of that day's payment. */
export const MOVED_DAY = 30;
export const DAILY_COUNT = DAYS.length;
/** Days with a payment. */
export const PAID_DAYS: readonly number[] = DAYS.slice(1);

/** Returns the name of the payment of a day. */
export function paymentName(machine: string, day: number): string {
  return `${machine} ${day}`;
}

/** Returns one event a day; the first one is declared, the others cite the payment of the day. */
function paidDaily(machine: string, cents: bigint): PlannedEvent[] {
  return dailyRevenue(cents).map((event) =>
    event.daysAgo === FIRST_DAY ? event : { ...event, cites: paymentName(machine, event.daysAgo) },
  );
}

/** Returns one event a day without a citation. */
export function dailyRevenue(cents: bigint): PlannedEvent[] {
  return DAYS.map((daysAgo) => ({ daysAgo, eventType: 0, value: cents, currency: 'USD', trustLevel: 1 }));
}

/** Returns the expected rating of one event a day. */
export function ratedDaily(
  cents: bigint,
  points: Pick<ExpectedRating, 'mcr' | 'mcr_score' | 'summary'>,
): ExpectedRating {
  return {
    ...NO_HISTORY.rating,
    revenue_trend: 'stable',
    event_count: DAYS.length,
    revenue_event_count: DAYS.length,
    total_revenue: Number(cents) * DAYS.length,
    average_revenue_per_event: Number(cents),
    ...points,
  };
}

/**
 * USD 400 a day. Revenue: a week earns 280,000 cents: 3000. Trust: 105 days at 70 percent, one at 20: 737000 / 106 = 6952:
 * 2000 × 6952 / 10000 = 1390. Total 8928: 89. Largest loss: trust 610.
 */
export function paidStation(machine: string): History {
  return {
    events: paidDaily(machine, 40_000n),
    isVerified: true,
    verdicts: { declared: 1, paid: PAID_DAYS.length },
    rating: ratedDaily(40_000n, {
      mcr_score: 89,
      mcr: 'AA',
      summary: 'Rated AA with 89 of 100 points; largest deduction: low trust.',
    }),
  };
}

/** The same without a verified operator: of 8928 remain 5000 + 3928 / 6 = 5654: 57. The loss of 3274 is the largest. */
export function unverifiedStation(machine: string): History {
  const { events, rating, verdicts } = paidStation(machine);
  const summary = 'Rated BB with 57 of 100 points; largest deduction: an unverified operator.';
  return { events, verdicts: verdicts!, rating: { ...rating, mcr_score: 57, mcr: 'BB', summary } };
}

/**
 * USD 10 in cash and USD 10 paid a day. Revenue: all weeks earn 14,000 cents: 1400 + 4000 × 500 / 15000 = 1533; verified 7,000: 1160:
 * 13 × 2693 / 26 = 1346. Trust: 105 × 7000 and 107 × 2000 over 212 events of equal weight: 4476: 895. Total 6779: 68. Largest loss:
 * revenue 3000 - 1346 - 186 = 1468.
 */
export function halfPaid(machine: string): History {
  const cash = DAYS.map((daysAgo) => ({ daysAgo, eventType: 0, value: 1_000n, currency: 'USD', trustLevel: 0 }));
  return {
    events: [...paidDaily(machine, 1_000n), ...cash],
    isVerified: true,
    verdicts: { declared: 1 + cash.length, paid: PAID_DAYS.length },
    rating: {
      ...ratedDaily(1_000n, {
        mcr_score: 68,
        mcr: 'BBB',
        summary: 'Rated BBB with 68 of 100 points; largest deduction: low revenue.',
      }),
      event_count: 2 * DAYS.length,
      revenue_event_count: 2 * DAYS.length,
      total_revenue: 2_000 * DAYS.length,
    },
  };
}

/**
 * USD 15 a day: a week earns 10,500 cents: 1400 + 500 × 500 / 15000 = 1416. With 1390 for trust, total 7344: 73. USD 16: 1440, total
 * 7368: 74. USD 17: 1463, total 7391: 74. Largest loss: low revenue, above 1500.
 */
export function paidRobot(machine: string, cents: 1_500n | 1_600n | 1_700n): History {
  const score = cents === 1_500n ? 73 : 74;
  return {
    events: paidDaily(machine, cents),
    isVerified: true,
    verdicts: { declared: 1, paid: PAID_DAYS.length },
    rating: ratedDaily(cents, {
      mcr_score: score,
      mcr: 'BBB',
      summary: `Rated BBB with ${score} of 100 points; largest deduction: low revenue.`,
    }),
  };
}

/**
 * USD 15 a day without a verified operator, paid until another machine claims the account. Revenue: all weeks earn 10,500 cents: 1416;
 * verified are nine or ten of them: 1189 to 1225. Cadence: 2500 and, for as many verified weeks and 61 to 65 days, 2238 to 2326. Trend:
 * 1500. Trust: 75 days at 70 percent, 31 at 20: 587000 / 106 = 5537: 1107. Tenure: 538. Of the sum, 6572 to 6696, remain 5000 and a sixth
 * of the excess: 5262 to 5282: 53 whatever the weekday. Largest loss: low revenue, above 1500.
 */
export function accountMoved(machine: string): History {
  const lost = PAID_DAYS.filter((day) => day <= MOVED_DAY).length;
  return {
    events: paidDaily(machine, 1_500n),
    verdicts: { declared: 1, paid: PAID_DAYS.length - lost, wrong_payee: lost },
    rating: ratedDaily(1_500n, {
      mcr_score: 53,
      mcr: 'BB',
      summary: 'Rated BB with 53 of 100 points; largest deduction: low revenue.',
    }),
  };
}

/**
 * Paydays a week apart, the last yesterday. The oldest event claims the account. Where nothing else is said: cadence 1500 for 13 weeks, and
 * for 14 days 215 (for 13 days, when the running week has none, 200); trend 1500; tenure of 21 weeks 602.
 */
const WEEKS = daysBetween(1, 141, 7);
/** The owner changes before the event of the week in which the buyer claims an account. */
export const SOLD_DAY = 100;
export const RECLAIMED_WEEK = 99;
/** Paydays of `sold`, and the day of its sale. */
const SOLD_WEEKS = daysBetween(1, 106, 7);
export const NEWLY_SOLD_DAY = 10;
/** The claim, then ten weeks that are all in the window of 14 on every weekday. */
const SILENT_WEEKS = [130, ...daysBetween(25, 88, 7)];
const MONTHS = daysBetween(40, 340, 30);
const VERDICT_DAYS = 180;

/** Returns one event on each day; those on the days of payments cite them. */
function paidOn(machine: string, days: readonly number[], paidDays: readonly number[], cents: bigint): PlannedEvent[] {
  return days.map((daysAgo) => ({
    ...{ daysAgo, eventType: 0, value: cents, currency: 'USD', trustLevel: 1 },
    ...(paidDays.includes(daysAgo) && { cites: paymentName(machine, daysAgo) }),
  }));
}

/** Returns the expected rating of one event on each day. */
function ratedOn(
  days: readonly number[],
  cents: bigint,
  points: Pick<ExpectedRating, 'mcr' | 'mcr_score' | 'summary'>,
): ExpectedRating {
  return {
    ...WEEKLY_PAYER.rating,
    event_count: days.length,
    revenue_event_count: days.length,
    total_revenue: Number(cents) * days.length,
    average_revenue_per_event: Number(cents),
    ...points,
  };
}

/** Counts the verdicts that an explanation shows, those of the last 180 days. */
function countVerdicts(days: readonly number[], paidDays: readonly number[]): VerdictCounts {
  const shown = days.filter((day) => day < VERDICT_DAYS);
  const paid = shown.filter((day) => paidDays.includes(day)).length;
  return { declared: shown.length - paid, paid };
}

/** Days of the events that cite a payment. */
export function listCitedDays({ events }: History): number[] {
  return events.filter(({ cites }) => cites !== undefined).map(({ daysAgo }) => daysAgo);
}

/**
 * USD 3,000 a week. Revenue: 3000. Trust: 20 of 21 events at 70 percent, one at 20: 142000 / 21 = 6761: 1352. Total 8169 (8154): 82.
 * Largest loss: cadence 785 (800).
 */
export function paidWeekly(machine: string): History {
  const paidDays = WEEKS.slice(1);
  return {
    events: paidOn(machine, WEEKS, paidDays, 300_000n),
    isVerified: true,
    verdicts: countVerdicts(WEEKS, paidDays),
    rating: ratedOn(WEEKS, 300_000n, {
      mcr_score: 82,
      mcr: 'A',
      summary: 'Rated A with 82 of 100 points; largest deduction: irregular activity.',
    }),
  };
}

/** The same without a verified operator: of 8169 (8154) remain 5000 + 3169 / 6 = 5528 (5525): 55. */
export function unverifiedWeekly(machine: string): History {
  const { events, rating, verdicts } = paidWeekly(machine);
  const summary = 'Rated BB with 55 of 100 points; largest deduction: an unverified operator.';
  return { events, verdicts: verdicts!, rating: { ...rating, mcr_score: 55, mcr: 'BB', summary } };
}

/**
 * USD 3,000 a week, declared until a sale 100 days ago; the buyer is verified, accepts the machine, claims an account, and is paid. Revenue:
 * 3000. Trust: 14 of 21 events at 70 percent, the others at 20: 112000 / 21 = 5333: 1066. Total 7883 (7868): 79. Largest loss: trust 934.
 */
export function boughtWeekly(machine: string): History {
  return soldWeekly(machine, 300_000n, {
    mcr_score: 79,
    mcr: 'A',
    summary: 'Rated A with 79 of 100 points; largest deduction: low trust.',
  });
}

/** The same with USD 100 a week. Revenue: 1400. Total 6283 (6268): 63. Largest loss: revenue 1600. */
export function resoldWeekly(machine: string): History {
  return soldWeekly(machine, 10_000n, {
    mcr_score: 63,
    mcr: 'BBB',
    summary: 'Rated BBB with 63 of 100 points; largest deduction: low revenue.',
  });
}

/** USD 3,000 a week, and a buyer who never accepted the machine: of 7883 (7868) remain 5000 + 2883 / 6 = 5480 (5478): 55. */
export function borrowedWeekly(machine: string): History {
  const { isVerified: _, ...history } = soldWeekly(machine, 300_000n, {
    mcr_score: 55,
    mcr: 'BB',
    summary: 'Rated BB with 55 of 100 points; largest deduction: an unverified operator.',
  });
  return history;
}

function soldWeekly(
  machine: string,
  cents: bigint,
  points: Pick<ExpectedRating, 'mcr' | 'mcr_score' | 'summary'>,
): History {
  const paidDays = WEEKS.filter((day) => day < RECLAIMED_WEEK);
  return {
    events: paidOn(machine, WEEKS, paidDays, cents),
    isVerified: true,
    soldOn: SOLD_DAY,
    verdicts: countVerdicts(WEEKS, paidDays),
    rating: ratedOn(WEEKS, cents, points),
  };
}

/**
 * USD 3,000 a week, paid until a sale ten days ago: everything is declared. Revenue: half of 3000. Cadence: half of 1715 (1700): 857 (850).
 * Trust: 20 percent: 400. Tenure of 16 weeks: 538. Total 4795 (4788): 48. Largest loss: trust 1600.
 */
export function newlySold(machine: string): History {
  const paidDays = SOLD_WEEKS.slice(1).filter((day) => day > NEWLY_SOLD_DAY);
  const cited = SOLD_WEEKS.slice(1);
  return {
    events: paidOn(machine, SOLD_WEEKS, cited, 300_000n),
    soldOn: NEWLY_SOLD_DAY,
    verdicts: countVerdicts(SOLD_WEEKS, paidDays),
    rating: ratedOn(SOLD_WEEKS, 300_000n, {
      mcr_score: 48,
      mcr: 'BB',
      summary: 'Rated BB with 48 of 100 points; largest deduction: low trust.',
    }),
  };
}

/**
 * The owner of the account is another one now, which is a change of hands at this moment: everything is declared. Revenue: half of 3000.
 * Cadence: 857 (850). Trust: 400. Total 4859 (4852): 49. Largest loss: trust 1600.
 */
export function sellingNow(machine: string): History {
  const { events, verdicts } = paidWeekly(machine);
  return {
    events,
    soldOn: 'now',
    verdicts: verdicts!,
    rating: ratedOn(WEEKS, 300_000n, {
      mcr_score: 49,
      mcr: 'BB',
      summary: 'Rated BB with 49 of 100 points; largest deduction: low trust.',
    }),
  };
}

/** Chain of a second EVM source, whose node does not answer. */
export const DOWN_SOURCE_ID = 31_338n;

/**
 * USD 3,000 a week; all but the oldest event cite the source that is down. Without that source they are declared. Revenue: half of 3000.
 * Cadence: 857 (850). Trust: 400. Total 4859 (4852): 49. Largest loss: trust 1600.
 */
export const CITES_DOWN_SOURCE: History = {
  events: WEEKS.map((daysAgo) => ({
    ...{ daysAgo, eventType: 0, value: 300_000n, currency: 'USD', trustLevel: 1 },
    ...(daysAgo !== WEEKS[0] && { sourceChainId: DOWN_SOURCE_ID, sourceTxHash: `0x${'5d'.repeat(32)}` as const }),
  })),
  verdicts: { declared: WEEKS.length },
  rating: ratedOn(WEEKS, 300_000n, {
    mcr_score: 49,
    mcr: 'BB',
    summary: 'Rated BB with 49 of 100 points; largest deduction: low trust.',
  }),
};

/**
 * Paid in ten weeks, after a claim, and silent for 25 days. The rhythm is 9 days, so 36 are free: no dormancy. Revenue: 10 weeks of 13: 2307.
 * Cadence: 1153 + 153 = 1306. Trend: one payday against four, 25 percent: 375. Trust: 10 of 11 events at 70 percent: 72000 / 11 = 6545: 1309.
 * Tenure of 11 weeks: 433. Total 5730: 57. Largest loss: cadence 1194.
 */
export function silentWeekly(machine: string): History {
  const paidDays = SILENT_WEEKS.slice(1);
  return {
    events: paidOn(machine, SILENT_WEEKS, paidDays, 300_000n),
    isVerified: true,
    verdicts: countVerdicts(SILENT_WEEKS, paidDays),
    rating: {
      ...ratedOn(SILENT_WEEKS, 300_000n, {
        mcr_score: 57,
        mcr: 'BB',
        summary: 'Rated BB with 57 of 100 points; largest deduction: irregular activity.',
      }),
      revenue_trend: 'down',
    },
  };
}

/**
 * Paid every 30 days, silent for 40. The rhythm is 30 days, so 45 are free: no dormancy. Revenue: 2 weeks: 461. Cadence: 230 + 30 = 260. Trend:
 * 0. Trust: 1400. Tenure of 11 weeks: 200 + 7 × 300 / 9 = 433. Total 2554: 26. Largest loss: revenue 2539.
 */
export function silentMonthly(machine: string): History {
  const paidDays = MONTHS.slice(1);
  return {
    events: paidOn(machine, MONTHS, paidDays, 300_000n),
    isVerified: true,
    verdicts: countVerdicts(MONTHS, paidDays),
    rating: {
      ...ratedOn(MONTHS, 300_000n, {
        mcr_score: 0,
        mcr: 'NR',
        summary: 'Not rated: 26 of 100 points, and a rating needs 30; largest deduction: low revenue.',
      }),
      revenue_trend: 'down',
    },
  };
}
