/** Do several replicas count requests together? Only where `REDIS_URL` names a server. */
import type { Config } from '../config.ts';
import type { Log, DistributedCounters } from '../ports/runtime.ts';
import type { Shutdown } from './shutdown.ts';

/** Undefined: each process counts for itself, and the client of Redis is not loaded. */
export async function openDistributedCounters(
  { redisUrl }: Config,
  log: Log,
  closing: Shutdown,
): Promise<DistributedCounters | undefined> {
  if (redisUrl === undefined) return undefined;
  const { createDistributedCounters: createSharedCounts } = await import('../adapters/redis/distributed-counters.ts');
  const counts = await createSharedCounts(redisUrl, log);
  closing.add(() => counts.close());
  return counts;
}
