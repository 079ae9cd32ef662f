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

/** Claims on which the assignment of a machine's accounts depends. */
export interface AccountClaims {
  readonly home: HomeChain;
  /** All claims of the machine, in order. */
  readonly claims: readonly Claim[];
  /** Claims that other machines made of the same accounts. */
  readonly others: readonly OtherClaim[];
}

/** Returns those of the claims in force at an event whose accounts are assigned to the machine at `time` by them, and by no newer claim. */
export function findPayees(
  inForce: readonly Claim[],
  { home, claims, others }: AccountClaims,
  time: number,
): readonly Claim[] {
  return inForce.filter((claim) => {
    const { account } = claim;
    const newest = claims.findLast((own) => own.account === account && own.since <= time);
    return newest === claim && !others.some((other) => other.account === account && takesAccount(other, home, time));
  });
}

function takesAccount(other: OtherClaim, home: HomeChain, time: number): boolean {
  if (other.since > time) return false;
  if (other.home === home) return other.isNewer;
  return home === 'alt' && (other.until === undefined || other.until >= time - PAYMENT.lateSeconds);
}
