/** Reasons of a rating: notices and deductions, with their texts (docs/scoring.md, Score breakdown). */

import {
  ANCHOR,
  COUNTED_WEEKS,
  GRADUATION,
  HUNDREDTHS,
  NEGATIVE_FLAG,
  TREND,
  TRUST,
  WINDOW_DAYS,
} from './constants.ts';
import { SECONDS_PER_DAY } from './utc-day.ts';

const FULL_POINTS = ANCHOR.fullHundredths / HUNDREDTHS;

/** Texts of the notices, which deduct no points. */
export const NOTICE_TEXTS = {
  not_bonded: 'The bond is not active. Renewing the subscription restores the rating.',
  not_graduated:
    `There is not enough history yet: a rating needs ${GRADUATION.events} qualifying events on ${GRADUATION.days} days ` +
    `over ${GRADUATION.spanDays} days.`,
  history_elsewhere: 'Older events of this machine are on another chain and are not counted.',
} as const;

interface DeductionText {
  /** Name of the deduction in the summary. */
  readonly phrase: string;
  readonly text: string;
}

/** Texts of the deductions, in the order in which equal deductions are listed. */
export const DEDUCTION_TEXTS = {
  dormant: {
    phrase: 'dormancy',
    text: "There has been no qualifying event for longer than this machine's rhythm explains. A new one ends the loss.",
  },
  unanchored: {
    phrase: 'an unverified operator',
    text: `Points above ${FULL_POINTS} count a sixth until the operator's identity is verified.`,
  },
  flagged: {
    phrase: 'a negative flag',
    text:
      `A negative flag is in force: no points for trust, and points above ${FULL_POINTS} count a sixth, ` +
      `for ${NEGATIVE_FLAG.forceSeconds / SECONDS_PER_DAY} days or until it is cleared.`,
  },
  revenue_low: {
    phrase: 'low revenue',
    text: `Some of the last ${COUNTED_WEEKS} weeks earned little or nothing. Steady weekly revenue raises this.`,
  },
  revenue_unverified: {
    phrase: 'unverified revenue',
    text: 'Declared revenue earns half. Paid or attested revenue earns the other half.',
  },
  cadence_low: {
    phrase: 'irregular activity',
    text: 'Some weeks or days had no qualifying event. Five days in every week earn all points.',
  },
  cadence_unverified: {
    phrase: 'unverified activity',
    text: 'Days with declared events only earn half. Paid or attested events earn the other half.',
  },
  trend_below: {
    phrase: `revenue below that of the ${TREND.periodDays} days before`,
    text:
      `Revenue of the last ${TREND.periodDays} days, with single bursts cut, is below that of the ` +
      `${TREND.periodDays} days before.`,
  },
  trend_without_revenue: {
    phrase: 'a trend without revenue',
    text: `The trend rests on activity alone. Revenue in both ${TREND.periodDays}-day periods is needed for all points.`,
  },
  trend_unknown: {
    phrase: 'an unknown trend',
    text: `There are no ${2 * TREND.periodDays} days to compare yet, or the earlier ${TREND.periodDays} days are empty.`,
  },
  trust_override: {
    phrase: 'an administrative trust level',
    text: 'An administrator has set the trust of this machine.',
  },
  trust_none: {
    phrase: 'missing evidence',
    text: `There was no qualifying event in the last ${WINDOW_DAYS} days. A new one is weighted by its class.`,
  },
  trust_low: {
    phrase: 'low trust',
    text: 'Part of the value is declared or paid only. Attested events earn all points.',
  },
  tenure_short: {
    phrase: 'short tenure',
    text: `Fewer than ${TRUST.tenureWeeks} weeks had a qualifying event. Time and steady use raise this.`,
  },
} as const satisfies Record<string, DeductionText>;

export type NoticeCode = keyof typeof NOTICE_TEXTS;
export type DeductionCode = keyof typeof DEDUCTION_TEXTS;
export type FactorReasonCode = Exclude<DeductionCode, 'dormant' | 'unanchored'>;

export interface Reason {
  readonly code: NoticeCode | DeductionCode;
  /** Null for a notice. */
  readonly lostHundredths: number | null;
  readonly text: string;
}

const DEDUCTION_CODES = Object.keys(DEDUCTION_TEXTS) as DeductionCode[];

/** Lists the notices in the given order, then the deductions, largest first; deductions of one code are added up. */
export function listReasons(
  notices: readonly NoticeCode[],
  deductions: readonly { readonly code: DeductionCode; readonly lostHundredths: number }[],
): readonly Reason[] {
  // The sort is stable, so equal deductions stay in the order of the texts.
  const inOrder = DEDUCTION_CODES.map((code) => ({
    code,
    lostHundredths: deductions.reduce((sum, each) => (each.code === code ? sum + each.lostHundredths : sum), 0),
  }))
    .filter(({ lostHundredths }) => lostHundredths > 0)
    .sort((a, b) => b.lostHundredths - a.lostHundredths);
  return [
    ...notices.map((code) => ({ code, lostHundredths: null, text: NOTICE_TEXTS[code] })),
    ...inOrder.map(({ code, lostHundredths }) => ({ code, lostHundredths, text: DEDUCTION_TEXTS[code].text })),
  ];
}

/** Returns the phrase of the largest deduction; undefined when there is none. */
export function largestDeductionPhrase(reasons: readonly Reason[]): string | undefined {
  const largest = reasons.find(({ lostHundredths }) => lostHundredths !== null);
  return largest && DEDUCTION_TEXTS[largest.code as DeductionCode].phrase;
}
