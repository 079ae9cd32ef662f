/** Tests which cited transactions are cached. */
import { expect, it } from 'vitest';

import type { SolanaTransaction } from '../../domain/rating/paid/source-transaction.ts';
import { createTransactionCache } from './transaction-cache.ts';

const COMPLETE: SolanaTransaction = {
  ...{ kind: 'solana', success: true, block: 5, time: 5, signers: [] },
  pre: [{ mint: 'mint', owner: 'owner', units: 1n }],
  post: [],
};

async function readTwice(first: SolanaTransaction | 'absent') {
  const cache = createTransactionCache();
  const answers = [first, COMPLETE];
  const read = async () => Promise.resolve(answers.shift()!);
  return [await cache.get('a', read), await cache.get('a', read)];
}

it('reads a complete transaction once', async () => {
  expect(await readTwice({ ...COMPLETE, post: [{ mint: 'mint', owner: 'other', units: 1n }] })).toEqual([
    expect.objectContaining({ post: [expect.anything()] }),
    expect.objectContaining({ post: [expect.anything()] }),
  ]);
});

it.each<[string, SolanaTransaction | 'absent']>([
  ['that is absent', 'absent'],
  ['without balances before', { ...COMPLETE, pre: null }],
  ['without balances after', { ...COMPLETE, post: null }],
  ['with a balance without an owner', { ...COMPLETE, post: [{ mint: 'mint', owner: null, units: 1n }] }],
])('reads a transaction %s again', async (_, first) => {
  expect(await readTwice(first)).toEqual([first, COMPLETE]);
});
