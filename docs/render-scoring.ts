/**
 * Renders `docs/scoring.md` from the constants and texts of the model, so that the page cannot disagree with the code, and the same text as a
 * module for language models. A test compares them.
 *
 *     node docs/render-scoring.ts
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { MINOR_UNIT_DECIMALS } from '../src/domain/rating/currency.ts';
import {
  ACTIVITY_TYPE,
  ANCHOR,
  CADENCE,
  COUNTED_WEEKS,
  DORMANCY,
  EARLY_AFTER_SECONDS,
  NEGATIVE_FLAG,
  PAYMENT,
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
import { NOTICE_TEXTS, DEDUCTION_TEXTS } from '../src/domain/rating/reasons.ts';
import { CENTS_PER_MILLION_GAS, CENTS_PER_SOL, priceFees } from '../test/campaigns/attacks/attack-costs.ts';
import { readAttackResults } from '../test/campaigns/attacks/attack-results.ts';
import type { DeductionCode } from '../src/domain/rating/reasons.ts';
import { letterOf, roundScore } from '../src/domain/rating/scale.ts';
import { dayOf, formatDay, SECONDS_PER_DAY } from '../src/domain/rating/utc-day.ts';

/** Location of the rendered page. */
export const SCORING_PAGE = new URL('scoring.md', import.meta.url);

const points = (hundredths: number): string => String(hundredths / HUNDREDTHS);
const exactPoints = (hundredths: number): string => (hundredths / HUNDREDTHS).toFixed(2);
const usd = (cents: number): string => `USD ${(cents / 100).toLocaleString('en')}`;
const percent = (hundredths: number): string => `${hundredths / HUNDREDTHS} %`;
const days = (seconds: number): number => seconds / SECONDS_PER_DAY;
const hours = (seconds: number): number => seconds / 3_600;
const dateOf = (seconds: number): string => formatDay(dayOf(seconds));
const lastOf = (steps: Steps): readonly [number, number] => steps.at(-1)!;

/** Returns the rating with its score where there is one. */
const rated = ({ mcr, score }: { readonly mcr: string; readonly score: number }): string =>
  score === 0 ? mcr : `${mcr}, ${score}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => ':-'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function ladderTable(name: string, steps: Steps, show: (x: number) => string): string {
  return table(
    [name, 'points'],
    steps.map(([x, y]) => [show(x), points(y)]),
  );
}

/** Definition of each deduction. */
const LOSS_MEASURES: Readonly<Record<DeductionCode, string>> = {
  dormant: 'the sum of the factors, less what dormancy leaves',
  unanchored: 'what the operator takes of the points above the limit, without a flag in force',
  flagged: 'what trust lacks, and what the flag takes of the points above the limit',
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

/** Returns the highest sum of the factors of a machine whose events are all declared. */
function declaredCeiling(): number {
  const trustHundredths = TRUST.classHundredths.declared + TRUST.tenureRaise;
  return (
    REVENUE.maxHundredths / 2 +
    CADENCE.maxHundredths / 2 +
    TREND.maxHundredths +
    (TRUST.maxHundredths * trustHundredths) / TRUST.fullHundredths +
    TENURE.maxHundredths
  );
}

/** Returns the highest total of a machine without a verified operator. */
function unanchoredCeiling(): number {
  return ANCHOR.fullHundredths + Math.floor((MAX_TOTAL_HUNDREDTHS - ANCHOR.fullHundredths) / ANCHOR.divisor);
}

/** Returns the highest total of a machine without revenue. */
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
    `Earnings of each of ${COUNTED_WEEKS} weeks. Half of the points are for verified revenue`,
  ],
  [
    'cadence',
    points(CADENCE.maxHundredths),
    'Weeks and days with a qualifying event. Half of the points are for verified events',
  ],
  [
    'trend',
    points(TREND.maxHundredths),
    `The last ${TREND.periodDays} days compared with the ${TREND.periodDays} before`,
  ],
  ['trust', points(TRUST.maxHundredths), `Classes of the last ${WINDOW_DAYS} days, weighted by value`],
  ['tenure', points(TENURE.maxHundredths), 'Weeks with a qualifying event, over all time'],
];

function renderText(): string {
  const decimalRows = Object.entries(MINOR_UNIT_DECIMALS).map(([decimals, codes]) => [decimals, codes.join(' ')]);
  const weekWorth = REVENUE.maxHundredths / COUNTED_WEEKS;
  const [, evenPercent] = TREND.steps;
  return `
<!-- Rendered by docs/render-scoring.ts from the constants of src/domain/rating. Do not edit. -->

# The rating, \`${MODEL}\`

