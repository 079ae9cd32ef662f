/** Rehearsal of the first start against nodes that refuse single reads. */
import { expect, it } from 'vitest';
import { chainUnreadable } from '../../../src/domain/faults.ts';
import type { IndexProof } from '../../../src/domain/index-rules/index-proof.ts';
import type { Header } from '../../../src/ports/main-chain.ts';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';
import { startProviderProxy } from '../../../testing/harness/provider-proxy/provider-proxy.ts';
import { rehearseFirstStart, type RehearsalOptions } from './rehearse.ts';

/** Mines 51 blocks, of which the last has a log. */
function createChain(): FakeChain {
  const chain = new FakeChain();
  chain.mineMany(50);
  chain.mine([submitted(machine(11))]);
  return chain;
}

/** Rehearses in front of a node that answers every other call with code. */
async function rehearse(chain: FakeChain, proof: IndexProof, finalized: Header) {
  const proxy = await startProviderProxy(() => ({ result: '0x60' }), []);
  try {
    return await rehearseFirstStart({
      settings: { rpcUrls: [proxy.url], startBlock: 0, addresses: { eventRegistry: chain.addresses[0] } },
      adapter: { log: chain, counters: { rpcCalls: 0 } },
      proof,
      finalized,
      nodeUrl: proxy.url,
    } as unknown as RehearsalOptions);
  } finally {
    await proxy.close();
  }
}

it('passes before a proof behind a node without receipts, as the service starts', async () => {
  const chain = createChain();
  const findings = await rehearse(chain, 'before', await chain.readHeader(51));
  expect(findings.find(({ text }) => text === 'serves no receipts by block')?.state).toBe('warn');
  expect(findings.filter(({ state }) => state === 'fail' || state === 'unreachable')).toEqual([]);
});

it.each([
  ['the rate limit of the node', 'rate-limited'],
  ['the page of a gateway', 'malformed'],
] as const)('repeats a read of the block of a log that %s ended', async (_, cause) => {
  const chain = createChain();
  const finalized = await chain.readHeader(51);
  let reads = 0;
  chain.faults.before = (request, [block]) => {
    // The first read belongs to the check of the newest blocks.
    if (request === 'header' && block === 51 && ++reads === 2) throw chainUnreadable('main', cause);
  };
  const findings = await rehearse(chain, 'background', finalized);
  expect(reads).toBe(3);
  expect(findings.filter(({ state }) => state === 'fail' || state === 'unreachable')).toEqual([]);
});
