/** Facts of a machine at past times, and the list of their changes. */
import { describe, expect, it } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import type { FactKind, FactLog } from '../machine/fact-log.ts';
import { factsAt, listFactChanges } from './fact-history.ts';

const GRACE = 100n;
const LENGTHS = { graceSeconds: GRACE, runoffSeconds: 50n };
const log = (blockTimestamp: number, kind: FactKind, value?: number): FactLog => ({
  kind,
  value: value === undefined ? undefined : BigInt(value),
  blockTimestamp,
});
const kindsOf = (logs: readonly FactLog[], now: number, blockTimestamp = now) =>
  listFactChanges(logs, { blockTimestamp, now }, LENGTHS).map(({ at, kind }) => `${at} ${kind}`);

describe('a bond that was renewed in its runoff', () => {
  it('is not listed as terminated when the present runoff is shorter', () => {
    const logs = [log(10, 'bond-period', 1_000), log(1_300, 'bond-period', 2_000)];
    expect(kindsOf(logs, 1_400)).toEqual([
      '10 bond_started',
      '1000 bond_in_grace',
      '1100 bond_expired',
      '1300 bond_renewed',
    ]);
  });
});

describe('factsAt', () => {
  it('is bonded from the first period to the end of its grace', () => {
    rule('history.facts-of-the-day');
    const logs = [log(10, 'bond-period', 1_000)];
    const bonds = [9, 10, 999, 1_099, 1_100].map((time) => factsAt(logs, time, GRACE).bondStatus);
    expect(bonds).toEqual(['unbonded', 'bonded', 'bonded', 'bonded', 'unbonded']);
  });

  it.each(['bond-terminated', 'bond-terminated-for-fraud'] as const)('ends the bond with %s', (kind) => {
    const logs = [log(10, 'bond-period', 1_000), log(20, kind)];
    expect([19, 20].map((time) => factsAt(logs, time, GRACE).bondStatus)).toEqual(['bonded', 'unbonded']);
  });

  it('has the flag and the override in force at the time', () => {
    const logs = [
      log(10, 'flagged', 10),
      log(20, 'override-set', 70),
      log(30, 'flag-cleared'),
      log(40, 'override-cleared'),
    ];
    const facts = [9, 10, 25, 35, 45].map((time) => factsAt(logs, time, GRACE));
    expect(facts.map(({ negativeFlagAt }) => negativeFlagAt)).toEqual([0n, 10n, 10n, 0n, 0n]);
    expect(facts.map(({ trustOverride }) => trustOverride)).toEqual([undefined, undefined, 70, 70, undefined]);
  });
});

describe('listFactChanges', () => {
  it('adds grace, expiry, termination and the lapse of a flag, which have no log', () => {
    const logs = [log(10, 'bond-period', 1_000), log(20, 'flagged', 20)];
    expect(kindsOf(logs, 20_000_000)).toEqual([
      ...['10 bond_started', '20 flagged', '1000 bond_in_grace', '1100 bond_expired', '1150 bond_terminated'],
      '15552020 flag_lapsed',
    ]);
  });

  it('lists what happens by time alone from its own second on', () => {
    const logs = [log(10, 'bond-period', 1_000), log(20, 'flagged', 20)];
    const lengths = [999, 1_000, 1_099, 1_100, 1_149, 1_150, 15_552_019, 15_552_020].map(
      (now) => kindsOf(logs, now).length,
    );
    expect(lengths).toEqual([2, 3, 3, 4, 4, 5, 5, 6]);
  });

  it('ends a bond by the time of the block, and a flag by the clock', () => {
    const logs = [log(10, 'bond-period', 15_552_010), log(20, 'flagged', 20)];
    expect(kindsOf(logs, 15_552_020, 15_552_009)).toEqual(['10 bond_started', '20 flagged', '15552020 flag_lapsed']);
  });

  it('leaves out a status log that repeats the period, and what lies after now', () => {
    const logs = [log(10, 'bond-period', 1_000), log(10, 'bond-period', 1_000), log(50, 'bond-period', 2_000)];
    expect(kindsOf(logs, 40)).toEqual(['10 bond_started']);
    expect(kindsOf(logs, 60)).toEqual(['10 bond_started', '50 bond_renewed']);
  });

  it('lists a termination by time once, although a settlement logs it later', () => {
    const logs = [log(10, 'bond-period', 1_000), log(2_000, 'bond-terminated')];
    const expired = ['10 bond_started', '1000 bond_in_grace', '1100 bond_expired'];
    expect(kindsOf(logs, 1_120)).toEqual(expired);
    expect(kindsOf(logs, 5_000)).toEqual([...expired, '1150 bond_terminated']);
  });

  it('does not let a bond expire that was terminated before', () => {
    const logs = [log(10, 'bond-period', 1_000), log(20, 'bond-terminated-for-fraud')];
    expect(kindsOf(logs, 5_000)).toEqual(['10 bond_started', '20 bond_terminated_for_fraud']);
  });
});
