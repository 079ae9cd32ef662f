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
 * only a call at the hash of a block proves that its state is of this block. Receipts under the receipts root prove that no log
 * is withheld; without them only all logs of the block do, under its bloom.
 */
const REFUSED_TOGETHER: readonly (readonly [string, string])[] = [
  ['no-hash-pins', 'parent-block-number'],
  ...[
    'zero-receipts-root',
    'empty-receipts-root',
    'other-receipts-root',
    'no-block-receipts',
    'no-receipts-mismatch',
  ].flatMap((receipts): [string, string][] => [
    ['full-blooms', receipts],
    ['logs-address-required', receipts],
  ]),
];

/** Returns the number of reasons for which a service behind these behaviors must refuse. */
export function countRefusals(behaviors: readonly Behavior[]): number {
  const names = new Set(behaviors.map(({ name }) => name));
  const together = REFUSED_TOGETHER.filter((pair) => pair.every((name) => names.has(name)));
  return behaviors.filter(({ expect }) => expect === 'refused').length + together.length;
}
