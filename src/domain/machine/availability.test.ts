import { describe, expect, test } from 'vitest';
import { NO_PAUSE_FLAGS } from '../alt-chain/alt-machine-facts.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { judgeAltAvailability, judgeAvailability, type Stops } from './availability.ts';
import { ABSENT, present, unreadable } from '../read-result.ts';

const UNREADABLE = unreadable('undecodable');
const FREE: Stops = {
  available: present(true),
  generalPaused: present(false),
  technicalPaused: present(false),
  operatorPaused: present(false),
};
const NO_GLOBALS = { generalPausedGlobal: false, technicalPausedGlobal: false };

describe('a machine of the main chain', () => {
  const stopped = { available: present(false) };
  test.each([
    ['available', {}, {}],
    ['available', { available: present(false) }, {}],
    ['available', { available: UNREADABLE }, {}],
    ['paused', { ...stopped, operatorPaused: present(true) }, {}],
    ['paused', { ...stopped, technicalPaused: present(true) }, {}],
    ['paused', stopped, { generalPausedGlobal: true }],
    ['paused', stopped, { technicalPausedGlobal: true }],
    ['paused', { available: UNREADABLE, operatorPaused: present(true) }, {}],
    ['deactivated', { ...stopped, generalPaused: present(true) }, {}],
    ['deactivated', { ...stopped, generalPaused: present(true), operatorPaused: present(true) }, {}],
    ['unreadable', { operatorPaused: present(true) }, {}],
    ['unreadable', { generalPaused: UNREADABLE }, {}],
    ['unreadable', { technicalPaused: UNREADABLE }, {}],
    ['unreadable', { ...stopped, generalPaused: present(true), operatorPaused: UNREADABLE }, {}],
  ] as const)('is %s with %j and %j', (expected, parts, globals) => {
    rule('explanation.availability');
    expect(judgeAvailability({ ...FREE, ...parts }, { ...NO_GLOBALS, ...globals })).toBe(expected);
  });
});

describe('a machine of the alt chain', () => {
  test.each([
    ['available', ABSENT, false],
    ['available', present(NO_PAUSE_FLAGS), false],
    ['paused', ABSENT, true],
    ...Object.keys(NO_PAUSE_FLAGS).map(
      (name) => ['paused', present({ ...NO_PAUSE_FLAGS, [name]: true }), false] as const,
    ),
    ['unreadable', UNREADABLE, true],
  ] as const)('is %s with %j, of all: %s', (expected, pauseFlags, generalPausedGlobal) => {
    rule('explanation.availability');
    expect(judgeAltAvailability({ pauseFlags }, { generalPausedGlobal })).toBe(expected);
  });
});
