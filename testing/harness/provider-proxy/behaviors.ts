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
