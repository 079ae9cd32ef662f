/** Tests the newest slot seen and its plausibility limit. */
import { expect, it } from 'vitest';
import { createMinContextSlot } from './min-context-slot.ts';

it('never decreases', () => {
  const minContextSlot = createMinContextSlot();
  expect(minContextSlot.slot).toBe(0);
  for (const slot of [5, 9, 7]) minContextSlot.observe(slot, 0);
  expect(minContextSlot.slot).toBe(9);
});

it('accepts any first slot, then only slots that the chain can have reached, plus a margin', () => {
  const minContextSlot = createMinContextSlot();
  expect(minContextSlot.isPlausible(1e12, 0)).toBe(true);
  minContextSlot.observe(1_000_000, 60_000);
  expect(minContextSlot.isPlausible(1_001_500, 60_000)).toBe(true);
  expect(minContextSlot.isPlausible(1_001_501, 60_000)).toBe(false);
  expect(minContextSlot.isPlausible(1_001_505, 61_000)).toBe(true);
  expect(minContextSlot.isPlausible(1_001_506, 61_000)).toBe(false);
  expect(minContextSlot.isPlausible(3, 61_000)).toBe(true);
});
