/** `GET /operator/{did}/machines` in front of a real chain (interface, rules 1 to 7; http-facts 7). */
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../conformance/rule.ts';
import { fetchChecked, findMachine } from './fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines, operators } = inject('fixtures');
const operatorOf = (name: string) => findMachine(operators, name);
const get = (path: string) => fetchChecked(baseUrl + path);

interface Listing {
  readonly operator_did: string;
  readonly machines: readonly { did: string; machine_id: string; mcr: string; mcr_score: number }[];
  readonly pagination: { offset: number; limit: number; total: number };
  readonly unreadable: number;
  readonly index: Record<string, number | null>;
}
const list = async (operator: string, query = '') =>
  (await get(`/operator/${operator}/machines${query}`)).json<Listing>();

const fleet = operatorOf('fleet');
const altIds = new Set(machines.filter(({ home }) => home === 'alt').map(({ id }) => id));

describe('the listing', () => {
  it('lists the first 20 machines in the order of their ids', async () => {
    rule('listing.total');
    const listing = await list(fleet.address);
    expect(listing.machines.map(({ machine_id }) => machine_id)).toEqual(fleet.machines.slice(0, 20));
    expect(listing.pagination).toEqual({ offset: 0, limit: 20, total: fleet.machines.length });
    expect(listing.unreadable).toBe(0);
  });

  it('iterates offset through a large fleet', async () => {
    rule('listing.large-fleets');
    const seen: string[] = [];
    for (let offset = 0; offset < fleet.machines.length; offset += 20) {
      const page = await list(fleet.address, `?offset=${offset}`);
      expect(page.pagination.offset).toBe(offset);
      seen.push(...page.machines.map(({ machine_id }) => machine_id));
    }
    expect(seen).toEqual(fleet.machines);
  });

  it('has entries with the documented members, in order', async () => {
    rule('listing.owned-machines');
    const members = ['did', 'machine_id', 'mcr_score', 'mcr', 'negative_flag', 'name', 'bond_status', 'event_count'];
    const seen = { main: 0, alt: 0 };
    for (let offset = 0; offset < fleet.machines.length; offset += 20) {
      for (const entry of (await list(fleet.address, `?offset=${offset}`)).machines) {
        const isAlt = altIds.has(entry.machine_id);
        seen[isAlt ? 'alt' : 'main'] += 1;
        expect(Object.keys(entry)).toEqual(isAlt ? [...members, 'home_chain', 'rating_unavailable'] : members);
        expect(entry.did).toBe(`did:svc:${entry.machine_id}`);
      }
    }
    expect(seen).toEqual({ main: 45, alt: 5 });
  });

  it("has the rating of each machine's own record", async () => {
    rule('listing.entries-from-chain');
    // Only its own record rates an alt-chain machine.
    const entries = (await list(fleet.address)).machines.filter(({ machine_id }) => !altIds.has(machine_id));
    expect(entries.length).toBeGreaterThanOrEqual(15);
    expect(new Set(entries.map(({ mcr_score }) => mcr_score)).size).toBeGreaterThan(1);
    for (const { did, mcr, mcr_score } of entries) {
      expect((await get(`/mcr/${did}`)).json()).toMatchObject({ did, mcr, mcr_score });
    }
  });

  it('reports the lag of the index', async () => {
    rule('listing.index-lag');
    const { index } = await list(fleet.address);
    expect(index).toEqual({
      indexed_block: expect.any(Number),
      head_block: expect.any(Number),
      lag_blocks: index.head_block! - index.indexed_block!,
      head_observed_age_seconds: expect.any(Number),
      alt_snapshot_age_seconds: expect.any(Number),
    });
    expect(index.lag_blocks).toBeLessThanOrEqual(100);
  });

  it('returns an empty 200 for an operator without machines', async () => {
    rule('listing.no-machines');
    expect(await list(operatorOf('empty').address)).toMatchObject({
      machines: [],
      pagination: { offset: 0, limit: 20, total: 0 },
      unreadable: 0,
    });
  });

  it('returns an empty page past the end', async () => {
    expect(await list(fleet.address, '?offset=5000')).toMatchObject({
      machines: [],
      pagination: { offset: 5000, limit: 20, total: fleet.machines.length },
    });
  });

  it('returns an empty page at a huge offset and repeats it with every digit', async () => {
    const { status, text } = await get(`/operator/${fleet.address}/machines?offset=99999999999999999999`);
    expect(status).toBe(200);
    expect(text).toContain(
      `"machines":[],"pagination":{"offset":99999999999999999999,"limit":20,"total":${fleet.machines.length}}`,
    );
  });

  it('lists a machine under its controller too', async () => {
    rule('listing.controlled-machines');
    const { id, controller } = findMachine(machines, 'with-controller');
    expect((await list(controller!)).machines.map(({ machine_id }) => machine_id)).toContain(id);
  });

  it('lists a sold machine under its buyer and under its retained controller', async () => {
    const { id, owner, controller } = findMachine(machines, 'sold');
    for (const holder of [owner, controller!]) {
      expect((await list(holder)).machines.map(({ machine_id }) => machine_id)).toContain(id);
    }
  });

  it('omits a relocating machine and counts it as unreadable', async () => {
    rule('listing.unreadable-omitted');
    const { owner } = findMachine(machines, 'relocating');
    expect(await list(owner)).toMatchObject({ machines: [], pagination: { total: 1 }, unreadable: 1 });
  });

  it.each(['retired', 'reissued-old'])('does not list a machine that is %s', async (name) => {
    const { id, owner } = findMachine(machines, name);
    expect((await list(owner)).machines.map(({ machine_id }) => machine_id)).not.toContain(id);
  });
});

