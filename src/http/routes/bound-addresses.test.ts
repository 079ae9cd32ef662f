/** Routes of bound wallets on a frozen clock, with fake bindings and machines. */
import { NO_PROVENANCE } from '../../domain/machine/provenance.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { conformanceOf, type OpenapiConformance } from '../../../testing/harness/openapi-conformance.ts';
import { createStubCtx, type StubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { createFixedRates } from '../../adapters/fx/feed-rates.ts';
import { buildApp } from '../../app.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { LegacyMachine } from '../../domain/machine/legacy-machine.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { IndexProgress } from '../../domain/index-rules/index-freshness.ts';
import { ABSENT, present, unreadable } from '../../domain/read-result.ts';
import type { EventRecord } from '../../domain/machine/machine-facts.ts';
import type { WalletBinding } from '../../ports/alt-chain.ts';
import type { Ctx, MainChainPorts } from '../../ports/ctx.ts';
import type { LegacyMachines } from '../../ports/main-chain.ts';
import type { Store } from '../../ports/store.ts';

const NOW = 1_788_900_000;
const DAY = 86_400;
const WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const BOUND = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1' as Address;
const SPELLED = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';
const BLOCK = { number: 120_340, hash: `0x${'ab'.repeat(32)}`, timestamp: NOW - 3 };
const RECORD = `/solana/mcr/${WALLET}`;
const LISTING = `/solana/operator/${WALLET}/machines`;

const UNREADABLE = unreadable('undecodable');

/** 120 days of revenue, enough for a rating. */
const DAILY = Array.from({ length: 120 }, (_, day): EventRecord & { readonly storedAt: number } => {
  const storedAt = NOW - (120 - day) * DAY;
  const unread = { dataHash: '0x', sourceChainId: 0n, sourceTxHash: '0x', metadata: '0x' };
  return {
    eventType: 0,
    value: 100_000n,
    currency: 'USD',
    timestamp: BigInt(storedAt),
    trustLevel: 1,
    ...unread,
    storedAt,
  };
});

/** In the order of their ids, from 1; undefined: the registry names no owner. */
type Machines = readonly (Partial<LegacyMachine> | undefined)[];

interface Fixture {
  readonly binding?: WalletBinding | 'unreadable';
  readonly machines?: Machines;
  /** The owner of the bound address. */
  readonly own?: number | 'none';
  readonly index?: Partial<IndexProgress>;
  readonly parts?: Partial<Ctx>;
  readonly chain?: Partial<MainChainPorts['chain']>;
  readonly firstGeneration?: Partial<LegacyMachines>;
}

const SOUND = {
  block: BLOCK,
  address: present(BOUND),
  exists: present(true),
  staked: present(true),
  eventCount: present(0n),
  events: present({ offset: 0, records: [] }),
};
const RATED = { ...SOUND, eventCount: present(120n), events: present({ offset: 0, records: DAILY }) };

let app: FastifyInstance | undefined;
/** The OpenAPI document, which is the same for every test. */
let conformance: OpenapiConformance | undefined;
afterEach(() => app?.close());

async function open(fixture: Fixture = {}) {
  const { binding = { kind: 'bound', operator: BOUND, since: 1 }, machines = [SOUND], own = 1 } = fixture;
  const reading = { indexedBlock: 200, headBlock: 200, headObservedAtMilliseconds: NOW * 1000, ...fixture.index };
  const queries: string[] = [];
  const known = machines.map((facts, at) => facts && { id: BigInt(at + 1) as MachineId, ...SOUND, ...facts });
  const firstGeneration: LegacyMachines = {
    canList: true,
    readMachineOf: async (address) => {
      queries.push(`machine of ${address}`);
      return own === 'none' ? undefined : known[own - 1];
    },
    readPageOf: async (operator, offset, limit) => {
      queries.push(`page of ${operator}`);
      return { block: BLOCK, total: known.length, machines: known.slice(offset, offset + limit) };
    },
    readEvents: () => Promise.reject(chainUnreadable('main', 'events')),
    ...fixture.firstGeneration,
  };
  const eventTimes: Partial<MainChainPorts['eventTimes']> = {
    readEventLogs: async ({ generation, from, to }) =>
      DAILY.slice(from, to).map(({ eventType, value, storedAt }, i) => {
        const seq = from + i;
        queries.push(`${generation} log ${seq}`);
        const evidence = { isChipOnRecord: false, changedHandsBefore: undefined };
        const row = { seq, eventIndex: BigInt(seq), eventType, value, blockNumber: seq, blockTimestamp: storedAt };
        return { ...row, ...evidence };
      }),
    readPinnedHistory: async () => ({ epoch: 0, storedEpoch: 0, provenance: NO_PROVENANCE }),
  };
  const index = { readMainChainIndex: async () => reading };
  const ctx: StubCtx = createStubCtx({
    main: { chain: { legacy: firstGeneration, ...fixture.chain }, eventTimes, index } as unknown as MainChainPorts,
    bindings: {
      readBinding: async (wallet) => {
        queries.push(`binding of ${wallet}`);
        if (binding === 'unreadable') throw chainUnreadable('alt', 'transport');
        return binding;
      },
    },
    store: { readRatingState: async () => undefined } as unknown as Store,
    fxRates: createFixedRates([]),
    ...fixture.parts,
  });
  const running = await buildApp(ctx, { limiterMemoryBytes: 1_000 });
  app = running;
  conformance ??= conformanceOf((await running.inject('/openapi.json')).json());
  const document = conformance;
  /** Checks the response against the document. */
  async function send(path: string, sent: Readonly<Record<string, string>> = {}) {
    const { statusCode: status, headers, body: text } = await running.inject({ url: path, headers: sent });
    document.expectDocumented('GET', path, { status, headers, text });
    return { status, headers, text };
  }
  return { send, queries, ctx };
}

async function response(path: string, fixture: Fixture = {}) {
  const { status, headers, text } = await (await open(fixture)).send(path);
  return [status, JSON.parse(text), ...(headers['retry-after'] === undefined ? [] : [headers['retry-after']])];
}

const refused = (status: number, detail: string, ...retryAfter: string[]) => [status, { detail }, ...retryAfter];

describe('the rating of a bound machine', () => {
  test('is the ordinary record with the DID of its address and two more members', async () => {
    rule('address-keyed.mcr');
    const { send } = await open();
    const { status, headers, text } = await send(RECORD);
    expect([status, headers['chain-block'], headers['chain-block-age']]).toEqual([200, '120340', '3']);
    expect(text).toBe(
      `{"did":"did:svc:${SPELLED}","machine_id":"1","mcr_score":0,"mcr":"Provisioned","mcr_degraded":false,"bond_status":"bonded",` +
        '"negative_flag":false,"event_count":0,"revenue_event_count":0,"activity_event_count":0,"revenue_trend":"insufficient",' +
        '"total_revenue":0,"average_revenue_per_event":0,"last_updated":null,"summary":"Provisioned: 0 of 10 qualifying events, 0 of 5 days and 0 of 30 days of history.",' +
        `"solana_address":"${WALLET}","evm_address":"${SPELLED}"}`,
    );
  });

  test('is computed by the same model from the legacy event logs', async () => {
    rule('address-keyed.main-chain-scores');
    const { send, queries } = await open({ machines: [RATED] });
    const { mcr, mcr_score, event_count, total_revenue, last_updated } = JSON.parse((await send(RECORD)).text);
    expect([mcr, mcr_score > 0, event_count, total_revenue, last_updated]).toEqual([
      ...[expect.not.stringMatching('Provisioned'), true, 120, 12_000_000, NOW - DAY],
    ]);
    expect(queries.slice(0, 3)).toEqual([`binding of ${WALLET}`, `machine of ${BOUND}`, 'legacy log 0']);
    await send(RECORD);
    expect(queries.filter((question) => question === 'legacy log 0')).toHaveLength(1);
  });

  test('is unbonded without a stake, whatever other facts say', async () => {
    const [, body] = await response(RECORD, { machines: [{ staked: present(false) }] });
    expect(body.bond_status).toBe('unbonded');
  });

  test('returns 304 for its ETag', async () => {
    const { send } = await open();
    const { headers } = await send(RECORD);
    const { status, text } = await send(RECORD, { 'if-none-match': String(headers['etag']) });
    expect([status, text]).toEqual([304, '']);
  });

  test.each<[string, Fixture, unknown[]]>([
    ['an address without a machine', { own: 'none' }, refused(404, 'Machine not found')],
    ['an id that does not exist', { machines: [{ exists: present(false) }] }, refused(404, 'Machine not found')],
    ['a bond that cannot be read', { machines: [{ staked: UNREADABLE }] }, refused(503, 'Chain unavailable', '30')],
    [
      'an existence that cannot be read',
      { machines: [{ exists: UNREADABLE }] },
      refused(503, 'Chain unavailable', '30'),
    ],
    [
      'a count that cannot be read',
      { machines: [{ eventCount: UNREADABLE }] },
      refused(503, 'Chain unavailable', '30'),
    ],
    [
      'records that cannot be read',
      { machines: [{ ...RATED, events: UNREADABLE }] },
      refused(503, 'Chain unavailable', '30'),
    ],
    [
      'more new records than a request reads',
      { machines: [{ eventCount: present(2_001n), events: UNREADABLE }] },
      refused(503, 'Event index is syncing: block 200 of 120340', '60'),
    ],
  ])('returns the ordinary response for %s', async (_name, fixture, expected) => {
    rule('address-keyed.ordinary-errors');
    expect(await response(RECORD, fixture)).toEqual(expected);
  });
});

describe('the fleet of a bound operator', () => {
  test('is the ordinary fleet with DIDs of addresses and two more members', async () => {
    rule('address-keyed.listing');
    const other = `0x${'0'.repeat(39)}a` as Address;
    const { send } = await open({ machines: [SOUND, { address: present(other), staked: present(false) }] });
    const { status, headers, text } = await send(LISTING);
    expect([status, headers['chain-block'], headers['chain-block-age']]).toEqual([200, '120340', '3']);
    expect(text).toBe(
      `{"operator_did":"did:svc:${SPELLED}","machines":[` +
        `{"did":"did:svc:${SPELLED}","machine_id":"1","mcr_score":0,"mcr":"Provisioned","negative_flag":false,` +
        '"name":"Machine #1","bond_status":"bonded","event_count":0},' +
        '{"did":"did:svc:0x000000000000000000000000000000000000000A","machine_id":"2","mcr_score":0,"mcr":"NR",' +
        '"negative_flag":false,"name":"Machine #2","bond_status":"unbonded","event_count":0}],' +
        '"pagination":{"offset":0,"limit":20,"total":2},"unreadable":0,"index":{"indexed_block":200,"head_block":200,"lag_blocks":0,' +
        `"head_observed_age_seconds":0,"alt_snapshot_age_seconds":null},"solana_address":"${WALLET}","evm_address":"${SPELLED}"}`,
    );
  });

  test('is empty for an operator without machines', async () => {
    rule('address-keyed.listing');
    const [status, body] = await response(LISTING, { machines: [] });
    expect([status, body.machines, body.pagination.total]).toEqual([200, [], 0]);
  });

  test.each([
    ['?limit=1', ['1'], { offset: 0, limit: 1, total: 3 }],
    ['?offset=1&limit=2', ['2', '3'], { offset: 1, limit: 2, total: 3 }],
    ['?offset=3', [], { offset: 3, limit: 20, total: 3 }],
  ])('returns the page of %s', async (query, ids, pagination) => {
    rule('address-keyed.listing');
    const [status, body] = await response(LISTING + query, { machines: [SOUND, SOUND, SOUND] });
    const listed = body.machines.map(({ machine_id }: { machine_id: string }) => machine_id);
    expect([status, listed, body.pagination]).toEqual([200, ids, pagination]);
  });

  test.each<[string, Machines[number], number]>([
    ['is no longer registered', { exists: present(false) }, 0],
    ['cannot be attributed', undefined, 1],
    ['cannot be read', { staked: UNREADABLE }, 1],
    ['has no address', { address: ABSENT }, 1],
    ['has events that are not indexed yet', { eventCount: present(2_001n) }, 1],
  ])('omits a machine that %s, and counts it if it is unreadable', async (_name, facts, unreadable) => {
    rule('address-keyed.ordinary-errors');
    const [status, body] = await response(LISTING, { machines: [SOUND, facts, SOUND] });
    const listed = body.machines.map(({ machine_id }: { machine_id: string }) => machine_id);
    expect([status, listed, body.unreadable, body.pagination.total]).toEqual([200, ['1', '3'], unreadable, 3]);
  });

  test.each<[string, Partial<IndexProgress>, unknown[]]>([
    ['far behind', { indexedBlock: 99 }, refused(503, 'Operator index is syncing: block 99 of 200', '60')],
    ['empty', { indexedBlock: undefined }, refused(503, 'Operator index is syncing: block 0 of 200', '60')],
    [
      'of an old head',
      { headObservedAtMilliseconds: (NOW - 601) * 1000 },
      refused(503, 'Operator index is stale: chain head not read for 601 seconds', '60'),
    ],
  ])('returns 503 while the index is %s', async (_name, index, expected) => {
    rule('address-keyed.ordinary-errors');
    expect(await response(LISTING, { index })).toEqual(expected);
  });

  test('rejects what the ordinary fleet rejects', async () => {
    rule('address-keyed.ordinary-errors');
    const [status, { detail }] = await response(`${LISTING}?limit=21`);
    expect([status, detail[0].type, detail[0].loc]).toEqual([422, 'less_than_equal', ['query', 'limit']]);
  });

  test('returns 503 without a DID registry', async () => {
    const fixture = { firstGeneration: { canList: false } };
    expect(await response(LISTING, fixture)).toEqual(refused(503, 'Service not initialised'));
    await app!.close();
    expect((await response(RECORD, fixture))[0]).toBe(200);
  });
});

describe.each([
  ['the record', (wallet: string) => `/solana/mcr/${wallet}`],
  ['the listing', (wallet: string) => `/solana/operator/${wallet}/machines`],
])('the resolution before %s', (_name, toPath) => {
  test.each<[string, Fixture, unknown[]]>([
    ['not bound', { binding: { kind: 'not-bound' } }, refused(404, 'Solana address is not bound')],
    ['revoked', { binding: { kind: 'revoked' } }, refused(404, 'Solana binding is revoked')],
    ['unreadable', { binding: 'unreadable' }, refused(503, 'Binding registry unavailable', '30')],
  ])('returns its error for a binding that is %s', async (_state, fixture, expected) => {
    rule('address-keyed.resolution-errors');
    const { send, queries } = await open(fixture);
    const { status, headers, text } = await send(toPath(WALLET));
    const retryAfter = headers['retry-after'] === undefined ? [] : [headers['retry-after']];
    expect([status, JSON.parse(text), ...retryAfter]).toEqual(expected);
    expect(queries).toEqual([`binding of ${WALLET}`]);
  });

  test.each([
    ['no binding registry', { parts: { bindings: undefined } }],
    ['no contract at all', { parts: { main: undefined } }],
    ['no legacy contracts', { chain: { legacy: undefined } }],
  ])('returns 503 Service not initialised with %s', async (_missing, fixture) => {
    rule('address-keyed.resolution-errors');
    expect(await response(toPath(WALLET), fixture)).toEqual(refused(503, 'Service not initialised'));
  });

  test.each([
    ['31 bytes', '1'.repeat(31)],
    ['33 bytes', '1'.repeat(33)],
    ['an invalid character', WALLET.replace('G', '0')],
    ['a trailing blank', `${WALLET}%20`],
    ['an EVM address', BOUND],
    ['a segment that cannot be decoded', '%E0%A4%A'],
  ])('rejects %s, whatever is configured', async (_what, wallet) => {
    rule('address-keyed.address-form');
    const expected = refused(400, 'Invalid Solana address');
    expect(await response(toPath(wallet))).toEqual(expected);
    await app!.close();
    expect(await response(toPath(wallet), { parts: { main: undefined, bindings: undefined } })).toEqual(expected);
  });
});
