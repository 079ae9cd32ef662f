/** Read routes for machines of the alt chain: whole bodies as printed in http-facts 4 to 6, and the tables of chain-svm 4. */
import { hash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import {
  eventLog,
  MACHINE,
  MAIN_MACHINE,
  NOW,
  openAltService,
  OTHER_KEY,
  revenueAt,
  UNREADABLE,
  type AltService,
  type AltServiceOptions,
  type MachineFixture,
} from '../../../testing/harness/alt-chain.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import type { WalletBinding } from '../../ports/alt-chain.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { ABSENT, present } from '../../domain/read-result.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

async function open(machine: MachineFixture = {}, options: AltServiceOptions = {}): Promise<AltService> {
  service = await openAltService({ machines: [machine], ...options });
  return service;
}

const DAY = 86_400;
/** Events for a rating. */
const DAILY = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 100_000));

describe('without an event', () => {
  rule('reads.alt-behavior');

  test('returns the /mcr record of the specification at the block of the main chain', async () => {
    rule('identifier.home-chain-ordinal');
    const { status, headers, text } = await (await open()).request('/mcr/did:svc:1');
    expect([status, headers['chain-block'], headers['chain-block-age']]).toEqual([200, '120340', '3']);
    expect(text).toBe(
      '{"did":"did:svc:1","machine_id":"1","mcr_score":0,"mcr":"Provisioned","mcr_degraded":false,"bond_status":"bonded",' +
        '"negative_flag":false,"event_count":0,"revenue_event_count":0,"activity_event_count":0,"revenue_trend":null,' +
        '"total_revenue":0,"average_revenue_per_event":null,"last_updated":null,"home_chain":5,' +
        '"rating_unavailable":"no_events_yet","summary":"Not rated yet."}',
    );
  });

  test('returns the profile with the members of alt-chain machines', async () => {
    rule('profile.alt-operator', 'profile.alt-members');
    const { text } = await (await open()).request('/machine/did:svc:1');
    expect(text).toBe(
      '{"schema_version":"1.0","name":"Machine #1","svcos":{"machine_id":"1","did":"did:svc:1",' +
        '"operator":"did:svc:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1","mcr":"Provisioned","mcr_score":0,"bond_status":"bonded",' +
        '"negative_flag":false,"event_count":0,"data_visibility":"private","documentation_url":null,"service_endpoints":[],' +
        '"home_chain":5,"rating_unavailable":"no_events_yet","owner":"GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB",' +
        '"controller":null,"machine_type":"Sensor","relocating":false},"description":"svcOS machine",' +
        '"image":"http://localhost:8000/machines/1/card.svg","external_url":"http://localhost:8000/explorer/machine/1","attributes":[' +
        '{"trait_type":"Bond","value":"bonded"},{"trait_type":"Negative flag","value":"no"},' +
        '{"trait_type":"Events","display_type":"number","value":0},{"trait_type":"Event data","value":"private"}]}',
    );
    expect((await service!.request('/metadata/1')).text).toBe(text);
  });

  test('returns the card with the registry as cluster and program', async () => {
    rule('card.alt-registry-name');
    const { text } = await (await open()).request('/machines/1');
    expect(text).toBe(
      '{"type":"svcos:registration:v1","name":"Machine #1","description":"svcOS machine","did":"did:svc:1","active":true,' +
        '"services":[],"data_visibility":"private","documentation_url":"",' +
        '"operator":"did:svc:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1","bond_status":"bonded","event_count":0,' +
        '"registrations":[{"type":"svcos:registration:v1","machineId":"1",' +
        '"machineRegistry":"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:GxPdR7jqb6KhD2ArK7cbPq3P87u4wvL3psSSuXQ6msou"}],' +
        '"home_chain":5,"rating_unavailable":"no_events_yet",' +
        '"image":"http://localhost:8000/machines/1/card.svg","x402Support":false,"supportedTrust":[],' +
        '"asset_id":null,"operator_account":"eip155:31337:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"}',
    );
  });
});

