import { describe, expect, it } from 'vitest';

import {
  activityOn,
  eachDay,
  inChainOrder,
  NO_FEED,
  revenueOn,
  TODAY,
} from '../../../testing/fixtures/rating-events.ts';
import type { RatingState } from './rating-state.ts';
import { emptyRatingState, foldEvents } from './rating-state.ts';
import { RatingStateUnreadable, encodeRatingState, decodeRatingState } from './rating-state-codec.ts';

const { state } = foldEvents(
  emptyRatingState(),
  inChainOrder([
    ...eachDay(TODAY - 200, TODAY, (day) => [revenueOn(day, 5_000, day % 3), activityOn(day, (day + 1) % 3)]),
    { ...revenueOn(TODAY, 5_000), currency: 'EUR' },
  ]),
  NO_FEED,
);

describe('encodeRatingState', () => {
  it.each([
    ['a machine with history', state],
    ['a machine without events', emptyRatingState()],
  ])('round-trips the state of %s', (_, each) => {
    expect(decodeRatingState(encodeRatingState(each))).toStrictEqual(each);
  });

  it('stays below 32 KiB with the largest possible numbers', () => {
    const everyEvent = Number.MAX_SAFE_INTEGER;
    const sums = { cents: BigInt(everyEvent) * 10n ** 9n, weight: everyEvent, activity: 24 };
    const lastDay = Math.floor(everyEvent / 86_400);
    const largest: RatingState = {
      nextSeq: everyEvent,
      newestBlockTimestamp: everyEvent,
      revenueEvents: everyEvent,
      totalRevenueCents: everyEvent,
      qualifyingRevenueEvents: everyEvent,
      qualifyingEvents: everyEvent,
      qualifyingDays: lastDay,
      qualifyingWeeks: lastDay,
      firstQualifyingDay: lastDay - 179,
      lastQualifyingDay: lastDay,
      rhythmDays: 90,
      lastUnconvertedDay: lastDay,
      buckets: Array.from({ length: 180 }, (_, k) => ({
        day: lastDay - 179 + k,
        classes: { declared: sums, paid: sums, attested: sums },
      })),
      verdictDays: Array.from({ length: 180 }, (_, k) => ({ day: lastDay - 179 + k, count: 10 ** 10 })),
    };
    const text = encodeRatingState(largest);
    expect(decodeRatingState(text)).toStrictEqual(largest);
    expect(Buffer.byteLength(text)).toBeLessThan(32 * 1024);
  });
});

describe('decodeRatingState', () => {
  type Source = Record<string, unknown> & { buckets: unknown[][] };
  const altered = (alter: (source: Source) => void): string => {
    const source = JSON.parse(encodeRatingState(state)) as Source;
    alter(source);
    return JSON.stringify(source);
  };
  const of = (each: RatingState, members: object): string =>
    JSON.stringify({ ...(JSON.parse(encodeRatingState(each)) as object), ...members });
  const withMember = (name: string, value: unknown): string => altered((source) => (source[name] = value));
  const withNumber = (index: number, value: unknown): string => altered(({ buckets }) => (buckets[0]![index] = value));

  it.each([
    ['an empty text', ''],
    ['a truncated text', encodeRatingState(state).slice(0, -10)],
    ['null', 'null'],
    ['an array', '[]'],
    ['another model', withMember('model', 'mcr/1')],
    ['an extra member', withMember('more', 1)],
    ['a missing member', withMember('nextSeq', undefined)],
    [
      'a renamed member',
      altered((source) => {
        delete source['nextSeq'];
        source['next'] = 402;
      }),
    ],
    ['a fraction', withMember('nextSeq', 402.5)],
    ['a negative number', withMember('totalRevenueCents', -1)],
    ['an unsafe number', withMember('totalRevenueCents', 2 ** 53)],
    ['a string in place of a number', withMember('qualifyingDays', '201')],
    ['null for a required number', withMember('revenueEvents', null)],
    ['buckets that are not an array', withMember('buckets', {})],
    ['a bucket that is not an array', altered(({ buckets }) => (buckets[0] = {} as unknown[]))],
    ['a truncated bucket', altered(({ buckets }) => buckets[0]!.pop())],
    ['a bucket with an extra number', altered(({ buckets }) => buckets[0]!.push(0))],
    ['cents as a number', withNumber(1, 5_000)],
    ['cents with a leading zero', withNumber(1, '05000')],
    ['cents with 26 digits', withNumber(1, '9'.repeat(26))],
    ['negative weight', withNumber(4, -1)],
    ['25 activity events of one level', withNumber(7, 25)],
    ['days out of order', altered(({ buckets }) => buckets.reverse())],
    ['a duplicate day', altered(({ buckets }) => (buckets[0] = buckets[1]!))],
    ['a day outside the window', withNumber(0, TODAY - 180)],
    ['a day after the newest block', altered(({ buckets }) => (buckets.at(-1)![0] = TODAY + 1))],
    [
      'a last day after the newest block',
      altered((source) => (source['lastQualifyingDay'] = source.buckets.at(-1)![0] = TODAY + 1)),
    ],
    ['one event without a block time', of(emptyRatingState(), { nextSeq: 1 })],
    ['a block time without an event', of(emptyRatingState(), { newestBlockTimestamp: 5 })],
    ['a last day without qualifying events', of(emptyRatingState(), { lastQualifyingDay: 5 })],
    ['a last day that is not the last', withMember('lastQualifyingDay', TODAY - 1)],
    ['a first day after the last day', withMember('firstQualifyingDay', TODAY + 1)],
    ['no first day', withMember('firstQualifyingDay', null)],
    ['no last day', withMember('lastQualifyingDay', null)],
    ['several events without a block time', withMember('newestBlockTimestamp', null)],
    ['more revenue events than events', withMember('revenueEvents', 404)],
    ['more qualifying events than events', withMember('qualifyingEvents', 404)],
    ['more qualifying revenue than revenue', withMember('qualifyingRevenueEvents', 203)],
    ['more days than qualifying events', withMember('qualifyingDays', 403)],
    ['more weeks than days', withMember('qualifyingWeeks', 202)],
    ['fewer days than buckets', withMember('qualifyingDays', 179)],
  ])('rejects %s', (_, text) => {
    expect(() => decodeRatingState(text)).toThrow(RatingStateUnreadable);
  });

  it('throws an error that names the problem', () => {
    const expected = expect.objectContaining({
      name: 'RatingStateUnreadable',
      message: 'not a rating state of this model',
    });
    expect(() => decodeRatingState('null')).toThrow(expected);
  });
});
