/** Tests the newest slot seen and its plausibility limit. */
import { describe, expect, it } from 'vitest';
import { createMinContextSlot, type Moment } from './min-context-slot.ts';

const at = (stopwatchMilliseconds: number, clockMilliseconds = stopwatchMilliseconds): Moment => ({
  stopwatchMilliseconds,
  clockMilliseconds,
});

it('never decreases', () => {
  const minContextSlot = createMinContextSlot();
  expect(minContextSlot.slot).toBe(0);
  for (const slot of [5, 9, 7]) minContextSlot.observe(slot, at(0));
  expect(minContextSlot.slot).toBe(9);
});

describe('the plausibility of a slot', () => {
  const observed = () => {
    const minContextSlot = createMinContextSlot();
    minContextSlot.observe(1_000_000, at(60_000));
    return minContextSlot;
  };

  it('is not judged for the first slot', () => {
    expect(createMinContextSlot().judge(1e12, at(0))).toBe('plausible');
  });

  it.each<[slot: number, moment: Moment, verdict: string]>([
    [3, at(61_000), 'plausible'],
    [1_001_500, at(60_000), 'plausible'],
    [1_001_501, at(60_000), 'impossible'],
    [1_001_505, at(61_000), 'plausible'],
    [1_001_506, at(61_000), 'impossible'],
    [1_001_506, at(61_000, 62_000), 'unexplained'],
    [1_001_510, at(61_000, 62_000), 'unexplained'],
    [1_001_511, at(61_000, 62_000), 'impossible'],
    [1_001_505, at(61_000, 0), 'plausible'],
  ])('of %i at %j is %s', (slot, moment, verdict) => {
    expect(observed().judge(slot, moment)).toBe(verdict);
  });
});
