/** Read routes of a machine against a real chain: members, types and headers (interface, Read routes; http-facts 2 to 6). */
import { getAddress } from 'viem';
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines, mainChain, wallets } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const get = (path: string, init?: RequestInit) => fetchChecked(baseUrl + path, init);

const MCR_MEMBERS = [
  'did',
  'machine_id',
  'mcr_score',
  'mcr',
  'mcr_degraded',
  'bond_status',
  'negative_flag',
  'event_count',
  'revenue_event_count',
  'activity_event_count',
  'revenue_trend',
  'total_revenue',
  'average_revenue_per_event',
  'last_updated',
  'summary',
];
const ALT_MEMBERS = ['home_chain', 'rating_unavailable', 'owner', 'controller', 'machine_type', 'relocating'];

describe('GET /mcr/{did}: the rating record', () => {
  it('contains exactly the documented members, in order', async () => {
    rule('mcr.members', 'reads.mcr');
    const { did } = machineOf('rated-aaa');
    expect(Object.keys((await get(`/mcr/${did}`)).json())).toEqual(MCR_MEMBERS);
  });

  it('contains the id as a decimal string with every digit', async () => {
    rule('identifier.every-digit');
    const { did, id } = machineOf('rated-aaa');
    expect((await get(`/mcr/${did}`)).json()).toMatchObject({ did, machine_id: id });
    expect(id.length).toBeGreaterThan(70);
  });

  it('has a score of 0, never null, for an unrated machine', async () => {
    rule('mcr.score-is-integer');
    for (const name of ['fresh', 'provisioned', 'unbonded']) {
      expect((await get(`/mcr/${machineOf(name).did}`)).json()).toMatchObject({ mcr_score: 0 });
    }
  });

  it('has no last_updated without an event', async () => {
    expect((await get(`/mcr/${machineOf('fresh').did}`)).json()).toMatchObject({
      event_count: 0,
      last_updated: null,
      average_revenue_per_event: 0,
      revenue_trend: 'insufficient',
    });
  });

  it('has a trend and an average unless rating_unavailable is present', async () => {
    rule('mcr.nulls-when-unavailable');
    const seen = { rated: 0, unavailable: 0 };
    for (const { did } of machines) {
      const response = await get(`/mcr/${did}`);
      if (response.status !== 200) continue;
      const { revenue_trend, average_revenue_per_event, rating_unavailable } = response.json();
      seen[rating_unavailable === undefined ? 'rated' : 'unavailable'] += 1;
      expect([revenue_trend === null, average_revenue_per_event === null], did).toEqual(
        rating_unavailable === undefined ? [false, false] : [true, true],
      );
    }
    expect([seen.rated > 0, seen.unavailable > 0]).toEqual([true, true]);
  });

  it('has revenue and activity counts that sum to event_count', async () => {
    const sums = new Set<number>();
    for (const { did } of machines.filter(({ did, expect: answers }) => answers[`/mcr/${did}`]!.status === 200)) {
      const response = await get(`/mcr/${did}`);
      expect(response.status, did).toBe(200);
      const { event_count, revenue_event_count, activity_event_count } = response.json<Record<string, number>>();
      expect(revenue_event_count! + activity_event_count!, did).toBe(event_count);
      if (revenue_event_count! > 0 && activity_event_count! > 0) sums.add(event_count!);
    }
    expect(sums.size).toBeGreaterThan(1);
  });

  it('equals the start of its explanation, which adds the inputs and the output of the model', async () => {
    rule('reads.mcr-explanation');
    const { did } = machineOf('flagged');
    const record = (await get(`/mcr/${did}`)).json();
    const explanation = (await get(`/mcr/${did}/explanation`)).json();
    expect(explanation).toMatchObject(record);
    const added = [
      'model',
      'total_hundredths',
      'factors',
      'dormancy',
      'anchor',
      'reasons',
      'availability',
      'inputs',
      'evidence',
    ];
    expect(Object.keys(explanation)).toEqual([...MCR_MEMBERS, ...added]);
  });
});

describe('GET /mcr/{did}/explanation', () => {
  it.each([
    ['rated-b', 'available'],
    ['grace', 'available'],
    ['suspended', 'paused'],
    ['alt-rated', 'available'],
  ])('reports the availability of %s as %s', async (name, availability) => {
    rule('explanation.availability');
    expect((await get(`/mcr/${machineOf(name).did}/explanation`)).json()).toMatchObject({ availability });
  });
});