describe('with events', () => {
  const rated = { log: eventLog(120), indexed: DAILY };
  const parse = async (path: string) => JSON.parse((await service!.request(path)).text);

  test('returns an ordinary rating in /mcr, without the reason for none', async () => {
    rule('service.alt-chain-reads');
    await open(rated);
    expect(await parse('/mcr/did:svc:1')).toEqual({
      did: 'did:svc:1',
      machine_id: '1',
      mcr_score: 50,
      mcr: 'BB',
      mcr_degraded: false,
      bond_status: 'bonded',
      negative_flag: false,
      event_count: 120,
      revenue_event_count: 120,
      activity_event_count: 0,
      revenue_trend: 'stable',
      total_revenue: 12_000_000,
      average_revenue_per_event: 100_000,
      last_updated: NOW - DAY,
      home_chain: 5,
      summary: 'Rated BB with 50 of 100 points; largest deduction: low trust.',
    });
  });

  test('uses bond and flags of the main chain', async () => {
    const flags = present({ flaggedAt: BigInt(NOW - DAY), trustOverride: undefined });
    await open({ ...rated, main: { subscriptionStatus: present('Terminated'), flags } });
    for (const path of ['/mcr/did:svc:1', '/machine/did:svc:1']) {
      const body = await parse(path);
      expect(body.svcos ?? body).toMatchObject({ bond_status: 'unbonded', negative_flag: true });
    }
    expect(await parse('/mcr/did:svc:1')).toMatchObject({ mcr: 'NR', mcr_score: 0 });
  });

  test('returns an unavailable rating while the index lacks an event, with the indexed count', async () => {
    rule('mcr.alt-members');
    await open({ ...rated, log: eventLog(121) });
    expect(await parse('/mcr/did:svc:1')).toEqual({
      did: 'did:svc:1',
      machine_id: '1',
      mcr_score: 0,
      mcr: 'Provisioned',
      mcr_degraded: false,
      bond_status: 'bonded',
      negative_flag: false,
      event_count: 120,
      revenue_event_count: 120,
      activity_event_count: 0,
      revenue_trend: null,
      total_revenue: 12_000_000,
      average_revenue_per_event: null,
      last_updated: NOW - DAY,
      home_chain: 5,
      rating_unavailable: 'indexer_behind',
      summary: 'Not rated yet.',
    });
  });

  test('returns no rating on the other routes, with the count of the chain', async () => {
    rule('profile.alt-provisioned');
    await open({ ...rated, log: eventLog(121) });
    const shown = { event_count: 121, home_chain: 5, rating_unavailable: 'not_rated_here' };
    expect((await parse('/machine/did:svc:1')).svcos).toMatchObject({ ...shown, mcr: 'Provisioned', mcr_score: 0 });
    expect(await parse('/machines/1')).toMatchObject(shown);
  });

  test('returns the facts of both chains in the explanation', async () => {
    await open({ ...rated, log: eventLog(120, 7n) });
    const body = await parse('/mcr/did:svc:1/explanation');
    expect(body.inputs).toEqual({
      block: { number: '120340', hash: `0x${'ab'.repeat(32)}`, timestamp: NOW - 3 },
      slot: '301200450',
      now: NOW,
      subscription: 'Active',
      negative_flag_at: '0',
      trust_override: null,
      prior_events: 7,
      event_count: 120,
      rates: { feed: false, through: '1970-01-01', digest: hash('sha256', 'none 0\n') },
    });
    expect([body.home_chain, body.factors.length, body.reasons[0].code]).toEqual([5, 5, 'history_elsewhere']);
    expect(body.anchor).toEqual({ operator_verified: false, lost_hundredths: 179 });
    expect(body.evidence).toMatchObject({ sources_hash: null, changed_hands_at: null, accounts: [] });
    expect([body.evidence.verdicts.declared, Object.keys(body.evidence.verdicts).length]).toEqual([120, 11]);
  });

  test('shows a prior count beyond 2^53 as 2^53 - 1', async () => {
    await open({ ...rated, log: eventLog(120, 2n ** 64n - 1n) });
    expect((await parse('/mcr/did:svc:1/explanation')).inputs.prior_events).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each([
    [
      'the wallet of the owner is bound to the operator',
      { kind: 'bound', operator: MACHINE.operator!, since: 1 },
      true,
    ],
    [
      'the wallet is bound to another operator',
      { kind: 'bound', operator: `0x${'22'.repeat(20)}` as Address, since: 1 },
      false,
    ],
    ['the wallet is not bound', { kind: 'not-bound' }, false],
  ] as const)('has a verified operator when %s: %s', async (_name, binding, isVerified) => {
    const kyb = { issuedAt: 1n, expiresAt: undefined, revokedAt: undefined };
    const attestations = present({ operator: MACHINE.operator, kyb, chip: undefined });
    const bindings = { readBinding: async () => binding satisfies WalletBinding };
    await open({ ...rated, main: { attestations } }, { ctx: { bindings } });
    const { anchor } = await parse('/mcr/did:svc:1/explanation');
    expect(anchor.operator_verified).toBe(isVerified);
  });

  const visible = {
    ...MACHINE,
    controller: OTHER_KEY,
    operator: undefined,
    serviceEndpoints: [{ id: '#v', serviceType: 'DataVisibility', serviceEndpoint: 'onchain' }],
  };

  test('returns the oldest hundred indexed events in a profile of visibility onchain', async () => {
    await open({ ...rated, account: present(visible) });
    const { svcos } = await parse('/machine/did:svc:1');
    expect([svcos.operator, svcos.controller, svcos.event_data.length]).toEqual([null, OTHER_KEY, 100]);
    expect(svcos.event_data[0]).toEqual({
      event_type: 0,
      origin_value: 100_000,
      timestamp: NOW - 120 * DAY,
      trust_level: 2,
      metadata: {},
      origin_currency: 'USD',
      usd_value: 100_000,
      origin_subunit: 100,
      usd_subunit: 100,
      amount_status: 'ok',
    });
  });

  test.each([
    ['lacks the newest event', eventLog(121), undefined],
    ['is complete', eventLog(120), 100],
    ['is empty', ABSENT, 0],
  ])('returns the events of a profile when the index %s', async (_name, log, shown) => {
    await open({ ...rated, log, account: present(visible) });
    expect((await parse('/machine/did:svc:1')).svcos.event_data?.length).toBe(shown);
  });
});

describe('the location of a machine', () => {
  const token = { ...MAIN_MACHINE };
  const leaving = present({ ...MACHINE, relocating: true });
  const RELOCATING = '503 {"detail":"Machine is relocating"}';
  const UNREACHABLE = '503 {"detail":"Home chain unavailable"}';
  const NOT_FOUND = '404 {"detail":"Machine not found"}';
  const ELSEWHERE =
    '409 {"detail":{"code":"MACHINE_HOMED_ELSEWHERE","message":"The machine is homed on a chain that this service does not serve.",' +
    '"home_protocol_chain_id":3}}';

  test.each<[name: string, machine: MachineFixture, response: string, queries: string[]]>([
    ['leaving the alt chain', { account: leaving }, RELOCATING, ['alt 1']],
    ['left, the main chain has imported it', { main: token, account: leaving }, '200', []],
    ['arriving', { main: { ...token, relocating: present(true) } }, RELOCATING, []],
    ['arrived', {}, '200', ['alt 1']],
    ['created on the alt chain, not linked', { main: { homeOrdinal: present(0) } }, '200', ['alt 1']],
    ['unknown to both', { main: { homeOrdinal: present(0) }, account: ABSENT }, NOT_FOUND, ['alt 1']],
    [
      'unknown here, unreadable there',
      { main: { homeOrdinal: present(0) }, account: UNREADABLE },
      UNREACHABLE,
      ['alt 1'],
    ],
    ['homed on the alt chain, unreadable', { account: UNREADABLE }, UNREACHABLE, ['alt 1']],
    ['homed on the alt chain, retired', { account: ABSENT }, NOT_FOUND, ['alt 1', 'main now 1']],
    ['homed elsewhere', { main: { homeOrdinal: present(3) } }, ELSEWHERE, []],
    [
      'gone from the alt chain, on the main chain meanwhile',
      { account: ABSENT, mainAgain: token },
      '200',
      ['alt 1', 'main now 1'],
    ],
    [
      'gone there, and relocating meanwhile',
      { account: ABSENT, mainAgain: { ...token, relocating: present(true) } },
      RELOCATING,
      ['alt 1', 'main now 1'],
    ],
    [
      'gone there, retired meanwhile',
      { account: ABSENT, mainAgain: { homeOrdinal: present(0) } },
      NOT_FOUND,
      ['alt 1', 'main now 1', 'alt now 1'],
    ],
    [
      'gone there, and there again, not linked',
      { account: ABSENT, mainAgain: { homeOrdinal: present(0) }, accountAgain: present(MACHINE) },
      '200',
      ['alt 1', 'main now 1', 'alt now 1'],
    ],
    ['an unreadable event log', { log: UNREADABLE }, UNREACHABLE, ['alt 1']],
  ])('determines response and chain calls: %s', async (_name, machine, response, queries) => {
    const { status, text, headers } = await (await open(machine)).request('/machines/1');
    expect(status === 200 ? '200' : `${status} ${text}`).toBe(response);
    expect(service!.chainCalls).toEqual(queries);
    expect(headers['retry-after']).toBe(response === UNREACHABLE ? '30' : undefined);
  });

  test.each(['/mcr/did:svc:1', '/machine/did:svc:1', '/metadata/1', '/machines/1'])(
    'returns 503 on %s while it relocates or its chain cannot be read',
    async (path) => {
      rule('reads.alt-behavior', 'read-errors.503-alt-chain');
      const read = async (machine: MachineFixture) => {
        const { status, text } = await (await open(machine)).request(path);
        await service!.close();
        return `${status} ${text}`;
      };
      expect([await read({ account: leaving }), await read({ account: UNREADABLE })]).toEqual([
        RELOCATING,
        UNREACHABLE,
      ]);
    },
  );

  test.each([
    [5, 409],
    [0, 404],
  ])('returns its status for home %d without an alt chain', async (home, status) => {
    await open({ main: { homeOrdinal: present(home) } }, { hasAlt: false });
    expect((await service!.request('/machines/1')).status).toBe(status);
    expect(service!.chainCalls).toEqual([]);
  });
});

describe('an operator that the chains name differently', () => {
  const other = `0x${'5'.repeat(40)}` as Address;

  test('is that of the account, with one warning', async () => {
    await open({ main: { operator: present(other) } });
    const { text } = await service!.request('/machines/1');
    await service!.request('/machines/1');
    expect(JSON.parse(text).operator).toBe('did:svc:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1');
    expect(service!.ctx.lines.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', fields: { machine: '1' }, message: 'the chains name different operators' },
    ]);
  });

  test('is consistent while the main chain names none', async () => {
    await open();
    await service!.request('/machines/1');
    expect(service!.ctx.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

describe('Verify', () => {
  test.each([
    ['homed on the alt chain', {}, 503, 'VERIFY_READ_UNAVAILABLE'],
    ['not linked', { main: { homeOrdinal: present(0) } }, 503, 'VERIFY_READ_UNAVAILABLE'],
    ['unreadable on the alt chain', { account: UNREADABLE }, 503, 'VERIFY_READ_UNAVAILABLE'],
    ['unknown to both', { main: { homeOrdinal: present(0) }, account: ABSENT }, 404, 'MACHINE_NOT_FOUND'],
  ])('refuses a machine that is %s', async (_name, machine, status, code) => {
    const response = await (
      await open(machine)
    ).request('/v1/verify/machines/1', { headers: { accept: 'application/json' } });
    expect([response.status, JSON.parse(response.text).detail.code]).toEqual([status, code]);
  });
});
