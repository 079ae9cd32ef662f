/** Tests the progress of the index and its proof, and when it must not be reported as fresh. */
import { expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import { A, advance, openHarness } from '../../../testing/fixtures/main-index-harness.ts';

function createLongChain(): FakeChain {
  const chain = new FakeChain();
  for (let i = 1; i <= 400; i++) chain.mine(i % 100 === 0 ? [submitted(A)] : []);
  return chain;
}

it('serves ratings only while the followed blocks join the index to the head', async () => {
  const { chain, follower, status, ...rest } = await openHarness({ chain: createLongChain() });
  const harness = { chain, follower, status, ...rest };
  const servesRatings = async () => (await status.readMainChainIndex()).servesRatings;
  expect(await servesRatings()).toBe(false);
  await advance(harness);
  // The index is complete, but a node that the follower cannot read leaves every rating refused.
  chain.faults.before = (request) => {
    if (request === 'head') throw chainUnreadable('main', 'rpc-error');
  };
  await expect(follower.poll()).rejects.toThrow();
  expect(await servesRatings()).toBe(false);
  chain.faults = {};
  await follower.poll();
  expect(await servesRatings()).toBe(true);
  // With fast finality the index may pass the followed head for a moment, not for long.
  chain.mineMany(20);
  await advance(harness);
  expect(await servesRatings()).toBe(true);
  chain.mineMany(80);
  await advance(harness);
  expect(await servesRatings()).toBe(false);
});

it('serves no ratings before the times of the backfill are known', async () => {
  const chain = createLongChain();
  chain.faults.logs = (logs) => logs.map((log) => ({ ...log, blockTimestamp: undefined }));
  // The headers that confirm the checkpoint are served.
  chain.faults.before = (request, numbers) => {
    if (request === 'headers' && !numbers.includes(398)) throw chainUnreadable('main', 'transport');
  };
  const harness = await openHarness({ chain, proof: 'background' });
  expect(await advance(harness)).toBe('ChainUnreadable');
  chain.faults = {};
  await harness.follower.poll();
  expect(await harness.status.readMainChainIndex()).toMatchObject({
    indexedBlock: 398,
    servesRatings: false,
    proof: { isBackfilled: false },
  });
  await advance(harness);
  harness.time.jump(5_000);
  expect(await harness.status.readMainChainIndex()).toMatchObject({
    servesRatings: true,
    proof: { isBackfilled: true },
  });
});

it('reports the unproven blocks and the newest segments of the proof', async () => {
  const harness = await openHarness({ chain: createLongChain(), proof: 'background' });
  await advance(harness);
  for (let i = 0; i < 30; i++)
    await harness.store.addProofSegment({ fromBlock: 10 * i, toBlock: 10 * i + 5, kind: 'sample' });
  const { proof } = await harness.status.readMainChainIndex();
  expect(proof).toMatchObject({ mode: 'background', isBackfilled: true, unprovenBlocks: 3, segmentCount: 30 });
  expect(proof!.segments).toHaveLength(20);
  expect(proof!.segments[0]).toEqual({ fromBlock: 290, toBlock: 295, kind: 'sample' });
  await harness.store.recordProvenBlocks(await harness.store.listLogBlocks(100, 100));
  expect((await harness.status.readMainChainIndex()).proof!.unprovenBlocks).toBe(3);
  harness.time.jump(5_000);
  expect((await harness.status.readMainChainIndex()).proof!.unprovenBlocks).toBe(2);
});
