/**
 * Rating model `mcr/2`, second implementation, behind `svc replay`.
 *
 * Follows `design/scoring.md` line by line, in its order, and shares no code with `src/domain/rating`: no rating state, no buckets,
 * every number computed from the whole list of events. Where it and the service differ, one of the two is wrong. All numbers are
 * bigints until they are returned.
 */

/** One event as stored on the chain, with the time of its block and the evidence found for it. */
export interface RawEvent {
  readonly seq: bigint;
  readonly type: bigint;
  readonly value: bigint;
  readonly currency: string;
  /** Unix seconds; the reported time of the event. */
  readonly timestamp: bigint;
  readonly trust: bigint;
  /** Unix seconds. */
  readonly blockTimestamp: bigint;
  /** Trust level 2, and a chip record in force when it was stored. */
  readonly attested: boolean;
  /** US cents of the payment with the verdict `paid`; 0 without one. */
  readonly paidCents: bigint;
}

/** Rate table in the shape of the vectors. Rates are USD per whole unit × 10^12, as decimal text. */
export interface RateTable {
  /** False when no feed is configured. */
  readonly feed: boolean;
  /** `YYYY-MM-DD`: every rate dated up to this day is in the table. */
  readonly through: string;
  /** Decimals of the configured tokens. */
  readonly tokens: Readonly<Record<string, number>>;
  readonly fixed: Readonly<Record<string, string>>;
  /** Per currency, pairs of `YYYY-MM-DD` and rate, in any order. */
  readonly rates: Readonly<Record<string, readonly (readonly [string, string])[]>>;
}

export interface ModelInput {
  /** In chain order. */
  readonly events: readonly RawEvent[];
  /** The changes of hands, each as the number of events before it. */
  readonly hands: readonly bigint[];
  readonly operatorVerified: boolean;
  readonly priorEvents: bigint;
  readonly subscription: string;
  /** Unix seconds, 0 for none. */
  readonly negativeFlagAt: bigint;
  /** Percent. */
  readonly trustOverride: bigint | null;
  readonly ratingUnavailable: string | null;
  /** Unix seconds. */
  readonly now: bigint;
  readonly rates: RateTable;
}

export interface Factor {
  readonly name: string;
  readonly points_hundredths: number;
  readonly max_hundredths: number;
  readonly measure: Readonly<Record<string, number | string | null>>;
}

