/** Fleets on both chains: age limits of the snapshot, entries and omissions. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  eventLog,
  MACHINE,
  MAIN_MACHINE,
  NOW,
  openAltService,
  OPERATOR,
  UNREADABLE,
  type AltService,
  type ListingFixture,
  type MachineFixture,
} from '../../../testing/harness/alt-chain.ts';
import { chainUnreadable, Fault } from '../../domain/faults.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { IndexCounters } from '../../ports/indexes.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { ABSENT, present } from '../../domain/read-result.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

async function list(machines: readonly MachineFixture[], listing?: ListingFixture, query = '') {
  service = await openAltService({ machines, ...(listing && { listing }) });
  return service.request(`/operator/${OPERATOR}/machines${query}`);
}

const HERE: MachineFixture = { main: MAIN_MACHINE };
const THERE: MachineFixture = {};

test('returns a page of both chains, reading each machine from its chain in one round', async () => {
  rule('listing.alt-provisioned', 'listing.alt-snapshot');
  const { status, headers, text } = await list([HERE, THERE, { log: eventLog(3) }]);
  expect([status, headers['chain-block']]).toEqual([200, '120340']);
  expect(JSON.parse(text)).toEqual({
    operator_did: `did:svc:${OPERATOR}`,
    machines: [
      {
        did: 'did:svc:1',
        machine_id: '1',
        mcr_score: 0,
        mcr: 'Provisioned',
        negative_flag: false,
        name: 'Machine #1',
        bond_status: 'bonded',
        event_count: 0,
      },
      {
        did: 'did:svc:2',
        machine_id: '2',
        mcr_score: 0,
        mcr: 'Provisioned',
        negative_flag: false,
        name: 'Machine #2',
        bond_status: 'bonded',
        event_count: 0,
        home_chain: 5,
        rating_unavailable: 'no_events_yet',
      },
      {
        did: 'did:svc:3',
        machine_id: '3',
        mcr_score: 0,
        mcr: 'Provisioned',
        negative_flag: false,
        name: 'Machine #3',
        bond_status: 'bonded',
        event_count: 3,
        home_chain: 5,
        rating_unavailable: 'not_rated_here',
      },
    ],
    pagination: { offset: 0, limit: 20, total: 3 },
    unreadable: 0,
    index: {
      indexed_block: 120_340,
      head_block: 120_342,
      lag_blocks: 2,
      head_observed_age_seconds: 11,
      alt_snapshot_age_seconds: 40,
    },
  });
  expect(service!.chainCalls).toEqual(['alt 2', 'alt 3']);
});

describe('the age of the snapshot', () => {
  rule('listing.stale-snapshot-is-503');
  const observedAt = (milliseconds: number) => ({ observation: { slot: 1, observedAtMilliseconds: milliseconds } });
  const OUT_OF_DATE = [503, '60', { detail: 'Alt-chain ownership snapshot is out of date' }];
  const response = async (listing: ListingFixture) => {
    const { status, headers, text } = await list([THERE], listing);
    return [status, headers['retry-after'], JSON.parse(text)];
  };

  test('of ten poll intervals returns the fleet with that age', async () => {
    const [status, , body] = await response(observedAt(NOW * 1000 - 600_000));
    expect([status, body.index.alt_snapshot_age_seconds]).toEqual([200, 600]);
  });

  test.each([
    ['above ten poll intervals', observedAt(NOW * 1000 - 601_000)],
    ['unknown because the clock was set back', observedAt(NOW * 1000 + 60_001)],
    ['of a snapshot that was never taken', { observation: undefined }],
  ])('%s returns 503', async (_name, listing) => {
    expect(await response(listing)).toEqual(OUT_OF_DATE);
    expect(service!.chainCalls).toEqual([]);
  });

  test('is also checked for an operator without machines on the alt chain', async () => {
    expect(await response({ observation: undefined, total: 0, machines: [] })).toEqual(OUT_OF_DATE);
  });
});

describe('a page with fewer entries than limit', () => {
  const stranger = `0x${'5'.repeat(40)}` as Address;

  test.each<[name: string, machine: MachineFixture, unreadable: number]>([
    ['that is relocating', { account: present({ ...MACHINE, relocating: true }) }, 1],
    ['that cannot be read', { account: UNREADABLE }, 1],
    ['whose event log cannot be read', { log: UNREADABLE }, 1],
    ['that is retired', { account: ABSENT }, 0],
    ['that has another operator now', { account: present({ ...MACHINE, operator: stranger }) }, 0],
    ['that has no operator any more', { account: present({ ...MACHINE, operator: undefined }) }, 0],
  ])(
    'omits a machine of the alt chain %s, and counts it if its state is unknown',
    async (_name, machine, unreadable) => {
      rule('listing.alt-operator');
      const { status, text } = await list([HERE, machine, THERE]);
      const body = JSON.parse(text);
      const ids = body.machines.map(({ machine_id }: { machine_id: string }) => machine_id);
      expect([status, ids, body.unreadable, body.pagination.total]).toEqual([200, ['1', '3'], unreadable, 3]);
    },
  );

  const LATER = { observation: { slot: 301_200_451, observedAtMilliseconds: NOW * 1000 - 2_000 } };

  test.each<[name: string, machine: MachineFixture, listing: ListingFixture | undefined]>([
    ['does not exist', { account: ABSENT }, LATER],
    ['has another operator', { account: present({ ...MACHINE, operator: stranger }) }, LATER],
    [
      'does not exist, as cached facts say and fresh ones do not',
      { account: ABSENT, accountAgain: present(MACHINE) },
      undefined,
    ],
  ])('counts a machine as unreadable that before its snapshot %s', async (_name, machine, listing) => {
    rule('listing.unreadable', 'listing.alt-operator');
    const { status, text } = await list([THERE, machine], listing);
    const body = JSON.parse(text);
    expect([status, body.machines.length, body.unreadable, body.pagination.total]).toEqual([200, 1, 1, 2]);
  });

  const one = (listedBy: 'main' | 'alt') => ({ machines: [{ id: 1n as MachineId, listedBy }] });

  test.each([
    ['no entry for a listed machine that returned to the main chain', HERE, one('alt'), 0],
    ['an entry for a machine that moved to the alt chain, for the same operator', THERE, one('main'), 1],
  ])('returns %s', async (_name, machine, listing, entries) => {
    const body = JSON.parse((await list([machine], listing)).text);
    expect([body.machines.length, body.unreadable]).toEqual([entries, 0]);
  });

  test.each<[name: string, checkMachine: IndexCounters['checkMachine']]>([
    [
      'no log shows',
      () => Promise.reject(new Fault('EventIndexSyncing', { indexedBlock: 120_340, headBlock: 120_342 })),
    ],
    ['the index had missed', () => Promise.resolve({ outcome: 'corrected', epoch: 0 })],
  ])('counts a listed machine as unreadable whose return to the main chain %s', async (_name, checkMachine) => {
    rule('listing.unreadable');
    service = await openAltService({ machines: [HERE], listing: one('alt'), checkMachine });
    const body = JSON.parse((await service.request(`/operator/${OPERATOR}/machines`)).text);
    expect([body.machines, body.unreadable, body.pagination.total]).toEqual([[], 1, 1]);
  });

  test('counts a listed machine as unreadable that is here once its facts are read again', async () => {
    rule('listing.unreadable');
    service = await openAltService({ machines: [HERE], listing: one('main') });
    const { chain } = service.ctx.main!;
    const current = chain.getCached(1n as MachineId, false)!;
    const stale = { ...current, snapshot: { ...current.snapshot, owner: ABSENT, homeOrdinal: present(3) } };
    vi.spyOn(chain, 'getCached').mockReturnValueOnce(stale);
    const body = JSON.parse((await service.request(`/operator/${OPERATOR}/machines`)).text);
    expect([body.machines, body.unreadable, body.pagination.total]).toEqual([[], 1, 1]);
  });

  const DEPARTED: MachineFixture = { main: { owner: ABSENT, homeOrdinal: present(1) } };
  const TOKEN_ALONE: MachineFixture = { main: { ...MAIN_MACHINE, homeOrdinal: present(5) } };
  const onBoth = { machines: [], total: 0, onBoth: [1n as MachineId] };

  test.each<[name: string, machine: MachineFixture, check: IndexCounters['checkMachine'] | undefined, status: number]>([
    ['holds', HERE, undefined, 200],
    ['held when it was indexed', DEPARTED, () => Promise.resolve({ outcome: 'agrees', epoch: 0 }), 200],
    [
      'does not hold, as the index had missed',
      DEPARTED,
      () => Promise.resolve({ outcome: 'corrected', epoch: 0 }),
      503,
    ],
    [
      'holds only by its token, as the index had missed',
      TOKEN_ALONE,
      () => Promise.resolve({ outcome: 'corrected', epoch: 0 }),
      503,
    ],
    [
      'does not hold, as no log shows',
      DEPARTED,
      () => Promise.reject(new Fault('EventIndexSyncing', { indexedBlock: 120_340, headBlock: 120_342 })),
      503,
    ],
  ])(
    'returns no page without a machine of the alt chain that the main chain %s',
    async (_name, machine, check, expected) => {
      rule('listing.unreadable');
      service = await openAltService({ machines: [machine], listing: onBoth, ...(check && { checkMachine: check }) });
      const { status, text } = await service.request(`/operator/${OPERATOR}/machines`);
      const refusal = { detail: 'Ownership index is being repaired for this address' };
      expect([status, status === 503 && JSON.parse(text)]).toEqual([expected, expected === 503 && refusal]);
    },
  );

  test.each<[name: string, machine: MachineFixture, check: IndexCounters['checkMachine'] | undefined]>([
    [
      'owner',
      { main: { ...MAIN_MACHINE, owner: UNREADABLE } },
      () => Promise.resolve({ outcome: 'corrected', epoch: 0 }),
    ],
    ['home', { main: { ...MAIN_MACHINE, homeOrdinal: UNREADABLE } }, undefined],
    ['number of chip logs', DEPARTED, () => Promise.reject(chainUnreadable('main', 'undecodable'))],
  ])('counts a machine of both chains as unreadable whose %s cannot be decoded', async (_name, machine, check) => {
    rule('listing.unreadable');
    const listing = { machines: [{ id: 2n as MachineId, listedBy: 'alt' as const }], onBoth: [1n as MachineId] };
    service = await openAltService({
      ...{ machines: [machine, THERE], listing },
      ...(check && { checkMachine: check }),
    });
    const { status, text } = await service.request(`/operator/${OPERATOR}/machines`);
    const body = JSON.parse(text);
    expect([status, body.machines?.length, body.unreadable]).toEqual([200, 1, 1]);
  });

  test('counts invalid snapshot rows on every page', async () => {
    const unreadable = async (query: string) =>
      JSON.parse((await list([HERE, THERE], { unreadableRows: 2 }, query)).text).unreadable;
    expect([await unreadable('?limit=1'), await unreadable('?offset=1'), await unreadable('?offset=5')]).toEqual([
      2, 2, 2,
    ]);
  });
});
