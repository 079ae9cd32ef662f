/** Tests the values that the watchlist compares, and those of the feed of changes, as texts. */
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../parts/wire.ts';
import { describeValue, nameValue, toFleetValues, toMachineValues } from './values.ts';

const NOW = 1_772_452_800;
const DAY = 86_400;

type Subscription = Explanation['inputs']['subscription'];

const valuesOf = (subscription: Subscription, flaggedAt = 0, now = NOW, mcr: Explanation['mcr'] = 'A') =>
  toMachineValues({
    ...{ mcr, mcr_score: 78 },
    inputs: { subscription, negative_flag_at: String(flaggedAt), now } as Explanation['inputs'],
  });

describe('toMachineValues', () => {
  it('has another text for each state of the bond', () => {
    const states: readonly Subscription[] = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'];
    expect(new Set(states.map((state) => valuesOf(state)['bond'])).size).toBe(states.length);
    expect(valuesOf('Grace')['bond']).toBe('bonded, in grace');
  });

  it('has another text for no flag, a flag in force and a lapsed one', () => {
    const flagOf = (flaggedAt: number, now?: number) => valuesOf('Active', flaggedAt, now)['flag'];
    expect([flagOf(0), flagOf(NOW), flagOf(NOW, NOW + 179 * DAY), flagOf(NOW, NOW + 180 * DAY)]).toEqual([
      ...['no flag', 'flag in force', 'flag in force', 'flag lapsed'],
    ]);
  });

  it.each([
    ['A', 'A 78'],
    ['NR', 'not rated'],
    ['Provisioned', 'provisioned'],
  ] as const)('shows the rating %s as %s', (mcr, text) => {
    expect(valuesOf('Active', 0, NOW, mcr)['rating']).toBe(text);
  });
});

describe('toFleetValues', () => {
  it('counts all machines of the fleet', () => {
    const fleet = { pagination: { total: 1_200 } } as Parameters<typeof toFleetValues>[0];
    expect(toFleetValues(fleet)).toEqual({ machines: '1,200 machines' });
    expect(toFleetValues(undefined)).toBeUndefined();
  });
});

describe('describeValue', () => {
  it.each([
    ['bond', 'Grace', 'bonded, in grace'],
    ['bond', 'Terminated', 'terminated'],
    ['flag', 'in_force', 'in force'],
    ['flag', 'ended', 'lapsed'],
    ['kyb', 'unverified', 'not verified'],
    ['chip', 'expired', 'expired'],
    ['opt-in', 'OPTED_OUT', 'opted out'],
    ['rating', 'BBB', 'BBB'],
    ['rating', 'NR', 'not rated'],
    ['owner', '0xa1', '0xa1'],
    ['chip', null, 'none'],
    ['bond', 'toString', 'toString'],
  ] as const)('shows the %s %s as %s', (kind, value, text) => {
    expect(describeValue(kind, value)).toBe(text);
  });
});

describe('nameValue', () => {
  it('names known values, and shows the name of others', () => {
    expect([nameValue('kyb'), nameValue('valueOf')]).toEqual(['Operator (KYB)', 'valueOf']);
  });
});
