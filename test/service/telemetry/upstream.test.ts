/** Upstream cost of reads: one multicall for a cold read of any route, shared by concurrent readers, and none while nothing changes. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { holdHead } from '../hold-head.ts';
import { untilObserved } from '../first-work.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const { machines, operators } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const FLEET = findMachine(operators, 'fleet');

let proxied: ProxiedService;

beforeAll(async () => {
  proxied = await startIndexedService();
  await untilObserved(proxied.service.url);
  // After a new block machines are read again and cached ones renewed, at any time.
  await holdHead(proxied);
});
afterAll(() => proxied.close());

/**
 * Returns the most eth_calls of one block that the node receives for concurrent requests to the paths, in calls that concern `machine`.
 */
async function countCalls(paths: readonly string[], machine = /\d{10,}/.exec(paths[0]!)?.[0]): Promise<number> {
  const { service, proxy } = proxied;
  proxy.resetCounts();
  const responses = await Promise.all(paths.map((path) => fetchChecked(service.url + path)));
  expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
  const word = BigInt(machine!).toString(16).padStart(64, '0');
  const isOfMachine = (call: string) => call.includes(word);
  const calls = proxy.calls.filter(
    ({ method, params }) => method === 'eth_call' && isOfMachine(JSON.stringify(params)),
  );
  const blocks = Map.groupBy(calls, ({ params }) => JSON.stringify(params[1]));
  return Math.max(0, ...[...blocks.values()].map(({ length }) => length));
}

describe('the service', () => {
  // First: a listing reads the same machine in another form, and renews it.
  it('sends one eth_call a block for 1,000 concurrent cold readers', async () => {
    rule('security.coalesced-reads');
    expect(await countCalls(Array.from({ length: 1000 }, () => `/mcr/${machineOf('rated-aaa').did}`))).toBe(1);
  });

  it.each([
    ['/mcr/{did}', `/mcr/${machineOf('rated-b').did}`],
    ['/mcr/{did} of 1,200 events', `/mcr/${machineOf('many-events').did}`],
    ['/machine/{did}', `/machine/${machineOf('dormant').did}`],
    ['/machine/{did} that shows its events', `/machine/${machineOf('visibility-onchain').did}`],
    ['/metadata/{token_id}', `/metadata/${machineOf('flagged').id}`],
    ['/machines/{machine_id}', `/machines/${machineOf('activity-only').id}`],
    ['/mcr/{did}/explanation', `/mcr/${machineOf('multi-currency').did}/explanation`],
    ['/machines/{machine_id}/badge.svg', `/machines/${machineOf('with-controller').id}/badge.svg`],
    ['/operator/{did}/machines of 20', `/operator/${FLEET.address}/machines`, FLEET.machines[0]],
  ])('sends one eth_call for a cold read of %s', async (_route, path, machine?: string) => {
    expect(await countCalls([path], machine)).toBe(1);
  });

  it.each([
    [1, 'a history of a few events', 'grace'],
    [0, 'a history of 1,200 events, whose days are stored', 'many-events'],
  ] as const)('sends %i eth_calls for %s, and none for a card after it', async (calls, _size, name) => {
    rule('history.upstream-calls');
    const { did, id } = machineOf(name);
    await countCalls([`/mcr/${did}`]);
    expect(await countCalls([`/mcr/${did}/history`, `/mcr/${did}/history`])).toBe(calls);
    expect(await countCalls([`/machines/${id}/card.svg`, `/machines/${id}/card.png`])).toBe(0);
  });

  it('sends no eth_call for another route of a cached machine', async () => {
    const { did, id } = machineOf('trust-override');
    await countCalls([`/machine/${did}`]);
    expect(await countCalls([`/mcr/${did}`, `/machines/${id}`, `/metadata/${id}`])).toBe(0);
  });
});
