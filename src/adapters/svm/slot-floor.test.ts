/** The newest slot, and what becomes of one that was never there. */
import { describe, expect, it } from 'vitest';
import { createSlotFloor } from './slot-floor.ts';

describe('the floor', () => {
  it('rises and never falls while nodes reach it', () => {
    const floor = createSlotFloor();
    for (const slot of [5, 9, 7]) floor.note(slot);
    expect(floor.slot).toBe(9);
  });

  it('is given up when nobody has reached it for ten seconds', () => {
    const floor = createSlotFloor();
    floor.note(1_000_000);
    floor.miss(50);
    floor.miss(10_049);
    expect(floor.slot).toBe(1_000_000);
    floor.miss(10_050);
    expect(floor.slot).toBe(0);
    floor.note(7);
    expect(floor.slot).toBe(7);
  });

  it('counts anew when one node reaches it', () => {
    const floor = createSlotFloor();
    floor.note(9);
    floor.miss(0);
    floor.note(9);
    floor.miss(10_000);
    floor.miss(19_999);
    expect(floor.slot).toBe(9);
  });

  it('is not reached by an older slot', () => {
    const floor = createSlotFloor();
    floor.note(9);
    floor.miss(0);
    floor.note(8);
    floor.miss(10_000);
    expect(floor.slot).toBe(0);
  });
});
