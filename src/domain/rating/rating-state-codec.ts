/** JSON encoding of a rating state for the store: below 32 KiB for any history (design/scoring.md, Fold). */

import { isObject, parseJson } from '../json/json-values.ts';
import { dayOf } from './utc-day.ts';
import { MAX_DAILY_ACTIVITY, MODEL, WINDOW_DAYS } from './constants.ts';
import type { DayBucket, RatingState, LevelSums } from './rating-state.ts';

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
] as const satisfies readonly (keyof RatingState)[];

/** Scalars that are null until the first event of their kind. */
export const MOMENTS = [
  'newestBlockTimestamp',
  'firstQualifyingDay',
  'lastQualifyingDay',
  'lastUnconvertedDay',
] as const satisfies readonly (keyof RatingState)[];

const MEMBERS = ['model', ...COUNTS, ...MOMENTS, 'buckets'];

/** The day, then by trust level three amounts in cents as decimal text, three weights and three activity counts. */
const BUCKET_NUMBERS = 10;

/** Encodes a rating state; `decodeRatingState` restores it exactly. */
export function encodeRatingState(state: RatingState): string {
  const scalars = [...COUNTS, ...MOMENTS].map((name) => [name, state[name] ?? null] as const);
  return JSON.stringify({ model: MODEL, ...Object.fromEntries(scalars), buckets: state.buckets.map(encodeBucket) });
}

/** Decodes a text made by `encodeRatingState`. Throws `RatingStateUnreadable`. */
export function decodeRatingState(text: string): RatingState {
  const source = parseObject(text);
  if (source['model'] !== MODEL || Object.keys(source).length !== MEMBERS.length) throw new RatingStateUnreadable();
  const counts = COUNTS.map((name) => [name, parseCount(source[name])] as const);
  const moments = MOMENTS.map((name) => [name, parseMoment(source[name])] as const);
  const state: RatingState = {
    ...(Object.fromEntries(counts) as Record<CountName, number>),
    ...(Object.fromEntries(moments) as Record<MomentName, number | undefined>),
    buckets: parseArray(source['buckets']).map(parseBucket),
  };
  if (!isConsistent(state)) throw new RatingStateUnreadable();
  return state;
}

export function encodeBucket({ day, levels }: DayBucket): unknown[] {
  return [
    day,
    ...levels.map(({ cents }) => String(cents)),
    ...levels.map(({ weight }) => weight),
    ...levels.map(({ activity }) => activity),
  ];
}

export function parseBucket(row: unknown): DayBucket {
  const numbers = parseArray(row);
  if (numbers.length !== BUCKET_NUMBERS) throw new RatingStateUnreadable();
  const parseLevel = (level: number): LevelSums => ({
    cents: parseCents(numbers[1 + level]),
    weight: parseCount(numbers[4 + level]),
    activity: parseCount(numbers[7 + level]),
  });
  return { day: parseCount(numbers[0]), levels: [parseLevel(0), parseLevel(1), parseLevel(2)] };
}

/** Checks the invariants of every rating state, on which folding later events relies. */
function isConsistent(state: RatingState): boolean {
  const { buckets, firstQualifyingDay, lastQualifyingDay } = state;
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
    buckets.length <= Math.min(WINDOW_DAYS, state.qualifyingDays) &&
    buckets.every(({ day }) => day <= newestDay && day > newestDay - WINDOW_DAYS) &&
    buckets.every((bucket, index) => index === 0 || bucket.day > buckets[index - 1]!.day) &&
    (buckets.length === 0 || buckets.at(-1)!.day === lastQualifyingDay) &&
    buckets.every(({ levels }) => levels.every(({ activity }) => activity <= MAX_DAILY_ACTIVITY))
  );
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