export interface Reason {
  readonly code: string;
  readonly lost_hundredths: number | null;
  readonly text: string;
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

/** The events contradict each other (a gap, a decreasing block time), so there is no score. */
export class UnreadableEvents extends Error {
  override readonly name = 'UnreadableEvents';
}

/** Computes the rating from raw events, facts, rates and a clock alone. Throws `UnreadableEvents`. */
export function rateRawEvents(input: ModelInput): ModelResult {
  const { events } = input;
  requireReadable(events);

  const newestBlockTimestamp = events.at(-1)?.blockTimestamp;
  const now = newestBlockTimestamp === undefined ? input.now : max(input.now, newestBlockTimestamp);
  const today = now / 86400n;

  // Events
  const sound = events.filter(isSound);
  const convert = createConverter(input.rates);
  const soundRevenue = sound
    .filter((event) => event.type === 0n)
    .map((event) => ({ day: dayOf(event), event, ...convert(event) }));

  // Classes. A change of hands turns everything before it into declared.
  const newestChange = input.hands.reduce(max, 0n);
  const isAttested = ({ seq, attested }: RawEvent) => attested && seq >= newestChange;
  const paidPart = ({ seq, paidCents }: RawEvent, cents: bigint) => (seq >= newestChange ? min(cents, paidCents) : 0n);

  const judgedRevenue = soundRevenue.filter(({ status, cents }) => status === 'ok' && cents >= 1000n);
  const revenue: Revenue[] = judgedRevenue.map(({ day, event, cents }) => {
    const weight = min(cents, 100_000n);
    if (isAttested(event)) return { day, cents, weight, ...NOTHING, attested: cents, attestedWeight: weight };
    const paid = paidPart(event, cents);
    return { day, cents, weight, ...NOTHING, paid, paidWeight: min(paid, 100_000n) };
  });
  const activity: Activity[] = highest24OfEachDay([
    ...sound.filter(({ type }) => type === 1n).map((event) => ({ day: dayOf(event), attested: isAttested(event) })),
    ...soundRevenue
      .filter(({ status }) => status === 'unsupported_currency')
      .map(({ day, event }) => ({ day, attested: isAttested(event) })),
  ]);
  const verifiedRevenue = revenue
    .map(({ day, paid, attested }) => ({ day, cents: paid + attested }))
    .filter(({ cents }) => cents > 0n);
  const verifiedActivity = activity.filter(({ attested }) => attested);
  const qualifying: Qualifying[] = [...revenue, ...activity];

  // Counts
  const revenueEventCount = events.filter((event) => event.type === 0n).length;
  const totalRevenue = min(sum(revenue.map(({ cents }) => cents)), SAFE);
  const averageHundredths = revenue.length === 0 ? 0n : (100n * totalRevenue) / BigInt(revenue.length);
  const degraded = soundRevenue.some(({ status, day }) => status !== 'ok' && day >= today - 179n);

  // Flag and bond
  const flagAt = input.negativeFlagAt;
  const flagIsPlausible = flagAt >= 1577836800n && flagAt <= now + 86400n;
  const bonded = input.subscription === 'Active' || input.subscription === 'Grace';

  const always = {
    model: 'mcr/2',
    bond_status: bonded ? 'bonded' : 'unbonded',
    negative_flag: flagIsPlausible,
    event_count: shown(BigInt(events.length)),
    revenue_event_count: shown(BigInt(revenueEventCount)),
    activity_event_count: shown(BigInt(events.length - revenueEventCount)),
    total_revenue: shown(totalRevenue),
    last_updated: newestBlockTimestamp === undefined ? null : shown(newestBlockTimestamp),
  };

  if (input.ratingUnavailable !== null) {
    return {
      ...always,
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
    };
  }

  // Graduation
  const days = distinct(qualifying.map(({ day }) => day));
  const firstDay = days.length === 0 ? null : least(days);
  const lastDay = days.length === 0 ? null : greatest(days);
  const span = firstDay === null || lastDay === null ? 0n : lastDay - firstDay;
  const graduated = qualifying.length >= 10 && days.length >= 5 && span >= 30n;

  // Revenue
  const thisWeek = weekOf(today);
  const weeks14 = Array.from({ length: 14 }, (_, back) => thisWeek - BigInt(back));
  const in14Weeks = (event: Qualifying) => weekOf(event.day) >= thisWeek - 13n && weekOf(event.day) <= thisWeek;
  const best13Weeks = (revenueEvents: readonly Amount[], activityEvents: readonly Qualifying[]) => {
    const points = weeks14.map((week) =>
      max(
        ladder(REVENUE_LADDER, sum(revenueEvents.filter(({ day }) => weekOf(day) === week).map(({ cents }) => cents))),
        ladder(ACTIVITY_LADDER, BigInt(activityEvents.filter(({ day }) => weekOf(day) === week).length)),
      ),
    );
    return sum(points) - least(points);
  };
  const revenueA = best13Weeks(revenue, activity);
  const revenueV = best13Weeks(verifiedRevenue, verifiedActivity);
  const revenuePoints = (revenueA + revenueV) / 26n;
  const revenueUnverified = (revenueA - revenueV) / 26n;

  // Cadence
  const window = qualifying.filter(in14Weeks);
  const cadenceOf = (qualifyingEvents: readonly Qualifying[]) => {
    const weeks = BigInt(distinct(qualifyingEvents.map(({ day }) => weekOf(day))).length);
    const daysWithin = BigInt(distinct(qualifyingEvents.map(({ day }) => day)).length);
    return {
      weeks,
      days: daysWithin,
      points: (1500n * min(weeks, 13n)) / 13n + (1000n * min(daysWithin, 65n)) / 65n,
    };
  };
  const cadenceA = cadenceOf(window);
  const cadenceV = cadenceOf([...verifiedRevenue, ...verifiedActivity].filter(in14Weeks));
  const cadencePoints = (cadenceA.points + cadenceV.points) / 2n;
  const cadenceUnverified = (cadenceA.points - cadenceV.points) / 2n;

  // Trend
  const trend = judgeTrend(revenue, activity, firstDay, today);

  // Tenure (before trust, which depends on it)
  const tenureWeeks = BigInt(distinct(qualifying.map(({ day }) => weekOf(day))).length);
  const tenurePoints = ladder(TENURE_LADDER, tenureWeeks);

  // Trust
  const trust = judgeTrust({ revenue, activity, today, now, flagAt, flagIsPlausible, tenureWeeks, input });
  const trustPoints = (2000n * trust.percentHundredths) / 10000n;

  // Dormancy
  const factorSum = revenuePoints + cadencePoints + trend.points + trustPoints + tenurePoints;
  const dormancy = judgeDormancy(factorSum, days, today);
  const { awake } = dormancy;

  // Anchor
  const anchored = input.operatorVerified && trust.source !== 'flag';
  const total = anchored || awake <= 5000n ? awake : 5000n + (awake - 5000n) / 6n;
  const anchorLoss = awake - total;

  // Score
  const score = (total + 50n) / 100n;
  const letter = LETTERS.find(([, least]) => score >= least)?.[0] ?? 'NR';
  const mcr = !bonded ? 'NR' : !graduated ? 'Provisioned' : letter;
  const isRated = mcr !== 'NR' && mcr !== 'Provisioned';

  // Reasons
  const losses: Loss[] = [
    { code: 'dormant', lost: factorSum - awake },
    { code: 'unanchored', lost: trust.source === 'flag' ? 0n : anchorLoss },
    { code: 'flagged', lost: trust.source === 'flag' ? 2000n - trustPoints + anchorLoss : 0n },
    { code: 'revenue_low', lost: 3000n - revenuePoints - revenueUnverified },
    { code: 'revenue_unverified', lost: revenueUnverified },
    { code: 'cadence_low', lost: 2500n - cadencePoints - cadenceUnverified },
    { code: 'cadence_unverified', lost: cadenceUnverified },
    { code: 'trend_below', lost: trend.basis === 'revenue' ? 1500n - trend.points : 0n },
    { code: 'trend_without_revenue', lost: trend.basis === 'activity' ? 1500n - trend.points : 0n },
    { code: 'trend_unknown', lost: trend.basis === 'none' ? 1500n - trend.points : 0n },
    { code: 'trust_override', lost: trust.source === 'override' ? 2000n - trustPoints : 0n },
    { code: 'trust_none', lost: trust.source === 'none' ? 2000n - trustPoints : 0n },
    { code: 'trust_low', lost: trust.source === 'events' ? 2000n - trustPoints : 0n },
    { code: 'tenure_short', lost: 1000n - tenurePoints },
  ];
  // Array.prototype.sort is stable: equal losses keep the order of the table.
  const largestFirst = losses.filter(({ lost }) => lost > 0n).sort((a, b) => compareBigints(b.lost, a.lost));
  const gates: GateCode[] = [
    ...(bonded ? [] : ['not_bonded' as const]),
    ...(graduated ? [] : ['not_graduated' as const]),
    ...(input.priorEvents === 0n ? [] : ['history_elsewhere' as const]),
  ];
  const largest = largestFirst[0];

  // Summary
  const sentence = !bonded
    ? 'Not rated: the bond is not active.'
    : !graduated
      ? `Provisioned: ${min(BigInt(qualifying.length), 10n)} of 10 qualifying events, ` +
        `${min(BigInt(days.length), 5n)} of 5 days and ${min(span, 30n)} of 30 days of history.`
      : !isRated
        ? `Not rated: ${score} of 100 points, and a rating needs 30; largest deduction: ${phraseOf(largest)}.`
        : largest !== undefined
          ? `Rated ${mcr} with ${score} of 100 points; largest deduction: ${phraseOf(largest)}.`
          : `Rated ${mcr} with ${score} of 100 points; no deductions.`;

  return {
    ...always,
    mcr,
    mcr_score: isRated ? shown(score) : 0,
    mcr_degraded: degraded,
    revenue_trend: trend.revenueTrend,
    average_hundredths: shown(averageHundredths),
    total_hundredths: shown(total),
    factors: [
      {
        name: 'revenue',
        points_hundredths: shown(revenuePoints),
        max_hundredths: 3000,
        measure: {
          usd_cents: shown(sum(revenue.filter(in14Weeks).map(({ cents }) => cents))),
          verified_usd_cents: shown(sum(verifiedRevenue.filter(in14Weeks).map(({ cents }) => cents))),
        },
      },
      {
        name: 'cadence',
        points_hundredths: shown(cadencePoints),
        max_hundredths: 2500,
        measure: {
          weeks: shown(cadenceA.weeks),
          days: shown(cadenceA.days),
          verified_weeks: shown(cadenceV.weeks),
          verified_days: shown(cadenceV.days),
        },
      },
      {
        name: 'trend',
        points_hundredths: shown(trend.points),
        max_hundredths: 1500,
        measure: {
          basis: trend.basis,
          percent: trend.percent === null ? null : shown(trend.percent),
          even_percent: trend.evenPercent === null ? null : shown(trend.evenPercent),
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
      idle_days: dormancy.idle === null ? null : shown(dormancy.idle),
      free_days: dormancy.free === null ? null : shown(dormancy.free),
      half_days: dormancy.half === null ? null : shown(dormancy.half),
      lost_hundredths: shown(factorSum - awake),
    },
    anchor: { operator_verified: input.operatorVerified, lost_hundredths: shown(anchorLoss) },
    reasons: [
      ...gates.map((code) => ({ code, lost_hundredths: null, text: GATE_TEXTS[code] })),
      ...largestFirst.map(({ code, lost }) => ({ code, lost_hundredths: shown(lost), text: LOSS_TEXTS[code].text })),
    ],
    summary: degraded ? `${sentence} Some amounts could not be converted to USD.` : sentence,
  };
}

/** Lists the events in the blocks of the last `days` days that have a verdict on their payment. */
export function listJudged(
  { events, now, rates }: Pick<ModelInput, 'events' | 'now' | 'rates'>,
  days: bigint,
): readonly RawEvent[] {
  const today = max(now, events.at(-1)?.blockTimestamp ?? 0n) / 86400n;
  const convert = createConverter(rates);
  return events.filter((event) => {
    if (!isSound(event) || event.type !== 0n) return false;
    const { status, cents } = convert(event);
    return status === 'ok' && cents >= 1000n && event.blockTimestamp / 86400n >= today - (days - 1n);
  });
}

// ---------------------------------------------------------------------------------------------------- input

function requireReadable(events: readonly RawEvent[]): void {
  events.forEach((event, position) => {
    if (event.seq !== BigInt(position)) throw new UnreadableEvents(`event ${position} carries seq ${event.seq}`);
    const before = events[position - 1];
    if (before !== undefined && event.blockTimestamp < before.blockTimestamp) {
      throw new UnreadableEvents(`the block time decreases at event ${position}`);
    }
  });
}

// ---------------------------------------------------------------------------------------------------------- events

/** An event that qualifies or may qualify. */
interface Qualifying {
  readonly day: bigint;
}

interface Activity extends Qualifying {
  readonly attested: boolean;
}

interface Amount extends Qualifying {
  readonly cents: bigint;
}

/** Revenue with its verified parts; the remainder of cents and weight is declared. */
interface Revenue extends Amount {
  readonly weight: bigint;
  readonly paid: bigint;
  readonly paidWeight: bigint;
  readonly attested: bigint;
  readonly attestedWeight: bigint;
}

const NOTHING = { paid: 0n, paidWeight: 0n, attested: 0n, attestedWeight: 0n };

const isLate = (event: RawEvent): boolean => event.timestamp < event.blockTimestamp - 604800n;

const isEarly = (event: RawEvent): boolean => event.timestamp > event.blockTimestamp + 900n;

const dayOf = (event: Pick<RawEvent, 'timestamp' | 'blockTimestamp'>): bigint =>
  min(event.timestamp, event.blockTimestamp) / 86400n;

const weekOf = (day: bigint): bigint => (day + 3n) / 7n;

/** Returns whether an event can qualify: it is not late, early or malformed. */
export function isSound(event: RawEvent): boolean {
  return !isLate(event) && !isEarly(event) && !isMalformed(event);
}

function isMalformed(event: RawEvent): boolean {
  if (event.type !== 0n && event.type !== 1n) return true;
  if (event.trust > 2n) return true;
  // Without the flag `m`, `$` matches only the end of the text: a trailing newline fails.
  if (event.type === 0n) return !/^[A-Z0-9]{3,10}$/.test(event.currency);
  return event.currency !== '';
}

/** Keeps at most 24 per day, attested ones first. */
function highest24OfEachDay(events: readonly Activity[]): Activity[] {
  return [...Map.groupBy(events, ({ day }) => day).values()].flatMap((ofOneDay) =>
    [...ofOneDay.filter(({ attested }) => attested), ...ofOneDay.filter(({ attested }) => !attested)].slice(0, 24),
  );
}

// ---------------------------------------------------------------------------------------------------------- amount

interface Conversion {
  readonly status: 'ok' | 'fx_unavailable' | 'unsupported_currency';
  /** 0 unless the status is `ok`. */
  readonly cents: bigint;
  /** Whether a later table will have the rate. */
  readonly isPending: boolean;
}

type Convertible = Pick<RawEvent, 'currency' | 'value' | 'timestamp' | 'blockTimestamp'>;

const DECIMALS: ReadonlyMap<string, bigint> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0n] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3n] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4n] as const),
]);

