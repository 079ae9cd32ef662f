/**
 * Event histories of paid personas with the rating that the model `mcr/2` must give each once the payments are followed. The numbers are
 * derived by hand, as the comments show. Every run ends a day before the seeding: the verdict on an event waits 15 minutes for its source.
 *
 * A run covers the days 106 to 1, 16 weeks. The event of the oldest day claims the payout account and is declared; all later ones may be
 * paid. Where nothing else is said: cadence 2500 (13 verified weeks, 65 verified days), trend 1500, tenure of 16 weeks 538.
 */
import { NO_HISTORY } from './histories.ts';
import type { ExpectedRating, History } from './histories.ts';
import { daysBetween } from './planned-event.ts';
import type { PlannedEvent } from './planned-event.ts';

export const FIRST_DAY = 106;
const DAYS = daysBetween(1, FIRST_DAY);
/** Day on which another machine claims the account of the one that loses it, after that day's payment. */
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
 * verified are nine or ten of them: 1186 to 1208. Cadence: 2500 and, for as many verified weeks and 61 to 69 days, 2238 to 2300. Trend:
 * 1500. Trust: 76 days at 70 percent, 30 at 20: 592000 / 106 = 5584: 1116. Tenure: 538. Of the sum, 6578 to 6662, remain 5000 and a sixth
 * of the excess: 5263 to 5277: 53 whatever the weekday. Largest loss: low revenue, above 1500.
 */
export function accountMoved(machine: string): History {
  const lost = PAID_DAYS.filter((day) => day < MOVED_DAY).length;
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
