import { describe, expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import { NOW } from '../../../testing/fixtures/deciding-machines.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { chooseTimestamp, judgeWindow } from './decision-window.ts';

const OUTSIDE = new Fault('DecisionOutsideWindow', {});

describe('judgeWindow', () => {
  rule('limits.signature-freshness');

  it.each([
    ['301 seconds ago', -301, OUTSIDE],
    ['300 seconds ago', -300, undefined],
    ['299 seconds ago', -299, undefined],
    ['now', 0, undefined],
    ['29 seconds ahead', 29, undefined],
    ['30 seconds ahead', 30, undefined],
    ['31 seconds ahead', 31, OUTSIDE],
    ['at second 1', 1 - NOW, OUTSIDE],
    ['at the largest safe integer', Number.MAX_SAFE_INTEGER - NOW, OUTSIDE],
  ])('judges a decision signed %s', (_name, offset, judged) => {
    rule('monetization.window');
    expect(judgeWindow(NOW + offset, NOW)).toStrictEqual(judged);
  });
});

describe('chooseTimestamp', () => {
  it.each([
    ['now when there is no earlier decision', undefined, 0],
    ['now when the earlier decision is older', -1, 0],
    ['the next second when the earlier decision is from this second', 0, 1],
    ['the second after an earlier decision that was ahead', 29, 30],
    ['nothing when the earlier decision is at the limit of the window', 30, undefined],
  ])('returns %s', (_name, currentOffset, chosen) => {
    const current = currentOffset === undefined ? undefined : NOW + currentOffset;
    expect(chooseTimestamp(NOW, current)).toBe(chosen === undefined ? undefined : NOW + chosen);
  });
});
