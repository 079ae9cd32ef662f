/** Bond status: bonded while the subscription is Active or Grace, the states that may submit events (chain-evm 3.4). */
import type { DeploymentFacts, MachineSnapshot, SubscriptionStatus } from './machine-facts.ts';

export type BondStatus = 'bonded' | 'unbonded';

export function judgeBond(status: SubscriptionStatus): BondStatus {
  return status === 'Active' || status === 'Grace' ? 'bonded' : 'unbonded';
}

/**
 * Returns the first block time after the snapshot's block at which the status may change by time alone; undefined when
 * there is none.
 */
export function nextBondBoundary(
  { block, subscription }: Pick<MachineSnapshot, 'block' | 'subscription'>,
  deployment: DeploymentFacts | undefined,
): bigint | undefined {
  if (subscription.state !== 'present' || subscription.value.periodStart === 0n) return undefined;
  const { periodEnd } = subscription.value;
  const grace = deployment?.graceSeconds ?? 0n;
  const runoff = deployment?.runoffSeconds ?? 0n;
  const now = BigInt(block.timestamp);
  return [periodEnd, periodEnd + grace, periodEnd + grace + runoff].find((boundary) => boundary > now);
}
