import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { PROPERTY_RUNS } from '../../../../testing/arbitraries/property-runs.ts';
import { findPayees, type OtherClaim } from './account-assignment.ts';
import type { Claim, HomeChain } from './claims.ts';

interface MachineClaim {
  readonly machine: number;
  readonly home: HomeChain;
  readonly since: number;
  readonly until: number | undefined;
}

const ACCOUNT = '0x8105660af15a4eb54fa0571bc84dfbec0294a99a';

/** Claims of one account by several machines, in the order of each home chain. */
const claimLists = fc
  .array(
    fc.record({
      machine: fc.integer({ min: 1, max: 4 }),
      since: fc.nat(3_000),
      lasts: fc.option(fc.nat(2_000), { nil: undefined }),
    }),
    { maxLength: 8 },
  )
  .map((claims): MachineClaim[] =>
    claims
      .map(({ machine, since, lasts }) => ({
        machine,
        home: machine % 2 === 0 ? ('main' as const) : ('alt' as const),
        since,
        until: lasts === undefined ? undefined : since + lasts,
      }))
      .sort((a, b) => a.since - b.since),
  );

/** Returns whether the claim at `index` is assigned at `time`, for an event shortly before the claim's end. */
function isAssigned(claims: readonly MachineClaim[], index: number, time: number): boolean {
  const { machine, home, since } = claims[index]!;
  const claim: Claim = { account: ACCOUNT, owner: 'owner', since, seq: 0, end: undefined };
  const others = claims.flatMap((other, at): OtherClaim[] =>
    other.machine === machine && other.home === home
      ? []
      : [
          {
            ...{ home: other.home, account: ACCOUNT, owner: 'other', since: other.since, until: other.until },
            isNewer: other.home === home && at > index,
          },
        ],
  );
  return findPayees([claim], { home, claims: [claim], others }, time).length > 0;
}

describe('the assignment of accounts', () => {
  it(`property 10: assigns an account to at most one machine at a time, over both home chains (seed ${PROPERTY_RUNS.seed})`, () => {
    fc.assert(
      fc.property(claimLists, fc.nat(6_000), (claims, time) => {
        const machines = claims.flatMap(({ machine, since, until }, index) => {
          // An event in force cites a payment at most 900 s after the claim's end.
          const isInForce = since <= time && (until === undefined || until >= time - 900);
          return isInForce && isAssigned(claims, index, time) ? [machine] : [];
        });
        expect(new Set(machines).size).toBeLessThanOrEqual(1);
      }),
      PROPERTY_RUNS,
    );
  });

  it('leaves an account with the newest claim at the time of the payment', () => {
    const claims: MachineClaim[] = [
      { machine: 2, home: 'main', since: 10, until: undefined },
      { machine: 4, home: 'main', since: 20, until: 30 },
    ];
    expect([isAssigned(claims, 0, 19), isAssigned(claims, 0, 20), isAssigned(claims, 0, 5_000)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('takes an account from a claim that the same machine renewed under another owner', () => {
    const first: Claim = { account: ACCOUNT, owner: 'seller', since: 100, seq: 0, end: { at: 150, seq: 1 } };
    const renewed: Claim = { account: ACCOUNT, owner: 'buyer', since: 200, seq: 2, end: undefined };
    const payees = (time: number) => findPayees([first], { home: 'main', claims: [first, renewed], others: [] }, time);
    expect([payees(199), payees(200)]).toEqual([[first], []]);
  });

  it('prefers the main chain until 900 s after the end of its claim', () => {
    const claims: MachineClaim[] = [
      { machine: 1, home: 'alt', since: 10, until: undefined },
      { machine: 2, home: 'main', since: 20, until: 30 },
    ];
    expect([19, 20, 930, 931].map((time) => isAssigned(claims, 0, time))).toEqual([true, false, false, true]);
    expect(isAssigned(claims, 1, 25)).toBe(true);
  });
});