/** Creates the conversion of sound revenue events and of payments: the rows of the amount table, in their order. */
export function createConverter(table: RateTable): (event: Convertible) => Conversion {
  const tokens = new Map(Object.entries(table.tokens));
  const fixed = new Map(Object.entries(table.fixed));
  const rates = new Map(
    Object.entries(table.rates).map(([currency, pairs]) => [
      currency,
      new Map(pairs.map(([date, rate]) => [parseDay(date), BigInt(rate)])),
    ]),
  );
  const newestRate = (currency: string, from: bigint, to: bigint): bigint | undefined => {
    for (let day = to; day >= from; day -= 1n) {
      const rate = rates.get(currency)?.get(day);
      if (rate !== undefined) return rate;
    }
    return undefined;
  };

  return (event) => {
    const { currency, value } = event;
    const day = dayOf(event);
    const tokenDecimals = tokens.get(currency);
    const decimals = tokenDecimals !== undefined ? BigInt(tokenDecimals) : (DECIMALS.get(currency) ?? 2n);
    const ok = (cents: bigint): Conversion => ({ status: 'ok', cents: min(cents, 1_000_000_000n), isPending: false });
    const none = (status: Conversion['status'], isPending = false): Conversion => ({ status, cents: 0n, isPending });
    const at = (rate: bigint) => ok((value * rate * 100n) / (10n ** decimals * 10n ** 12n));

    if (currency === 'USD') return ok(value);
    const fixedRate = fixed.get(currency);
    if (fixedRate !== undefined) return at(BigInt(fixedRate));
    if (!table.feed) return none('fx_unavailable');
    if (parseDay(table.through) < day - 1n) return none('fx_unavailable', true);
    const rate = newestRate(currency, day - 7n, day - 1n);
    if (rate !== undefined) return at(rate);
    return none('unsupported_currency');
  };
}