A machine's rating says how far its history can be trusted: how regularly it earns, for how long, and who vouches for it. The
inputs are the events on its chain and the evidence found for them, its bond, its operator, and what administrators have recorded
about it. Nothing else is used and nothing is guessed: the same events, facts and clock give the same result in any language. \`svc replay\` recomputes a served rating
from raw events with a second implementation.

A change of any number on this page is a new model with a new name.

## Scale

${table(
  ['rating', 'score'],
  [
    ...SCALE.map(([letter, least]) => [letter, `at least ${least}`]),
    ['NR', `below ${LEAST_RATED_SCORE}, or the bond is not active; the score is shown as 0`],
    ['Provisioned', 'bonded, but not enough history, or the rating is unavailable; the score is shown as 0'],
  ],
)}

A machine is evaluated in this order: rating unavailable, not bonded, not enough history, scored. The score is the number of
points, rounded half up; the rating follows from the rounded score. Points are counted in hundredths, and every division rounds down.

**Enough history** means ${GRADUATION.events} qualifying events, on ${GRADUATION.days} different days, with ${GRADUATION.spanDays} days from the
first to the last. It is reached once and never lost. Activity alone is sufficient.

## Which events count

- **Form.** Type ${REVENUE_TYPE} is revenue, with a currency of 3 to 10 of A-Z and 0-9; type ${ACTIVITY_TYPE} is activity, without one. The trust level is 0,
  1 or 2. Anything else is counted and never qualifies.
- **Time.** An event is compared with the block that stored it. Stored more than ${days(LATE_AFTER_SECONDS)} days after it says it happened, it is
  late; more than ${EARLY_AFTER_SECONDS} seconds before, it is early; neither ever qualifies. Its day (UTC) is when it happened, at the latest that of its block.
- **Revenue** qualifies from ${usd(LEAST_QUALIFYING_CENTS)} an event, and counts up to ${usd(MAX_EVENT_CENTS)}.
- **Activity** qualifies up to ${MAX_DAILY_ACTIVITY} events a day, attested ones first. Its value has no effect.

**Currencies.** Revenue is reported in minor units of its currency: hundredths, except for those below. A configured token has its own
decimals, whatever its name. USD needs no rate, a token may have a fixed one; every other currency uses the newest rate of the
${RATE_WINDOW_DAYS} days before the event's own day, in USD × 10^${RATE_DECIMALS}, and the cents are rounded down.

${table(['decimals', 'currencies'], decimalRows)}

A currency without such a rate is \`unsupported_currency\` and counts as an activity event. While the rates of the day before are not complete
yet, or when there is no feed at all, the amount is \`fx_unavailable\` and adds nothing. No amount is ever reversed. For
${WINDOW_DAYS} days such an event sets \`mcr_degraded\`.

## Evidence

What a machine writes is a claim. Every qualifying cent and activity event has one class; *verified* means paid or attested.

${table(
  ['class', 'trust', 'evidence'],
  [
    [
      'attested',
      percent(TRUST.classHundredths.attested),
      'The trust level is 2, and the newest chip record before the event is an attestation that has neither expired nor been revoked',
    ],
    [
      'paid',
      percent(TRUST.classHundredths.paid),
      'The payment that the event cites was followed to an account that the machine has proved ([payouts.md](payouts.md))',
    ],
    ['declared', percent(TRUST.classHundredths.declared), 'None: everything else'],
  ],
)}

Chip records are those of the main chain, so events on the alt chain and of legacy machines are never attested.

**A change of hands** is a transfer to another owner than before. The alt chain has no log of it: there it is a payout proof that names
another owner than the proof before it, and, until one does, an owner of the machine account that the newest proof does not name.
Everything before a change of hands is declared, for good; counts, days, weeks and totals stay.

Payments are followed within these bounds:

${table(
  ['bound', 'value'],
  [
    ['payment sources', String(PAYMENT.maxSources)],
    ['proved accounts of a machine', String(PAYMENT.maxClaims)],
    ['citations of a machine in a UTC day', String(PAYMENT.maxDailyCitations)],
    ['age of a citing event', `${PAYMENT.followedDays} days`],
    ['logs of a cited transaction', PAYMENT.maxLogs.toLocaleString('en')],
    ['time between an event and its payment', `${days(PAYMENT.timeSeconds)} days`],
    ['time by which a payment follows the block of its event', `${PAYMENT.lateSeconds / 60} minutes`],
    ['time for which money given and returned is added up', `${days(PAYMENT.flowSeconds)} days`],
    [
      'transfers of an own account in a UTC day',
      `${PAYMENT.maxDailyTransfers.toLocaleString('en')} of a whole token or more, and as many of less`,
    ],
  ],
)}

## Points

${table(['factor', 'points', 'measure'], FACTOR_ROWS)}

Between the steps of a ladder points are interpolated linearly; after the last step they are constant.

### Revenue

The current week (Monday to Sunday, UTC) and the ${COUNTED_WEEKS} before it are each placed on both ladders, and the higher result counts. The lowest
of the ${WINDOW_WEEKS} weeks is dropped. The mean of the other ${COUNTED_WEEKS} is computed twice, over all events and over verified ones; the points are
the mean of the two.

${ladderTable('revenue of a week', REVENUE.centsSteps, usd)}

${ladderTable('activity events of a week', REVENUE.activitySteps, String)}

### Cadence

In the same ${WINDOW_WEEKS} weeks: up to ${points(CADENCE.weeksHundredths)} points for ${CADENCE.weeks} weeks with a qualifying event, up to
${points(CADENCE.daysHundredths)} for ${CADENCE.days} days with one, proportionally. Again the points are the mean over all and over verified events.

### Trend

Revenue of the last ${TREND.periodDays} days as a percentage of the ${TREND.periodDays} days before, where each recent day counts at most as much as the best
earlier day, so a burst has no effect. Growth has none either: full points are reached at ${lastOf(TREND.steps)[0]} percent.

${ladderTable('percent', TREND.steps, String)}

Without revenue in the earlier days activity is compared instead, for at most ${points(TREND.maxActivityHundredths)} points. With less than
${2 * TREND.periodDays} days since the first qualifying one, or nothing to compare with, it is ${points(TREND.unknownHundredths)} points (the same as for
${evenPercent[0]} percent) if anything qualified in the last ${TREND.periodDays} days, else none. \`revenue_trend\` is \`up\` above ${TREND.upAbovePercent} percent
and \`down\` below ${TREND.downBelowPercent}, bursts included.

### Trust

The first source that applies:

${table(
  ['source', 'percentage of the points'],
  [
    ['a negative flag', `0, for ${days(NEGATIVE_FLAG.forceSeconds)} days from its date; afterwards it is only shown`],
    ['an override', `as an administrator set it, at most ${TRUST.maxOverride} %`],
    [`no qualifying event in ${WINDOW_DAYS} days`, '0'],
    ['the events', `the mean of the last ${WINDOW_DAYS} days, weighted by value`],
  ],
)}

Each class counts with the percentage above. A revenue event
weighs its amount up to ${usd(TRUST.maxRevenueWeight)}, an activity event ${usd(TRUST.activityWeight)}. ${TRUST.tenureWeeks} weeks of tenure raise the mean by
${points(TRUST.tenureRaise)} percentage points, but not above ${percent(TRUST.tenureRaiseLimit)}. A flag dated before ${dateOf(NEGATIVE_FLAG.plausibleFrom)}, or more than
${hours(NEGATIVE_FLAG.plausibleAheadSeconds)} hours ahead of the clock, is ignored.

### Tenure

${ladderTable('weeks with a qualifying event', TENURE.steps, String)}

### Dormancy

The rhythm of a machine is the mean gap between its qualifying days, over the ${DORMANCY.rhythmDays} days up to the last of them. After
${DORMANCY.free.gaps} gaps without a qualifying event (at least ${DORMANCY.free.leastDays} days, at most ${DORMANCY.free.mostDays}) the sum of all factors halves every ${DORMANCY.half.gaps} gaps (at
least ${DORMANCY.half.leastDays} days, at most ${DORMANCY.half.mostDays}), linearly between. A new qualifying event ends it.

### Anchor

A machine is anchored when its operator has a KYB record in force and has accepted the machine. On the main chain that means no change
of hands, or a controller set in a later transaction than the newest; on the alt chain, that the wallet of the owner is bound to the
operator. A negative flag in force removes the anchor. Without it, points above ${points(ANCHOR.fullHundredths)} count one part in ${ANCHOR.divisor}: no such machine passes
${exactPoints(unanchoredCeiling())}, ${letterOf(roundScore(unanchoredCeiling()))!}.

## Score breakdown

\`/mcr/{did}/explanation\` lists the factors with their measurements, and the reasons: first gates and notices, then
every deduction, largest first. Deductions and points add up to ${points(MAX_TOTAL_HUNDREDTHS)}. Factors are shown for every rating, so that the value of
a bond or of more history is visible.

${table(
  ['code', 'text'],
  Object.entries(NOTICE_TEXTS).map(([code, text]) => [`\`${code}\``, text]),
)}

