/** The decision passed to the store, and the result after the store compared it. */
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
import { present } from '../read-result.ts';

const textOf = (decision: Decision) => Buffer.from(messageOf(decision)).toString();

describe('a decision compared with the one in force', () => {
  rule('monetization.timestamp-strictly-newer');
  const at = (timestamp: number, optedIn = true) => membersOf({ ...OPT_IN, timestamp, optedIn });

  it.each([
    ['one second later', NOW, NOW - 1, 'applied'],
    ['in the same second', NOW, NOW, 'DecisionNotNewer'],
    ['one second earlier', NOW - 1, NOW, 'DecisionNotNewer'],
    ['before one that was signed ahead', NOW, NOW + 30, 'DecisionNotNewer'],
  ])('is judged when signed %s', (_name, timestamp, since, outcome) => {
    expect(putDecision(withCurrentDecisionAt(since)({ ...MAIN_SCENARIO, members: at(timestamp) }))).toBe(outcome);
  });

  it('is applied once when sent twice', () => {
    const store = createMemoryStore();
    expect([putDecision(MAIN_SCENARIO, store), putDecision(MAIN_SCENARIO, store)]).toStrictEqual([
      'applied',
      'DecisionNotNewer',
    ]);
  });

  it('is not newer when the other signer signs it in the same second', () => {
    const store = createMemoryStore();
    const duplicate = changeMembers({ signature: CONTROLLER.sign(messageOf(OPT_IN)) })(MAIN_SCENARIO);
    expect([putDecision(MAIN_SCENARIO, store), putDecision(duplicate, store)]).toStrictEqual([
      'applied',
      'DecisionNotNewer',
    ]);
  });

  it('is applied after each earlier one: in, out and in again', () => {
    const store = createMemoryStore();
    const outcomes = [at(NOW), at(NOW + 1, false), at(NOW + 2)].map((members) =>
      putDecision({ ...MAIN_SCENARIO, members }, store),
    );
    expect(outcomes).toStrictEqual(['applied', 'applied', 'applied']);
    expect(store.current).toStrictEqual({ ...OPT_IN, timestamp: NOW + 2, signer: OWNER.address });
  });
});

describe('an opt-out', () => {
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
  ] as const)('is always applied on the %s chain', (_chain, scenario, home) => {
    const members = membersOf(OPT_OUT, home);
    expect(putDecision({ ...stopped(scenario), globals, members })).toBe('applied');
  });
});

describe('judgeDecision and concludeDecision', () => {
  const judge = (decision: Decision, facts: Partial<DecidingSnapshot>) => {
    const request = {
      optedIn: decision.optedIn,
      timestamp: decision.timestamp,
      proof: { kind: 'eip191', signature: OWNER.sign(messageOf(decision)) } as const,
    };
    return judgeDecision(TERMS, ID, request, { ...MAIN_MACHINE, snapshot: { ...ELIGIBLE, ...facts } });
  };

  it('return an opt-in with its impediment', () => {
    expect(judge(OPT_IN, { subscriptionStatus: present('Runoff') })).toStrictEqual({
      decision: { ...OPT_IN, signer: OWNER.address },
      message: textOf(OPT_IN),
      impediment: new Fault('MachineNotBonded', {}),
    });
  });

  it('treat an unreadable fact as an impediment and report it only for a newer decision', () => {
    const { impediment } = judge(OPT_IN, { subscriptionStatus: UNREADABLE });
    const fault = chainUnreadable('main', 'transport');
    expect(impediment).toStrictEqual(fault);
    expect(concludeDecision(impediment, false)).toStrictEqual(new Fault('DecisionNotNewer', {}));
    expect(concludeDecision(impediment, true)).toBe(impediment);
  });

  it('return no impediment for an eligible machine', () => {
    expect(judge(OPT_IN, {})).toStrictEqual({
      decision: { ...OPT_IN, signer: OWNER.address },
      message: textOf(OPT_IN),
      impediment: undefined,
    });
    expect(concludeDecision(undefined, true)).toBeUndefined();
    expect(concludeDecision(undefined, false)).toStrictEqual(new Fault('DecisionNotNewer', {}));
  });

  it('return no impediment for an opt-out', () => {
    const { impediment } = judge(OPT_OUT, { subscriptionStatus: UNREADABLE });
    expect(impediment).toBeUndefined();
  });
});

it('judgeDecision rethrows errors that are not faults', () => {
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
