import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStore } from '../adapters/sql/create-store.ts';
import type { NodeProfiles } from '../ports/node-profiles.ts';
import type { Store } from '../ports/store.ts';
import { createProfileLoop, readNodeProfiles } from './node-profiles.ts';
import { createShutdown } from './shutdown.ts';

const HASH = 'ab'.repeat(32);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'node-profiles-'));
  store = await createStore(`sqlite:${join(folder, 'svc.db')}`);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function open(listProfiles: () => NodeProfiles, writtenTo: Store = store) {
  const shutdown = createShutdown();
  const loop = createProfileLoop({ store: writtenTo, log, shutdown, listProfiles });
  return { loop, shutdown };
}

describe('profiles of nodes', () => {
  it('are written at shutdown and read by the next start', async () => {
    const profiles = new Map([[HASH, '{"callsPerSecond":25}']]);
    await open(() => profiles).shutdown.closeAll();
    expect(await readNodeProfiles(store, log)).toEqual(profiles);
  });

  it('are written while the service runs, and only when they have changed', async () => {
    const writes: NodeProfiles[] = [];
    const written = Promise.withResolvers<unknown>();
    const counted: Store = {
      ...store,
      async writeNodeProfiles(profiles) {
        writes.push(profiles);
        written.resolve(undefined);
      },
    };
    const { loop, shutdown } = open(() => new Map([[HASH, '{}']]), counted);
    loop.start();
    await written.promise;
    await loop.stop();
    await shutdown.closeAll();
    expect(writes).toEqual([new Map([[HASH, '{}']])]);
  });

  it('do not stop a start or a shutdown when the database fails', async () => {
    const { shutdown } = open(() => new Map([[HASH, '{}']]));
    await store.close();
    expect(await readNodeProfiles(store, log)).toEqual(new Map());
    await expect(shutdown.closeAll()).resolves.toBeUndefined();
    store = await createStore(`sqlite:${join(folder, 'svc.db')}`);
  });
});
