/** Recently active machines on both chains: whole bodies, limits and index progress. */
import { afterEach, expect, test } from 'vitest';
import {
  eventLog,
  MAIN_MACHINE,
  NOW,
  openAltService,
  revenueAt,
  UNREADABLE,
  type AltService,
  type AltServiceOptions,
} from '../../../../testing/harness/alt-chain.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import { chainUnreadable, Fault } from '../../../domain/faults.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

type Listed = readonly (readonly [id: number, secondsAgo: number])[];

interface Newest {
  readonly main?: Listed;
  readonly alt?: Listed;
}

async function open({ main = [], alt = [] }: Newest, options: AltServiceOptions): Promise<(number | string)[][]> {
  const queries: (number | string)[][] = [];
  const list = (name: string, listed: Listed) => async (limit: number) => {
    queries.push([name, limit]);
    return listed.map(([id, secondsAgo]) => ({ id: BigInt(id) as MachineId, lastEventAt: NOW - secondsAgo }));
  };
  const status = { isReady: true, slot: 301_200_450, observedAtMilliseconds: NOW * 1000 - 5_000, progress: undefined };
  service = await openAltService({ readStatus: async () => status, ...options });
  Object.assign(service.ctx.store, { listActiveMachines: list('main', main), listActiveAltMachines: list('alt', alt) });
  return queries;
}

const HERE = { main: MAIN_MACHINE };
const OPERATOR_INDEX =
  '"operator_index":{"ready":true,"indexed_block":120340,"head_block":120342,"lag_blocks":2,"head_observed_age_seconds":11}';
const entry = (id: number, bond: string, rest: string) =>
  `{"did":"did:svc:${id}","machine_id":"${id}","mcr_score":0,"mcr":"Provisioned","negative_flag":false,"name":"Machine #${id}","bond_status":"${bond}",${rest}}`;

test('lists the most recently active machines of both chains with the index progress', async () => {
  rule('active-machines.newest');
  const queries = await open({ main: [[1, 10]], alt: [[2, 3]] }, { machines: [HERE, { log: eventLog(7) }] });
  const { status, headers, text } = await service!.request('/active-machines');
  expect([status, headers['cache-control'], queries]).toEqual([
    ...[200, 'no-cache'],
    [
      ['main', 20],
      ['alt', 20],
    ],
  ]);
  const alt = `"event_count":0,"home_chain":5,"rating_unavailable":"indexer_behind","last_event_at":${NOW - 3}`;
  expect(text).toBe(
    `{"machines":[${entry(2, 'bonded', alt)},${entry(1, 'bonded', `"event_count":0,"last_event_at":${NOW - 10}`)}],"unreadable":0,` +
      `${OPERATOR_INDEX},"solana_indexer":{"ready":true,"slot":301200450,"age_seconds":5}}`,
  );
});

test('rates a machine of the alt chain as /mcr does', async () => {
  rule('active-machines.newest');
  const indexed = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * 86_400, 100_000));
  await open({ alt: [[1, 3]] }, { machines: [{ log: eventLog(120), indexed }] });
  const [listed] = JSON.parse((await service!.request('/active-machines')).text).machines;
  const { mcr, mcr_score } = JSON.parse((await service!.request('/mcr/did:svc:1')).text);
  expect([listed.mcr, listed.mcr_score, listed.rating_unavailable]).toEqual([mcr, mcr_score, undefined]);
  expect(['NR', 'Provisioned']).not.toContain(mcr);
});

test('lists machines of one chain where the other is not configured', async () => {
  await open({ main: [[1, 10]], alt: [[2, 3]] }, { machines: [HERE], hasAlt: false });
  const { machines, solana_indexer } = JSON.parse((await service!.request('/active-machines')).text);
  expect([machines.map(({ machine_id }: { machine_id: string }) => machine_id), solana_indexer]).toEqual([['1'], null]);
});

test('omits machines that moved away and counts unreadable ones', async () => {
  const moving = { main: { ...MAIN_MACHINE, relocating: present(true) } };
  const away = { main: { ...MAIN_MACHINE, owner: ABSENT, homeOrdinal: present(3) } } as const;
  await open(
    { main: [1, 2, 3].map((id) => [id, id] as const), alt: [[4, 9]] },
    { machines: [moving, away, HERE, { account: UNREADABLE }] },
  );
  const { machines, unreadable } = JSON.parse((await service!.request('/active-machines')).text);
  expect([machines.map(({ machine_id }: { machine_id: string }) => machine_id), unreadable]).toEqual([['3'], 2]);
});

test('reports lagging indexes and lists what they contain', async () => {
  rule('active-machines.newest');
  await open(
    { main: [[1, 10]] },
    { machines: [HERE], ctx: {}, readStatus: async () => Promise.reject(new Fault('StoreUnavailable', {})) },
  );
  service!.ctx.time.milliseconds += 700_000;
  const { machines, operator_index, solana_indexer } = JSON.parse((await service!.request('/active-machines')).text);
  expect([machines.length, operator_index.ready, operator_index.head_observed_age_seconds, solana_indexer]).toEqual([
    ...[1, false, 711],
    { ready: false, slot: null, age_seconds: null },
  ]);
});

test('reads the progress of each index once', async () => {
  let queries = 0;
  await open({ main: [[1, 10]] }, { machines: [HERE], ctx: {} });
  const { index } = service!.ctx.main!;
  const read = index.readMainChainIndex.bind(index);
  Object.assign(index, {
    readMainChainIndex: () => {
      queries += 1;
      return read();
    },
  });
  const { operator_index } = JSON.parse((await service!.request('/active-machines')).text);
  expect([operator_index.ready, queries]).toEqual([true, 1]);
});

test('lists nothing from an index of another chain', async () => {
  await open({ main: [[1, 10]] }, { machines: [HERE], ctx: {} });
  const refuse = async () => Promise.reject(chainUnreadable('main', 'contradiction'));
  Object.assign(service!.ctx.main!.index, { readMainChainIndex: refuse });
  const { status, text } = await service!.request('/active-machines');
  expect([status, text]).toEqual([503, '{"detail":"Chain unavailable"}']);
});

test.each([
  [
    'limit=1',
    [
      ['main', 1],
      ['alt', 1],
    ],
  ],
  [
    'limit=20',
    [
      ['main', 20],
      ['alt', 20],
    ],
  ],
])('queries both indexes for the limit of %s', async (query, expected) => {
  const queries = await open({ main: [[1, 10]], alt: [[1, 3]] }, { machines: [HERE] });
  const { machines } = JSON.parse((await service!.request(`/active-machines?${query}`)).text);
  expect([machines.length, machines[0].last_event_at, queries]).toEqual([1, NOW - 3, expected]);
});

test.each(['limit=0', 'limit=21', 'limit=', 'limit=1&limit=2', 'limit=x'])('rejects %s', async (query) => {
  await open({}, {});
  expect((await service!.request(`/active-machines?${query}`)).status).toBe(422);
});

test('is not registered with additions off', async () => {
  await open({}, { ctx: { additions: 'off' } });
  expect((await service!.request('/active-machines')).text).toBe('{"detail":"Not Found"}');
});
