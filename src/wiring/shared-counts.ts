/** Do several replicas count requests together? Only where `REDIS_URL` names a server. */
import type { Config } from '../config.ts';
import type { Log } from '../ports/log.ts';
import type { SharedCounts } from '../ports/shared-counts.ts';
import type { Closing } from './closing.ts';

/** Undefined: each process counts for itself, and the client of Redis is not loaded. */
export async function openSharedCounts(
  { redisUrl }: Config,
  log: Log,
  closing: Closing,
): Promise<SharedCounts | undefined> {
  if (redisUrl === undefined) return undefined;
  const { createSharedCounts } = await import('../adapters/redis/shared-counts.ts');
  const counts = await createSharedCounts(redisUrl, log);
  closing.add(() => counts.close());
  return counts;
}
