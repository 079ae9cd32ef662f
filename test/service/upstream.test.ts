/** What does a read cost the node? One multicall for a cold read of any route, shared by everyone who asks meanwhile; none while nothing changes. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { rule } from '../conformance/rule.ts';
import { ask, findMachine } from './ask.ts';
import { startProxiedService, type ProxiedService } from './proxied-service.ts';

const { machines, operators } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);

let proxied: ProxiedService;

beforeAll(async () => {
  proxied = await startProxiedService();
});
afterAll(() => proxied.close());

/** How many eth_calls the node gets while the paths are asked for, all at once. The head follower makes none. */
async function countCalls(paths: readonly string[]): Promise<number> {
  const { service, proxy } = proxied;
  proxy.resetCounts();
  const answers = await Promise.all(paths.map((path) => ask(service.url + path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return proxy.calls.filter(({ method }) => method === 'eth_call').length;
}

describe('eth_calls upstream', () => {
  it.each([
    ['/mcr/{did}', `/mcr/${machineOf('rated-b').did}`],
    ['/mcr/{did} of 1,200 events', `/mcr/${machineOf('many-events').did}`],
    ['/machine/{did}', `/machine/${machineOf('dormant').did}`],
    ['/machine/{did} that shows its events', `/machine/${machineOf('visibility-onchain').did}`],
    ['/metadata/{token_id}', `/metadata/${machineOf('flagged').id}`],
    ['/machines/{machine_id}', `/machines/${machineOf('activity-only').id}`],
    ['/mcr/{did}/explanation', `/mcr/${machineOf('multi-currency').did}/explanation`],
    ['/machines/{machine_id}/badge.svg', `/machines/${machineOf('with-controller').id}/badge.svg`],
    ['/operator/{did}/machines of 20', `/operator/${findMachine(operators, 'fleet').address}/machines`],
  ])('a cold read of %s costs one', async (_route, path) => {
    expect(await countCalls([path])).toBe(1);
  });

  it('1,000 concurrent cold readers cost one', async () => {
    expect(await countCalls(Array.from({ length: 1000 }, () => `/mcr/${machineOf('rated-aaa').did}`))).toBe(1);
  });

  it.each([
    ['of a few events costs one for its records', 'grace', 1],
    ['of 1,200 events, whose days are remembered, costs none', 'many-events', 0],
  ])('a history %s, and a card after it none', async (_size, name, calls) => {
    rule('history.upstream-calls');
    const { did, id } = machineOf(name);
    await countCalls([`/mcr/${did}`]);
    expect(await countCalls([`/mcr/${did}/history`, `/mcr/${did}/history`])).toBe(calls);
    expect(await countCalls([`/machines/${id}/card.svg`, `/machines/${id}/card.png`])).toBe(0);
  });

  it('another route of a machine that is known costs none', async () => {
    const { did, id } = machineOf('trust-override');
    await countCalls([`/machine/${did}`]);
    expect(await countCalls([`/mcr/${did}`, `/machines/${id}`, `/metadata/${id}`])).toBe(0);
  });
});
