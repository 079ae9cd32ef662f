/** Is a store in SQLite what the port promises, in a file? */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStore } from './create-store.ts';
import { testStore } from './store-contract.ts';

testStore('a store in a SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  const url = `sqlite:${join(folder, 'made/on/demand', 'svc.db')}`;
  return {
    open: () => createStore(url),
    drop: async () => rmSync(folder, { recursive: true }),
  };
});
