/** Tests the directory of machines over a real store: filters, orders, cursors, CSV, counts and refusals. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, openAltService, OPERATOR, OWNER_KEY, type AltService } from '../../../../testing/harness/alt-chain.ts';
import { createStore } from '../../../adapters/sql/create-store.ts';
import { ABSENT_VALUES } from '../../../domain/changes/machine-change.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Store } from '../../../ports/store.ts';
import { rule } from '../../../../test/conformance/rule.ts';

const IDS = [1n, 2n, 40n] as MachineId[];
const ADDRESS = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';

let service: AltService;
let store: Store;
beforeAll(async () => {
  store = await createStore('sqlite::memory:');
  await store.openChanges(1_000);
  await store.advanceMainChain(
    undefined,
    { blockNumber: 1, blockHash: `0x${'b'.repeat(64)}` },
    [],
    { readAtBlock: 0, changes: [] },
    undefined,
    { machines: [...IDS, 50n as MachineId], kybOperators: [] },
  );
  const due = await store.listDueMachines(0, 3);
  await store.writeObservations(
    due.map((machine, place) => ({
      ...{ machine, isAbsent: false, changes: [], dueAt: 9_000_000_000 },
      values: {
        ...ABSENT_VALUES,
        ...{ owner: place === 2 ? OWNER_KEY : OPERATOR, operator: place === 1 ? null : OPERATOR },
        ...{ bond: 'Active', flag: 'none', kyb: 'verified', chip: 'unverified', 'opt-in': 'OPTED_IN' },
        rating: ['A', 'Provisioned', 'AA'][place]!,
      },
      listing: {
        ...{ home: place === 2 ? ('alt' as const) : ('main' as const), score: [70, 0, 85][place]! },
        ...{ revenueCents: 1_000 * place, eventCount: place, lastEventAt: place === 1 ? undefined : NOW - place },
        ...{ blockNumber: 120_340, observedAt: NOW },
      },
    })),
  );
  service = await openAltService({});
  const { readAltFleetObservation } = service.ctx.store;
  Object.assign(service.ctx.store, store, { readAltFleetObservation });
});
afterAll(async () => {
  await service.close();
  await store.close();
});

interface Page {
  readonly machines: readonly { readonly machine_id: string }[];
  readonly next: string | null;
}

async function readIds(query = ''): Promise<unknown> {
  const { status, text } = await service.request(`/directory${query}`);
  return status === 200 ? (JSON.parse(text) as Page).machines.map(({ machine_id }) => machine_id) : status;
}

test('lists all machines of both chains, best score first, with the progress of the observations', async () => {
  rule('directory.complete');
  const { status, text } = await service.request('/directory');
  const { machines, ...progress } = JSON.parse(text) as Page;
  expect(status).toBe(200);
  expect(machines.map(({ machine_id }) => machine_id)).toEqual(['40', '1', '2']);
  expect(machines[1]).toEqual({
    ...{ machine_id: '1', did: 'did:svc:1', rating: 'A', bond: 'Active', flag: 'none', kyb: 'verified' },
    ...{ chip: 'unverified', opt_in: 'OPTED_IN', home: 'main', score: 70, operator: ADDRESS, owner: ADDRESS },
    ...{ event_count: 0, total_revenue: 0, last_event_at: NOW, block: 120_340, observed_at: NOW },
  });
  expect(progress).toMatchObject({ next: null, unlisted: 1, opened_at: 1_000, index: { lag_blocks: 2 } });
});

test('follows pages by cursor and names the next one in a link', async () => {
  rule('directory.pages');
  const first = await service.request('/directory?limit=2&sort=id&rating=A,AA,Provisioned');
  const { next } = JSON.parse(first.text) as Page;
  expect(next).toBe('0.2');
  expect(first.headers['link']).toBe('<?limit=2&sort=id&rating=A%2CAA%2CProvisioned&after=0.2>; rel="next"');
  const second = await service.request(`/directory?limit=2&sort=id&after=${next}`);
  expect([readNames(second.text), second.headers['link']]).toEqual([['40'], undefined]);
});

function readNames(text: string): string[] {
  return (JSON.parse(text) as Page).machines.map(({ machine_id }) => machine_id);
}

test.each([
  ['?rating=A,AA', ['40', '1']],
  ['?rating=', ['40', '1', '2']],
  ['?home=alt', ['40']],
  ['?kyb=revoked', []],
  ['?opt_in=OPTED_IN&sort=-id', ['40', '2', '1']],
  [`?active_since=${NOW - 1}`, ['1']],
  ['?sort=-revenue', ['40', '2', '1']],
  ['?sort=activity', ['2', '40', '1']],
  [`?operator=${ADDRESS}`, ['1', '40']],
  [`?operator=did:svc:${OPERATOR}&sort=id`, ['1', '40']],
  [`?owner=${OWNER_KEY}`, ['40']],
  [`?owner=${OPERATOR}`, ['1', '2']],
])('selects for %s the machines %j', async (query, ids) => {
  rule('directory.filters');
  expect(await readIds(query)).toEqual(ids);
});

test.each([
  'rating=C',
  'rating=A&rating=B',
  'flag=in-force',
  'sort=owner',
  'sort=score,id',
  'after=1',
  'after=1.0',
  `after=1.${'9'.repeat(78)}`,
  'operator=0x12',
  `operator=${ADDRESS}&sort=-score`,
  `operator=${ADDRESS}&owner=${ADDRESS}`,
  'owner=abc',
  'limit=0',
  'limit=501',
  'active_since=-1',
])('refuses %s (422)', async (query) => {
  const { status, text } = await service.request(`/directory?${query}`);
  expect([status, (JSON.parse(text) as { detail: unknown[] }).detail.length]).toEqual([422, 1]);
});

test('exports one CSV line per machine, with whole ids in quotes', async () => {
  rule('directory.csv');
  const { headers, text } = await service.request('/directory.csv?sort=id');
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  const [head, first, second, third, end] = text.split('\r\n');
  expect(head).toBe(
    'machine_id,did,home,rating,score,bond,flag,kyb,chip,opt_in,operator,owner,event_count,total_revenue,last_event_at,block,observed_at',
  );
  expect(first).toBe(
    `"1","did:svc:1",main,A,70,Active,none,verified,unverified,OPTED_IN,${ADDRESS},${ADDRESS},0,0,${NOW},120340,${NOW}`,
  );
  expect(second).toContain('"2","did:svc:2",main,Provisioned,0');
  expect(third).toContain('"40","did:svc:40",alt,AA,85');
  expect(end).toBe('');
});

test('counts the machines by facet', async () => {
  rule('directory.summary');
  const { text } = await service.request('/directory/summary');
  const { machines, counts, unlisted } = JSON.parse(text) as {
    machines: number;
    counts: Record<string, Record<string, number>>;
    unlisted: number;
  };
  expect([machines, unlisted]).toEqual([3, 1]);
  expect(counts['rating']).toEqual({ AAA: 0, AA: 1, A: 1, BBB: 0, BB: 0, B: 0, NR: 0, Provisioned: 1 });
  expect(counts['home']).toEqual({ main: 2, alt: 1 });
});

test.each(['/directory', '/directory.csv', '/directory/summary'])(
  'refuses %s while an index is out of date',
  async (path) => {
    rule('directory.out-of-date');
    const { readAltFleetObservation } = service.ctx.store;
    Object.assign(service.ctx.store, { readAltFleetObservation: () => Promise.resolve(undefined) });
    const { status } = await service.request(path);
    Object.assign(service.ctx.store, { readAltFleetObservation });
    expect(status).toBe(503);
  },
);
