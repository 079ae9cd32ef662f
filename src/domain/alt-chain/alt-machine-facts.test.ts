import { expect, it } from 'vitest';
import { NO_EVENTS, NO_PAUSE_FLAGS } from './alt-machine-facts.ts';

it('defaults to no pause and no events for absent accounts', () => {
  expect(NO_PAUSE_FLAGS).toEqual({
    operatorPaused: false,
    generalPaused: false,
    technicalPaused: false,
    subscriptionPaused: false,
  });
  expect(NO_EVENTS).toStrictEqual({ count: 0n, priorEventCount: 0n, lastEvent: undefined });
});
