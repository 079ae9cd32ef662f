/** Order of judgement (http-facts 9.4): the first failing step determines the result, and nothing is stored. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import {
  ALT,
  ALT_OWNER,
  ELIGIBLE,
  messageOf,
  NOW,
  OPT_IN,
  OPT_OUT,
  OWNER,
  STRANGER,
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
  type PutScenario,
} from '../../../testing/fixtures/put-decision.ts';
import { ABSENT, present } from '../read-result.ts';

/** One failure and the change that causes it. Lists are in the order of judgement. */
type FailingStep = readonly [outcome: string, inject: (scenario: PutScenario) => PutScenario];

const MEMBERS: FailingStep = ['DecisionMalformed', changeMembers({ opted_in: 'true' })];
const WINDOW: FailingStep = ['DecisionOutsideWindow', changeMembers({ timestamp: NOW - 301 })];
const NOT_NEWER: FailingStep = ['DecisionNotNewer', withCurrentDecisionAt(NOW)];
const NOT_BONDED: FailingStep = ['MachineNotBonded', changeFacts({ subscriptionStatus: present('Terminated') })];

const ON_MAIN: readonly FailingStep[] = [
  MEMBERS,
  WINDOW,
  ['ChainUnreadable', changeFacts({ owner: UNREADABLE })],
  ['MachineRelocating', (scenario) => ({ ...scenario, relocating: present(true) })],
  ['SignerUnauthorized', changeMembers({ signer_pubkey: ALT_OWNER.key })],
  ['SignatureUnrecoverable', changeMembers({ signature: `0x${'00'.repeat(65)}` })],
  ['ChainUnreadable', changeFacts({ controller: UNREADABLE })],
  ['SignerUnauthorized', changeFacts({ owner: present(STRANGER.address), controller: ABSENT })],
  NOT_NEWER,
  NOT_BONDED,
  ['MachineDeactivated', changeFacts({ generalPaused: present(true) })],
  ['MachinePaused', changeFacts({ operatorPaused: present(true) })],
];

const ON_ALT: readonly FailingStep[] = [
  MEMBERS,
  WINDOW,
  ['MachineHomedElsewhere', (scenario) => ({ ...scenario, homeOrdinal: present(3) })],
  [
    'MachineRelocating',
    (scenario) => ({ ...scenario, altMachine: present({ owner: ALT_OWNER.key, relocating: true }) }),
  ],
  ['SignerUnauthorized', changeMembers({ signature: OWNER.sign(messageOf(OPT_IN)) })],
  ['SignerUnauthorized', changeMembers({ signature: ALT_OWNER.sign(messageOf(OPT_OUT, { home: ALT })) })],
  NOT_NEWER,
  NOT_BONDED,
];

const HOMES = [
  ['main', MAIN_SCENARIO, ON_MAIN, OWNER.address],
  ['alt', ALT_SCENARIO, ON_ALT, ALT_OWNER.key],
] as const;

function injectAll(scenario: PutScenario, steps: readonly FailingStep[]): PutScenario {
  // Earlier steps are injected last, so that a later one cannot undo them.
  return steps.reduceRight((failing, [, inject]) => inject(failing), scenario);
}

/** Asserts the outcome of a failing request, and that nothing is stored. */
function expectOutcome(scenario: PutScenario, outcome: string): void {
  const store = createMemoryStore(scenario.current);
  expect(putDecision(scenario, store)).toBe(outcome);
  expect(store.current).toBe(scenario.current);
}

describe.each(HOMES)('a request on the %s chain', (_chain, scenario, steps, signer) => {
  it('applies a valid decision', () => {
    const store = createMemoryStore();
    expect(putDecision(scenario, store)).toBe('applied');
    expect(store.current).toStrictEqual({ ...OPT_IN, signer });
  });

  it.each(steps.map((step, index) => [step[0], index] as const))('ends with %s (step %i)', (outcome, index) => {
    expectOutcome(injectAll(scenario, [steps[index]!]), outcome);
  });

  it('fails with each step before all later ones', () => {
    for (let index = 0; index < steps.length; index++) {
      expectOutcome(injectAll(scenario, steps.slice(index)), steps[index]![0]);
    }
  });

  it(
    `fails with the first of any set of failing steps (${SEED_TITLE})`,
    () => {
      const property = fc.property(fc.subarray([...steps], { minLength: 1 }), (chosen) => {
        expectOutcome(injectAll(scenario, chosen), chosen[0]![0]);
      });
      fc.assert(property, PROPERTY_RUNS);
    },
    PROPERTY_TIMEOUT_MILLISECONDS,
  );
});

describe('a request with an invalid signature', () => {
  const unsigned = changeMembers({ signature: `0x${'00'.repeat(65)}` });

  it.each<[string, Partial<PutScenario>]>([
    ['MachineAbsent', { homeOrdinal: present(0) }],
    ['ChainUnreadable', { homeOrdinal: present(0), altMachine: UNREADABLE }],
    ['ChainUnreadable', { homeOrdinal: UNREADABLE }],
    ['MachineHomedElsewhere', { homeOrdinal: present(3) }],
  ])('ends with %s, because existence and home are judged first', (outcome, facts) => {
    const scenario = { ...MAIN_SCENARIO, ...facts, snapshot: { ...ELIGIBLE, owner: ABSENT, controller: ABSENT } };
    expectOutcome(unsigned(scenario), outcome);
  });
});
