/**
 * Process that opens databases like a starting service. For each line of input, the URL of a database, it opens and closes the store and
 * prints `opened` or the error.
 */
import { createInterface } from 'node:readline';
import { createStore } from '../../src/adapters/sql/create-store.ts';

for await (const url of createInterface({ input: process.stdin })) {
  const outcome = await createStore(url).then(
    async (store) => {
      await store.close();
      return 'opened';
    },
    (error: unknown) => JSON.stringify(String(error)),
  );
  process.stdout.write(`${outcome}\n`);
}
