/** `svc explain`, `history`, `events`, `directory`, `search` and `status`: text, JSON, and exit codes. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSvc } from '../../testing/harness/run-svc.ts';

const DID = 'did:svc:42';
const ADDRESS = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1';
const WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const RATING = { did: DID, machine_id: '42', mcr: 'BB', mcr_score: 45, summary: 'Rated BB\u001b[31m with 45 points.' };
const EXPLANATION = {
  ...RATING,
  factors: [{ name: 'revenue', points_hundredths: 1500, max_hundredths: 3000, measure: {} }],
  reasons: [
    { code: 'revenue_low', lost_hundredths: 1500, text: 'Little revenue.' },
    { code: 'note', lost_hundredths: null, text: 'A notice.' },
  ],
};
const point = (day: string, total: number | null) => ({
  ...{ day, mcr: total === null ? 'NR' : 'BB', mcr_score: 45, mcr_degraded: false, total_hundredths: total },
  revenue: 12_345,
});
const HISTORY = { did: DID, machine_id: '42', points: [point('2026-03-01', null), point('2026-03-02', 4500)] };
const EVENTS = {
  machine_id: '42',
  next_cursor: 7,
  events: [
    {
      position: 8,
      timestamp: 1_772_413_200,
      event_type: 0,
      origin_value: 30_000,
      origin_currency: 'USD',
      origin_subunit: 100,
    },
    { position: 7, timestamp: 9e15, event_type: 1, origin_value: 3 },
    { position: 6, timestamp: 9e15, event_type: 0, origin_value: 500, origin_currency: 'JPY', origin_subunit: 1 },
    { position: 5, timestamp: 9e15, event_type: 0, origin_value: 700, origin_currency: 'ZZZ', origin_subunit: null },
  ].map((event, at) => ({
    ...event,
    judgement: at === 0 ? 'sound' : 'early',
    class: at === 0 ? 'paid' : null,
    verdict: at === 0 ? 'paid' : null,
  })),
};
const report = (status: string) => ({
  status,
  max_lag_blocks: 20,
  operator_index: { ready: true, indexed_block: 8, head_block: 10, lag_blocks: 2, head_observed_age_seconds: 1 },
  solana_indexer: null,
  solana_index_progress: null,
  causes: status === 'fresh' ? [] : [{ cause: 'c', subject: 'MAIN_RPC_URLS', text: 'no node', remedy: 'name one' }],
});
const FLEET = { operator_did: `did:svc:${ADDRESS}`, machines: [], pagination: { offset: 0, limit: 20, total: 3 } };

const DIRECTORY = {
  machines: [
    {
      ...{ machine_id: '42', did: DID, rating: 'BB', score: 45, bond: 'Active', flag: 'none', kyb: 'verified' },
      ...{ chip: 'unverified', opt_in: 'PENDING', home: 'main', operator: null, owner: ADDRESS, event_count: 12 },
    },
  ],
  next: '45.42',
  unlisted: 3,
  opened_at: null,
};

let server: Server;
let baseUrl: string;
beforeAll(async () => {
  const documents: Readonly<Record<string, object>> = {
    [`/mcr/${DID}`]: RATING,
    [`/mcr/${DID}/explanation`]: EXPLANATION,
    [`/mcr/${DID}/history`]: HISTORY,
    '/machines/42/events?limit=20': EVENTS,
    '/machines/42/events?limit=5&cursor=7': { ...EVENTS, events: [], next_cursor: null },
    [`/operator/did:svc:${ADDRESS}/machines?offset=0&limit=20`]: FLEET,
    [`/solana/mcr/${WALLET}`]: { ...RATING, solana_address: WALLET },
    '/directory?after=71.42&limit=5&opt_in=PENDING&rating=BB%2CB&sort=-score': DIRECTORY,
    '/directory': { ...DIRECTORY, machines: [], next: null, unlisted: 0 },
    '/status': report('fresh'),
  };
  server = createServer((request, response) => {
    const isStale = request.url === '/status?max_lag_blocks=1';
    const document = isStale ? report('not_fresh') : documents[request.url ?? ''];
    response.writeHead(isStale ? 503 : document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { detail: 'Machine not found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const svc = (...args: string[]) => runSvc(args, { env: { SVC_BASE_URL: baseUrl } });

describe('svc explain', () => {
  it('prints points, deductions and notices, without control characters', async () => {
    const { code, stdout } = await svc('explain', DID);
    expect([code, stdout]).toEqual([
      0,
      [
        'did:svc:42  BB 45',
        'Rated BB\uFFFD[31m with 45 points.',
        '',
        'factor   points  of',
        'revenue  15.00   30.00',
        '',
        'points  reason',
        '-15.00  Little revenue.',
        'notice  A notice.',
        '',
      ].join('\n'),
    ]);
  });

  it('prints the response unchanged with --json', async () => {
    expect(JSON.parse((await svc('explain', '42', '--json')).stdout)).toEqual(EXPLANATION);
  });
});

describe('svc history', () => {
  it('prints the last days as a table, and no score for a day without a rating', async () => {
    expect((await svc('history', DID)).stdout).toBe(
      'day         rating  score  USD\n2026-03-01  NR      -      123.45\n2026-03-02  BB      45     123.45\n',
    );
    expect(JSON.parse((await svc('history', DID, '--days', '1', '--json')).stdout)).toEqual({
      ...HISTORY,
      points: HISTORY.points.slice(-1),
    });
  });

  it.each(['0', '366', 'x'])('rejects %s days', async (days) => {
    expect(await svc('history', DID, '--days', days)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('svc events', () => {
  it('prints a table with amounts in their unit, and the cursor of older events to standard error', async () => {
    expect(await svc('events', DID)).toEqual({
      code: 0,
      stdout: [
        'position  time                  type      amount      judgement  class  verdict',
        '8         2026-03-02T01:00:00Z  revenue   300.00 USD  sound      paid   paid',
        '7         9000000000000000      activity  3           early      -      -',
        '6         9000000000000000      revenue   500 JPY     early      -      -',
        '5         9000000000000000      revenue   700 ZZZ     early      -      -',
        '',
      ].join('\n'),
      stderr: 'older events: --cursor 7\n',
    });
  });

  it('reads the page of a cursor', async () => {
    const { code, stderr } = await svc('events', DID, '--cursor', '7', '--limit', '5');
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('svc directory', () => {
  const args = ['--rating', 'BB,B', '--opt-in', 'PENDING', '--sort=-score', '--after', '71.42', '--limit', '5'];

  it('prints a page as a table, and its cursor and what is missing to standard error', async () => {
    expect(await svc('directory', ...args)).toEqual({
      code: 0,
      stdout: [
        'rating  score  bond    flag  kyb       chip        opt-in   events  machine',
        'BB      45     Active  none  verified  unverified  PENDING  12      did:svc:42',
        '',
      ].join('\n'),
      stderr: 'not observed yet: 3 machines\nnext page: --after 45.42\n',
    });
  });

  it('prints the response unchanged with --json', async () => {
    expect(JSON.parse((await svc('directory', ...args, '--json')).stdout)).toEqual(DIRECTORY);
  });

  it('prints no cursor after the last page', async () => {
    expect(await svc('directory')).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['0', '501', 'x'])('rejects a limit of %s', async (limit) => {
    expect(await svc('directory', '--limit', limit)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('svc search', () => {
  it.each([
    ['42', 'machine  did:svc:42'],
    ['DID:svc:42', 'machine  did:svc:42'],
    ['https://ratings.example/explorer/machine/42?tab=events', 'machine  did:svc:42'],
    ['https://ratings.example/mcr/did%3Asvc%3A42/history', 'machine  did:svc:42'],
    [ADDRESS.toUpperCase(), `operator  did:svc:${ADDRESS}`],
    [`https://ratings.example/explorer/operator/${ADDRESS}`, `operator  did:svc:${ADDRESS}`],
    [` ${WALLET} `, 'wallet  did:svc:42'],
  ])('finds %s', async (text, line) => {
    const { code, stdout } = await svc('search', text);
    expect([code, stdout.split('\n')[0]]).toEqual([0, line]);
  });

  it('exits with 2 for a text that names nothing, and with 1 for a machine that does not exist', async () => {
    expect(await svc('search', 'robot')).toMatchObject({
      code: 2,
      stderr: 'svc: "robot" names no machine, operator or wallet\n',
    });
    expect(await svc('search', '7')).toMatchObject({ code: 1, stderr: 'svc: 7: 404 Machine not found\n' });
  });
});

describe('svc status', () => {
  it('prints fresh indexes and exits with 0', async () => {
    expect(await svc('status')).toEqual({
      code: 0,
      stdout: 'fresh\nmain chain  2 blocks behind, head 10\nalt chain   -\n',
      stderr: '',
    });
  });

  it('prints the cause and exits with 4 when an index is not fresh', async () => {
    const { code, stdout } = await svc('status', '--max-lag-blocks', '1');
    expect([code, stdout]).toEqual([4, expect.stringContaining('MAIN_RPC_URLS: no node; name one\n')]);
  });

  it('prints color when the terminal has it', async () => {
    const { stdout } = await runSvc(['status'], { env: { SVC_BASE_URL: baseUrl, FORCE_COLOR: '1' } });
    expect(stdout).toMatch(/^\u001b\[32mfresh/);
  });
});
