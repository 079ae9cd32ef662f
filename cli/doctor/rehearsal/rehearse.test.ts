/** Rehearsal of the first start against nodes that refuse single reads. */
import { expect, it } from 'vitest';
import { chainUnreadable } from '../../../src/domain/faults.ts';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';
import { startProviderProxy } from '../../../testing/harness/provider-proxy/provider-proxy.ts';
import { rehearseFirstStart, type RehearsalOptions } from './rehearse.ts';

it('passes before a proof behind a node without receipts, as the service starts', async () => {
  const chain = new FakeChain();
  chain.mineMany(50);
  chain.mine([submitted(machine(11))]);
  const proxy = await startProviderProxy(() => ({ result: '0x60' }), []);
  try {
    const findings = await rehearseFirstStart({
      settings: { rpcUrls: [proxy.url], startBlock: 0, addresses: { eventRegistry: chain.addresses[0] } },
      adapter: { log: chain, counters: { rpcCalls: 0 } },
      proof: 'before',
      finalized: await chain.readHeader(51),
      nodeUrl: proxy.url,
    } as unknown as RehearsalOptions);
    expect(findings.find(({ text }) => text === 'serves no receipts by block')?.state).toBe('warn');
    expect(findings.filter(({ state }) => state === 'fail' || state === 'unreachable')).toEqual([]);
  } finally {
    await proxy.close();
  }
});

it.each([
  ['the rate limit of the node', 'rate-limited'],
  ['the page of a gateway', 'malformed'],
] as const)('repeats a read of the block of a log that %s ended', async (_, cause) => {
  const chain = new FakeChain();
  chain.mineMany(50);
  chain.mine([submitted(machine(11))]);
  const finalized = await chain.readHeader(51);
  let reads = 0;
  chain.faults.before = (request, [block]) => {
    // The first read belongs to the check of the newest blocks.
    if (request === 'header' && block === 51 && ++reads === 2) throw chainUnreadable('main', cause);
  };
  const proxy = await startProviderProxy(() => ({ result: '0x60' }), []);
  try {
    const findings = await rehearseFirstStart({
      settings: { rpcUrls: [proxy.url], startBlock: 0, addresses: { eventRegistry: chain.addresses[0] } },
      adapter: { log: chain, counters: { rpcCalls: 0 } },
      proof: 'background',
      finalized,
      nodeUrl: proxy.url,
    } as unknown as RehearsalOptions);
    expect(reads).toBe(3);
    expect(findings.filter(({ state }) => state === 'fail' || state === 'unreachable')).toEqual([]);
  } finally {
    await proxy.close();
  }
});
