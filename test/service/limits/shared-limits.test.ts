/** Distributed rate limiting: two replicas share one Redis and its counters, and an outage of Redis refuses no caller (decisions 3). */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../fetch-checked.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';
import { findFreePort } from '../../../testing/harness/free-port.ts';
import { isRedisAvailable, startRedis, type RedisServer } from '../../../testing/harness/redis-server.ts';

const POLL_MILLISECONDS = 50;
/** Few at once, so that the event loop is never busy for longer than Redis has to respond. */
const REQUESTS_AT_ONCE = 10;

describe.skipIf(!isRedisAvailable)('replicas with one Redis', () => {
  let port: number;
  let server: RedisServer;
  let replicas: ProxiedService[];
  beforeAll(async () => {
    port = await findFreePort();
    server = await startRedis({ port });
    const variables = { RATE_LIMITS: 'on', REDIS_URL: `redis://127.0.0.1:${port}`, LOG_LEVEL: 'warn' };
    replicas = [await startIndexedService(variables), await startIndexedService(variables)];
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await server.stop();
  });

  const get = (index: number, path: string) => fetchChecked(replicas[index % 2]!.service.url + path);

  async function listStatuses(count: number): Promise<number[]> {
    const statuses: number[] = [];
    while (statuses.length < count) {
      const some = await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, (_, index) => get(index, '/health')));
      statuses.push(...some.map(({ status }) => status));
    }
    return statuses;
  }

  it('share their counters, count alone during an outage, and share them again afterwards', async () => {
    for (const { lines } of replicas) await untilTogether(lines, 1);
    expect((await get(0, '/ready')).json()['shared_rate_limits']).toBe(true);
    const together = await listStatuses(120);
    expect(together.filter((status) => status === 200)).toHaveLength(90);
    expect(together.filter((status) => status === 429)).toHaveLength(30);

    await server.stop();
    expect(await listStatuses(180)).toEqual(new Array(180).fill(200));
    expect((await get(0, '/health')).status).toBe(429);
    expect((await get(0, '/ready')).json()['shared_rate_limits']).toBe(false);

    server = await startRedis({ port });
    for (const { lines } of replicas) await untilTogether(lines, 2);
    expect((await get(1, '/ready')).json()['shared_rate_limits']).toBe(true);
  });

  /** Waits until a replica has logged so often that distributed rate limiting is active. */
  async function untilTogether(lines: readonly string[], times: number): Promise<void> {
    const count = () => lines.filter((line) => line.includes('distributed rate limiting is active')).length;
    while (count() < times) await delay(POLL_MILLISECONDS);
  }
});
