/** Trust: the value of the last 180 days by its evidence (design/scoring.md, Trust). */
import { max, min, sum } from './arithmetic.ts';
import type { ModelInput } from './model-input.ts';
import type { Activity, Qualifying, Revenue } from './qualifying.ts';

export interface Trust {
  readonly source: 'flag' | 'override' | 'none' | 'events';
  readonly percentHundredths: bigint;
  /** Revenue of the last 180 days. */
  readonly revenue: readonly Revenue[];
}

export function judgeTrust(facts: {
  readonly revenue: readonly Revenue[];
  readonly activity: readonly Activity[];
  readonly today: bigint;
  readonly now: bigint;
  readonly flagIsPlausible: boolean;
  readonly tenureWeeks: bigint;
  readonly input: Pick<ModelInput, 'trustOverride' | 'negativeFlagAt'>;
}): Trust {
  const { now, today } = facts;
  const { trustOverride, negativeFlagAt } = facts.input;
  const in180Days = ({ day }: Qualifying) => day >= today - 179n && day <= today;
  const revenue = facts.revenue.filter(in180Days);
  const activity = facts.activity.filter(in180Days);
  if (facts.flagIsPlausible && now < negativeFlagAt + 15552000n)
    return { source: 'flag', percentHundredths: 0n, revenue };
  if (trustOverride !== null) {
    return { source: 'override', percentHundredths: 100n * min(trustOverride, 100n), revenue };
  }
  if (revenue.length === 0 && activity.length === 0) return { source: 'none', percentHundredths: 0n, revenue };

  const attested = sum(revenue.map(({ attestedWeight }) => attestedWeight)) + 100n * countAttested(activity);
  const paid = sum(revenue.map(({ paidWeight }) => paidWeight));
  const all = sum(revenue.map(({ weight }) => weight)) + 100n * BigInt(activity.length);
  const p = (attested * 10000n + paid * 7000n + (all - attested - paid) * 2000n) / all;
  const raised = facts.tenureWeeks >= 52n ? max(p, min(6000n, p + 1000n)) : p;
  return { source: 'events', percentHundredths: raised, revenue };
}

const countAttested = (activity: readonly Activity[]): bigint =>
  BigInt(activity.filter(({ attested }) => attested).length);