/** Parses `YYYY-MM-DD` into a UTC day number. */
function parseDay(date: string): bigint {
  const milliseconds = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  if (Number.isNaN(milliseconds)) throw new TypeError(`not a date: ${JSON.stringify(date)}`);
  return BigInt(milliseconds) / 86_400_000n;
}

// ---------------------------------------------------------------------------------------------------------- ladders

type Ladder = readonly (readonly [x: bigint, y: bigint])[];

const REVENUE_LADDER: Ladder = [
  [0n, 0n],
  [1000n, 400n],
  [5000n, 1000n],
  [10000n, 1400n],
  [25000n, 1900n],
  [50000n, 2300n],
  [100000n, 2700n],
  [250000n, 3000n],
];
const ACTIVITY_LADDER: Ladder = [
  [0n, 0n],
  [7n, 300n],
  [35n, 600n],
  [168n, 1000n],
];
const TREND_LADDER: Ladder = [
  [0n, 0n],
  [40n, 600n],
  [80n, 1500n],
];
const TENURE_LADDER: Ladder = [
  [0n, 0n],
  [4n, 200n],
  [13n, 500n],
  [52n, 1000n],
];

/** Interpolates linearly between steps, constant after the last; `x` is never below the first step. */
function ladder(steps: Ladder, x: bigint): bigint {
  for (const [index, [x0, y0]] of steps.entries()) {
    const next = steps[index + 1];
    if (next === undefined) return y0;
    const [x1, y1] = next;
    if (x0 <= x && x < x1) return y0 + ((x - x0) * (y1 - y0)) / (x1 - x0);
  }
  return 0n;
}

