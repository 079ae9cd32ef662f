/** Conditions of an opt-in: every bond status and flag, unreadable facts and contradictions. */
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import type { DecidingMachine, DecidingSnapshot } from './deciding-machine.ts';
import {
  ALT_MACHINE,
  ELIGIBLE,
  MAIN_MACHINE,
  NO_GLOBALS,
  UNREADABLE,
} from '../../../testing/fixtures/deciding-machines.ts';
import { judgeOptIn } from './opt-in.ts';
import { ABSENT, present } from '../read-result.ts';

const ON = present(true);
const BLOCKED = { available: present(false) };
const GENERAL = { ...NO_GLOBALS, generalPausedGlobal: true };
const TECHNICAL = { ...NO_GLOBALS, technicalPausedGlobal: true };

function judge(machine: DecidingMachine, facts: Partial<DecidingSnapshot>, globals = NO_GLOBALS): string {
  try {
    return judgeOptIn({ ...machine, snapshot: { ...machine.snapshot, ...facts }, globals })?.kind ?? 'eligible';
  } catch (error) {
    if (error instanceof Fault) return `${error.kind} ${JSON.stringify(error.context)}`;
    throw error;
  }
}

const TRANSPORT = 'ChainUnreadable {"chain":"main","cause":"transport"}';
const CONTRADICTION = 'ChainUnreadable {"chain":"main","cause":"contradiction"}';

describe('the bond on either chain', () => {
  it.each([
    ['NotActivated', 'MachineNotBonded'],
    ['Active', 'eligible'],
    ['Grace', 'eligible'],
    ['Runoff', 'MachineNotBonded'],
    ['Terminated', 'MachineNotBonded'],
  ] as const)('is judged in status %s as %s', (status, judged) => {
    const facts = { subscriptionStatus: present(status) };
    expect(judge(MAIN_MACHINE, { ...facts, ...BLOCKED })).toBe(judged);
    expect(judge(ALT_MACHINE, facts)).toBe(judged);
  });

  it('is not treated as unbonded when unreadable', () => {
    expect(judge(MAIN_MACHINE, { subscriptionStatus: UNREADABLE })).toBe(TRANSPORT);
    expect(judge(ALT_MACHINE, { subscriptionStatus: UNREADABLE })).toBe(TRANSPORT);
  });

  it('is a contradiction when the status is missing', () => {
    expect(judge(MAIN_MACHINE, { subscriptionStatus: ABSENT })).toBe(CONTRADICTION);
  });
});

describe('flags of a main-chain machine', () => {
  it.each<[name: string, facts: Partial<DecidingSnapshot>, globals: DecidingMachine['globals'], judged: string]>([
    ['no flag', {}, NO_GLOBALS, 'eligible'],
    ['deactivated', { generalPaused: ON }, NO_GLOBALS, 'MachineDeactivated'],
    ['paused by its operator', { operatorPaused: ON }, NO_GLOBALS, 'MachinePaused'],
    ['paused for maintenance', { technicalPaused: ON }, NO_GLOBALS, 'MachinePaused'],
    ['all machines paused', {}, GENERAL, 'MachinePaused'],
    ['all machines under maintenance', {}, TECHNICAL, 'MachinePaused'],
    ['deactivated and paused', { generalPaused: ON, operatorPaused: ON }, TECHNICAL, 'MachineDeactivated'],
    ['Grace, which the chain reports as unavailable', { subscriptionStatus: present('Grace') }, NO_GLOBALS, 'eligible'],
    [
      'not bonded and deactivated',
      { subscriptionStatus: present('Runoff'), generalPaused: ON },
      NO_GLOBALS,
      'MachineNotBonded',
    ],
  ])('are judged in order with %s', (_name, facts, globals, judged) => {
    expect(judge(MAIN_MACHINE, { ...BLOCKED, ...facts }, globals)).toBe(judged);
  });

  it.each(['generalPaused', 'operatorPaused', 'technicalPaused'] as const)(
    'make an opt-in unreadable when %s is unreadable',
    (flag) => {
      expect(judge(MAIN_MACHINE, { ...BLOCKED, [flag]: UNREADABLE })).toBe(TRANSPORT);
    },
  );

  it('are decided by an earlier condition before an unreadable one', () => {
    const facts = { ...BLOCKED, operatorPaused: UNREADABLE };
    expect(judge(MAIN_MACHINE, { ...facts, generalPaused: ON })).toBe('MachineDeactivated');
    expect(judge(MAIN_MACHINE, { ...facts, subscriptionStatus: present('Runoff') })).toBe('MachineNotBonded');
  });
});

describe('the availability that the chain reports', () => {
  const stops = [
    ['deactivated', { generalPaused: ON }, NO_GLOBALS],
    ['paused by its operator', { operatorPaused: ON }, NO_GLOBALS],
    ['paused for maintenance', { technicalPaused: ON }, NO_GLOBALS],
    ['all machines paused', {}, GENERAL],
    ['all machines under maintenance', {}, TECHNICAL],
  ] as const;

  it.each(stops)('is a contradiction when the machine is available although %s', (_name, facts, globals) => {
    expect(judge(MAIN_MACHINE, { ...ELIGIBLE, ...facts, available: present(true) }, globals)).toBe(CONTRADICTION);
  });

  it.each(stops)('is no contradiction when unreadable and %s', (_name, facts, globals) => {
    expect(judge(MAIN_MACHINE, { ...facts, available: UNREADABLE }, globals)).toMatch(/^Machine(Deactivated|Paused)$/);
  });

  it('is ignored when no flag stops the machine', () => {
    expect(judge(MAIN_MACHINE, BLOCKED)).toBe('eligible');
    expect(judge(MAIN_MACHINE, { available: UNREADABLE })).toBe('eligible');
  });
});

it('ignores all flags of an alt-chain machine, readable or not', () => {
  const flags = { generalPaused: ON, technicalPaused: UNREADABLE, operatorPaused: ON, available: UNREADABLE };
  expect(judge(ALT_MACHINE, flags, { generalPausedGlobal: true, technicalPausedGlobal: true })).toBe('eligible');
});
