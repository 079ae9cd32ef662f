/** Tests how headers are read with that of the checkpoint. */
import { expect, it } from 'vitest';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { readIndexedHeaders } from './indexed-headers.ts';

const chain = new FakeChain();
chain.mineMany(20);
const checkpoint = { blockNumber: 9, blockHash: chain.headerAt(9).hash };
const store = { readMainChainCheckpoint: () => Promise.resolve(checkpoint) };

it.each([
  [
    [2, 3, 4, 5],
    [2, 3, 9, 4, 5],
  ],
  [
    [7, 8, 9],
    [7, 9, 8],
  ],
  [[5], [5, 9]],
  [[9], [9]],
])('reads the checkpoint amid %j, and returns them in their order', async (numbers, expected) => {
  const read: number[] = [];
  chain.faults.before = (_request, some) => read.push(...some);
  const headers = await readIndexedHeaders(chain, store, numbers);
  expect(read).toEqual(expected);
  expect(headers.map(({ number }) => number)).toEqual(numbers);
});

it('rejects a batch with another block in the place of the checkpoint, and needs one', async () => {
  const rival = chain.fork(20);
  rival.mineMany(20);
  await expect(readIndexedHeaders(rival, store, [5])).rejects.toThrow('hash-mismatch');
  const empty = { readMainChainCheckpoint: () => Promise.resolve(undefined) };
  await expect(readIndexedHeaders(chain, empty, [5])).rejects.toThrow('head-behind');
});
