/** The newest slot: what was seen once is not undone, and what cannot have been is not seen. */
import { expect, it } from 'vitest';
import { createMinContextSlot } from './min-context-slot.ts';

it('rises and never falls', () => {
  const floor = createMinContextSlot();
  expect(floor.slot).toBe(0);
  for (const slot of [5, 9, 7]) floor.note(slot, 0);
  expect(floor.slot).toBe(9);
});

it('the first slot may be any; the next ones as far as the chain can have come, and minutes more', () => {
  const floor = createMinContextSlot();
  expect(floor.isWithinReach(1e12, 0)).toBe(true);
  floor.note(1_000_000, 60_000);
  expect(floor.isWithinReach(1_001_500, 60_000)).toBe(true);
  expect(floor.isWithinReach(1_001_501, 60_000)).toBe(false);
  expect(floor.isWithinReach(1_001_505, 61_000)).toBe(true);
  expect(floor.isWithinReach(1_001_506, 61_000)).toBe(false);
  expect(floor.isWithinReach(3, 61_000)).toBe(true);
});
