/** A few thousand of the requests of the campaign in `test/campaigns/openapi-fuzz.test.ts`, of a seed of the day. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runFuzz, worldOf } from '../../testing/harness/openapi-fuzz-run.ts';
import { startProxiedService, type ProxiedService } from './proxied-service.ts';

const REQUESTS = Number(process.env['REQUESTS'] ?? 3_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

let proxied: ProxiedService;
beforeAll(async () => {
  proxied = await startProxiedService();
});
afterAll(() => proxied.close());

it(
  `${REQUESTS} requests made from the document get documented answers and no 5xx (SEED=${SEED})`,
  { timeout: 30_000 + REQUESTS * 20 },
  async () => {
    const { statuses, askedAgain } = await runFuzz({
      url: proxied.service.url,
      world: worldOf(inject('fixtures')),
      seed: SEED,
      requests: REQUESTS,
    });
    expect(askedAgain).toBe(0);
    expect(Object.values(statuses).reduce((sum, count) => sum + count)).toBe(REQUESTS);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '304', '400', '401', '404', '405', '422']));
    expect(proxied.lines.filter((line) => line.includes('unexpected'))).toEqual([]);
  },
);
