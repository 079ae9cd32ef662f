import { describe, expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import { NOW } from '../../../testing/fixtures/deciding-machines.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { chooseTimestamp, judgeWindow } from './decision-window.ts';

const OUTSIDE = new Fault('DecisionOutsideWindow', {});

describe('a decision signed', () => {
  rule('limits.signature-freshness');

  it.each([
    ['301 seconds ago', -301, OUTSIDE],
    ['300 seconds ago', -300, undefined],
    ['299 seconds ago', -299, undefined],
    ['now', 0, undefined],
    ['29 seconds ahead', 29, undefined],
    ['30 seconds ahead', 30, undefined],
    ['31 seconds ahead', 31, OUTSIDE],
    ['at the beginning of time', 1 - NOW, OUTSIDE],
    ['at the end of numbers', Number.MAX_SAFE_INTEGER - NOW, OUTSIDE],
  ])('%s', (_name, offset, judged) => {
    rule('monetization.window');
    expect(judgeWindow(NOW + offset, NOW)).toStrictEqual(judged);
  });
});

describe('a new decision is signed for', () => {
  it.each([
    ['now, when none is in force', undefined, 0],
    ['now, when the last one is older', -1, 0],
    ['the next second, when the last one is of this second', 0, 1],
    ['the second after the last one, when that was ahead', 29, 30],
    ['no time yet, when the last one is as far ahead as can be', 30, undefined],
  ])('%s', (_name, inForceSince, chosen) => {
    const since = inForceSince === undefined ? undefined : NOW + inForceSince;
    expect(chooseTimestamp(NOW, since)).toBe(chosen === undefined ? undefined : NOW + chosen);
  });
});
