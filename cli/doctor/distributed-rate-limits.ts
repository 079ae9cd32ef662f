/** Check of distributed rate limiting: the Redis server responds. */
import { setTimeout as wait } from 'node:timers/promises';
import { createDistributedCounters } from '../../src/adapters/redis/distributed-counters.ts';
import type { Config } from '../../src/config.ts';
import { ok, unreachable, type Finding } from './check-result.ts';

/** Longer than the connect timeout of the service. */
const TIMEOUT_MILLISECONDS = 3_000;

/** Connects without counting. Returns no finding when Redis is not configured. */
export async function examineDistributedRateLimits({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return [];
  const connected = Promise.withResolvers<boolean>();
  const log = { info: () => connected.resolve(true), warn: () => undefined, error: () => undefined };
  const counters = createDistributedCounters(redisUrl, log);
  const timer = new AbortController();
  const timeout = wait(TIMEOUT_MILLISECONDS, false, timer).catch(() => false);
  const isReachable = await Promise.race([connected.promise, timeout]);
  timer.abort();
  await counters.close();
  return [
    isReachable
      ? ok('REDIS_URL', 'reachable; all replicas share their rate limits')
      : unreachable(
          'REDIS_URL',
          'does not respond, so each replica counts independently',
          'check the server and its password',
        ),
  ];
}
