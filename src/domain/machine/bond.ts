/** Is the machine's bond in force? (chain-evm 3.4: Active and Grace, the same pair that may submit events.) */
import type { SubscriptionStatus } from './machine-facts.ts';

export type BondStatus = 'bonded' | 'unbonded';

export function judgeBond(status: SubscriptionStatus): BondStatus {
  return status === 'Active' || status === 'Grace' ? 'bonded' : 'unbonded';
}
