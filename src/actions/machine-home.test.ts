import { describe, expect, it } from 'vitest';
import { Fault } from '../domain/faults.ts';
import { createStubCtx } from '../../test/stub-ctx.ts';
import type { KeptMachine } from '../ports/main-chain.ts';
import { requireMainHome } from './machines.ts';

/** A machine without a token here, whose home the main chain names so. */
const withoutToken = (home: number) =>
  ({
    snapshot: {
      owner: { state: 'absent' },
      relocating: { state: 'present', value: false },
      homeOrdinal: { state: 'present', value: home },
    },
    deployment: { localOrdinal: 1 },
  }) as unknown as KeptMachine;

const judge = (home: number, altOrdinal: number | undefined) => {
  try {
    requireMainHome(createStubCtx({ altOrdinal }), withoutToken(home));
  } catch (error) {
    return (error as Fault).kind;
  }
  return 'main';
};

describe('a machine without a token here', () => {
  it.each([
    ['no home, no alt chain configured', 0, undefined, 'MachineAbsent'],
    ['the alt home, no alt chain configured', 5, undefined, 'MachineHomedElsewhere'],
    ['no home, an alt chain that is not read yet', 0, 5, 'ChainUnreadable'],
    ['the alt home, an alt chain that is not read yet', 5, 5, 'ChainUnreadable'],
    ['a foreign home', 3, 5, 'MachineHomedElsewhere'],
  ])('%s', (_name, home, altOrdinal, kind) => {
    expect(judge(home, altOrdinal)).toBe(kind);
  });
});
