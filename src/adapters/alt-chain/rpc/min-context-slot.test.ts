/** Tests the newest slot seen and its plausibility limit. */
import { describe, expect, it } from 'vitest';
import { createMinContextSlot, type Moment } from './min-context-slot.ts';

const at = (stopwatchMilliseconds: number, clockMilliseconds = stopwatchMilliseconds): Moment => ({
  stopwatchMilliseconds,
  clockMilliseconds,
});

function observed() {
  const minContextSlot = createMinContextSlot();
  minContextSlot.observe(1_000_000, at(60_000));
  return minContextSlot;
}

it('is not decreased by responses', () => {
  const minContextSlot = createMinContextSlot();
  expect(minContextSlot.slot).toBe(0);
  for (const slot of [5, 9, 7]) minContextSlot.observe(slot, at(0));
  expect(minContextSlot.slot).toBe(9);
});

describe('the plausibility of a slot', () => {
  it('is not judged for the first slot', () => {
    expect(createMinContextSlot().judge(1e12, at(0))).toBe('plausible');
  });

  it.each<[slot: number, moment: Moment, verdict: string]>([
    [3, at(61_000), 'plausible'],
    [1_000_150, at(60_000), 'plausible'],
    [1_000_151, at(60_000), 'doubtful'],
    [1_000_155, at(61_000), 'plausible'],
    [1_000_156, at(61_000), 'doubtful'],
    [1_000_156, at(61_000, 62_000), 'doubtful'],
    [1_000_155, at(61_000, 0), 'plausible'],
    [1_001_500, at(60_000), 'doubtful'],
    [1_001_501, at(60_000), 'impossible'],
    [1_001_505, at(61_000), 'doubtful'],
    [1_001_506, at(61_000), 'impossible'],
    [1_001_506, at(61_000, 62_000), 'unexplained'],
    [1_001_510, at(61_000, 62_000), 'unexplained'],
    [1_001_511, at(61_000, 62_000), 'impossible'],
    [1_001_505, at(61_000, 0), 'doubtful'],
    [1_001_506, at(61_000, 0), 'impossible'],
  ])('of %i at %j is %s', (slot, moment, verdict) => {
    expect(observed().judge(slot, moment)).toBe(verdict);
  });
});

it('may have risen by as much as the chain has produced since the slot was first seen, not last', () => {
  const minContextSlot = observed();
  for (let seconds = 60; seconds <= 3_660; seconds += 20) minContextSlot.observe(1_000_000, at(1_000 * seconds));
  expect(minContextSlot.judge(1_009_000, at(3_660_000))).toBe('plausible');
});

describe('a slot that no response reaches', () => {
  it('is none before the first one', () => {
    expect(createMinContextSlot().isUnreached(at(900_000))).toBe(false);
  });

  it('is unreached after a minute of the monotonic clock', () => {
    const minContextSlot = observed();
    expect(minContextSlot.isUnreached(at(119_999, 900_000))).toBe(false);
    expect(minContextSlot.isUnreached(at(120_000, 0))).toBe(true);
    minContextSlot.observe(1_000_000, at(100_000));
    expect(minContextSlot.isUnreached(at(120_000))).toBe(false);
  });

  it.each<[slot: number, ageMilliseconds: number, lowered: number]>([
    [999_850, 0, 1_000_000],
    [999_849, 0, 999_849],
    [999_785, 13_000, 1_000_000],
    [999_784, 13_000, 999_784],
    [999_784, -13_000, 999_784],
    [999_785, -13_000, 1_000_000],
    [2_000_000, 0, 1_000_000],
  ])(
    'is lowered only where the chain cannot reach it from slot %i, %i ms ago: to %i',
    (slot, ageMilliseconds, lowered) => {
      const minContextSlot = observed();
      minContextSlot.lower(slot, ageMilliseconds, at(120_000));
      expect(minContextSlot.slot).toBe(lowered);
      expect(minContextSlot.isUnreached(at(120_000))).toBe(lowered === 1_000_000);
    },
  );
});
