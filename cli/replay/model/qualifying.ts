/** Qualifying events and their classes (design/scoring.md, Events and Classes). */
import { max, min } from './arithmetic.ts';
import { createConverter } from './conversion.ts';
import type { ModelInput } from './model-input.ts';
import { dayOf, isSound, type RawEvent } from './raw-events.ts';

/** An event that qualifies or may qualify. */
export interface Qualifying {
  readonly day: bigint;
}

export interface Activity extends Qualifying {
  readonly attested: boolean;
}

export interface Amount extends Qualifying {
  readonly cents: bigint;
}

/** Revenue with its verified parts; the remainder of cents and weight is declared. */
export interface Revenue extends Amount {
  readonly weight: bigint;
  readonly paid: bigint;
  readonly paidWeight: bigint;
  readonly attested: bigint;
  readonly attestedWeight: bigint;
}

/** Qualifying events of a machine. */
export interface QualifyingEvents {
  readonly revenue: readonly Revenue[];
  readonly activity: readonly Activity[];
  /** The paid and attested parts. */
  readonly verifiedRevenue: readonly Amount[];
  readonly verifiedActivity: readonly Activity[];
  readonly all: readonly Qualifying[];
  /** Days of revenue that has no amount in USD. */
  readonly unconvertedDays: readonly bigint[];
}

const NOTHING = { paid: 0n, paidWeight: 0n, attested: 0n, attestedWeight: 0n };

export function findQualifying({ events, hands, rates }: ModelInput): QualifyingEvents {
  const sound = events.filter(isSound);
  const convert = createConverter(rates);
  const soundRevenue = sound
    .filter((event) => event.type === 0n)
    .map((event) => ({ day: dayOf(event), event, ...convert(event) }));

  // A change of hands turns everything before it into declared.
  const newestChange = hands.reduce(max, 0n);
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
  return {
    revenue,
    activity,
    verifiedRevenue: revenue
      .map(({ day, paid, attested }) => ({ day, cents: paid + attested }))
      .filter(({ cents }) => cents > 0n),
    verifiedActivity: activity.filter(({ attested }) => attested),
    all: [...revenue, ...activity],
    unconvertedDays: soundRevenue.filter(({ status }) => status !== 'ok').map(({ day }) => day),
  };
}

/** Keeps at most 24 per day, attested ones first. */
function highest24OfEachDay(events: readonly Activity[]): Activity[] {
  return [...Map.groupBy(events, ({ day }) => day).values()].flatMap((ofOneDay) =>
    [...ofOneDay.filter(({ attested }) => attested), ...ofOneDay.filter(({ attested }) => !attested)].slice(0, 24),
  );
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
