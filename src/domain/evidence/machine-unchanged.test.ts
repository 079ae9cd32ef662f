import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import type { Fault } from '../faults.ts';
import type { MachineId } from '../identifiers/identifiers.ts';
import { addressOf, CHALLENGE, CURRENT_MACHINE, UNREADABLE } from '../../../testing/fixtures/evidence-documents.ts';
import { requireUnchanged, type CurrentMachine } from './machine-unchanged.ts';
import { ABSENT, present } from '../read-result.ts';

type Snapshot = CurrentMachine['snapshot'];

function kindOf(snapshot: Partial<Snapshot>, rest: Partial<CurrentMachine> = {}): string {
  try {
    requireUnchanged(CHALLENGE, {
      ...CURRENT_MACHINE,
      ...rest,
      snapshot: { ...CURRENT_MACHINE.snapshot, ...snapshot },
    });
    return 'unchanged';
  } catch (error) {
    return (error as Fault).kind;
  }
}

const STRANGER = present(addressOf('stranger'));
const CONTROLLER = present(addressOf('controller'));

describe('the machine of a challenge that', () => {
  rule('challenge.controller-unchanged');

  it.each<[name: string, snapshot: Partial<Snapshot>, kind: string]>([
    ['has the same controller', {}, 'unchanged'],
    ['has another owner and the same controller', { owner: STRANGER }, 'unchanged'],
    ['has no controller and belongs to the former controller', { controller: ABSENT, owner: CONTROLLER }, 'unchanged'],
    ['no longer has a controller', { controller: ABSENT }, 'ControllerChanged'],
    ['has another controller', { controller: STRANGER }, 'ControllerChanged'],
    ['no longer exists', { owner: ABSENT, controller: ABSENT }, 'MachineAbsent'],
    ['no longer exists while it relocates', { owner: ABSENT, relocating: present(true) }, 'MachineAbsent'],
    ['is stopped', { generalPaused: present(true) }, 'MachineDeactivated'],
    ['relocates', { relocating: present(true) }, 'MachineRelocating'],
    ['names another home', { homeOrdinal: present(5) }, 'ChainUnreadable'],
    ['names no home', { homeOrdinal: present(0) }, 'ChainUnreadable'],
    ['has an unreadable owner', { owner: UNREADABLE }, 'ChainUnreadable'],
    ['has an unreadable controller', { controller: UNREADABLE }, 'ChainUnreadable'],
    ['has an unreadable deactivation', { generalPaused: UNREADABLE }, 'ChainUnreadable'],
    ['has an unreadable relocation', { relocating: UNREADABLE }, 'ChainUnreadable'],
    ['has an unreadable home', { homeOrdinal: UNREADABLE }, 'ChainUnreadable'],
  ])('%s is judged as %s', (_name, snapshot, kind) => {
    expect(kindOf(snapshot)).toBe(kind);
  });

  it('is on another chain is judged as EvidenceMismatch', () => {
    expect(kindOf({}, { chainId: 1 })).toBe('EvidenceMismatch');
  });

  it('is another machine throws a plain error, a defect of the caller', () => {
    const other = { ...CURRENT_MACHINE, snapshot: { ...CURRENT_MACHINE.snapshot, id: 5n as MachineId } };
    expect(() => requireUnchanged(CHALLENGE, other)).toThrow('the facts belong to another machine');
  });
});

describe('a machine with two changes', () => {
  const changes: [kind: string, snapshot: Partial<Snapshot>, rest?: Partial<CurrentMachine>][] = [
    ['MachineAbsent', { owner: ABSENT }],
    ['MachineDeactivated', { generalPaused: present(true) }],
    ['ControllerChanged', { controller: STRANGER }],
    ['EvidenceMismatch', {}, { chainId: 1 }],
    ['MachineRelocating', { relocating: present(true) }],
  ];
  const pairs = changes.flatMap((earlier, at) => changes.slice(at + 1).map((later) => [earlier[0], later[0], earlier, later] as const)); // prettier-ignore

  it.each(pairs)('is judged by %s before %s', (kind, _later, earlier, later) => {
    expect(kindOf({ ...earlier[1], ...later[1] }, { ...earlier[2], ...later[2] })).toBe(kind);
  });
});
