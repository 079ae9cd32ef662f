import { expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import { requireChallengeEligible } from './challenge-eligibility.ts';
import { ABSENT, CHALLENGE, present, CURRENT_MACHINE, UNREADABLE } from '../../../testing/fixtures/evidence-documents.ts';

type Snapshot = Parameters<typeof requireChallengeEligible>[0];

function judge(changes: Partial<Snapshot> = {}): unknown {
  try {
    return requireChallengeEligible({ ...CURRENT_MACHINE.snapshot, ...changes }, { local: 1 });
  } catch (error) {
    if (error instanceof Fault) return [error.kind, error.context];
    throw error;
  }
}

const { owner } = CURRENT_MACHINE.snapshot;
const UNREAD = ['ChainUnreadable', { chain: 'main', cause: 'transport' }];
const CONTRADICTED = ['ChainUnreadable', { chain: 'main', cause: 'contradiction' }];

it('a machine is challenged with its controller, or with its owner where none is set', () => {
  expect(judge()).toEqual({ didController: CHALLENGE.didController });
  expect(judge({ controller: ABSENT })).toEqual({ didController: owner.state === 'present' && owner.value });
});

it.each<[name: string, changes: Partial<Snapshot>, outcome: unknown]>([
  ['without a token', { owner: ABSENT }, ['MachineAbsent', {}]],
  ['without a token, wherever it lives', { owner: ABSENT, homeOrdinal: present(5) }, ['MachineAbsent', {}]],
  ['without a token, on its way', { owner: ABSENT, relocating: present(true) }, ['MachineAbsent', {}]],
  ['whose owner is not known', { owner: UNREADABLE }, UNREAD],
  ['on its way', { relocating: present(true), generalPaused: present(true) }, ['MachineRelocating', {}]],
  ['that is said to be on its way or not', { relocating: UNREADABLE }, UNREAD],
  ['with a token here and a home elsewhere', { homeOrdinal: present(5) }, CONTRADICTED],
  ['with a token here and no home', { homeOrdinal: present(0) }, CONTRADICTED],
  ['whose controller is not known', { controller: UNREADABLE, generalPaused: present(true) }, UNREAD],
  ['that is deactivated', { generalPaused: present(true) }, ['MachineDeactivated', {}]],
  ['that is deactivated or not', { generalPaused: UNREADABLE }, UNREAD],
])('none is challenged %s', (_name, changes, outcome) => {
  expect(judge(changes)).toEqual(outcome);
});
