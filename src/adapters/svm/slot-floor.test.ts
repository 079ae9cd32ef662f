/** The newest slot: what was seen once is not undone. */
import { expect, it } from 'vitest';
import { createSlotFloor } from './slot-floor.ts';

it('rises and never falls', () => {
  const floor = createSlotFloor();
  expect(floor.slot).toBe(0);
  for (const slot of [5, 9, 7]) floor.note(slot);
  expect(floor.slot).toBe(9);
});
