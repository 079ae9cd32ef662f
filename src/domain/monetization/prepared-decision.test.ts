import { describe, expect, it } from 'vitest';
import type { MachineId } from '../identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../identifiers/namespace.ts';
import { ALT, DEPLOYMENT, MAIN, messageOf, OPT_IN, OPT_OUT } from '../../../testing/fixtures/deciding-machines.ts';
import { prepareDecision } from './prepared-decision.ts';

describe('prepareDecision', () => {
  it('returns text and bytes for EIP-191 on the main chain', () => {
    expect(prepareDecision(OPT_IN, MAIN, DEPLOYMENT, DEFAULT_NAMESPACE)).toStrictEqual({
      decision: OPT_IN,
      scheme: 'eip191',
      text: `\
svc-mcr monetization
registry: 0x00000000000000000000000000000000000000aa
chain_id: 31337
machine_id: 42
opted_in: true
timestamp: 1788900000`,
      message: messageOf(OPT_IN),
    });
  });

  it('returns text and bytes for Ed25519 on the alt chain', () => {
    expect(prepareDecision(OPT_OUT, { chain: 'alt', ordinal: 5 }, DEPLOYMENT, DEFAULT_NAMESPACE)).toStrictEqual({
      decision: OPT_OUT,
      scheme: 'ed25519',
      text: `\
svc-mcr monetization
audience: 31337
home_chain: 5
machine_id: 42
opted_in: false
timestamp: 1788900000`,
      message: messageOf(OPT_OUT, { home: ALT }),
    });
  });

  it('throws for a rounded machine id', () => {
    const rounded = { ...OPT_IN, machineId: Number(2n ** 53n + 1n) as unknown as MachineId };
    expect(() => prepareDecision(rounded, MAIN, DEPLOYMENT, DEFAULT_NAMESPACE)).toThrow(
      new RangeError('machine_id is not a bigint in 1 to 2^256 - 1'),
    );
  });
});
