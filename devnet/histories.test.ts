/**
 * Do the histories say of themselves what they are? Counts and sums, and that none of their events is late.
 */
import { describe, expect, test } from 'vitest';
import { listInhabitants } from './personas.ts';
import { blockTimestamp, daysBetween, eventTimestamp } from './planned-event.ts';

const DAY_SECONDS = 86_400;
const MIDNIGHT = 20_500 * DAY_SECONDS;

const named = listInhabitants(3).map(({ persona }) => persona);

test('every name is there once', () => {
  expect(named.map(({ name }) => name)).toEqual([
    ...['rated-aaa', 'rated-b', 'provisioned', 'fresh', 'multi-currency', 'activity-only', 'dormant', 'many-events'],
    ...['flagged', 'trust-override', 'grace', 'runoff', 'unbonded', 'suspended', 'deactivated', 'technical-pause'],
    ...['with-controller', 'sold', 'relocating', 'homed-elsewhere', 'reissued-old', 'reissued-new', 'retired'],
    ...['visibility-private', 'visibility-onchain', 'visibility-public', 'hostile-strings'],
    ...['verified', 'chip-revoked', 'kyb-expired', 'fleet-01', 'fleet-02', 'fleet-03'],
  ]);
});

describe.each(named)('$name', ({ answer, events = [], activatedDaysAgo }) => {
  test('expects as many events as it submits', () => {
    if (answer.kind !== 'served') return;
    const { rating } = answer;
    const revenue = events.filter((event) => event.eventType === 0);
    expect(rating.event_count).toBe(events.length);
    expect(rating.revenue_event_count).toBe(revenue.length);
    expect(rating.activity_event_count).toBe(events.length - revenue.length);
    if (revenue.some((event) => event.currency !== 'USD')) return;
    expect(rating.total_revenue).toBe(Number(revenue.reduce((sum, event) => sum + event.value, 0n)));
  });

  test.each([MIDNIGHT, MIDNIGHT + 1, MIDNIGHT + 43_200, MIDNIGHT - 1])(
    'has events on the day of their block, after its activation, seeded at %i',
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

test('a run of days is counted from today, oldest first', () => {
  expect(daysBetween(0, 3)).toEqual([3, 2, 1, 0]);
  expect(daysBetween(3, 20, 7)).toEqual([17, 10, 3]);
});