describe('the operator', () => {
  const address = fleet.address;
  const upper = `0x${address.slice(2).toUpperCase()}`;

  it.each([
    [address, `did:svc:${address}`],
    [upper, `did:svc:${upper}`],
    [`did:svc:${address}`, `did:svc:${address}`],
    [`did%3Asvc%3A${upper}`, `did:svc:${upper}`],
  ])('may be written %s', async (text, did) => {
    rule('identifier.operator-did');
    expect(await list(text, '?limit=1')).toMatchObject({
      operator_did: did,
      pagination: { total: fleet.machines.length },
    });
  });

  it.each([
    ['did:svc:', 'Empty DID'],
    ['did:svc:5', 'Invalid Ethereum address format'],
    ['5', 'Invalid Ethereum address format'],
    ['0x', 'Invalid Ethereum address format'],
    [address.slice(2), 'Invalid Ethereum address format'],
    [`${address}0`, 'Invalid Ethereum address format'],
    [`0X${address.slice(2)}`, 'Invalid Ethereum address format'],
    [`did:SVC:${address}`, 'Invalid Ethereum address format'],
    [`${address}%20`, 'Invalid Ethereum address format'],
    ['%ZZ', 'Invalid Ethereum address format'],
    ['9'.repeat(5000), 'Invalid Ethereum address format'],
  ])('is rejected when written %s', async (text, detail) => {
    const response = await get(`/operator/${text}/machines`);
    expect([response.status, response.json()]).toEqual([400, { detail }]);
  });
});

describe('offset and limit', () => {
  it.each([
    ['offset=-1', 'greater_than_equal'],
    ['offset=', 'int_parsing'],
    ['offset=1.5', 'int_parsing'],
    ['offset=1e3', 'int_parsing'],
    ['offset=+1', 'int_parsing'],
    ['offset=%201', 'int_parsing'],
    ['offset=1&offset=2', 'int_parsing'],
    ['limit=0', 'greater_than_equal'],
    ['limit=21', 'less_than_equal'],
    ['limit=abc', 'int_parsing'],
    ['limit=٥', 'int_parsing'],
  ])('return a 422 list for ?%s', async (query, type) => {
    rule('reads.listing-paging', 'limits.page-size');
    const response = await get(`/operator/${fleet.address}/machines?${query}`);
    const name = query.slice(0, query.indexOf('='));
    expect([response.status, response.json<{ detail: { type: string; loc: string[] }[] }>().detail]).toEqual([
      422,
      [expect.objectContaining({ type, loc: ['query', name] })],
    ]);
  });

  it.each([1, 20])('accept limit=%i', async (limit) => {
    rule('reads.listing-paging');
    expect((await list(fleet.address, `?limit=${limit}`)).machines).toHaveLength(limit);
  });

  it('do not affect other parameters, which are ignored', async () => {
    expect((await list(fleet.address, '?limit=2&page=7')).machines).toHaveLength(2);
  });
});