// ------------------------------------------------------------------------------------------------------------ trend

interface Trend {
  readonly basis: 'revenue' | 'activity' | 'none';
  readonly percent: bigint | null;
  readonly evenPercent: bigint | null;
  readonly points: bigint;
  readonly revenueTrend: 'up' | 'stable' | 'down' | 'insufficient';
}

function judgeTrend(
  revenue: readonly Revenue[],
  activity: readonly Qualifying[],
  firstDay: bigint | null,
  today: bigint,
): Trend {
  const recentDays = Array.from({ length: 30 }, (_, back) => today - BigInt(back));
  const priorDays = Array.from({ length: 30 }, (_, back) => today - 30n - BigInt(back));
  const centsOf = (wanted: bigint) => sum(revenue.filter(({ day }) => day === wanted).map(({ cents }) => cents));
  const activityOf = (wanted: bigint) => BigInt(activity.filter(({ day }) => day === wanted).length);

  const oldEnough = firstDay !== null && firstDay <= today - 59n;
  const basis =
    oldEnough && priorDays.some((day) => centsOf(day) > 0n)
      ? 'revenue'
      : oldEnough && priorDays.some((day) => activityOf(day) > 0n)
        ? 'activity'
        : 'none';

  if (basis === 'none') {
    const anyRecent = recentDays.some((day) => centsOf(day) > 0n || activityOf(day) > 0n);
    return { basis, percent: null, evenPercent: null, points: anyRecent ? 600n : 0n, revenueTrend: 'insufficient' };
  }

  const measureOf = basis === 'revenue' ? centsOf : activityOf;
  const recent = recentDays.map(measureOf);
  const prior = priorDays.map(measureOf);
  const bestPriorDay = greatest(prior);
  const percent = min(1000n, (100n * sum(recent)) / sum(prior));
  const evenPercent = min(1000n, (100n * sum(recent.map((x) => min(x, bestPriorDay)))) / sum(prior));
  const points = ladder(TREND_LADDER, evenPercent);
  return {
    basis,
    percent,
    evenPercent,
    points: basis === 'activity' ? min(points, 750n) : points,
    revenueTrend: basis === 'activity' ? 'insufficient' : percent > 125n ? 'up' : percent < 80n ? 'down' : 'stable',
  };
}

