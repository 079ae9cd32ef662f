/** JSON encoding of a rating state for the store: below 32 KiB for any history (design/scoring.md, Fold). */

import { isObject, parseJson } from '../json/json-values.ts';
import { dayOf } from './utc-day.ts';
import { DORMANCY, EVIDENCE_CLASSES, MAX_DAILY_ACTIVITY, MODEL, WINDOW_DAYS } from './constants.ts';
import type { ClassSums, DayBucket, RatingState, VerdictDay } from './rating-state.ts';

/** Thrown for a text that is not a rating state of this model. The state can be rebuilt from the events. */
export class RatingStateUnreadable extends Error {
  constructor() {
    super('not a rating state of this model');
    this.name = 'RatingStateUnreadable';
  }
}

export type CountName = (typeof COUNTS)[number];
export type MomentName = (typeof MOMENTS)[number];

/** Scalars that are always present. */
export const COUNTS = [
  'nextSeq',
  'revenueEvents',
  'totalRevenueCents',
  'qualifyingRevenueEvents',
  'qualifyingEvents',
  'qualifyingDays',
  'qualifyingWeeks',
  'rhythmDays',
] as const satisfies readonly (keyof RatingState)[];

/** Scalars that are null until the first event of their kind. */
export const MOMENTS = [
  'newestBlockTimestamp',
  'firstQualifyingDay',
  'lastQualifyingDay',
  'lastUnconvertedDay',
] as const satisfies readonly (keyof RatingState)[];

const MEMBERS = ['model', ...COUNTS, ...MOMENTS, 'buckets', 'verdictCounts'];

/** The day, then by class three amounts in cents as decimal text, three weights and three activity counts. */
const BUCKET_NUMBERS = 10;

/** Encodes a rating state; `decodeRatingState` restores it exactly. */
export function encodeRatingState(state: RatingState): string {
  const scalars = [...COUNTS, ...MOMENTS].map((name) => [name, state[name] ?? null] as const);
  return JSON.stringify({
    model: MODEL,
    ...Object.fromEntries(scalars),
    buckets: state.buckets.map(encodeBucket),
    verdictCounts: encodeVerdictDays(state),
  });
}

/** Decodes a text made by `encodeRatingState`. Throws `RatingStateUnreadable`. */
export function decodeRatingState(text: string): RatingState {
  const source = parseObject(text);
  if (source['model'] !== MODEL || Object.keys(source).length !== MEMBERS.length) throw new RatingStateUnreadable();
  const counts = COUNTS.map((name) => [name, parseCount(source[name])] as const);
  const moments = MOMENTS.map((name) => [name, parseMoment(source[name])] as const);
  const scalars = {
    ...(Object.fromEntries(counts) as Record<CountName, number>),
    ...(Object.fromEntries(moments) as Record<MomentName, number | undefined>),
  };
  const state: RatingState = {
    ...scalars,
    buckets: parseArray(source['buckets']).map(parseBucket),
    verdictDays: parseVerdictDays(parseArray(source['verdictCounts']), scalars.newestBlockTimestamp),
  };
  if (!isConsistent(state)) throw new RatingStateUnreadable();
  return state;
}

export function encodeBucket({ day, classes }: DayBucket): unknown[] {
  const sums = EVIDENCE_CLASSES.map((evidence) => classes[evidence]);
  return [
    day,
    ...sums.map(({ cents }) => String(cents)),
    ...sums.map(({ weight }) => weight),
    ...sums.map(({ activity }) => activity),
  ];
}

export function parseBucket(row: unknown): DayBucket {
  const numbers = parseArray(row);
  if (numbers.length !== BUCKET_NUMBERS) throw new RatingStateUnreadable();
  const parseClass = (place: number): ClassSums => ({
    cents: parseCents(numbers[1 + place]),
    weight: parseCount(numbers[4 + place]),
    activity: parseCount(numbers[7 + place]),
  });
  return {
    day: parseCount(numbers[0]),
    classes: { declared: parseClass(0), paid: parseClass(1), attested: parseClass(2) },
  };
}

/** Encodes the counts of consecutive days, the last of which is that of the newest block. */
function encodeVerdictDays({ verdictDays, newestBlockTimestamp = 0 }: RatingState): number[] {
  const first = verdictDays[0]?.day;
  if (first === undefined) return [];
  const counts = new Array<number>(dayOf(newestBlockTimestamp) - first + 1).fill(0);
  for (const { day, count } of verdictDays) counts[day - first] = count;
  return counts;
}

function parseVerdictDays(counts: readonly unknown[], newestBlockTimestamp = 0): VerdictDay[] {
  const first = dayOf(newestBlockTimestamp) - counts.length + 1;
  const days = counts.map((count, index) => ({ day: first + index, count: parseCount(count) }));
  return days.filter(({ count }) => count > 0);
}

/** Checks the invariants of every rating state, on which folding later events relies. */
function isConsistent(state: RatingState): boolean {
  const { buckets, verdictDays, firstQualifyingDay, lastQualifyingDay, rhythmDays } = state;
  const newestDay = dayOf(state.newestBlockTimestamp ?? 0);
  const hasQualified = state.qualifyingEvents > 0;
  return (
    state.revenueEvents <= state.nextSeq &&
    state.qualifyingRevenueEvents <= Math.min(state.revenueEvents, state.qualifyingEvents) &&
    state.qualifyingEvents <= state.nextSeq &&
    state.qualifyingWeeks <= state.qualifyingDays &&
    state.qualifyingDays <= state.qualifyingEvents &&
    state.nextSeq > 0 === (state.newestBlockTimestamp !== undefined) &&
    hasQualified === (firstQualifyingDay !== undefined) &&
    hasQualified === (lastQualifyingDay !== undefined) &&
    (firstQualifyingDay ?? 0) <= (lastQualifyingDay ?? 0) &&
    hasQualified === rhythmDays > 0 &&
    rhythmDays <= Math.min(DORMANCY.rhythmDays, state.qualifyingDays) &&
    buckets.length <= Math.min(WINDOW_DAYS, state.qualifyingDays) &&
    buckets.every(({ day }) => day <= newestDay && day > newestDay - WINDOW_DAYS) &&
    isAscending(buckets) &&
    (buckets.length === 0 || buckets.at(-1)!.day === lastQualifyingDay) &&
    buckets.every(({ classes }) => EVIDENCE_CLASSES.every((each) => classes[each].activity <= MAX_DAILY_ACTIVITY)) &&
    verdictDays.every(({ day }) => day > newestDay - WINDOW_DAYS) &&
    verdictDays.reduce((sum, { count }) => sum + count, 0) <= state.qualifyingRevenueEvents
  );
}

function isAscending(rows: readonly { readonly day: number }[]): boolean {
  return rows.every(({ day }, index) => index === 0 || day > rows[index - 1]!.day);
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (!isObject(value)) throw new RatingStateUnreadable();
  return value;
}

export function parseArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new RatingStateUnreadable();
  return value;
}

export function parseCount(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new RatingStateUnreadable();
  return value as number;
}

export function parseMoment(value: unknown): number | undefined {
  return value === null ? undefined : parseCount(value);
}

function parseCents(value: unknown): bigint {
  if (typeof value !== 'string' || !/^(0|[1-9]\d{0,24})$/.test(value)) throw new RatingStateUnreadable();
  return BigInt(value);
}
