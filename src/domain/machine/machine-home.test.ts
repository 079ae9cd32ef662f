/** Home of a machine: the table of chain-evm 3.6, row by row. */
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults.ts';
import type { Address } from '../identifiers/identifiers.ts';
import { ABSENT, present, unreadable, type ReadResult } from '../read-result.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { judgeHome } from './machine-home.ts';

const OWNER: ReadResult<Address> = present('0x1a642f0e3c3af545e7acbd38b07251b3990914f1' as Address);
const UNREADABLE = unreadable('rpc-error');

function judge(owner: ReadResult<Address>, relocating: boolean | typeof UNREADABLE, home: number | typeof UNREADABLE) {
  const toReading = <T>(value: T | typeof UNREADABLE): ReadResult<T> =>
    value === UNREADABLE ? UNREADABLE : present(value as T);
  const facts = { owner, relocating: toReading<boolean>(relocating), homeOrdinal: toReading<number>(home) };
  try {
    return judgeHome(facts, { local: 1, alt: 5 });
  } catch (error) {
    if (error instanceof Fault) return { kind: error.kind, ...error.context };
    throw error;
  }
}

const RELOCATING = { kind: 'MachineRelocating' };
const CONTRADICTION = { kind: 'ChainUnreadable', chain: 'main', cause: 'contradiction' };
const RPC_ERROR = { kind: 'ChainUnreadable', chain: 'main', cause: 'rpc-error' };

describe('the home of a machine', () => {
  it.each([
    ['a token homed here', judge(OWNER, false, 1), 'main'],
    ['a token that relocates', judge(OWNER, true, 1), RELOCATING],
    ['a token that relocates, home elsewhere', judge(OWNER, true, 5), RELOCATING],
    ['a token without a home', judge(OWNER, false, 0), CONTRADICTION],
    ['a token with the alt home', judge(OWNER, false, 5), CONTRADICTION],
    ['a token with a foreign home', judge(OWNER, false, 3), CONTRADICTION],
    ['no token, no home', judge(ABSENT, false, 0), 'unknown-here'],
    ['no token, home here', judge(ABSENT, false, 1), 'unknown-here'],
    ['no token, alt home', judge(ABSENT, false, 5), 'alt'],
    ['no token, foreign home', judge(ABSENT, false, 3), { kind: 'MachineHomedElsewhere', ordinal: 3 }],
    ['no token, relocating here', judge(ABSENT, true, 0), RELOCATING],
  ])('is judged for %s', (_name, judged, expected) => {
    expect(judged).toEqual(expected);
  });

  it('is elsewhere for the alt ordinal when no alt chain is configured', () => {
    rule('reads.no-alt-chain');
    const facts = {
      owner: ABSENT,
      relocating: present(false),
      homeOrdinal: present(5),
    } as const;
    expect(() => judgeHome(facts, { local: 1, alt: undefined })).toThrow(
      new Fault('MachineHomedElsewhere', { ordinal: 5 }),
    );
  });

  it.each([
    ['an unreadable owner', judge(UNREADABLE, false, 0)],
    ['an unreadable relocation flag', judge(OWNER, UNREADABLE, 1)],
    ['an unreadable home', judge(ABSENT, false, UNREADABLE)],
    ['an unreadable home of a token', judge(OWNER, false, UNREADABLE)],
  ])('is unreadable with %s', (_name, judged) => {
    expect(judged).toEqual(RPC_ERROR);
  });
});
