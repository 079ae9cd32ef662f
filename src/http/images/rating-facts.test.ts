import { expect, test } from 'vitest';
import { statusLineOf } from './rating-facts.ts';

test.each([
  ['Active', 2, 'bonded · 2 events'],
  ['Grace', 1, 'bonded, in grace · 1 event'],
  ['Runoff', 0, 'not bonded · 0 events'],
  ['Terminated', 0, 'not bonded · 0 events'],
  ['NotActivated', 0, 'not bonded · 0 events'],
] as const)(
  'describes the bond of a subscription in the state %s with %i events as %s',
  (subscription, eventCount, line) => {
    expect(statusLineOf({ subscription, eventCount })).toBe(line);
  },
);
