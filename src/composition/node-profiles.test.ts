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

const time = { milliseconds: 1_800_000_000_000 };
const clock = { nowMilliseconds: () => time.milliseconds };

function open(listProfiles: () => NodeProfiles, writtenTo: Store = store) {
  const shutdown = createShutdown();
  const loop = createProfileLoop({ store: writtenTo, log, shutdown, clock, listProfiles });
  return { loop, shutdown };
}

describe('profiles of nodes', () => {
  it('are written at shutdown and read by the next start', async () => {
    const profiles = new Map([[HASH, '{"callsPerSecond":25}']]);
    await open(() => profiles).shutdown.closeAll();
    expect(await store.readNodeProfiles(time.milliseconds / 1_000)).toEqual(profiles);
  });

  it.each([
    ['only when they have changed', 86_399, 1],
    ['again after a day, because old ones are deleted', 86_400, 2],
  ])('are written while the service runs, and %s', async (_, seconds, count) => {
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
    time.milliseconds += seconds * 1_000;
    await shutdown.closeAll();
    expect(writes).toEqual(Array.from({ length: count }, () => new Map([[HASH, '{}']])));
  });

  it('do not stop a start or a shutdown when the database fails', async () => {
    const { shutdown } = open(() => new Map([[HASH, '{}']]));
    await store.close();
    expect(await readNodeProfiles(store, log)).toEqual(new Map());
    await expect(shutdown.closeAll()).resolves.toBeUndefined();
    store = await createStore(`sqlite:${join(folder, 'svc.db')}`);
  });
});
