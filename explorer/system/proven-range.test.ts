/** Tests the sentence about the proven range. */
import { expect, it } from 'vitest';
import { describeProvenRange } from './proven-range.ts';

const segment = (from_block: number, to_block: number, kind: 'headers' | 'sample' | 'unprovable' = 'headers') => ({
  ...{ from_block, to_block, kind },
});
const describe = (...segments: readonly ReturnType<typeof segment>[]) =>
  describeProvenRange({
    ...{ mode: 'background', backfilled: true, unproven_blocks: 0, segment_count: segments.length, segments },
  });

it.each([
  ['nothing without a range', [], 'No range is known to be complete yet.'],
  [
    'nothing where only a block cannot be proven',
    [segment(7, 7, 'unprovable')],
    'No range is known to be complete yet.',
  ],
  ['one range', [segment(0, 1_200)], 'Blocks 0 to 1,200 are known to hold no other events.'],
  [
    'touching ranges as one',
    [segment(50, 99), segment(0, 49, 'sample')],
    'Blocks 0 to 99 are known to hold no other events.',
  ],
  [
    'the newest of ranges with a gap',
    [segment(0, 10), segment(50, 99)],
    'Blocks 50 to 99 are known to hold no other events; older ranges are known in parts.',
  ],
  [
    'a gap where a block cannot be proven',
    [segment(51, 99), segment(50, 50, 'unprovable'), segment(0, 49)],
    'Blocks 51 to 99 are known to hold no other events; older ranges are known in parts.',
  ],
])('names %s', (_name, segments, text) => {
  expect(describe(...segments)).toBe(text);
});
