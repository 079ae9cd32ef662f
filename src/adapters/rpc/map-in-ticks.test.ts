/** Tests that long lists are mapped in order and in several ticks. */
import { expect, it } from 'vitest';
import { createTickCounter } from '../../../testing/harness/tick-counter.ts';
import { mapInTicks } from './map-in-ticks.ts';

it.each([
  [0, 0],
  [1, 1],
  [3, 3],
  [10, 3],
])('maps %i items with their indexes in order, at most %i of them in one tick', async (count, most) => {
  const items = Array.from({ length: count }, (_, i) => i);
  const counter = createTickCounter();
  const mapped = await mapInTicks(items, 3, (item, i) => {
    counter.count();
    return [2 * item, i];
  });
  expect(mapped).toStrictEqual(items.map((item) => [2 * item, item]));
  expect(counter.most).toBe(most);
});

it('rejects with what the function throws', async () => {
  const error = new Error('fifth');
  const failing = mapInTicks([1, 2, 3, 4, 5, 6], 2, (item) => {
    if (item === 5) throw error;
  });
  await expect(failing).rejects.toBe(error);
});
