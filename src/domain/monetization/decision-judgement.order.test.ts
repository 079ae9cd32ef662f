/** In which order is a decision judged? (http-facts 9.4.) Whatever else is wrong, the first step decides, and nothing is stored. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import {
  ABSENT,
  ALT,
  ALT_OWNER,
  ELIGIBLE,
  messageOf,
  NOW,
  OPT_IN,
  OPT_OUT,
  OWNER,
  present,
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

/** One thing that goes wrong, in the order in which it is found out. */
type Spoiling = readonly [outcome: string, spoil: (draft: PutScenario) => PutScenario];

const MEMBERS: Spoiling = ['DecisionMalformed', changeMembers({ opted_in: 'true' })];
const WINDOW: Spoiling = ['DecisionOutsideWindow', changeMembers({ timestamp: NOW - 301 })];
const NOT_NEWER: Spoiling = ['DecisionNotNewer', withCurrentDecisionAt(NOW)];
const NOT_BONDED: Spoiling = ['MachineNotBonded', changeFacts({ subscriptionStatus: present('Terminated') })];

const ON_MAIN: readonly Spoiling[] = [
  MEMBERS,
  WINDOW,
  ['ChainUnreadable', changeFacts({ owner: UNREADABLE })],
  ['MachineRelocating', (draft) => ({ ...draft, relocating: present(true) })],
  ['SignerUnauthorized', changeMembers({ signer_pubkey: ALT_OWNER.key })],
  ['SignatureUnrecoverable', changeMembers({ signature: `0x${'00'.repeat(65)}` })],
  ['ChainUnreadable', changeFacts({ controller: UNREADABLE })],
  ['SignerUnauthorized', changeFacts({ owner: present(STRANGER.address), controller: ABSENT })],
  NOT_NEWER,
  NOT_BONDED,
  ['MachineDeactivated', changeFacts({ generalPaused: present(true) })],
  ['MachinePaused', changeFacts({ operatorPaused: present(true) })],
];

const ON_ALT: readonly Spoiling[] = [
  MEMBERS,
  WINDOW,
  ['MachineHomedElsewhere', (draft) => ({ ...draft, homeOrdinal: present(3) })],
  ['MachineRelocating', (draft) => ({ ...draft, altMachine: present({ owner: ALT_OWNER.key, relocating: true }) })],
  ['SignerUnauthorized', changeMembers({ signature: OWNER.sign(messageOf(OPT_IN)) })],
  ['SignerUnauthorized', changeMembers({ signature: ALT_OWNER.sign(messageOf(OPT_OUT, { home: ALT })) })],
  NOT_NEWER,
  NOT_BONDED,
];

const HOMES = [
  ['main', MAIN_SCENARIO, ON_MAIN, OWNER.address],
  ['alt', ALT_SCENARIO, ON_ALT, ALT_OWNER.key],
] as const;

function spoilAll(draft: PutScenario, spoilings: readonly Spoiling[]): PutScenario {
  // A later spoiling never mends an earlier one: the earlier one is laid on last.
  return spoilings.reduceRight((spoilt, [, spoil]) => spoil(spoilt), draft);
}

/** Nothing is stored on the way to a refusal or a fault. */
function expectEnd(draft: PutScenario, outcome: string): void {
  const store = createMemoryStore(draft.current);
  expect(putDecision(draft, store)).toBe(outcome);
  expect(store.inForce).toBe(draft.current);
}

describe.each(HOMES)('on the %s chain', (_chain, draft, spoilings, signer) => {
  it('a sound decision is applied', () => {
    const store = createMemoryStore();
    expect(putDecision(draft, store)).toBe('applied');
    expect(store.inForce).toStrictEqual({ ...OPT_IN, signer });
  });

  it.each(spoilings.map((spoiling, at) => [spoiling[0], at] as const))('%s (step %i)', (outcome, at) => {
    expectEnd(spoilAll(draft, [spoilings[at]!]), outcome);
  });

  it('each step comes before all later ones', () => {
    for (let at = 0; at < spoilings.length; at++) {
      expectEnd(spoilAll(draft, spoilings.slice(at)), spoilings[at]![0]);
    }
  });

  it(
    `of all that goes wrong the first step decides, ${SEED_TITLE}`,
    () => {
      const property = fc.property(fc.subarray([...spoilings], { minLength: 1 }), (chosen) => {
        expectEnd(spoilAll(draft, chosen), chosen[0]![0]);
      });
      fc.assert(property, PROPERTY_RUNS);
    },
    PROPERTY_TIMEOUT_MILLISECONDS,
  );
});

describe('existence and home, before the signature', () => {
  const unsigned = changeMembers({ signature: `0x${'00'.repeat(65)}` });

  it.each<[string, Partial<PutScenario>]>([
    ['MachineAbsent', { homeOrdinal: present(0) }],
    ['ChainUnreadable', { homeOrdinal: present(0), altMachine: UNREADABLE }],
    ['ChainUnreadable', { homeOrdinal: UNREADABLE }],
    ['MachineHomedElsewhere', { homeOrdinal: present(3) }],
  ])('%s', (outcome, facts) => {
    const draft = { ...MAIN_SCENARIO, ...facts, snapshot: { ...ELIGIBLE, owner: ABSENT, controller: ABSENT } };
    expectEnd(unsigned(draft), outcome);
  });
});
