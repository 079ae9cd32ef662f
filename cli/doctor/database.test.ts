import { afterEach, beforeEach, expect, test } from 'vitest';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { Config } from '../../src/config.ts';
import { examineDatabase } from './database.ts';

const PROFILES = new Map([['ab'.repeat(32), '{"logs":{"passed":2000,"refused":2001,"logs":25000}}']]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const examine = (path: string) => examineDatabase({ database: { kind: 'sqlite', path } } as Config, PROFILES);

test('stores what the rehearsal learned about the nodes in an existing database', async () => {
  const path = join(folder, 'svc.db');
  await (await createStore(`sqlite:${path}`)).close();
  expect(await examine(path)).toMatchObject({ state: 'ok' });
  const store = await createStore(`sqlite:${path}`);
  expect(await store.readNodeProfiles(Math.floor(Date.now() / 1000))).toEqual(PROFILES);
  await store.close();
});

test('creates no database', async () => {
  const path = join(folder, 'svc.db');
  expect(await examine(path)).toMatchObject({ state: 'ok' });
  expect(existsSync(path)).toBe(false);
});
