/** What is handed to the store, and what does the store have to say? */
import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import { chainUnreadable, Fault } from '../faults.ts';
import { parseRecoverableSignature } from '../signatures/signature-parsing.ts';
import type { DecidingSnapshot } from './deciding-machine.ts';
import { concludeDecision, judgeDecision } from './decision-judgement.ts';
import {
  ALT,
  CONTROLLER,
  ELIGIBLE,
  ID,
  MAIN,
  MAIN_MACHINE,
  membersOf,
  messageOf,
  NOW,
  OPT_IN,
  OPT_OUT,
  OWNER,
  present,
  TERMS,
  UNREADABLE,
} from '../../../testing/fixtures/deciding-machines.ts';
import {
  ALT_SCENARIO,
  changeFacts,
  changeMembers,
  createMemoryStore,
  withCurrentDecisionAt,
  MAIN_SCENARIO,
  putDecision,
} from '../../../testing/fixtures/put-decision.ts';
import type { Decision } from './decision.ts';

describe('strictly newer', () => {
  rule('monetization.timestamp-strictly-newer');
  const at = (timestamp: number, optedIn = true) => membersOf({ ...OPT_IN, timestamp, optedIn });

  it.each([
    ['a second later', NOW, NOW - 1, 'applied'],
    ['of the same second', NOW, NOW, 'DecisionNotNewer'],
    ['a second earlier', NOW - 1, NOW, 'DecisionNotNewer'],
    ['behind one that was signed ahead', NOW, NOW + 30, 'DecisionNotNewer'],
  ])('%s', (_name, timestamp, since, outcome) => {
    expect(putDecision(withCurrentDecisionAt(since)({ ...MAIN_SCENARIO, members: at(timestamp) }))).toBe(outcome);
  });

  it('a decision sent twice is applied once', () => {
    const store = createMemoryStore();
    expect([putDecision(MAIN_SCENARIO, store), putDecision(MAIN_SCENARIO, store)]).toStrictEqual([
      'applied',
      'DecisionNotNewer',
    ]);
  });

  it('the same decision by the other signer in the same second is not newer', () => {
    const store = createMemoryStore();
    const twin = changeMembers({ signature: CONTROLLER.sign(messageOf(OPT_IN)) })(MAIN_SCENARIO);
    expect([putDecision(MAIN_SCENARIO, store), putDecision(twin, store)]).toStrictEqual([
      'applied',
      'DecisionNotNewer',
    ]);
  });

  it('in and out and in again', () => {
    const store = createMemoryStore();
    const outcomes = [at(NOW), at(NOW + 1, false), at(NOW + 2)].map((members) =>
      putDecision({ ...MAIN_SCENARIO, members }, store),
    );
    expect(outcomes).toStrictEqual(['applied', 'applied', 'applied']);
    expect(store.inForce).toStrictEqual({ ...OPT_IN, timestamp: NOW + 2, signer: OWNER.address });
  });
});

describe('a machine can always exit', () => {
  rule('opt-in.exit-always');
  const stopped = changeFacts({
    subscriptionStatus: UNREADABLE,
    generalPaused: present(true),
    operatorPaused: UNREADABLE,
    technicalPaused: UNREADABLE,
    available: present(true),
  });
  const globals = { generalPausedGlobal: true, technicalPausedGlobal: true };

  it.each([
    ['main', MAIN_SCENARIO, MAIN],
    ['alt', ALT_SCENARIO, ALT],
  ] as const)('%s', (_chain, draft, home) => {
    const members = membersOf(OPT_OUT, home);
    expect(putDecision({ ...stopped(draft), globals, members })).toBe('applied');
  });
});

describe('an opt-in that is impeded', () => {
  const judge = (decision: Decision, facts: Partial<DecidingSnapshot>) => {
    const request = {
      optedIn: decision.optedIn,
      timestamp: decision.timestamp,
      proof: { kind: 'eip191', signature: OWNER.sign(messageOf(decision)) } as const,
    };
    return judgeDecision(TERMS, ID, request, { ...MAIN_MACHINE, snapshot: { ...ELIGIBLE, ...facts } });
  };

  it('is handed over with its impediment', () => {
    expect(judge(OPT_IN, { subscriptionStatus: present('Runoff') })).toStrictEqual({
      decision: { ...OPT_IN, signer: OWNER.address },
      impediment: new Fault('MachineNotBonded', {}),
    });
  });

  it('is impeded by a fact that cannot be read, which is told only of a newer decision', () => {
    const { impediment } = judge(OPT_IN, { subscriptionStatus: UNREADABLE });
    const fault = chainUnreadable('main', 'transport');
    expect(impediment).toStrictEqual(fault);
    expect(concludeDecision(impediment, false)).toStrictEqual(new Fault('DecisionNotNewer', {}));
    expect(concludeDecision(impediment, true)).toBe(impediment);
  });

  it('is free otherwise', () => {
    expect(judge(OPT_IN, {})).toStrictEqual({ decision: { ...OPT_IN, signer: OWNER.address }, impediment: undefined });
    expect(concludeDecision(undefined, true)).toBeUndefined();
    expect(concludeDecision(undefined, false)).toStrictEqual(new Fault('DecisionNotNewer', {}));
  });

  it('does not matter for an opt-out', () => {
    const { impediment } = judge(OPT_OUT, { subscriptionStatus: UNREADABLE });
    expect(impediment).toBeUndefined();
  });
});

it('a defect is no impediment', () => {
  const snapshot = {
    ...MAIN_MACHINE.snapshot,
    get subscriptionStatus(): DecidingSnapshot['subscriptionStatus'] {
      throw new TypeError('a defect');
    },
  };
  const proof = { kind: 'eip191', signature: parseRecoverableSignature(OWNER.sign(messageOf(OPT_IN)))! } as const;
  const { machineId, ...request } = OPT_IN;
  expect(() => judgeDecision(TERMS, machineId, { ...request, proof }, { ...MAIN_MACHINE, snapshot })).toThrow(
    TypeError,
  );
});
