/** Opens distributed rate limiting across replicas, if `REDIS_URL` names a server. */
import type { Config } from '../config.ts';
import type { Log, DistributedCounters } from '../ports/runtime.ts';
import type { Shutdown } from './shutdown.ts';

/** Undefined: each process counts independently, and the Redis client is not loaded. */
export async function openDistributedCounters(
  { redisUrl }: Config,
  log: Log,
  shutdown: Shutdown,
): Promise<DistributedCounters | undefined> {
  if (redisUrl === undefined) return undefined;
  const { createDistributedCounters: createSharedCounts } = await import('../adapters/redis/distributed-counters.ts');
  const counters = createSharedCounts(redisUrl, log);
  shutdown.add(() => counters.close());
  return counters;
}
