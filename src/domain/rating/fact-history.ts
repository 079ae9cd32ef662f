/**
 * Facts of a machine at past times, from their logs (`GET /mcr/{did}/history`, decisions 4). The lengths of grace and runoff are the
 * present ones.
 */
import type { BondStatus } from '../machine/bond.ts';
import type { FactLog } from '../machine/fact-log.ts';
import type { DeploymentFacts } from '../machine/machine-facts.ts';
import { NEGATIVE_FLAG } from './constants.ts';
import { clampToSafe } from './daily-totals.ts';

/** Facts at one time. */
export interface FactsAt {
  readonly bondStatus: BondStatus;
  /** Unix seconds; 0 without a flag. */
  readonly negativeFlagAt: bigint;
  readonly trustOverride: number | undefined;
}

/** What changed. `bond_in_grace`, `bond_expired` and `flag_lapsed` happen by time alone, and `bond_terminated` at the end of the runoff. */
export type FactChangeKind =
  | 'bond_started'
  | 'bond_renewed'
  | 'bond_in_grace'
  | 'bond_expired'
  | 'bond_terminated'
  | 'bond_terminated_for_fraud'
  | 'flagged'
  | 'flag_lapsed'
  | 'flag_cleared'
  | 'trust_override_set'
  | 'trust_override_cleared';

export interface FactChange {
  /** Unix seconds. */
  readonly at: number;
  readonly kind: FactChangeKind;
  /** End of the period of a bond that starts or is renewed, in Unix seconds; percentage of an override; else undefined. */
  readonly value: number | undefined;
}

/** Returns the facts at a time. The logs are in chain order. */
export function factsAt(logs: readonly FactLog[], time: number, graceSeconds: bigint): FactsAt {
  let periodEnd: bigint | undefined;
  let negativeFlagAt = 0n;
  let trustOverride: number | undefined;
  for (const { kind, value, blockTimestamp } of logs) {
    if (blockTimestamp > time) break;
    switch (kind) {
      case 'bond-period':
        periodEnd = value;
        break;
      case 'bond-terminated':
      case 'bond-terminated-for-fraud':
        periodEnd = undefined;
        break;
      case 'flagged':
        negativeFlagAt = value ?? 0n;
        break;
      case 'flag-cleared':
        negativeFlagAt = 0n;
        break;
      case 'override-set':
        trustOverride = Number(value);
        break;
      case 'override-cleared':
        trustOverride = undefined;
        break;
      case 'bond-reissued':
    }
  }
  const isBonded = periodEnd !== undefined && BigInt(time) < periodEnd + graceSeconds;
  return { bondStatus: isBonded ? 'bonded' : 'unbonded', negativeFlagAt, trustOverride };
}

/** Times up to which changes by time alone have happened: a bond ends by the time of a block, a flag by the clock (chain-evm 3.7). */
export interface FactTimes {
  readonly blockTimestamp: number;
  readonly now: number;
}

/** Lists the changes so far, oldest first, those by time alone too. */
export function listFactChanges(
  logs: readonly FactLog[],
  { blockTimestamp, now }: FactTimes,
  { graceSeconds, runoffSeconds }: Pick<DeploymentFacts, 'graceSeconds' | 'runoffSeconds'>,
): readonly FactChange[] {
  const changes: FactChange[] = [];
  let period: { readonly end: bigint } | undefined;
  let flaggedAt: bigint | undefined;
  const add = (at: number | bigint, kind: FactChangeKind, value?: bigint) =>
    changes.push({ at: Number(at), kind, value: value === undefined ? undefined : clampToSafe(value) });
  const passTo = (time: number, mayEnd = true) => {
    if (period === undefined) return;
    const { end } = period;
    const expiry = end + graceSeconds;
    if (end < time) add(end, 'bond_in_grace');
    if (expiry < time) add(expiry, 'bond_expired');
    if (!mayEnd || expiry + runoffSeconds >= time) return;
    add(expiry + runoffSeconds, 'bond_terminated');
    period = undefined;
  };
  const passFlagTo = (time: number) => {
    const end = flaggedAt === undefined ? undefined : flaggedAt + BigInt(NEGATIVE_FLAG.forceSeconds);
    if (end !== undefined && end < time) add(end, 'flag_lapsed');
    flaggedAt = undefined;
  };
  for (const { kind, value, blockTimestamp: at } of logs) {
    if (at > blockTimestamp) break;
    switch (kind) {
      case 'bond-period':
        if (value === period?.end || value === undefined) break;
        // Termination is final: a bond that has a further period was not terminated, whatever the present lengths say.
        passTo(at, false);
        add(at, period === undefined ? 'bond_started' : 'bond_renewed', value);
        period = { end: value };
        break;
      case 'bond-terminated':
      case 'bond-terminated-for-fraud':
        passTo(at);
        // A settlement logs a termination that has already happened by time.
        if (period === undefined && kind === 'bond-terminated') break;
        add(at, kind === 'bond-terminated' ? 'bond_terminated' : 'bond_terminated_for_fraud');
        period = undefined;
        break;
      case 'flagged':
        passFlagTo(at);
        add(at, 'flagged');
        flaggedAt = value;
        break;
      case 'flag-cleared':
        passFlagTo(at);
        add(at, 'flag_cleared');
        break;
      case 'override-set':
        add(at, 'trust_override_set', value);
        break;
      case 'override-cleared':
        add(at, 'trust_override_cleared');
        break;
      case 'bond-reissued':
    }
  }
  // What is due in the current second has happened.
  passTo(blockTimestamp + 1);
  passFlagTo(now + 1);
  return changes.sort((a, b) => a.at - b.at);
}
