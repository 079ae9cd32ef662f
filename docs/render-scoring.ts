/**
 * What does the rating say, to a reader who has only this page? Renders `docs/scoring.md` from the constants and texts of the
 * model, so that the page cannot disagree with the code; a test compares the two.
 *
 *     node docs/render-scoring.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { MINOR_UNIT_DECIMALS } from '../src/domain/rating/currency.ts';
import {
  ACTIVITY_TYPE,
  CADENCE,
  COUNTED_WEEKS,
  DORMANCY,
  EARLY_AFTER_SECONDS,
  NEGATIVE_FLAG,
  GRADUATION,
  HUNDREDTHS,
  LATE_AFTER_SECONDS,
  LEAST_QUALIFYING_CENTS,
  LEAST_RATED_SCORE,
  MAX_DAILY_ACTIVITY,
  MAX_EVENT_CENTS,
  MAX_TOTAL_HUNDREDTHS,
  MODEL,
  RATE_DECIMALS,
  RATE_WINDOW_DAYS,
  REVENUE,
  REVENUE_TYPE,
  SCALE,
  TENURE,
  TREND,
  TRUST,
  WINDOW_DAYS,
  WINDOW_WEEKS,
} from '../src/domain/rating/constants.ts';
import type { Steps } from '../src/domain/rating/constants.ts';
import { GATE_TEXTS, DEDUCTION_PHRASES } from '../src/domain/rating/reasons.ts';
import type { DeductionCode } from '../src/domain/rating/reasons.ts';
import { letterOf, roundScore } from '../src/domain/rating/scale.ts';
import { dayOf, formatDay, SECONDS_PER_DAY } from '../src/domain/rating/utc-day.ts';

/** Where the page stands. */
export const SCORING_PAGE = new URL('scoring.md', import.meta.url);

const points = (hundredths: number): string => String(hundredths / HUNDREDTHS);
const exactPoints = (hundredths: number): string => (hundredths / HUNDREDTHS).toFixed(2);
const usd = (cents: number): string => `USD ${(cents / 100).toLocaleString('en')}`;
const percent = (hundredths: number): string => `${hundredths / HUNDREDTHS} %`;
const days = (seconds: number): number => seconds / SECONDS_PER_DAY;
const hours = (seconds: number): number => seconds / 3_600;
const dateOf = (seconds: number): string => formatDay(dayOf(seconds));
const lastOf = (steps: Steps): readonly [number, number] => steps.at(-1)!;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => ':-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function ladderTable(name: string, steps: Steps, show: (x: number) => string): string {
  return table(
    [name, 'points'],
    steps.map(([x, y]) => [show(x), points(y)]),
  );
}

/** What a loss is measured against, in words. */
const LOSS_MEASURES: Readonly<Record<DeductionCode, string>> = {
  dormant: 'the sum of the factors, less the total',
  flagged: 'what trust lacks, while a flag is in force',
  revenue_low: 'what revenue lacks, but for the next line',
  revenue_unverified: 'half of the distance between all and verified revenue',
  cadence_low: 'what cadence lacks, but for the next line',
  cadence_unverified: 'half of the distance between all and verified use',
  trend_below: 'what the trend lacks, on the basis revenue',
  trend_without_revenue: 'what the trend lacks, on the basis activity',
  trend_unknown: 'what the trend lacks, on no basis',
  trust_override: 'what trust lacks, under an override',
  trust_none: 'what trust lacks, without events',
  trust_low: 'what trust lacks, by its events',
  tenure_short: 'what tenure lacks',
};

/** The most that a machine can reach which only reports on itself. */
function selfReportedCeiling(): number {
  const trustHundredths = TRUST.levelHundredths[0] + TRUST.tenureRaise;
  return (
    REVENUE.maxHundredths / 2 +
    CADENCE.maxHundredths / 2 +
    TREND.maxHundredths +
    (TRUST.maxHundredths * trustHundredths) / TRUST.fullHundredths +
    TENURE.maxHundredths
  );
}

/** The most that a machine can reach which never earns. */
function activityCeiling(): number {
  return (
    lastOf(REVENUE.activitySteps)[1] +
    CADENCE.maxHundredths +
    TREND.maxActivityHundredths +
    TRUST.maxHundredths +
    TENURE.maxHundredths
  );
}

const FACTOR_ROWS = [
  [
    'revenue',
    points(REVENUE.maxHundredths),
    `What each of ${COUNTED_WEEKS} weeks earned. Half of it is for verified revenue`,
  ],
  ['cadence', points(CADENCE.maxHundredths), 'Weeks and days with a qualifying event. Half of it is for verified ones'],
  ['trend', points(TREND.maxHundredths), `The last ${TREND.periodDays} days against the ${TREND.periodDays} before`],
  ['trust', points(TRUST.maxHundredths), `Trust levels of the last ${WINDOW_DAYS} days, weighed by value`],
  ['tenure', points(TENURE.maxHundredths), 'Weeks with a qualifying event, over all time'],
];

