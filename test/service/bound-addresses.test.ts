/** Address-keyed routes with wallets of a local alt chain that are bound to legacy machines of the devnet (interface, Address-keyed routes). */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { getAddress } from 'viem';
import { rule } from '../conformance/rule.ts';
import { fetchChecked } from './fetch-checked.ts';
import { startBoundService, walletKey, type BoundService } from './bound-service.ts';

const { firstGeneration, machines: secondGeneration } = inject('fixtures');
const [first, second] = firstGeneration as [Fixture, Fixture];
type Fixture = (typeof firstGeneration)[number];

const WALLETS = {
  machine: 1,
  second: 2,
  operator: 3,
  revoked: 4,
  spoiled: 5,
  stranger: 6,
  unbound: 7,
  later: 8,
} as const;
const STRANGER = `0x${'ab'.repeat(20)}`;

let service: BoundService;
beforeAll(async () => {
  service = await startBoundService();
  await service.bind(WALLETS.machine, first.address);
  await service.bind(WALLETS.second, second.address);
  await service.bind(WALLETS.operator, first.operator);
  await service.bind(WALLETS.revoked, undefined);
  await service.spoil(WALLETS.spoiled);
  await service.bind(WALLETS.stranger, STRANGER);
});
afterAll(() => service.close());

const get = (path: string, init?: RequestInit) => fetchChecked(service.url + path, init);
const record = (wallet: keyof typeof WALLETS, init?: RequestInit) =>
  get(`/solana/mcr/${walletKey(WALLETS[wallet])}`, init);
const listing = (wallet: keyof typeof WALLETS, query = '') =>
  get(`/solana/operator/${walletKey(WALLETS[wallet])}/machines${query}`);

const spell = (address: string) => getAddress(address);
const didOf = (address: string) => `did:svc:${spell(address)}`;

const MEMBERS = [
  ...['did', 'machine_id', 'mcr_score', 'mcr', 'mcr_degraded', 'bond_status', 'negative_flag', 'event_count'],
  ...['revenue_event_count', 'activity_event_count', 'revenue_trend', 'total_revenue', 'average_revenue_per_event'],
  ...['last_updated', 'summary', 'solana_address', 'evm_address'],
];

describe('GET /solana/mcr/{solana_addr}', () => {
  it('returns the rating record of the bound machine with two additional members', async () => {
    rule('address-keyed.mcr');
    const { status, json } = await record('machine');
    expect([status, Object.keys(json())]).toEqual([200, MEMBERS]);
    expect(json()).toMatchObject({
      ...first.expectedRating,
      did: didOf(first.address),
      machine_id: first.id,
      bond_status: 'bonded',
      negative_flag: false,
      solana_address: walletKey(WALLETS.machine),
      evm_address: spell(first.address),
    });
  });

  it("returns the rating of that machine's own history", async () => {
    rule('address-keyed.main-chain-scores');
    expect((await record('second')).json()).toMatchObject({ ...second.expectedRating, machine_id: second.id });
  });

  it('names its block', async () => {
    const { headers } = await record('machine');
    expect(Number(headers.get('chain-block'))).toBeGreaterThan(0);
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    ['a wallet that is not bound', 'unbound', 404, 'Solana address is not bound'],
    ['a revoked binding', 'revoked', 404, 'Solana binding is revoked'],
    ['an account that is no binding', 'spoiled', 503, 'Binding registry unavailable'],
    ['an address of no machine', 'stranger', 404, 'Machine not found'],
    ['the address of an operator', 'operator', 404, 'Machine not found'],
  ] as const)('rejects %s', async (_what, wallet, status, detail) => {
    rule('address-keyed.resolution-errors');
    const response = await record(wallet);
    expect([response.status, response.json()]).toEqual([status, { detail }]);
  });

  it('does not resolve to a machine with a decimal DID', async () => {
    rule('address-keyed.legacy-only');
    await service.bind(WALLETS.later, secondGeneration[0]!.owner);
    expect((await record('later')).status).toBe(404);
  });

  it('returns 400 for a text that is no address of the alt chain', async () => {
    const response = await get(`/solana/mcr/${first.address}`);
    expect([response.status, response.json()]).toEqual([400, { detail: 'Invalid Solana address' }]);
  });
});

describe('GET /solana/operator/{solana_addr}/machines', () => {
  const entry = ({ address, id, expectedRating }: Fixture) => {
    const { mcr, mcr_score, negative_flag } = expectedRating as Record<string, unknown>;
    return { did: didOf(address), machine_id: id, mcr, mcr_score, negative_flag };
  };

  it('lists the machines that the operator names and owns, in order', async () => {
    rule('address-keyed.listing');
    const { status, json } = await listing('operator');
    expect([status, json()]).toMatchObject([
      200,
      {
        operator_did: didOf(first.operator),
        machines: [entry(first), entry(second)],
        pagination: { offset: 0, limit: 20, total: 2 },
        unreadable: 0,
        index: { alt_snapshot_age_seconds: null },
        solana_address: walletKey(WALLETS.operator),
        evm_address: spell(first.operator),
      },
    ]);
  });

  it('returns pages by offset and limit', async () => {
    expect((await listing('operator', '?offset=1&limit=1')).json()).toMatchObject({
      machines: [entry(second)],
      pagination: { offset: 1, limit: 1, total: 2 },
    });
  });

  it('returns an empty 200 for an operator without machines', async () => {
    const { status, json } = await listing('stranger');
    expect([status, json()]).toMatchObject([200, { machines: [], pagination: { total: 0 }, unreadable: 0 }]);
  });

  it.each([
    ['a wallet that is not bound', 'unbound', 404, 'Solana address is not bound'],
    ['a revoked binding', 'revoked', 404, 'Solana binding is revoked'],
    ['an account that is no binding', 'spoiled', 503, 'Binding registry unavailable'],
  ] as const)('rejects %s', async (_what, wallet, status, detail) => {
    rule('address-keyed.resolution-errors');
    const response = await listing(wallet);
    expect([response.status, response.json()]).toEqual([status, { detail }]);
  });
});

describe('a bound wallet', () => {
  const WALLET = 9;
  const path = `/solana/mcr/${walletKey(WALLET)}`;
  const accountReads = () => service.altCalls.filter((method) => method === 'getAccountInfo').length;

  it('is resolved with one account read per minute for any number of callers, and nothing is written', async () => {
    rule('address-keyed.one-account-read', 'address-keyed.main-chain-scores');
    await service.bind(WALLET, second.address);
    const before = accountReads();
    const responses = await Promise.all(Array.from({ length: 50 }, () => get(path)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(accountReads() - before).toBe(1);
    await service.bind(WALLET, undefined);
    expect((await get(path)).status).toBe(200);
    expect(accountReads() - before).toBe(1);
    expect(service.altCalls.filter((method) => !method.startsWith('get'))).toEqual([]);
  });

  it('is read again each time while its account is no binding', async () => {
    const before = accountReads();
    await record('spoiled');
    await record('spoiled');
    expect(accountReads() - before).toBe(2);
  });

  it('causes no transaction on the main chain', () => {
    rule('address-keyed.main-chain-scores');
    const methods = new Set(service.proxy.calls.map(({ method }) => method));
    expect([...methods].filter((method) => /send|sign|submit/i.test(method))).toEqual([]);
    expect(methods).toContain('eth_call');
  });
});
