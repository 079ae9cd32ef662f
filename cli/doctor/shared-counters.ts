/** Do the replicas count requests together? */
import { setTimeout as wait } from 'node:timers/promises';
import { createDistributedCounters } from '../../src/adapters/redis/distributed-counters.ts';
import type { Config } from '../../src/config.ts';
import { ok, unreachable, type Finding } from './check-result.ts';

/** Longer than the service gives a connection. */
const PATIENCE_MILLISECONDS = 3_000;

/** Counts nothing; nothing to say where none are configured. */
export async function examineSharedCounters({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return [];
  const answered = Promise.withResolvers<boolean>();
  const log = { info: () => answered.resolve(true), warn: () => undefined, error: () => undefined };
  const counts = createDistributedCounters(redisUrl, log);
  const patience = new AbortController();
  const tooLate = wait(PATIENCE_MILLISECONDS, false, patience).catch(() => false);
  const isThere = await Promise.race([answered.promise, tooLate]);
  patience.abort();
  await counts.close();
  return [
    isThere
      ? ok('REDIS_URL', 'answers; all replicas count together')
      : unreachable('REDIS_URL', 'does not answer, so each replica counts alone', 'check the server and its password'),
  ];
}
