/** OpenAPI fuzzing: a few thousand requests of the campaign in `test/campaigns/openapi-fuzz.test.ts`, with a new seed for each run. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runFuzz, worldOf } from '../../../testing/harness/openapi-fuzz-run.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';
import { rule } from '../../conformance/rule.ts';

const REQUESTS = Number(process.env['REQUESTS'] ?? 3_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

let proxied: ProxiedService;
beforeAll(async () => {
  proxied = await startIndexedService();
});
afterAll(() => proxied.close());

it(
  `returns documented responses and no 5xx to ${REQUESTS} requests generated from the document (SEED=${SEED})`,
  { timeout: 30_000 + REQUESTS * 20 },
  async () => {
    rule('documents.openapi-answers');
    const { statuses, repeated } = await runFuzz({
      url: proxied.service.url,
      world: worldOf(inject('fixtures')),
      seed: SEED,
      requests: REQUESTS,
    });
    expect(repeated).toBe(0);
    expect(Object.values(statuses).reduce((sum, count) => sum + count)).toBe(REQUESTS);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '304', '400', '401', '404', '405', '422']));
    expect(proxied.lines.filter((line) => line.includes('unexpected'))).toEqual([]);
  },
);
