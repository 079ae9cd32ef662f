/** Do several replicas count requests together? Only where `REDIS_URL` names a server. */
import type { Config } from '../config.ts';
import type { Log, SharedCounts } from '../ports/runtime.ts';
import type { Closing } from './shutdown.ts';

/** Undefined: each process counts for itself, and the client of Redis is not loaded. */
export async function openSharedCounts(
  { redisUrl }: Config,
  log: Log,
  closing: Closing,
): Promise<SharedCounts | undefined> {
  if (redisUrl === undefined) return undefined;
  const { createSharedCounts } = await import('../adapters/redis/distributed-counters.ts');
  const counts = await createSharedCounts(redisUrl, log);
  closing.add(() => counts.close());
  return counts;
}