function renderText(): string {
  const decimalRows = Object.entries(MINOR_UNIT_DECIMALS).map(([decimals, codes]) => [decimals, codes.join(' ')]);
  const weekWorth = REVENUE.maxHundredths / COUNTED_WEEKS;
  const [, evenPercent] = TREND.steps;
  return `
<!-- Rendered by docs/render-scoring.ts from the constants of src/domain/rating. Do not edit. -->

# The rating, \`${MODEL}\`

A machine's rating says how much its history is worth trusting: how regularly it earns, for how long, and who vouches for it. It is
computed from the events on its chain, its bond, and what administrators have recorded about it. Nothing else enters, and nothing is
guessed: the same events, facts and clock give the same answer in any language. \`svc replay\` recomputes a served answer from raw
events with a second implementation.

A change of any number on this page is a new model with a new name.

## Scale

${table(
  ['letter', 'score'],
  [
    ...SCALE.map(([letter, least]) => [letter, `at least ${least}`]),
    ['NR', `below ${LEAST_RATED_SCORE}, or the bond is not active; the score is shown as 0`],
    ['Provisioned', 'bonded, but not enough history, or the rating is unavailable; the score is shown as 0'],
  ],
)}

A machine is judged in this order: rating unavailable, not bonded, not enough history, scored. The score is the number of points, rounded
half up; the letter is taken from the rounded score. Points are counted in hundredths, and every division rounds down.

**Enough history** means ${GRADUATION.events} qualifying events, on ${GRADUATION.days} different days, with ${GRADUATION.spanDays} days from the
first to the last. It is reached once and never lost. Activity alone can reach it.

## Which events count

- **Form.** Type ${REVENUE_TYPE} is revenue, with a currency of 3 to 10 of A-Z and 0-9; type ${ACTIVITY_TYPE} is activity, without one. The trust level is 0 (self-reported),
  1 (on-chain verifiable) or 2 (hardware-signed); *verified* means 1 or 2. Anything else is counted and never qualifies.
- **Time.** An event is judged against the block that stored it. Stored more than ${days(LATE_AFTER_SECONDS)} days after it says it happened, it is
  late; more than ${EARLY_AFTER_SECONDS} seconds before, it is early; neither ever qualifies. Its day (UTC) is when it happened, and never after its block.
- **Revenue** qualifies from ${usd(LEAST_QUALIFYING_CENTS)} an event, and counts up to ${usd(MAX_EVENT_CENTS)}.
- **Activity** qualifies up to ${MAX_DAILY_ACTIVITY} events a day, those of the highest trust level first. Its value has no influence.

**Currencies.** Revenue is told in minor units of its currency: hundredths, except for those below. A configured token has its own
decimals, whatever its name. USD needs no rate, a token may have a fixed one; every other currency takes the newest rate of the
${RATE_WINDOW_DAYS} days before the event's own day, in USD × 10^${RATE_DECIMALS}, and the cents are rounded down.

${table(['decimals', 'currencies'], decimalRows)}

A currency without such a rate is \`unsupported_currency\` and counts as an activity event. While the rates of the day before are not complete
yet, or when there is no feed at all, the amount is \`fx_unavailable\` and adds nothing; nothing is ever taken back. For
${WINDOW_DAYS} days such an event makes the answer say \`mcr_degraded\`.

## Points

${table(['factor', 'points', 'measure'], FACTOR_ROWS)}

Between the steps of a ladder points grow in a straight line; after the last step they stay.

### Revenue

The current week (Monday to Sunday, UTC) and the ${COUNTED_WEEKS} before it each climb both of these ladders, and the higher one counts. The lowest
of the ${WINDOW_WEEKS} weeks is left out. The mean of the other ${COUNTED_WEEKS} is taken twice, over all events and over verified ones; the points are
the mean of the two.

${ladderTable('revenue of a week', REVENUE.centsSteps, usd)}

${ladderTable('activity events of a week', REVENUE.activitySteps, String)}

### Cadence

In the same ${WINDOW_WEEKS} weeks: up to ${points(CADENCE.weeksHundredths)} points for ${CADENCE.weeks} weeks with a qualifying event, up to
${points(CADENCE.daysHundredths)} for ${CADENCE.days} days with one, in proportion. Again the mean over all and over verified events.

### Trend

Revenue of the last ${TREND.periodDays} days as a percentage of the ${TREND.periodDays} days before, where each recent day counts at most as much as the best
day before: a burst buys nothing. Growth earns nothing either, full points are reached at ${lastOf(TREND.steps)[0]} percent.

${ladderTable('percent', TREND.steps, String)}

Without revenue in the earlier days activity is compared instead, for at most ${points(TREND.maxActivityHundredths)} points. With less than
${2 * TREND.periodDays} days since the first qualifying one, or nothing to compare with, it is ${points(TREND.unknownHundredths)} points (as many as for
${evenPercent[0]} percent) if anything qualified in the last ${TREND.periodDays} days, else none. \`revenue_trend\` is \`up\` above ${TREND.upAbovePercent} percent
and \`down\` below ${TREND.downBelowPercent}, bursts included.

### Trust

The first that applies:

${table(
  ['source', 'percentage of the points'],
  [
    ['a negative flag', `0, for ${days(NEGATIVE_FLAG.forceSeconds)} days from its date; then it is only shown`],
    ['an override', `as an administrator set it, at most ${TRUST.maxOverride} %`],
    [`no qualifying event in ${WINDOW_DAYS} days`, '0'],
    ['the events', `the mean of the last ${WINDOW_DAYS} days, weighed by value`],
  ],
)}

Level 0 is ${percent(TRUST.levelHundredths[0])}, level 1 ${percent(TRUST.levelHundredths[1])}, level 2 ${percent(TRUST.levelHundredths[2])}. A revenue event
weighs its amount up to ${usd(TRUST.maxRevenueWeight)}, an activity event ${usd(TRUST.activityWeight)}. ${TRUST.tenureWeeks} weeks of tenure raise the mean by
${points(TRUST.tenureRaise)} percentage points, but not above ${percent(TRUST.tenureRaiseLimit)}. A flag dated before ${dateOf(NEGATIVE_FLAG.plausibleFrom)}, or more than
${hours(NEGATIVE_FLAG.plausibleAheadSeconds)} hours ahead of the clock, is none.

### Tenure

${ladderTable('weeks with a qualifying event', TENURE.steps, String)}

### Dormancy

After ${DORMANCY.freeDays} days without a qualifying event the sum of all factors halves every ${DORMANCY.halvingDays} days, in a straight line between.
A new event ends it.

## Where the points went

\`/mcr/{did}/explanation\` lists the factors with what they measured, and the reasons: first what stands in the way or is worth knowing, then
every loss, largest first. The losses and the points add up to ${points(MAX_TOTAL_HUNDREDTHS)}. Factors are shown whatever the letter, so that one sees
what a bond or more history is worth.

${table(
  ['code', 'what it says'],
  Object.entries(GATE_TEXTS).map(([code, text]) => [`\`${code}\``, text]),
)}

