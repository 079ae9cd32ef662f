/** Doctor check of Redis: not configured, unreachable, reachable. */
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { isRedisAvailable, startRedis } from '../../testing/harness/redis-server.ts';
import { examineDistributedRateLimits } from './distributed-rate-limits.ts';

const configured = (redisUrl: string | undefined) => ({ redisUrl }) as Config;

it('returns no finding when Redis is not configured', async () => {
  expect(await examineDistributedRateLimits(configured(undefined))).toEqual([]);
});

it('reports an unreachable server without the password', async () => {
  const url = `redis://:hidden@127.0.0.1:${await findFreePort()}`;
  expect(await examineDistributedRateLimits(configured(url))).toEqual([
    {
      state: 'unreachable',
      subject: 'REDIS_URL',
      text: 'does not respond, so each replica counts independently',
      remedy: 'check the server and its password',
    },
  ]);
});

describe.skipIf(!isRedisAvailable)('a running server', () => {
  it('is reported as reachable', async () => {
    const port = await findFreePort();
    const server = await startRedis({ port });
    try {
      expect(await examineDistributedRateLimits(configured(`redis://127.0.0.1:${port}`))).toEqual([
        { state: 'ok', subject: 'REDIS_URL', text: 'reachable; all replicas share their rate limits' },
      ]);
    } finally {
      await server.stop();
    }
  });
});
