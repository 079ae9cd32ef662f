/**
 * Who decides while a test watches, until it is killed? `node deciding-process.ts <url>`: puts decision after decision of one machine
 * in force, signed second by second from 1, and prints each second that the store has acknowledged.
 */
import { createStore } from '../../../src/adapters/sql/create-store.ts';
import { decisionOf } from './samples.ts';

const store = await createStore(process.argv[2]!);
for (let timestamp = 1; ; timestamp++) {
  if (await store.applyDecision(decisionOf(timestamp))) process.stdout.write(`${timestamp}\n`);
}
