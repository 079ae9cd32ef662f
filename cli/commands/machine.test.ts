/** `svc machine`: shown for people, raw for programs, and the exit codes of whatever the service answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSvc } from '../run-svc.ts';

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

/** Answers for one machine, and refuses every other. */
beforeAll(async () => {
  const documents: Readonly<Record<string, object>> = { [`/mcr/${DID}`]: RATING, [`/machine/${DID}`]: PROFILE };
  server = createServer((request, response) => {
    const document = documents[decodeURIComponent(request.url ?? '')];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { detail: 'Machine not found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('shows a machine, without colour for what is no terminal and without what would steer one', async () => {
  expect(await runSvc(['machine', DID, '--base-url', `${baseUrl}/`])).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'Machine #42  did:svc:42',
      'rating         BB 45 of 100',
      'bond           bonded',
      'negative flag  no',
      'events         12 (7 of revenue)',
      'revenue        350.00 USD',
      'per event      50.01 USD',
      'trend          stable',
      'last event     2026-08-29T10:40:00.000Z',
      'operator       -',
      'visibility     private',
      'documentation  https://docs.example',
      'why            Rated BB\uFFFD[31m with 45 of 100 points.',
      '',
    ].join('\n'),
  });
});

it('prints both documents as they are', async () => {
  const { code, stdout } = await runSvc(['machine', DID, '--base-url', baseUrl, '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([0, { rating: RATING, profile: PROFILE }]);
});

it.each(['42', DID])('knows a machine by %s', async (id) => {
  const { code, stdout } = await runSvc(['machine', id, '--base-url', baseUrl]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('did:svc:42')]);
});

describe('exit codes', () => {
  it.each(['042', '0x42', 'rated-aaa'])('2 for %s, which is no id', async (id) => {
    expect(await runSvc(['machine', id, '--base-url', baseUrl])).toEqual({
      code: 2,
      stdout: '',
      stderr: `svc: "${id}" is not a machine id or DID\n`,
    });
  });

  it('1 when the service refuses, with its words', async () => {
    expect(await runSvc(['machine', 'did:svc:7', '--base-url', baseUrl])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: did:svc:7: 404 Machine not found\n',
    });
  });

  it('3 when it does not answer', async () => {
    expect(await runSvc(['machine', DID, '--base-url', 'http://127.0.0.1:1'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'svc: the service at http://127.0.0.1:1 does not answer; svc demo starts one here, --base-url names another\n',
    });
  });
});
