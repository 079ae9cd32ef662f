/** Tests which ids of a URL are compared, and what the page says about the others. */
import { describe, expect, it } from 'vitest';
import { parseComparedIds } from './compared-ids.ts';
import { describeLeftOut } from './texts.ts';

describe('parseComparedIds', () => {
  it.each([
    ['', [], 0, 0],
    ['7', ['7'], 0, 0],
    ['7,,7, 8 ,', ['7', '8'], 0, 0],
    ['7,abc,07,8,0x1', ['7', '8'], 3, 0],
    ['1,2,3,4,5,6,7,8,x', ['1', '2', '3', '4', '5', '6'], 1, 2],
  ])('returns the ids of %j and the number of entries that are not compared', (text, ids, invalid, surplus) => {
    expect(parseComparedIds(text)).toEqual({ ids, invalid, surplus });
  });
});

describe('describeLeftOut', () => {
  it.each([
    [0, 0, undefined],
    [1, 0, 'The link names ids that are not shown: 1 is no machine id.'],
    [2, 0, 'The link names ids that are not shown: 2 are no machine ids.'],
    [0, 3, 'The link names ids that are not shown: 3 are beyond the first six, the most that are compared.'],
    [
      1,
      1,
      'The link names ids that are not shown: 1 is no machine id; 1 is beyond the first six, the most that are compared.',
    ],
  ])('describes %i invalid and %i surplus ids', (invalid, surplus, text) => {
    expect(describeLeftOut(invalid, surplus)).toBe(text);
  });
});
