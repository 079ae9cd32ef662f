/** `svc fleet` and `svc verify`: text, JSON, and exit codes for errors of the service. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSvc } from '../../testing/harness/run-svc.ts';

const OPERATOR = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1';
const WITHOUT_MACHINES = `0x${'0'.repeat(39)}1`;
const RATED = `0x${'0'.repeat(39)}2`;
const entry = (id: number) => ({
  did: `did:svc:${id}`,
  machine_id: String(id),
  mcr_score: id * 10,
  mcr: 'BB\u001b[31m',
  negative_flag: id === 2,
  name: `Machine #${id}`,
  bond_status: id === 3 ? 'unbonded' : 'bonded',
  event_count: id * 1000,
  ...(id === 3 && { home_chain: 5, rating_unavailable: 'not_rated_here' }),
});
const ratedEntry = (id: number) => ({
  ...{ ...entry(id), name: undefined, rating_unavailable: undefined, mcr: 'BB', subscription: 'Active' },
  ...{ total_revenue: 5, revenue_trend: 'up', summary: 'Rated BB.' },
});
const UNRATED_ENTRY = { ...ratedEntry(3), machine_id: '4', did: 'did:svc:4', rating_unavailable: 'no_events_yet' };
const ACCOUNT = { kind: 'evm', address: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1' };
const RECORD = {
  machineId: '42',
  machineDid: 'did:svc:42',
  homeChain: { kind: 'evm', chainId: '31337' },
  didController: ACCOUNT,
  operator: ACCOUNT,
  verification: { kyb: { status: 'verified' }, chip: { status: 'unverified' } },
};

let server: Server;
let baseUrl: string;

/** Serves two pages of two operators, one of them with ratings, an empty page of another, and one record; everything else returns 404. */
beforeAll(async () => {
  const page = (operator: string, offset: number, machines: object[], total: number) => ({
    operator_did: `did:svc:${operator}`,
    machines,
    pagination: { offset, limit: 20, total },
    unreadable: offset === 20 ? 1 : 0,
    index: {
      indexed_block: 10,
      head_block: 12,
      lag_blocks: 2,
      head_observed_age_seconds: 11,
      alt_snapshot_age_seconds: null,
    },
  });
  const documents: Readonly<Record<string, object>> = {
    [`/operator/did:svc:${OPERATOR}/machines?offset=0&limit=20`]: page(OPERATOR, 0, [entry(1), entry(2)], 22),
    [`/operator/did:svc:${OPERATOR}/machines?offset=20&limit=20`]: page(OPERATOR, 20, [entry(3)], 22),
    [`/operator/did:svc:${RATED}/fleet?offset=0&limit=500`]: page(RATED, 0, [ratedEntry(1), ratedEntry(3)], 502),
    [`/operator/did:svc:${RATED}/fleet?offset=500&limit=500`]: page(RATED, 20, [UNRATED_ENTRY], 502),
    [`/operator/did:svc:${WITHOUT_MACHINES}/machines?offset=0&limit=20`]: page(WITHOUT_MACHINES, 0, [], 0),
    '/v1/verify/machines/42': RECORD,
  };
  server = createServer((request, response) => {
    const document = documents[request.url ?? ''];
    const absent = request.url?.startsWith('/v1/')
      ? { detail: { code: 'MACHINE_NOT_FOUND', message: 'There is no machine with this ID.' } }
      : { detail: 'Alt-chain ownership snapshot is out of date' };
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? absent));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const svc = (...args: string[]) => runSvc([...args, '--base-url', baseUrl]);

describe('svc fleet', () => {
  it('prints the ratings of every page, those of alt-chain machines too', async () => {
    const { code, stdout } = await svc('fleet', RATED);
    expect([code, stdout.split('\n').slice(0, 5)]).toEqual([
      0,
      [
        `did:svc:${RATED}  502 machines`,
        'rating     score  bond      events  flag  machine',
        'BB         10     bonded    1000    no    did:svc:1',
        'BB         30     unbonded  3000    no    did:svc:3',
        'no events  -      unbonded  3000    no    did:svc:4',
      ],
    ]);
  });

  it('prints the listing in one table without color where ratings of fleets are not served', async () => {
    expect(await svc('fleet', OPERATOR)).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        `did:svc:${OPERATOR}  22 machines`,
        'rating       score  bond      events  flag  machine',
        'BB\uFFFD[31m      10     bonded    1000    no    did:svc:1',
        'BB\uFFFD[31m      20     bonded    2000    yes   did:svc:2',
        'see machine  -      unbonded  3000    no    did:svc:3',
        'not listed because unreadable: 1; try again later',
        'index: 2 blocks behind the head (read 11 s ago)',
        '',
      ].join('\n'),
    });
  });

  it('prints one document with --json', async () => {
    const { code, stdout } = await svc('fleet', OPERATOR, '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        operator_did: `did:svc:${OPERATOR}`,
        machines: [entry(1), entry(2), entry(3)],
        total: 22,
        unreadable: 1,
        index: expect.objectContaining({ lag_blocks: 2 }),
      },
    ]);
  });

  it('prints no table for an operator without machines', async () => {
    const { code, stdout } = await svc('fleet', WITHOUT_MACHINES);
    expect([code, stdout.split('\n')[0]]).toEqual([0, `did:svc:${WITHOUT_MACHINES}  0 machines`]);
  });
});

describe('svc verify', () => {
  it('prints the status of each topic', async () => {
    expect(await svc('verify', 'did:svc:42')).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'did:svc:42',
        'kyb         verified',
        'chip        unverified',
        `operator    ${ACCOUNT.address}`,
        `controller  ${ACCOUNT.address}`,
        'chain       31337',
        '',
      ].join('\n'),
    });
  });

  it('prints the record unchanged with --json', async () => {
    const { code, stdout } = await svc('verify', '42', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, RECORD]);
  });

  it.each([
    ['kyb', 0, ''],
    ['chip', 4, 'svc: not verified: chip\n'],
    ['kyb,chip', 4, 'svc: not verified: chip\n'],
    ['all', 2, 'svc: --require must be kyb, chip or kyb,chip\n'],
  ])('exits for --require %s with %d', async (topics, code, stderr) => {
    expect(await svc('verify', '42', '--require', topics)).toMatchObject({ code, stderr });
  });
});

describe('exit codes', () => {
  it.each([
    [['fleet', '0x12'], 2, 'svc: "0x12" is not an address or address DID\n'],
    [
      ['fleet', `0x${'2'.repeat(40)}`],
      1,
      `svc: 0x${'2'.repeat(40)}: 404 Alt-chain ownership snapshot is out of date\n`,
    ],
    [['verify', '042'], 2, 'svc: "042" is not a machine id or DID\n'],
    [['verify', '7'], 1, 'svc: 7: 404 There is no machine with this ID.\n'],
  ])('are as documented: %j exits with %d', async (args, code, stderr) => {
    expect(await svc(...args)).toEqual({ code, stdout: '', stderr });
  });

  it('are 3 when nothing listens', async () => {
    expect(await runSvc(['verify', '42', '--base-url', 'http://127.0.0.1:1'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'svc: the service at http://127.0.0.1:1 does not respond; start one with svc demo, or name another with --base-url\n',
    });
  });
});
