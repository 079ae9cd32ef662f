/** Service without contract addresses (decisions 5): alive, not ready, and 503 for everything that needs the chain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { startService, type Service } from '../../../src/main.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked } from '../fetch-checked.ts';

let service: Service;

beforeAll(async () => {
  const variables = { DATABASE_URL: 'sqlite::memory:', PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'silent' };
  const { config, problems } = readConfig(variables, { readFile: () => '' });
  expect(problems).toEqual([]);
  service = await startService(config, { log: { info() {}, warn() {}, error() {} } });
});
afterAll(() => service.close());

const get = (path: string) => fetchChecked(service.url + path);

describe('an uninitialized service', () => {
  it('is alive', async () => {
    rule('health.alive');
    const { status, text } = await get('/health');
    expect([status, text]).toEqual([200, '{"status":"ok"}']);
  });

  it('is not ready, with every boolean false and both index entries null', async () => {
    rule('readiness.nulls-when-uninitialized', 'readiness.uninitialized');
    const { status, text } = await get('/ready');
    expect(status).toBe(503);
    expect(text).toBe(
      '{"status":"not_ready","rpc_connected":false,"contracts":{"machine_registry":false,"machine_state_and_sync":false,' +
        '"machine_subscription":false,"event_registry":false,"admin_flags":false},"verify":false,"solana_indexer":null,' +
        '"operator_index":null}',
    );
  });

  it.each([
    '/mcr/did:svc:1',
    '/mcr/did:svc:1/explanation',
    '/mcr/did:svc:1/history',
    '/machines/1/events',
    '/active-machines',
    `/operator/0x${'1'.repeat(40)}/fleet`,
    `/operator/0x${'1'.repeat(40)}/fleet.csv`,
    '/machine/did:svc:1',
    '/metadata/1',
    '/machines/1',
    `/solana/mcr/${'1'.repeat(32)}`,
    `/solana/operator/${'1'.repeat(32)}/machines`,
  ])('returns 503 for %s', async (path) => {
    rule('read-errors.503-uninitialized');
    const { status, text } = await get(path);
    expect([status, text]).toEqual([503, '{"detail":"Service not initialised"}']);
  });

  it.each(['card.svg', 'badge.svg'])('returns %s as an image without a rating', async (name) => {
    rule('images.always');
    const { status, text } = await get(`/machines/1/${name}`);
    expect([status, / id="t">([^<]+)</.exec(text)?.[1]]).toEqual([200, 'Machine #1: unavailable now']);
  });

  it('returns the coded 503 for a Verify record', async () => {
    rule('verify-errors.uninitialized');
    const { status, json } = await get('/v1/verify/machines/1');
    expect([status, json()]).toEqual([
      503,
      { detail: { code: 'VERIFY_READ_UNAVAILABLE', message: 'The machine cannot be verified now.' } },
    ]);
  });

  it.each([
    ['/v1/verify/machines/0', 400],
    ['/mcr/5', 400],
    ['/machine/did:svc:0', 400],
    ['/metadata/x', 422],
    ['/machines/007', 422],
    ['/solana/mcr/0', 400],
    [`/solana/operator/${'1'.repeat(32)}/machines?limit=0`, 422],
    ['/nothing', 404],
  ])('rejects malformed input first: %s', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });
});

describe('INDEXER=only', () => {
  it('serves the health checks only', async () => {
    const variables = { DATABASE_URL: 'sqlite::memory:', PORT: '0', ADMIN_PORT: '0', INDEXER: 'only' };
    const { config } = readConfig(variables, { readFile: () => '' });
    const indexer = await startService(config, { log: { info() {}, warn() {}, error() {} } });
    const statuses = ['/health', '/ready', '/mcr/did:svc:1', '/openapi.json'].map(
      async (path) => (await fetch(indexer.url + path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 503, 404, 404]);
    await indexer.close();
  });
});
