import { expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import { requireChallengeEligible } from './challenge-eligibility.ts';
import { CHALLENGE, CURRENT_MACHINE, UNREADABLE } from '../../../testing/fixtures/evidence-documents.ts';
import { ABSENT, present } from '../read-result.ts';

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

it('returns the controller of an eligible machine, or the owner where no controller is set', () => {
  expect(judge()).toEqual({ didController: CHALLENGE.didController });
  expect(judge({ controller: ABSENT })).toEqual({ didController: owner.state === 'present' && owner.value });
});

it.each<[name: string, changes: Partial<Snapshot>, outcome: unknown]>([
  ['without a token', { owner: ABSENT }, ['MachineAbsent', {}]],
  ['without a token here that lives elsewhere', { owner: ABSENT, homeOrdinal: present(5) }, ['MachineAbsent', {}]],
  ['without a token that relocates', { owner: ABSENT, relocating: present(true) }, ['MachineAbsent', {}]],
  ['whose owner is unreadable', { owner: UNREADABLE }, UNREAD],
  ['that relocates', { relocating: present(true), generalPaused: present(true) }, ['MachineRelocating', {}]],
  ['whose relocation is unreadable', { relocating: UNREADABLE }, UNREAD],
  ['with a token here and a home elsewhere', { homeOrdinal: present(5) }, CONTRADICTED],
  ['with a token here and no home', { homeOrdinal: present(0) }, CONTRADICTED],
  ['whose controller is unreadable', { controller: UNREADABLE, generalPaused: present(true) }, UNREAD],
  ['that is deactivated', { generalPaused: present(true) }, ['MachineDeactivated', {}]],
  ['whose deactivation is unreadable', { generalPaused: UNREADABLE }, UNREAD],
])('rejects a machine %s', (_name, changes, outcome) => {
  expect(judge(changes)).toEqual(outcome);
});
