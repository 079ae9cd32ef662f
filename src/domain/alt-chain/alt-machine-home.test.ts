/** Existence on the alt chain: the two tables of chain-svm 4, row by row, main chain first. */
import { describe, expect, it } from 'vitest';
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { AltMachine } from './alt-machine-facts.ts';
import { judgeAltMachine, judgeConfirmation } from './alt-machine-home.ts';
import { Fault } from '../faults.ts';
import type { Address } from '../identifiers/identifiers.ts';
import { present, unreadable, type ReadResult } from '../read-result.ts';
import { judgeHome } from '../machine/machine-home.ts';

const MACHINE: AltMachine = {
  owner: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB' as AltKey,
  controller: undefined,
  manufacturer: undefined,
  relocating: false,
  onboardedAt: 0n,
  operator: undefined,
  machineType: 'Sensor',
  credentialSubject: '0x',
  verificationMethods: [],
  authentication: [],
  serviceEndpoints: [],
};

const TOKEN: ReadResult<Address> = present('0x1a642f0e3c3af545e7acbd38b07251b3990914f1' as Address);
const NONE = { state: 'absent' } as const;
const UNREADABLE = unreadable('transport');
const LIVING = present(MACHINE);
const LEAVING = present({ ...MACHINE, relocating: true });

const HERE = 'main';
const PRESENT = { kind: 'present', machine: MACHINE };
const ABSENT = { kind: 'absent' };
const UNCONFIRMED = { kind: 'unconfirmed' };
const RELOCATING = { kind: 'MachineRelocating' };
const ALT_UNREADABLE = { kind: 'ChainUnreadable', chain: 'alt', cause: 'transport' };

describe('a machine on both chains', () => {
  it.each<[name: string, main: MainFacts, alt: ReadResult<AltMachine>, judged: unknown]>([
    ['leaving the alt chain: collected, sent', { home: 5 }, LEAVING, RELOCATING],
    ['leaving: the main chain has imported it', { owner: TOKEN, home: 1 }, LEAVING, HERE],
    ['left', { owner: TOKEN, home: 1 }, NONE, HERE],
    ['arriving: announced', { owner: TOKEN, home: 1, relocating: true }, NONE, RELOCATING],
    ['arriving: imported there', { owner: TOKEN, home: 1, relocating: true }, LIVING, RELOCATING],
    ['arriving, its token gone', { home: 1, relocating: true }, LIVING, RELOCATING],
    ['arrived', { home: 5 }, LIVING, PRESENT],
    ['an attempt that was aborted', { home: 5 }, LIVING, PRESENT],
    ['created there, not linked yet', { home: 0 }, LIVING, PRESENT],
    ['created there, home still reported as the main chain', { home: 1 }, LIVING, PRESENT],
    ['not linked yet, and leaving', { home: 0 }, LEAVING, RELOCATING],
    ['unknown to both', { home: 0 }, NONE, ABSENT],
    ['retired here, unknown there', { home: 1 }, NONE, ABSENT],
    ['retired there, not reported', { home: 5 }, NONE, UNCONFIRMED],
    ['unknown here, the alt chain unreadable', { home: 0 }, UNREADABLE, ALT_UNREADABLE],
    ['homed there, the alt chain unreadable', { home: 5 }, UNREADABLE, ALT_UNREADABLE],
    ['homed here, the alt chain unreadable', { owner: TOKEN, home: 1 }, UNREADABLE, HERE],
    ['homed elsewhere', { home: 3 }, LIVING, { kind: 'MachineHomedElsewhere', ordinal: 3 }],
  ])('is judged: %s', (_name, main, alt, judged) => {
    expect(judgeBoth(main, alt)).toStrictEqual(judged);
  });
});

describe('an absence that the main chain does not confirm', () => {
  it.each([
    ['alt', 'absent'],
    ['main', 'start-over'],
    ['unknown-here', 'start-over'],
  ] as const)('is decided by the second read of the home: %s', (confirmedHome, expected) => {
    expect(judgeConfirmation(confirmedHome)).toBe(expected);
  });
});

interface MainFacts {
  readonly owner?: ReadResult<Address>;
  readonly home: number;
  readonly relocating?: boolean;
}

function judgeBoth({ owner = NONE, home, relocating = false }: MainFacts, alt: ReadResult<AltMachine>): unknown {
  const facts = { owner, relocating: present(relocating), homeOrdinal: present(home) };
  try {
    const judged = judgeHome(facts, { local: 1, alt: 5 });
    return judged === 'main' ? judged : judgeAltMachine(judged, alt);
  } catch (error) {
    if (error instanceof Fault) return { kind: error.kind, ...error.context };
    throw error;
  }
}