// ------------------------------------------------------------------------------------------------------------ trust

interface Trust {
  readonly source: 'flag' | 'override' | 'none' | 'events';
  readonly percentHundredths: bigint;
  /** Revenue of the last 180 days. */
  readonly revenue: readonly Revenue[];
}

function judgeTrust(facts: {
  readonly revenue: readonly Revenue[];
  readonly activity: readonly Activity[];
  readonly today: bigint;
  readonly now: bigint;
  readonly flagAt: bigint;
  readonly flagIsPlausible: boolean;
  readonly tenureWeeks: bigint;
  readonly input: ModelInput;
}): Trust {
  const { now, today, flagAt } = facts;
  const { trustOverride } = facts.input;
  const in180Days = ({ day }: Qualifying) => day >= today - 179n && day <= today;
  const revenue = facts.revenue.filter(in180Days);
  const activity = facts.activity.filter(in180Days);
  if (facts.flagIsPlausible && now < flagAt + 15552000n) return { source: 'flag', percentHundredths: 0n, revenue };
  if (trustOverride !== null) {
    return { source: 'override', percentHundredths: 100n * min(trustOverride, 100n), revenue };
  }
  if (revenue.length === 0 && activity.length === 0) return { source: 'none', percentHundredths: 0n, revenue };

  const attested = sum(revenue.map(({ attestedWeight }) => attestedWeight)) + 100n * countAttested(activity);
  const paid = sum(revenue.map(({ paidWeight }) => paidWeight));
  const all = sum(revenue.map(({ weight }) => weight)) + 100n * BigInt(activity.length);
  const p = (attested * 10000n + paid * 7000n + (all - attested - paid) * 2000n) / all;
  const raised = facts.tenureWeeks >= 52n ? max(p, min(6000n, p + 1000n)) : p;
  return { source: 'events', percentHundredths: raised, revenue };
}