${table(
  ['code', 'deduction', 'text'],
  (Object.keys(DEDUCTION_TEXTS) as DeductionCode[]).map((code) => [
    `\`${code}\``,
    LOSS_MEASURES[code],
    DEDUCTION_TEXTS[code].text,
  ]),
)}

\`summary\` is the same in one sentence and names the largest deduction.

## Resistance to manipulation

${table(
  ['attempt', 'effect'],
  [
    [
      'unlimited declared revenue',
      `half of revenue and cadence, and little trust: never above ${exactPoints(declaredCeiling())} points, ${letterOf(roundScore(declaredCeiling()))!}`,
    ],
    ['trust level 2 on every event', 'declared, unless a chip was on record before'],
    [
      'a bought machine',
      'a change of hands: earlier evidence is declared, and the new owner needs an operator of its own',
    ],
    ['naming a verified operator', 'the operator has to accept the machine'],
    [
      'heartbeats',
      `${MAX_DAILY_ACTIVITY} a day, ${points(lastOf(REVENUE.activitySteps)[1])} of ${points(REVENUE.maxHundredths)} revenue points, half the trend: activity alone never passes ${exactPoints(activityCeiling())}, ${letterOf(roundScore(activityCeiling()))!}`,
    ],
    [
      'one large payment before a loan',
      `each week has its own ladder, worth at most ${exactPoints(weekWorth)} points; the trend caps a day at the best earlier day`,
    ],
    ['one payment split into many', 'weeks and days have the same sum, and parts below the minimum do not qualify'],
    ['a history written in an afternoon', 'late and early events, compared with their own block, never qualify'],
    ['an idle machine that ages', 'tenure counts weeks of use, not years; dormancy halves the total'],
    ['one huge attested event for trust', `an event's weight is at most ${usd(TRUST.maxRevenueWeight)}`],
    [
      'a young machine with a few good weeks',
      `the window is always ${COUNTED_WEEKS} weeks; weeks before its first are empty`,
    ],
    ['an unknown currency', 'an activity event at best, and \`mcr_degraded\` is set'],
  ],
)}

