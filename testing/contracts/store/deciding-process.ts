/**
 * Decision writer of the store contract: `node deciding-process.ts <url>`. Applies decisions of one machine, signed second by second
 * from 1, until it is killed, and prints each second that the store has acknowledged.
 */
import { createStore } from '../../../src/adapters/sql/create-store.ts';
import { decisionOf } from './samples.ts';

const store = await createStore(process.argv[2]!);
for (let timestamp = 1; ; timestamp++) {
  if (await store.applyDecision(decisionOf(timestamp))) process.stdout.write(`${timestamp}\n`);
}
