/** Revenue and cadence, of which verified events earn one half (design/scoring.md, Revenue and Cadence). */
import { distinct, least, max, min, sum } from './arithmetic.ts';
import { ACTIVITY_LADDER, ladder, REVENUE_LADDER } from './ladders.ts';
import type { Amount, Qualifying, QualifyingEvents } from './qualifying.ts';
import { weekOf } from './raw-events.ts';

/** Points, and those that verified events would add. */
export interface VerifiedFactor {
  readonly points: bigint;
  readonly unverified: bigint;
}

export interface RevenueFactor extends VerifiedFactor {
  readonly cents: bigint;
  readonly verifiedCents: bigint;
}

export function judgeRevenue(events: QualifyingEvents, today: bigint): RevenueFactor {
  const { revenue, activity, verifiedRevenue, verifiedActivity } = events;
  const all = best13Weeks(revenue, activity, today);
  const verified = best13Weeks(verifiedRevenue, verifiedActivity, today);
  return {
    points: (all + verified) / 26n,
    unverified: (all - verified) / 26n,
    cents: sum(in14Weeks(revenue, today).map(({ cents }) => cents)),
    verifiedCents: sum(in14Weeks(verifiedRevenue, today).map(({ cents }) => cents)),
  };
}

function best13Weeks(revenue: readonly Amount[], activity: readonly Qualifying[], today: bigint): bigint {
  const weeks = Array.from({ length: 14 }, (_, back) => weekOf(today) - BigInt(back));
  const points = weeks.map((week) =>
    max(
      ladder(REVENUE_LADDER, sum(revenue.filter(({ day }) => weekOf(day) === week).map(({ cents }) => cents))),
      ladder(ACTIVITY_LADDER, BigInt(activity.filter(({ day }) => weekOf(day) === week).length)),
    ),
  );
  return sum(points) - least(points);
}

/** Weeks and days with an event. */
interface Cadence {
  readonly weeks: bigint;
  readonly days: bigint;
}

export interface CadenceFactor extends VerifiedFactor {
  readonly all: Cadence;
  readonly verified: Cadence;
}

export function judgeCadence(events: QualifyingEvents, today: bigint): CadenceFactor {
  const all = countCadence(in14Weeks(events.all, today));
  const verified = countCadence(in14Weeks([...events.verifiedRevenue, ...events.verifiedActivity], today));
  const [pointsOfAll, pointsOfVerified] = [cadencePoints(all), cadencePoints(verified)];
  return {
    points: (pointsOfAll + pointsOfVerified) / 2n,
    unverified: (pointsOfAll - pointsOfVerified) / 2n,
    all,
    verified,
  };
}

function countCadence(events: readonly Qualifying[]): Cadence {
  return {
    weeks: BigInt(distinct(events.map(({ day }) => weekOf(day))).length),
    days: BigInt(distinct(events.map(({ day }) => day)).length),
  };
}

function cadencePoints({ weeks, days }: Cadence): bigint {
  return (1500n * min(weeks, 13n)) / 13n + (1000n * min(days, 65n)) / 65n;
}

function in14Weeks<T extends Qualifying>(events: readonly T[], today: bigint): readonly T[] {
  const thisWeek = weekOf(today);
  return events.filter(({ day }) => weekOf(day) >= thisWeek - 13n && weekOf(day) <= thisWeek);
}
