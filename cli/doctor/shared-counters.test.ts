import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { isRedisThere, startRedis } from '../../testing/harness/redis-server.ts';
import { examineSharedCounters } from './shared-counters.ts';

const configured = (redisUrl: string | undefined) => ({ redisUrl }) as Config;

it('says nothing where no shared counters are configured', async () => {
  expect(await examineSharedCounters(configured(undefined))).toEqual([]);
});

it('says what is missing where nobody answers, without the password', async () => {
  const url = `redis://:hidden@127.0.0.1:${await findFreePort()}`;
  expect(await examineSharedCounters(configured(url))).toEqual([
    {
      state: 'unreachable',
      subject: 'REDIS_URL',
      text: 'does not answer, so each replica counts alone',
      remedy: 'check the server and its password',
    },
  ]);
});

describe.skipIf(!isRedisThere)('a server that answers', () => {
  it('is said to be there', async () => {
    const port = await findFreePort();
    const server = await startRedis({ port });
    try {
      expect(await examineSharedCounters(configured(`redis://127.0.0.1:${port}`))).toEqual([
        { state: 'ok', subject: 'REDIS_URL', text: 'answers; all replicas count together' },
      ]);
    } finally {
      await server.stop();
    }
  });
});
