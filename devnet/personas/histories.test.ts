/** Consistency of the personas: names, event counts, sums and timestamps. */
import { describe, expect, test } from 'vitest';
import { ANCHORED_WEEKLY_PAYER } from './histories.ts';
import { ALT_PERSONAS } from './alt-personas.ts';
import { listSampleMachines } from './sample-machines.ts';
import { blockTimestamp, daysBetween, eventTimestamp } from './planned-event.ts';

const DAY_SECONDS = 86_400;
const MIDNIGHT = 20_500 * DAY_SECONDS;

const named = listSampleMachines(3).map(({ persona }) => persona);

test('lists every main-chain persona once', () => {
  expect(named.map(({ name }) => name)).toEqual([
    ...['rated-aaa', 'rated-b', 'provisioned', 'fresh', 'multi-currency', 'activity-only', 'dormant', 'declared-best'],
    ...['level-two-claims', 'many-events'],
    ...['flagged', 'trust-override', 'grace', 'runoff', 'unbonded', 'suspended', 'deactivated', 'technical-pause'],
    ...['with-controller', 'relocating', 'homed-elsewhere', 'reissued-old', 'reissued-new', 'retired'],
    ...['visibility-private', 'visibility-onchain', 'visibility-public', 'hostile-strings'],
    ...['verified', 'chip-revoked', 'chip-expired', 'paid-aa', 'paid-unverified', 'paid-half', 'router-paid'],
    ...['batch-1', 'batch-2', 'batch-3', 'account-moved', 'kyb-expired', 'weekly', 'monthly'],
    ...['source-down', 'citations', 'refunded'],
    ...['sold', 'sold-and-proven', 'borrowed-kyb', 'bought-and-accepted', 'fleet-01', 'fleet-02', 'fleet-03'],
  ]);
});

const served = named.flatMap(({ name, expected, events = [] }) =>
  expected.kind === 'served' ? [{ name, events, ...expected }] : [],
);
const eventful = named.filter(({ events = [] }) => events.length > 0);

test('has more served than refused personas, and more with events than without', () => {
  expect([served.length, eventful.length].map((count) => count > named.length / 2)).toEqual([true, true]);
});

describe.each(served)('the persona $name', ({ rating, events }) => {
  test('expects the number and sum of the events that it submits', () => {
    const revenue = events.filter((event) => event.eventType === 0);
    expect(rating.event_count).toBe(events.length);
    expect(rating.revenue_event_count).toBe(revenue.length);
    expect(rating.activity_event_count).toBe(events.length - revenue.length);
    if (revenue.some((event) => event.currency !== 'USD')) return;
    expect(rating.total_revenue).toBe(Number(revenue.reduce((sum, event) => sum + event.value, 0n)));
  });
});

describe.each(eventful)('the events of $name', ({ events = [], activatedDaysAgo }) => {
  test.each([MIDNIGHT, MIDNIGHT + 1, MIDNIGHT + 43_200, MIDNIGHT - 1])(
    'are on the day of their block and after the activation when seeded at %i',
    (now) => {
      for (const event of events) {
        const block = blockTimestamp(now, event.daysAgo);
        const timestamp = eventTimestamp(now, event);
        expect(Math.floor(timestamp / DAY_SECONDS)).toBe(Math.floor(block / DAY_SECONDS));
        expect(timestamp).toBeLessThanOrEqual(block);
        expect(event.daysAgo).toBeLessThan(activatedDaysAgo ?? 0);
      }
    },
  );
});

test('lists every alt-chain persona once', () => {
  expect(ALT_PERSONAS.map(({ name }) => name)).toEqual([
    ...[
      'alt-rated',
      'alt-declared',
      'alt-paid-solana',
      'alt-unbound',
      'alt-sold',
      'alt-resold',
      'alt-new',
      'alt-relocating',
      'alt-no-operator',
      'alt-arrived',
      'alt-unlinked',
    ],
    ...['alt-truncated-logs', 'alt-cpi', 'alt-v0', 'alt-recreated'],
    ...['alt-fleet-1', 'alt-fleet-2', 'alt-fleet-3', 'alt-fleet-4', 'alt-fleet-5'],
  ]);
});

const servedOfAlt = ALT_PERSONAS.flatMap(({ name, expected, events, origin }) =>
  expected.kind === 'served' ? [{ name, events, origin, ...expected }] : [],
);

test('rates most alt-chain personas', () => {
  expect(servedOfAlt.filter(({ rating }) => rating !== undefined).length).toBeGreaterThan(ALT_PERSONAS.length / 2);
});

describe.each(servedOfAlt)('the alt-chain persona $name', ({ rating, eventCount, events, origin }) => {
  test('expects the events that it submits and the imported one', () => {
    const own = origin.kind === 'arrived' ? [origin.eventsThere.at(-1)!, ...events] : events;
    const revenue = own.filter((event) => event.eventType === 0);
    expect(eventCount).toBe(own.length);
    expect(rating === undefined).toBe(own.length === 0);
    if (rating === undefined) return;
    expect(rating.event_count).toBe(own.length);
    expect(rating.revenue_event_count).toBe(revenue.length);
    expect(rating.activity_event_count).toBe(own.length - revenue.length);
  });
});

describe.each(ALT_PERSONAS)('the events of $name', ({ events, createdDaysAgo, origin }) => {
  test('are after its creation, and those of an earlier machine before it', () => {
    for (const { daysAgo } of events) expect(daysAgo).toBeLessThan(createdDaysAgo);
    if (origin.kind === 'recreated') {
      const days = origin.firstEvents.map(({ daysAgo }) => daysAgo);
      expect(Math.min(...days)).toBeGreaterThan(origin.retiredDaysAgo);
      expect(Math.max(...days)).toBeLessThan(origin.firstCreatedDaysAgo);
      expect(origin.retiredDaysAgo).toBeGreaterThan(createdDaysAgo);
    }
  });
});

test('gives no points for the imported event of alt-arrived, which is late on the alt chain', () => {
  const { origin, createdDaysAgo } = ALT_PERSONAS.find(({ name }) => name === 'alt-arrived')!;
  if (origin.kind !== 'arrived') throw new Error('alt-arrived has another origin');
  expect(origin.eventsThere.at(-1)!.daysAgo - createdDaysAgo).toBeGreaterThan(7);
  expect(ANCHORED_WEEKLY_PAYER.rating).toMatchObject({ total_revenue: 6_300_000, average_revenue_per_event: 300_000 });
});

test('daysBetween counts days before today, oldest first', () => {
  expect(daysBetween(0, 3)).toEqual([3, 2, 1, 0]);
  expect(daysBetween(3, 20, 7)).toEqual([17, 10, 3]);
});