const countAttested = (activity: readonly Activity[]): bigint =>
  BigInt(activity.filter(({ attested }) => attested).length);

// --------------------------------------------------------------------------------------------------------- dormancy

interface Dormancy {
  readonly idle: bigint | null;
  readonly free: bigint | null;
  readonly half: bigint | null;
  /** What is left of the sum of the factors. */
  readonly awake: bigint;
}

/** Reduces the sum of the factors by the rhythm of the qualifying days. */
function judgeDormancy(factorSum: bigint, days: readonly bigint[], today: bigint): Dormancy {
  if (days.length === 0) return { idle: null, free: null, half: null, awake: factorSum };
  const first = least(days);
  const last = greatest(days);
  const n = BigInt(days.filter((day) => day >= last - 89n).length);
  const gap = (100n * min(90n, last - first + 1n)) / n;
  const free = min(45n, max(14n, (4n * gap) / 100n));
  const half = min(30n, max(14n, (3n * gap) / 100n));
  const idle = today - last;
  if (idle <= free) return { idle, free, half, awake: factorSum };
  const k = idle - free;
  const m = k / half;
  const r = k % half;
  // The sum is at most 10000 < 2^14, so the quotient is 0, and a distant `now` needs no huge power.
  const awake = m >= 14n ? 0n : (factorSum * (2n * half - r)) / (2n * half * 2n ** m);
  return { idle, free, half, awake };
}

// ------------------------------------------------------------------------------------------- letters, reasons, texts

const LETTERS: readonly (readonly [letter: string, least: bigint])[] = [
  ['AAA', 95n],
  ['AA', 85n],
  ['A', 75n],
  ['BBB', 60n],
  ['BB', 45n],
  ['B', 30n],
];

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

type GateCode = keyof typeof GATE_TEXTS;

interface Loss {
  readonly code: keyof typeof LOSS_TEXTS;
  readonly lost: bigint;
}

const phraseOf = (loss: Loss | undefined): string => (loss === undefined ? '' : LOSS_TEXTS[loss.code].phrase);

// ------------------------------------------------------------------------------------------------------- arithmetic

const SAFE = 2n ** 53n - 1n;

const shown = (x: bigint): number => Number(min(x, SAFE));

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((total, x) => total + x, 0n);

const least = (numbers: readonly bigint[]): bigint => numbers.reduce(min);

const greatest = (numbers: readonly bigint[]): bigint => numbers.reduce(max);

const distinct = (numbers: readonly bigint[]): bigint[] => [...new Set(numbers)];

const compareBigints = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
