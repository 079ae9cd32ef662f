/**
 * Assignment of payout accounts to machines over both home chains (design/scoring.md, Claims). At any time an account is assigned to at
 * most one machine: the one with the newest claim, where the main chain goes first.
 */
import { PAYMENT } from '../constants.ts';
import type { Claim, HomeChain } from './claims.ts';

/** Claim of another machine. */
export interface OtherClaim {
  readonly home: HomeChain;
  readonly account: string;
  readonly owner: string;
  /** Block time of the claim. */
  readonly since: number;
  /** Block time of its end; undefined while in force. */
  readonly until: number | undefined;
  /** Whether it is later on their common home chain than this machine's claim in force of the same account; false without one. */
  readonly isNewer: boolean;
}

/**
 * Returns the machine's claims whose accounts are assigned to it at `time`. `claims` are those in force at the event; `others` those that
 * other machines made of the same accounts.
 */
export function findPayees(
  claims: readonly Claim[],
  others: readonly OtherClaim[],
  home: HomeChain,
  time: number,
): readonly Claim[] {
  return claims.filter(
    ({ account, since }) =>
      since <= time && !others.some((other) => other.account === account && takesAccount(other, home, time)),
  );
}

function takesAccount(other: OtherClaim, home: HomeChain, time: number): boolean {
  if (other.since > time) return false;
  if (other.home === home) return other.isNewer;
  return home === 'alt' && (other.until === undefined || other.until >= time - PAYMENT.lateSeconds);
}
