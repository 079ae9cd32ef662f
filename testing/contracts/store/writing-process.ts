/**
 * Writer process of the store contract: `node writing-process.ts <url> <last block>`. Waits for a line of input, opens a store, and
 * advances block by block, with `LOGS_PER_BLOCK` logs each, until the checkpoint is the last block. Prints the number of each block
 * that it won.
 */
import { once } from 'node:events';
import { createStore } from '../../../src/adapters/sql/create-store.ts';
import { checkpointAt, id, LOGS_PER_BLOCK, NO_OWNERSHIP, repeat, submitted } from './samples.ts';

const [url, lastBlock] = process.argv.slice(2);

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();

const store = await createStore(url!);
for (;;) {
  const expected = await store.readMainChainCheckpoint();
  const block = (expected?.blockNumber ?? 0) + 1;
  if (block > Number(lastBlock)) break;
  const logs = repeat(LOGS_PER_BLOCK, submitted(id(1), { blockNumber: block }));
  const isWon = await store.advanceMainChain(expected, checkpointAt(block), logs, NO_OWNERSHIP);
  if (isWon) process.stdout.write(`${block}\n`);
}
await store.close();
