import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { createHttpService } from '../../../testing/harness/http-service.ts';
import { RequestMetrics } from './request-metrics.ts';

let tally: RequestMetrics;
let app: FastifyInstance;

beforeEach(async () => {
  tally = new RequestMetrics();
  ({ app } = await createHttpService({ metrics: tally, deadlineMilliseconds: { general: 50 } }));
});
afterEach(() => app.close());

/** Returns sorted lines of `route method status count` of the counters above 0. */
function listAnswers(): string[] {
  return tally
    .responses()
    .flatMap(({ route, method, status, durations }) => {
      const count = durations.counts.reduce((sum, each) => sum + each, 0);
      return count === 0 ? [] : [`${route} ${method} ${status} ${count}`];
    })
    .sort();
}

test('counts responses by route, method and status class, a bounded set', async () => {
  for (const value of ['a', 'b', 'c']) await app.inject(`/echo/${value}`);
  await app.inject({ method: 'HEAD', url: '/echo/a' });
  await app.inject({ method: 'DELETE', url: '/echo/a' });
  for (const method of ['PATCH', 'TRACE'] as const) await app.inject({ method: method as 'PATCH', url: '/echo/a' });
  for (const path of ['/x', '/y?z', '/v1/verify/nothing']) await app.inject(path);
  await app.inject({ url: '/thing', headers: { 'if-none-match': '*' } });
  expect(listAnswers()).toEqual([
    '/echo/:value GET 2xx 3',
    '/echo/:value HEAD 2xx 1',
    '/echo/:value other 4xx 3',
    '/thing GET 3xx 1',
    'unknown GET 4xx 3',
  ]);
});

test('counts successes and server errors of every registered route from 0, and unexpected errors', () => {
  const counts = tally.responses().filter(({ route, method }) => route === '/thing' && method === 'GET');
  expect(counts.map(({ status, durations }) => [status, durations.sumSeconds])).toEqual([
    ['2xx', 0],
    ['5xx', 0],
  ]);
  expect(tally.faults()).toEqual([{ fault: 'Unexpected', cause: '', count: 0 }]);
});

test('counts faults by kind and cause, and any other error as Unexpected', async () => {
  for (const path of ['/unreadable', '/unreadable', '/boom', '/boom-at-once', '/nothing']) await app.inject(path);
  expect(tally.faults()).toEqual([
    { fault: 'Unexpected', cause: '', count: 2 },
    { fault: 'ChainUnreadable', cause: 'rpc-error', count: 2 },
    { fault: 'RouteUnknown', cause: '', count: 1 },
  ]);
});

test('counts a timed-out request once, with its duration', async () => {
  await app.inject('/stuck');
  expect(listAnswers()).toEqual(['/stuck GET 5xx 1']);
  const timedOut = tally.responses().find(({ route, status }) => route === '/stuck' && status === '5xx')!;
  expect(timedOut.durations.sumSeconds).toBeGreaterThanOrEqual(0.05);
  expect(tally.faults()).toEqual([
    { fault: 'Unexpected', cause: '', count: 0 },
    { fault: 'ChainUnreadable', cause: 'deadline', count: 1 },
  ]);
});

test('reports keys and refusals of the limiter', async () => {
  for (let i = 0; i < 92; i++) await app.inject('/thing');
  await app.inject('/echo/a');
  expect(tally.limiters()[0]).toEqual({ name: 'general', keys: 2, capacity: 24_999, refused: 2 });
  expect(listAnswers()).toEqual(['/echo/:value GET 2xx 1', '/thing GET 2xx 90', '/thing GET 4xx 2']);
});

test('counts requests in a row from one address, without health checks', async () => {
  const ask = (url: string, remoteAddress: string) => app.inject({ url, remoteAddress });
  for (let i = 0; i < 3; i++) await ask('/thing', '192.0.2.1');
  expect(tally.sameCallerRequests()).toBe(3);
  await ask('/health', '192.0.2.9');
  await ask('/echo/a', '192.0.2.1');
  expect(tally.sameCallerRequests()).toBe(4);
  await ask('/thing', '192.0.2.2');
  expect(tally.sameCallerRequests()).toBe(1);
});
