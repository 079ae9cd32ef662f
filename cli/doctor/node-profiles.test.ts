/** Storing node profiles that the rehearsal of `svc doctor` filled. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { storeNodeProfiles } from './node-profiles.ts';

const NOW = 1_800_000_000;
const PROFILES = new Map([['a'.repeat(64), '{}']]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'profiles-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (path: string) => ({ database: { kind: 'sqlite' as const, path } });

it('stores the profiles in an existing database', async () => {
  const path = join(folder, 'svc.db');
  await (await createStore(`sqlite:${path}`)).close();
  expect(await storeNodeProfiles(at(path), PROFILES, NOW)).toEqual([
    { state: 'ok', subject: 'rehearsal', text: '1 node profile stored for the next start' },
  ]);
  const store = await createStore(`sqlite:${path}`);
  expect(await store.readNodeProfiles(NOW)).toEqual(PROFILES);
  await store.close();
});

it('creates no database and returns no finding where nothing can be stored', async () => {
  const path = join(folder, 'svc.db');
  expect(await storeNodeProfiles(at(path), PROFILES, NOW)).toEqual([]);
  expect(existsSync(path)).toBe(false);
  expect(await storeNodeProfiles(at(folder), PROFILES, NOW)).toEqual([]);
  expect(await storeNodeProfiles(at(':memory:'), PROFILES, NOW)).toEqual([]);
});
