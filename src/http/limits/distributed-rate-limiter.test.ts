import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { createHttpService } from '../../../testing/harness/http-service.ts';
import type { DistributedCounters } from '../../ports/runtime.ts';
import { RequestMetrics } from '../server/request-metrics.ts';

let app: FastifyInstance;
afterEach(() => app.close());

/** Returns counters with this result; undefined: they do not respond. */
function createCounts(isUp: () => boolean, response: (key: string) => number | undefined): DistributedCounters {
  return {
    isUp,
    increment: async (key) => response(key),
    failures: () => 0,
    close: async () => undefined,
  };
}

const send = async (url: string) => {
  const { statusCode, headers } = await app.inject(url);
  return [statusCode, headers['retry-after']];
};

test('limits by the count of all replicas, per address and path', async () => {
  const keys: string[] = [];
  const tally = new RequestMetrics();
  const sharedCounts = createCounts(
    () => true,
    (key) => {
      keys.push(key);
      return key.endsWith('/echo/b') ? 59_001 : 0;
    },
  );
  ({ app } = await createHttpService({ distributedCounters: sharedCounts, metrics: tally }));
  expect(await send('/echo/a')).toEqual([200, undefined]);
  expect(await send('/echo/b')).toEqual([429, '60']);
  expect((await send('/nothing'))[0]).toBe(404);
  expect(keys).toEqual(['general 127.0.0.1 /echo/a', 'general 127.0.0.1 /echo/b', 'general 127.0.0.1 ']);
  expect(tally.limiters()[0]).toEqual({ name: 'general', keys: 0, capacity: 24_999, refused: 1 });
});

test('checks the head after the rate, also when the counters respond late', async () => {
  ({ app } = await createHttpService({
    distributedCounters: createCounts(
      () => true,
      () => 0,
    ),
  }));
  expect((await app.inject('/thing')).statusCode).toBe(200);
  const manyHeaders = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`x-${index}`, '1']));
  expect((await app.inject({ url: '/thing', headers: manyHeaders })).statusCode).toBe(431);
});

test.each([
  ['are down', false, undefined],
  ['do not respond', true, undefined],
])('counts in this replica alone while the counters %s', async (_, isUp, response) => {
  const sharedCounts = createCounts(
    () => isUp,
    () => response,
  );
  ({ app } = await createHttpService({ distributedCounters: sharedCounts }));
  const statuses: number[] = [];
  for (let i = 0; i < 92; i++) statuses.push((await app.inject('/thing')).statusCode);
  expect(statuses).toEqual([...Array<number>(90).fill(200), 429, 429]);
});