describe('GET /machine/{did} and GET /metadata/{token_id}: the profile', () => {
  it('is the same on both routes', async () => {
    rule('profile.identical-shape');
    const { did, id } = machineOf('rated-aaa');
    const [profile, metadata] = await Promise.all([get(`/machine/${did}`), get(`/metadata/${id}`)]);
    expect(metadata.text).toBe(profile.text);
  });

  it('names the machine by its token id', async () => {
    rule('service.path-accepts-decimal-id', 'identifier.token-id', 'profile.name-and-ids', 'reads.metadata');
    const { did, id } = machineOf('with-controller');
    expect((await get(`/metadata/${id}`)).json()).toMatchObject({
      schema_version: '1.0',
      name: `Machine #${id}`,
      svcos: { machine_id: id, did },
    });
  });

  it('contains identity, rating, bond status and service endpoints', async () => {
    rule('profile.members', 'profile.data-api-optional', 'reads.machine');
    const { did, operator } = machineOf('visibility-private');
    const { svcos } = (await get(`/machine/${did}`)).json<{ svcos: Record<string, unknown> }>();
    expect(Object.keys(svcos)).toEqual([
      ...['machine_id', 'did', 'operator', 'mcr', 'mcr_score', 'bond_status', 'negative_flag', 'event_count'],
      ...['data_visibility', 'documentation_url', 'service_endpoints', 'data_api'],
    ]);
    expect(svcos).toMatchObject({ operator: `did:svc:${operator}`, mcr: expect.any(String) });
    expect(svcos['mcr_score']).toSatisfy(Number.isInteger);
    expect(svcos['data_api']).toMatch(/^https:/);
    const without = (await get(`/machine/${machineOf('fresh').did}`)).json<{ svcos: object }>();
    expect(without.svcos).not.toHaveProperty('data_api');
  });

  it('equals the rating record in the shared members', async () => {
    rule('profile.rating-equals-mcr');
    for (const name of ['rated-aaa', 'rated-b', 'grace', 'flagged', 'unbonded']) {
      const { did } = machineOf(name);
      const [record, profile] = await Promise.all([get(`/mcr/${did}`), get(`/machine/${did}`)]);
      const { mcr, mcr_score, bond_status, negative_flag, event_count } = record.json();
      expect(profile.json()).toMatchObject({ svcos: { mcr, mcr_score, bond_status, negative_flag, event_count } });
    }
  });

  it('contains no alt-chain member for a main-chain machine', async () => {
    const isServed = ({ did, expect: answers }: (typeof machines)[number]) =>
      answers[`/machine/${did}`]!.status === 200;
    const [main, alt] = ['main', 'alt'].map((chain) =>
      machines.filter((each) => each.home === chain && isServed(each)),
    );
    const listAltMembers = async (did: string) => {
      const response = await get(`/machine/${did}`);
      expect(response.status, did).toBe(200);
      const { svcos, ...top } = response.json<{ svcos: object }>();
      return ALT_MEMBERS.filter((member) => [...Object.keys(svcos), ...Object.keys(top)].includes(member));
    };
    for (const { did } of main!) expect(await listAltMembers(did), did).toEqual([]);
    // The same check of an alt-chain machine finds some.
    expect(main!.length).toBeGreaterThan(20);
    expect(await listAltMembers(alt![0]!.did)).not.toEqual([]);
  });

  it('lists events of an onchain machine, oldest first, and none for other visibilities', async () => {
    const shown = (await get(`/machine/${machineOf('visibility-onchain').did}`)).json<{
      svcos: { event_data: { timestamp: number }[] };
    }>();
    const times = shown.svcos.event_data.map(({ timestamp }) => timestamp);
    expect(times.length).toBeGreaterThan(0);
    expect(shown.svcos).not.toHaveProperty('data_api');
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const name of ['visibility-private', 'visibility-public']) {
      const { svcos } = (await get(`/machine/${machineOf(name).did}`)).json<{ svcos: object }>();
      expect(svcos).not.toHaveProperty('event_data');
    }
  });

  it('contains exactly one of partner_data and partner_data_error for a public machine', async () => {
    rule('profile.data-api-optional');
    const { svcos } = (await get(`/machine/${machineOf('visibility-public').did}`)).json<{ svcos: object }>();
    expect(svcos).toMatchObject({ partner_data_error: 'not_fetched' });
    expect(svcos).not.toHaveProperty('partner_data');
    expect(svcos).not.toHaveProperty('data_api');
  });

  it('returns hostile text as text', async () => {
    const response = await get(`/machine/${machineOf('hostile-strings').did}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.json<{ svcos: { service_endpoints: object[] } }>().svcos.service_endpoints.length).toBeGreaterThan(
      0,
    );
  });
});

describe('GET /machines/{machine_id}: the card', () => {
  it('contains services, registrations and operator info', async () => {
    rule('card.members', 'reads.card');
    const { id, did, operator } = machineOf('visibility-private');
    const card = (await get(`/machines/${id}`)).json<{ services: object[]; registrations: object[] }>();
    expect(card).toMatchObject({ did, operator: `did:svc:${operator}`, active: true });
    expect(card.services.map((service) => Object.keys(service))).toEqual([
      ['name', 'endpoint'],
      ['name', 'endpoint'],
    ]);
    expect(card.registrations).toHaveLength(1);
  });

  it('names its registry as <namespace>:<chain reference>:<registry id>', async () => {
    rule('card.main-registry-name');
    const { id } = machineOf('rated-aaa');
    const { registrations } = (await get(`/machines/${id}`)).json<{ registrations: object[] }>();
    const registry = `eip155:${mainChain.chainId}:${getAddress(mainChain.addresses.machineRegistry)}`;
    expect(registrations).toEqual([{ type: 'svcos:registration:v1', machineId: id, machineRegistry: registry }]);
  });
});

describe('every read', () => {
  const paths = ({ did, id }: { did: string; id: string }) => [
    `/mcr/${did}`,
    `/mcr/${did}/explanation`,
    `/machine/${did}`,
    `/metadata/${id}`,
    `/machines/${id}`,
  ];

  it.each(paths(machineOf('rated-b')))('names its block and the age of that block on %s', async (path) => {
    const { headers } = await get(path);
    expect(headers.get('chain-block')).toMatch(/^[1-9]\d*$/);
    expect(headers.get('chain-block-age')).toMatch(/^\d+$/);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  const { id, owner } = machineOf('rated-b');
  const wallet = findMachine(wallets, 'bound').address;
  const publicPaths = [
    ...paths(machineOf('rated-b')),
    ...[`/operator/${owner}/machines`, `/solana/mcr/${wallet}`, `/solana/operator/${wallet}/machines`],
    ...[`/machine/${id}/monetization`, '/.well-known/svc-monetization', `/v1/verify/machines/${id}`],
    ...['/health', '/ready'],
  ];

  it.each(publicPaths)('ignores credentials on %s', async (path) => {
    rule('reads.public', 'auth.public-reads');
    const sent = { Authorization: 'Bearer of-nothing', Cookie: 'session=none', 'X-Api-Key': 'none' };
    const [without, response] = [await get(path), await get(path, { headers: sent })];
    expect([without.status, response.status]).toEqual([200, 200]);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(Object.keys(response.json())).toEqual(Object.keys(without.json()));
  });

  it('returns 304 without a body for its own ETag', async () => {
    const path = `/machines/${machineOf('rated-b').id}`;
    const etag = (await get(path)).headers.get('etag')!;
    const again = await get(path, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('accepts a colon raw or encoded', async () => {
    const { did } = machineOf('rated-b');
    const encoded = encodeURIComponent(did);
    expect(encoded).toContain('%3A');
    expect((await get(`/mcr/${encoded}`)).text).toBe((await get(`/mcr/${did}`)).text);
  });
});

describe('an unknown machine', () => {
  it.each(['1', '9007199254740993', String(2n ** 256n - 1n)])('returns 404 with the id %s', async (id) => {
    rule('reads.absent-is-not-unreadable');
    const answers = [`/mcr/did:svc:${id}`, `/machine/did:svc:${id}`, `/machines/${id}`, `/metadata/${id}`];
    const details = await Promise.all(
      answers.map(async (path) => [(await get(path)).status, (await get(path)).json()]),
    );
    const missing = [404, { detail: 'Machine not found' }];
    expect(details).toEqual([missing, missing, missing, [404, { detail: 'Token not found' }]]);
  });
});
