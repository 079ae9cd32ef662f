import { describe, expect, it } from 'vitest';
import { judgeMediaType } from './accept-header.ts';

const TYPE = 'application/did-resolution';

describe('judgeMediaType', () => {
  it.each([
    ['', 0, false],
    ['*/*', 1, false],
    ['application/*;q=0.5', 0.5, false],
    ['Application/DID-Resolution', 1, true],
    [`text/html, ${TYPE};q=0.3, */*`, 0.3, true],
    [`${TYPE};q=0`, 0, true],
    [`*/*;q=0.9, ${TYPE};q=0.1`, 0.1, true],
    [`${TYPE};q=0.1, ${TYPE};q=0.2`, 0.2, true],
    [`${TYPE};charset=utf-8;q=0.4, ${TYPE}`, 0.4, true],
    [`${TYPE};profile="a, b"`, 0, false],
    [`${TYPE}x, x${TYPE}`, 0, false],
    [`${TYPE};q=2`, 0, false],
  ])('judges the range %j by its most specific element: weight %d', (accept, weight, isNamed) => {
    expect(judgeMediaType(['Host', 'a', 'ACCEPT', accept], TYPE)).toEqual({ weight, isNamed });
  });

  it('reads every header of the name', () => {
    expect(judgeMediaType(['accept', 'text/html', 'Accept', TYPE], TYPE)).toEqual({ weight: 1, isNamed: true });
  });

  it('accepts everything without the header', () => {
    expect(judgeMediaType([], TYPE)).toEqual({ weight: 1, isNamed: false });
  });
});