${table(
  ['code', 'points lost', 'what it says'],
  (Object.keys(DEDUCTION_PHRASES) as DeductionCode[]).map((code) => [
    `\`${code}\``,
    LOSS_MEASURES[code],
    DEDUCTION_PHRASES[code].text,
  ]),
)}

\`summary\` says the same in one sentence, and names the largest loss.

## Why it resists being played

${table(
  ['attempt', 'answer'],
  [
    [
      'self-reported revenue, as much as one likes',
      `half of revenue and cadence, and little trust: never above ${exactPoints(selfReportedCeiling())} points, ${letterOf(roundScore(selfReportedCeiling()))}`,
    ],
    [
      'heartbeats',
      `${MAX_DAILY_ACTIVITY} a day, ${points(lastOf(REVENUE.activitySteps)[1])} of ${points(REVENUE.maxHundredths)} revenue points, half the trend: activity alone never passes ${exactPoints(activityCeiling())}, ${letterOf(roundScore(activityCeiling()))}`,
    ],
    [
      'one large payment before a loan',
      `each week has a ladder of its own, worth at most ${exactPoints(weekWorth)} points; the trend cuts a day to the best day before`,
    ],
    ['one payment split into many', 'weeks and days see the same sum, and parts below the least amount see nothing'],
    ['a history written in an afternoon', 'late and early events never qualify, judged against their own block'],
    ['a machine left on the shelf to age', 'tenure counts weeks of use, not years; dormancy halves the rest'],
    ['one signed giant to buy trust', `an event weighs at most ${usd(TRUST.maxRevenueWeight)}`],
    [
      'a young machine shown at its best',
      `the window is always ${COUNTED_WEEKS} weeks; those before its first are empty ones`,
    ],
    ['a currency that nobody knows', 'an activity event at best, and the answer says \`mcr_degraded\`'],
  ],
)}

What the events cannot show, the rating cannot see: payments to oneself on the chain, a trust level claimed without the hardware,
a machine sold with its rating.

## What a machine can do

Earn every week. Work on five days of it. Have events signed by the hardware, or make them verifiable on the chain. Keep the bond. One more
event never lowers any factor but trust, and a trust level raised lowers nothing.
`;
}

/** The page, as the formatter of this project leaves it. */
export async function renderScoring(): Promise<string> {
  const config = await resolveConfig(SCORING_PAGE);
  return format(renderText(), { ...config, parser: 'markdown' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(SCORING_PAGE, await renderScoring());