### Attacks that were tried

Each row is a machine with real transactions on local chains, rated by a running service once all verdicts are made. Fees
are read from the transactions: gas at ${(CENTS_PER_MILLION_GAS / 100).toFixed(2)} USD per million (0.02 gwei at USD 2,500 for 1 ETH), lamports at ${usd(CENTS_PER_SOL)} for 1 SOL.
Capital is what the wallets of the attacker have to hold at once; the bond comes on top. \`mcr/1\`, the model before this one,
took the trust level that an event writes for evidence. Machines that are paid on Solana live on the alt chain.

${table(
  ['attempt', '`mcr/1`', '`mcr/2`', 'transactions', 'fees', 'capital', 'also'],
  readAttackResults().map(({ attempt, underMcr1, mcr, score, transactions, gas, lamports, capitalCents, needs }) => [
    attempt,
    rated(underMcr1),
    rated({ mcr, score }),
    transactions.toLocaleString('en'),
    `USD ${(priceFees({ gas, lamports }) / 100).toFixed(2)}`,
    usd(capitalCents),
    needs ?? '',
  ]),
)}

The last five rows are not prevented: money that goes in a circle through a wallet that has not signed is not followed, nor
on Solana a refund in a transaction that no event cites. Both reach investment grade only under a verified operator.
\`npm run campaigns -- attacks\` tries all of them again.

The rating cannot detect what the events do not show: a chip that signs what its owner likes, a verification obtained with a
false name, or a machine sold together with its keys.

## How to improve

Earn every week, on five days of it. Have a chip put on record and its events signed by it. Have the operator verified. Stay
bonded. One more event never lowers any factor except trust, and better evidence lowers nothing.
`;
}

/** Returns the page as the formatter of this project prints it. */
export async function renderScoring(): Promise<string> {
  const config = await resolveConfig(SCORING_PAGE);
  return format(renderText(), { ...config, parser: 'markdown', proseWrap: 'always' });
}

/** Location of the module with the text of the page. */
export const METHODOLOGY_MODULE = new URL('../src/adapters/mcp/methodology.ts', import.meta.url);

/** Returns the module with the text of the page, without the comment at its top. */
export async function renderMethodology(): Promise<string> {
  const [, page] = (await renderScoring()).split('-->\n\n');
  const opening = '/** The page `docs/scoring.md` as a text. Rendered by `node docs/render-scoring.ts`. */';
  const module = `${opening}\nexport const METHODOLOGY = ${JSON.stringify(page!.split('\n'))}.join('\\n');\n`;
  return format(module, { ...(await resolveConfig(METHODOLOGY_MODULE)), parser: 'typescript' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(SCORING_PAGE, await renderScoring());
  writeFileSync(METHODOLOGY_MODULE, await renderMethodology());
}
