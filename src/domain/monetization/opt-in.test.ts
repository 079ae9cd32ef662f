/** May a machine be opted in? Every status of the bond, every flag, and facts that cannot be read or contradict each other. */
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import type { DecidingMachine, DecidingSnapshot } from './deciding-machine.ts';
import {
  ABSENT,
  ALT_MACHINE,
  ELIGIBLE,
  MAIN_MACHINE,
  NO_GLOBALS,
  present,
  UNREADABLE,
} from '../../../testing/fixtures/deciding-machines.ts';
import { judgeOptIn } from './opt-in.ts';

const ON = present(true);
const BLOCKED = { available: present(false) };
const GENERAL = { ...NO_GLOBALS, generalPausedGlobal: true };
const TECHNICAL = { ...NO_GLOBALS, technicalPausedGlobal: true };

function judge(machine: DecidingMachine, facts: Partial<DecidingSnapshot>, globals = NO_GLOBALS): string {
  try {
    return judgeOptIn({ ...machine, snapshot: { ...machine.snapshot, ...facts }, globals })?.kind ?? 'free';
  } catch (error) {
    if (error instanceof Fault) return `${error.kind} ${JSON.stringify(error.context)}`;
    throw error;
  }
}

const TRANSPORT = 'ChainUnreadable {"chain":"main","cause":"transport"}';
const CONTRADICTION = 'ChainUnreadable {"chain":"main","cause":"contradiction"}';

describe('the bond, on either chain', () => {
  it.each([
    ['NotActivated', 'MachineNotBonded'],
    ['Active', 'free'],
    ['Grace', 'free'],
    ['Runoff', 'MachineNotBonded'],
    ['Terminated', 'MachineNotBonded'],
  ] as const)('%s', (status, judged) => {
    const facts = { subscriptionStatus: present(status) };
    expect(judge(MAIN_MACHINE, { ...facts, ...BLOCKED })).toBe(judged);
    expect(judge(ALT_MACHINE, facts)).toBe(judged);
  });

  it('unreadable is not unbonded', () => {
    expect(judge(MAIN_MACHINE, { subscriptionStatus: UNREADABLE })).toBe(TRANSPORT);
    expect(judge(ALT_MACHINE, { subscriptionStatus: UNREADABLE })).toBe(TRANSPORT);
  });

  it('a status that is missing contradicts', () => {
    expect(judge(MAIN_MACHINE, { subscriptionStatus: ABSENT })).toBe(CONTRADICTION);
  });
});

describe('the flags of a main-chain machine', () => {
  it.each<[name: string, facts: Partial<DecidingSnapshot>, globals: DecidingMachine['globals'], judged: string]>([
    ['none', {}, NO_GLOBALS, 'free'],
    ['deactivated', { generalPaused: ON }, NO_GLOBALS, 'MachineDeactivated'],
    ['paused by its operator', { operatorPaused: ON }, NO_GLOBALS, 'MachinePaused'],
    ['paused for maintenance', { technicalPaused: ON }, NO_GLOBALS, 'MachinePaused'],
    ['all machines paused', {}, GENERAL, 'MachinePaused'],
    ['all machines under maintenance', {}, TECHNICAL, 'MachinePaused'],
    ['deactivated comes before paused', { generalPaused: ON, operatorPaused: ON }, TECHNICAL, 'MachineDeactivated'],
    ['Grace, which the chain calls unavailable', { subscriptionStatus: present('Grace') }, NO_GLOBALS, 'free'],
    [
      'not bonded comes before deactivated',
      { subscriptionStatus: present('Runoff'), generalPaused: ON },
      NO_GLOBALS,
      'MachineNotBonded',
    ],
  ])('%s', (_name, facts, globals, judged) => {
    expect(judge(MAIN_MACHINE, { ...BLOCKED, ...facts }, globals)).toBe(judged);
  });

  it.each(['generalPaused', 'operatorPaused', 'technicalPaused'] as const)('%s unreadable', (flag) => {
    expect(judge(MAIN_MACHINE, { ...BLOCKED, [flag]: UNREADABLE })).toBe(TRANSPORT);
  });

  it('what is decided before an unreadable flag stays decided', () => {
    const facts = { ...BLOCKED, operatorPaused: UNREADABLE };
    expect(judge(MAIN_MACHINE, { ...facts, generalPaused: ON })).toBe('MachineDeactivated');
    expect(judge(MAIN_MACHINE, { ...facts, subscriptionStatus: present('Runoff') })).toBe('MachineNotBonded');
  });
});

describe("the chain's own word on availability", () => {
  const stops = [
    ['deactivated', { generalPaused: ON }, NO_GLOBALS],
    ['paused by its operator', { operatorPaused: ON }, NO_GLOBALS],
    ['paused for maintenance', { technicalPaused: ON }, NO_GLOBALS],
    ['all machines paused', {}, GENERAL],
    ['all machines under maintenance', {}, TECHNICAL],
  ] as const;

  it.each(stops)('available although %s: unreadable', (_name, facts, globals) => {
    expect(judge(MAIN_MACHINE, { ...ELIGIBLE, ...facts, available: present(true) }, globals)).toBe(CONTRADICTION);
  });

  it.each(stops)('unreadable, and %s: no contradiction', (_name, facts, globals) => {
    expect(judge(MAIN_MACHINE, { ...facts, available: UNREADABLE }, globals)).toMatch(/^Machine(Deactivated|Paused)$/);
  });

  it('unavailable or unreadable, and nothing stops it: free', () => {
    expect(judge(MAIN_MACHINE, BLOCKED)).toBe('free');
    expect(judge(MAIN_MACHINE, { available: UNREADABLE })).toBe('free');
  });
});

it('no flag stops an alt-chain machine, and none has to be readable', () => {
  const flags = { generalPaused: ON, technicalPaused: UNREADABLE, operatorPaused: ON, available: UNREADABLE };
  expect(judge(ALT_MACHINE, flags, { generalPausedGlobal: true, technicalPausedGlobal: true })).toBe('free');
});
