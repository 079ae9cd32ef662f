/** Bond status: bonded while the subscription is Active or Grace, the states that may submit events (chain-evm 3.4). */
import type { SubscriptionStatus } from './machine-facts.ts';

export type BondStatus = 'bonded' | 'unbonded';

export function judgeBond(status: SubscriptionStatus): BondStatus {
  return status === 'Active' || status === 'Grace' ? 'bonded' : 'unbonded';
}
