/** `svc machine`: text, JSON, and exit codes for errors of the service. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSvc } from '../../testing/harness/run-svc.ts';

const DID = 'did:svc:42';
const RATING = {
  did: DID,
  machine_id: '42',
  mcr_score: 45,
  mcr: 'BB',
  mcr_degraded: false,
  bond_status: 'bonded',
  negative_flag: false,
  event_count: 12,
  revenue_event_count: 7,
  activity_event_count: 5,
  revenue_trend: 'stable',
  total_revenue: 35_000,
  average_revenue_per_event: 5000.5,
  last_updated: 1_788_000_000,
  summary: 'Rated BB\u001b[31m with 45 of 100 points.',
};
const PROFILE = {
  schema_version: '1.0',
  name: 'Machine #42',
  facts: { did: DID, operator: null, data_visibility: 'private', documentation_url: 'https://docs.example' },
};

let server: Server;
let baseUrl: string;

/** Serves one machine; every other returns 404. */
beforeAll(async () => {
  const documents: Readonly<Record<string, object>> = {
    [`/mcr/${DID}`]: RATING,
    [`/machine/${DID}`]: PROFILE,
    '/metadata/42': PROFILE,
  };
  server = createServer((request, response) => {
    const document = documents[decodeURIComponent(request.url ?? '')];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { detail: 'Machine not found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('prints a machine without color and without control characters', async () => {
  expect(await runSvc(['machine', DID, '--base-url', `${baseUrl}/`])).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'Machine #42  did:svc:42',
      'rating              BB 45 of 100',
      'bond                bonded',
      'negative flag       no',
      'events              12 (7 of revenue)',
      'qualifying revenue  350.00 USD',
      'average per event   50.01 USD',
      'trend               stable',
      'last event          2026-08-29T10:40:00.000Z',
      'operator            -',
      'visibility          private',
      'documentation       https://docs.example',
      'summary             Rated BB\uFFFD[31m with 45 of 100 points.',
      '',
    ].join('\n'),
  });
});

it('prints both responses unchanged with --json', async () => {
  const { code, stdout } = await runSvc(['machine', DID, '--base-url', baseUrl, '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, { rating: RATING, profile: PROFILE }]);
});

it('calls the service of SVC_BASE_URL unless an option names another', async () => {
  const nowhere = 'http://127.0.0.1:1';
  expect(await runSvc(['machine', DID], { env: { SVC_BASE_URL: baseUrl } })).toMatchObject({ code: 0 });
  const options = ['--base-url', baseUrl];
  expect(await runSvc(['machine', DID, ...options], { env: { SVC_BASE_URL: nowhere } })).toMatchObject({ code: 0 });
});

it.each(['42', DID])('accepts %s as the machine', async (id) => {
  const { code, stdout } = await runSvc(['machine', id, '--base-url', baseUrl]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('did:svc:42')]);
});

describe('exits', () => {
  it.each(['042', '0x42', 'rated-aaa'])('with 2 for the invalid id %s', async (id) => {
    expect(await runSvc(['machine', id, '--base-url', baseUrl])).toEqual({
      code: 2,
      stdout: '',
      stderr: `svc: "${id}" is not a machine id or DID\n`,
    });
  });

  it('with 1 and the message of the service when it returns an error', async () => {
    expect(await runSvc(['machine', 'did:svc:7', '--base-url', baseUrl])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: did:svc:7: 404 Machine not found\n',
    });
  });

  it('with 3 when the service does not respond', async () => {
    expect(await runSvc(['machine', DID, '--base-url', 'http://127.0.0.1:1'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'svc: the service at http://127.0.0.1:1 does not respond; start one with svc demo, or name another with --base-url\n',
    });
  });
});
