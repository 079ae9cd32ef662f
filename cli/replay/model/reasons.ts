/** Reasons and the summary (design/scoring.md, Reasons). */
import { compareBigints, min, shown } from './arithmetic.ts';

export interface Reason {
  readonly code: string;
  readonly lost_hundredths: number | null;
  readonly text: string;
}

const GATE_TEXTS = {
  not_bonded: 'The bond is not active. Renewing the subscription restores the rating.',
  not_graduated: 'There is not enough history yet: a rating needs 10 qualifying events on 5 days over 30 days.',
  history_elsewhere: 'Older events of this machine are on another chain and are not counted.',
} as const;

const LOSS_TEXTS = {
  dormant: {
    phrase: 'dormancy',
    text: "There has been no qualifying event for longer than this machine's rhythm explains. A new one ends the loss.",
  },
  unanchored: {
    phrase: 'an unverified operator',
    text: "Points above 50 count a sixth until the operator's identity is verified.",
  },
  flagged: {
    phrase: 'a negative flag',
    text:
      'A negative flag is in force: no points for trust, and points above 50 count a sixth, for 180 days or until it is ' +
      'cleared.',
  },
  revenue_low: {
    phrase: 'low revenue',
    text: 'Some of the last 13 weeks earned little or nothing. Steady weekly revenue raises this.',
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
    phrase: 'revenue below that of the 30 days before',
    text: 'Revenue of the last 30 days, with single bursts cut, is below that of the 30 days before.',
  },
  trend_without_revenue: {
    phrase: 'a trend without revenue',
    text: 'The trend rests on activity alone. Revenue in both 30-day periods is needed for all points.',
  },
  trend_unknown: {
    phrase: 'an unknown trend',
    text: 'There are no 60 days to compare yet, or the earlier 30 days are empty.',
  },
  trust_override: {
    phrase: 'an administrative trust level',
    text: 'An administrator has set the trust of this machine.',
  },
  trust_none: {
    phrase: 'missing evidence',
    text: 'There was no qualifying event in the last 180 days. A new one is weighted by its class.',
  },
  trust_low: {
    phrase: 'low trust',
    text: 'Part of the value is declared or paid only. Attested events earn all points.',
  },
  tenure_short: {
    phrase: 'short tenure',
    text: 'Fewer than 52 weeks had a qualifying event. Time and steady use raise this.',
  },
} as const;

export type GateCode = keyof typeof GATE_TEXTS;

/** Hundredths of points that a reason takes. */
export interface Loss {
  readonly code: keyof typeof LOSS_TEXTS;
  readonly lost: bigint;
}

/** Returns the losses above zero, largest first; equal ones in the order of the table, because the sort is stable. */
export function sortLosses(losses: readonly Loss[]): readonly Loss[] {
  return losses.filter(({ lost }) => lost > 0n).sort((a, b) => compareBigints(b.lost, a.lost));
}

export function listReasons(gates: readonly GateCode[], losses: readonly Loss[]): readonly Reason[] {
  return [
    ...gates.map((code) => ({ code, lost_hundredths: null, text: GATE_TEXTS[code] })),
    ...losses.map(({ code, lost }) => ({ code, lost_hundredths: shown(lost), text: LOSS_TEXTS[code].text })),
  ];
}

/** What the summary says. */
export interface SummaryFacts {
  readonly isBonded: boolean;
  readonly isGraduated: boolean;
  readonly isDegraded: boolean;
  readonly events: number;
  readonly days: number;
  /** Days from the first qualifying day to the last. */
  readonly span: bigint;
  /** Undefined below the lowest letter. */
  readonly letter: string | undefined;
  readonly score: bigint;
  readonly largest: Loss | undefined;
}

export function summarize(facts: SummaryFacts): string {
  const sentence = toSentence(facts);
  return facts.isDegraded ? `${sentence} Some amounts could not be converted to USD.` : sentence;
}

function toSentence({ isBonded, isGraduated, events, days, span, letter, score, largest }: SummaryFacts): string {
  if (!isBonded) return 'Not rated: the bond is not active.';
  if (!isGraduated) {
    return (
      `Provisioned: ${Math.min(events, 10)} of 10 qualifying events, ` +
      `${Math.min(days, 5)} of 5 days and ${min(span, 30n)} of 30 days of history.`
    );
  }
  const phrase = largest === undefined ? '' : LOSS_TEXTS[largest.code].phrase;
  if (letter === undefined) {
    return `Not rated: ${score} of 100 points, and a rating needs 30; largest deduction: ${phrase}.`;
  }
  const rated = `Rated ${letter} with ${score} of 100 points`;
  return largest === undefined ? `${rated}; no deductions.` : `${rated}; largest deduction: ${phrase}.`;
}
