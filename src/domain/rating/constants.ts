/**
 * Constants of the rating model `mcr/2` (design/scoring.md); `docs/scoring.md` is rendered from them. Changing any number here requires a
 * new model name.
 */

/** The published name of the model. */
export const MODEL = 'mcr/2';

/** The largest number in a rating; larger ones are clamped to it. */
export const SAFE = Number.MAX_SAFE_INTEGER;

/** Hundredths per point, the unit of the score. */
export const HUNDREDTHS = 100;

export const MAX_TOTAL_HUNDREDTHS = 10_000;

/** Rating scale: each letter with the minimum rounded score, best first. */
export const SCALE = [
  ['AAA', 95],
  ['AA', 85],
  ['A', 75],
  ['BBB', 60],
  ['BB', 45],
  ['B', 30],
] as const;

/** The minimum score that has a letter. */
export const LEAST_RATED_SCORE = 30;

/** Limits of an event's timestamp, relative to the time of the block that stored it. */
export const LATE_AFTER_SECONDS = 604_800;
export const EARLY_AFTER_SECONDS = 900;

/** Event types and trust levels. Only events of the highest level can be attested. */
export const REVENUE_TYPE = 0;
export const ACTIVITY_TYPE = 1;
export const TRUST_LEVELS: readonly number[] = [0, 1, 2];
export const HIGHEST_TRUST_LEVEL = 2;

/** Classes of evidence, weakest first. All but the first are verified. */
export const EVIDENCE_CLASSES = ['declared', 'paid', 'attested'] as const;

/** Amounts. Rates are USD per whole unit × 10^12; the newest one from the 7 days before the event's day applies. */
export const RATE_DECIMALS = 12;
export const RATE_WINDOW_DAYS = 7;
export const MAX_EVENT_CENTS = 1_000_000_000;

/** Qualification: the minimum revenue of an event, and the maximum number of activity events per day. */
export const LEAST_QUALIFYING_CENTS = 1_000;
export const MAX_DAILY_ACTIVITY = 24;

/** Days retained in a rating state; also the window of trust, `mcr_degraded` and verdicts, today included. */
export const WINDOW_DAYS = 180;

/** Graduation: qualifying events, distinct days, and the span in days from the first to the last of them. */
export const GRADUATION = { events: 10, days: 5, spanDays: 30 } as const;

/** Steps `[x, y]` of a ladder: linear between steps, flat after the last. */
export type Steps = readonly (readonly [number, number])[];

/** Window of revenue and cadence: the current week and the 13 before it. Revenue leaves out the lowest week. */
export const COUNTED_WEEKS = 13;
export const WINDOW_WEEKS = COUNTED_WEEKS + 1;

export const REVENUE = {
  maxHundredths: 3_000,
  centsSteps: [
    [0, 0],
    [1_000, 400],
    [5_000, 1_000],
    [10_000, 1_400],
    [25_000, 1_900],
    [50_000, 2_300],
    [100_000, 2_700],
    [250_000, 3_000],
  ],
  activitySteps: [
    [0, 0],
    [7, 300],
    [35, 600],
    [168, 1_000],
  ],
} as const;

export const CADENCE = {
  maxHundredths: 2_500,
  weeksHundredths: 1_500,
  weeks: 13,
  daysHundredths: 1_000,
  days: 65,
} as const;

export const TREND = {
  maxHundredths: 1_500,
  periodDays: 30,
  maxPercent: 1_000,
  steps: [
    [0, 0],
    [40, 600],
    [80, 1_500],
  ],
  maxActivityHundredths: 750,
  unknownHundredths: 600,
  upAbovePercent: 125,
  downBelowPercent: 80,
} as const;

export const TRUST = {
  maxHundredths: 2_000,
  /** Percentage of each class, in hundredths of a percent. */
  classHundredths: { declared: 2_000, paid: 7_000, attested: 10_000 },
  fullHundredths: 10_000,
  maxRevenueWeight: 100_000,
  activityWeight: 100,
  /** From this tenure on, the percentage rises by `tenureRaise`, to at most `tenureRaiseLimit`. */
  tenureWeeks: 52,
  tenureRaise: 1_000,
  tenureRaiseLimit: 6_000,
  maxOverride: 100,
} as const;

/** A negative flag is plausible from 2020-01-01 to one day ahead of the clock; it is in force for 180 days. */
export const NEGATIVE_FLAG = {
  plausibleFrom: 1_577_836_800,
  plausibleAheadSeconds: 86_400,
  forceSeconds: 15_552_000,
} as const;

export const TENURE = {
  maxHundredths: 1_000,
  steps: [
    [0, 0],
    [4, 200],
    [13, 500],
    [52, 1_000],
  ],
} as const;

/**
 * Dormancy by the machine's rhythm, the mean gap between its qualifying days in the 90 days up to the last: `gaps` of it pass without a
 * deduction (`free`), then the total halves in `gaps` of it (`half`), within these limits.
 */
export const DORMANCY = {
  rhythmDays: 90,
  free: { gaps: 4, leastDays: 14, mostDays: 45 },
  half: { gaps: 3, leastDays: 14, mostDays: 30 },
} as const;

/** Without a verified operator, or with a flag in force, hundredths above `fullHundredths` count one `divisor`-th. */
export const ANCHOR = { fullHundredths: 5_000, divisor: 6 } as const;

/** Following of cited payments (design/scoring.md, Sources and payout accounts, Verdict). Times in seconds but for the days. */
export const PAYMENT = {
  /**
   * Age of an event in days up to which its citation is followed and its verdict is kept. The oldest of the 365 days of a history looks
   * back 180 days, and a block may follow its event by 8.
   */
  followedDays: 560,
  maxClaims: 16,
  /** Payment sources of a deployment. */
  maxSources: 8,
  /** Logs of a receipt that is judged. */
  maxLogs: 5_000,
  maxDailyCitations: 200,
  /** Greatest distance between the timestamp of an event and its payment. */
  timeSeconds: 604_800,
  /** Greatest distance by which a payment follows the block of its event. */
  lateSeconds: 900,
  /** How far back money given and returned is added up. */
  flowSeconds: 15_552_000,
  /** Transfers per own address and UTC day that count, of at least one whole token and of less. */
  maxDailyTransfers: 1_000,
} as const;
