/** Tests the texts that pages make of figures. */
import { expect, it } from 'vitest';
import { describeFailure, describeMeasure, describeSearch } from './texts.ts';

it.each([
  [null, 'no events searched yet; verdicts wait'],
  [1, 'events searched up to just now; verdicts on later ones wait'],
  [7_200, 'events searched up to 2 hours ago; verdicts on later ones wait'],
])('describes a search for payments of age %s', (age, text) => {
  expect(describeSearch(age)).toBe(text);
});

it.each([
  [0, 0, '$0.00 in the last 14 weeks, $0.00 of it verified'],
  [0, 300, 'no revenue in the last 14 weeks; activity earns the points'],
  [150_000, 300, '$1,500.00 in the last 14 weeks, $50.00 of it verified'],
])('describes revenue of %i cents with %i hundredths of a point', (cents, points, text) => {
  const measure = { usd_cents: cents, verified_usd_cents: Math.min(cents, 5_000) };
  const factor = { name: 'revenue', points_hundredths: points, max_hundredths: 3_000, measure } as const;
  expect(describeMeasure(factor)).toBe(text);
});

it.each([
  [5, 'registered on Solana, which'],
  [3, "registered on the protocol's chain 3, which"],
  [undefined, 'registered on another chain, which'],
])('names the home chain %s of a machine that lives elsewhere', (homeChain, text) => {
  expect(describeFailure(409, 'MACHINE_HOMED_ELSEWHERE', '', homeChain, 'machine').remedy).toContain(text);
});
