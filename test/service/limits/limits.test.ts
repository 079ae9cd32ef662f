/** Rate limits of the read and monetization routes over a socket (interface, Limits; http-facts 2; decisions 3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, type CheckedResponse } from '../fetch-checked.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const LIMIT = 90;
const ADDRESS = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';

let proxied: ProxiedService;

beforeAll(async () => {
  proxied = await startIndexedService({ RATE_LIMITS: 'on' });
});
afterAll(() => proxied.close());

const get = (path: string) => fetchChecked(proxied.service.url + path);

/** Sends as many requests as the limit allows, then returns the response to the next one. */
async function exhaust(path: string): Promise<CheckedResponse> {
  const admitted = await Promise.all(Array.from({ length: LIMIT }, () => get(path)));
  expect(admitted.filter(({ status }) => status === 429)).toEqual([]);
  return get(path);
}

function expectRefused({ status, text, headers }: CheckedResponse): void {
  expect([status, text]).toEqual([429, '{"error":"Rate limit exceeded: 90 per 1 minute"}']);
  expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  expect(headers.get('access-control-expose-headers')).toMatch(/^Retry-After, /);
}

describe('the 91st request of a minute', () => {
  it.each([
    '/mcr/did:svc:1',
    '/machine/did:svc:1',
    '/metadata/1',
    `/operator/${ADDRESS}/machines`,
    '/solana/mcr/1',
    '/solana/operator/1/machines',
    '/machine/1/monetization',
    '/.well-known/svc-monetization',
    '/ready',
    '/health',
  ])('to %s returns 429 with Retry-After', async (path) => {
    rule(
      'health.rate-limit',
      'envelope.rate-limit',
      'read-errors.429',
      'monetization-errors.rate-limit',
      'limits.reads',
    );
    expectRefused(await exhaust(path));
  });

  it('is counted separately for /machines/1 and /machines/2', async () => {
    rule('limits.paths-count-separately');
    expectRefused(await exhaust('/machines/1'));
    expect((await get('/machines/2')).status).toBe(404);
    expectRefused(await get('/machines/1'));
  });

  it('is counted together for both spellings of a path, any query and any method', async () => {
    const path = '/machine/did:svc:3/monetization';
    expectRefused(await exhaust(path));
    expectRefused(await get('/machine/did%3Asvc%3A3/monetization?x=1'));
    expectRefused(await fetchChecked(proxied.service.url + path, { method: 'PUT', body: '{}' }));
  });
});
