/** Counters that agree with every index. */
import type { IndexCounters } from '../../src/ports/indexes.ts';

export const AGREEING_COUNTERS: IndexCounters = {
  checkTokens: async () => undefined,
  checkMachine: async () => ({ outcome: 'agrees', epoch: 0 }),
};
