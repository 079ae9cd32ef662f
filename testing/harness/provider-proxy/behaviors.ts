/** All behaviors of the provider matrix. */
import { BATCH_BEHAVIORS } from './batch-behaviors.ts';
import type { Behavior } from './behavior.ts';
import { CHAIN_BEHAVIORS } from './chain-behaviors.ts';
import { GATEWAY_BEHAVIORS } from './gateway-behaviors.ts';
import { LOG_BEHAVIORS } from './log-behaviors.ts';
import { RATE_BEHAVIORS } from './rate-behaviors.ts';

export const MAIN_BEHAVIORS: readonly Behavior[] = [
  ...BATCH_BEHAVIORS,
  ...LOG_BEHAVIORS,
  ...RATE_BEHAVIORS,
  ...GATEWAY_BEHAVIORS,
  ...CHAIN_BEHAVIORS,
];

/**
 * Behaviors that can be served alone and must be refused together. Where contracts see the block number of another chain,
 * only a call at the hash of a block proves that its state is of this block. Where blooms name contracts without logs, only
 * receipts under the receipts root prove that no log is withheld.
 */
const REFUSED_TOGETHER: readonly (readonly [string, string])[] = [
  ['no-hash-pins', 'parent-block-number'],
  ['full-blooms', 'zero-receipts-root'],
  ['full-blooms', 'other-receipts-root'],
  ['full-blooms', 'no-block-receipts'],
  ['full-blooms', 'no-receipts-mismatch'],
];

/** Returns the number of reasons for which a service behind these behaviors must refuse. */
export function countRefusals(behaviors: readonly Behavior[]): number {
  const names = new Set(behaviors.map(({ name }) => name));
  const together = REFUSED_TOGETHER.filter((pair) => pair.every((name) => names.has(name)));
  return behaviors.filter(({ expect }) => expect === 'refused').length + together.length;
}
