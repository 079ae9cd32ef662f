/** Runs the store contract on SQLite, and tests the driver's files and locks. */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../../domain/faults.ts';
import { createStore } from './create-store.ts';
import { testStore } from '../../../testing/contracts/store-contract.ts';
import { id } from '../../../testing/contracts/store/samples.ts';

/** A database with the tables of this release, which the tests copy. */
const templates = mkdtempSync(join(tmpdir(), 'store-'));
const template = join(templates, 'svc.db');
beforeAll(async () => {
  await (await createStore(`sqlite:${template}`)).close();
});
afterAll(() => rmSync(templates, { recursive: true }));

testStore('a store in a SQLite file', {
  async create(content) {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    if (content === 'tables') cpSync(template, join(folder, 'svc.db'));
    return { url: `sqlite:${join(folder, 'svc.db')}`, drop: async () => rmSync(folder, { recursive: true }) };
  },
});

describe('a SQLite file', () => {
  const failure = new Fault('StoreUnavailable', {});
  let folder: string;
  let path: string;
  let codes: string[];
  const open = () => createStore(`sqlite:${path}`, { reportFailure: (code) => codes.push(code) });
  const query = (statement: string) => {
    const connection = new Sqlite(path);
    try {
      return connection.prepare(statement).all();
    } finally {
      connection.close();
    }
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-'));
    path = join(folder, 'created/on/demand/svc.db');
    codes = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is created with its folders, in WAL mode', async () => {
    const store = await open();
    expect(existsSync(path)).toBe(true);
    expect(query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    await store.close();
  });

  test('is readable by its owner only, with the files that SQLite adds', async () => {
    const store = await open();
    await store.checkWritable();
    const modes = readdirSync(dirname(path)).map((name) => [name, statSync(join(dirname(path), name)).mode & 0o777]);
    expect(modes).toEqual(['svc.db', 'svc.db-shm', 'svc.db-wal'].map((name) => [name, 0o600]));
    await store.close();
  });

  test('that cannot be created is reported by the system error code', async () => {
    writeFileSync(join(folder, 'created'), '');
    await expect(open()).rejects.toEqual(failure);
    expect(codes).toEqual(['ENOTDIR']);
  });

  test('that is not a database is reported', async () => {
    path = join(folder, 'svc.db');
    writeFileSync(path, 'not a database, but long enough to be mistaken for one'.repeat(50));
    await expect(open()).rejects.toEqual(failure);
    expect(codes).toEqual(['SQLITE_NOTADB']);
  });

  test('of a newer release is refused', async () => {
    await (await open()).close();
    const connection = new Sqlite(path);
    connection.exec("INSERT INTO schema_migrations (version, name) VALUES (1000, 'of a newer release')");
    connection.close();
    await expect(open()).rejects.toEqual(failure);
    expect(codes).toEqual(['SCHEMA_TOO_NEW']);
  });

  describe('that another process has locked', () => {
    const lock = () => {
      const other = new Sqlite(path);
      other.exec('BEGIN IMMEDIATE');
      return other;
    };

    test('is readable, and writable as soon as it is unlocked', async () => {
      const store = await open();
      const other = lock();
      const written: string[] = [];
      const writes = [1, 2].map((n) => store.checkWritable().then(() => written.push(`write ${n}`)));
      expect(await store.readMainChainCheckpoint()).toBeUndefined();
      await new Promise((resolve) => setImmediate(resolve));
      expect(written).toEqual([]);
      other.close();
      await Promise.all(writes);
      expect([written.sort(), codes]).toEqual([['write 1', 'write 2'], []]);
      await store.close();
    });

    test('fails writers after the lock timeout without blocking the event loop', async () => {
      const store = await open();
      const other = lock();
      let ticks = 0;
      const ticking = setInterval(() => ticks++, 1);
      await expect(store.checkWritable()).rejects.toEqual(failure);
      clearInterval(ticking);
      expect(codes).toEqual(['SQLITE_BUSY']);
      // A wait inside SQLite would block every tick.
      expect(ticks).toBeGreaterThan(10);
      other.close();
      await store.checkWritable();
      await store.close();
    });
  });

  test('without a table fails only the calls that need it', async () => {
    const store = await open();
    const connection = new Sqlite(path);
    connection.exec('DROP TABLE write_probe');
    connection.close();
    await expect(store.checkWritable()).rejects.toEqual(failure);
    expect(codes).toEqual(['SQLITE_ERROR']);
    expect(await store.readMainChainCheckpoint()).toBeUndefined();
    await store.close();
  });

  test('in memory is separate for each store', async () => {
    const [store, other] = [await createStore('sqlite::memory:'), await createStore('sqlite::memory:')];
    await store.writeRatingStates('rates', [
      { generation: 'current', id: id(7), epoch: 0, nextSeq: 1, state: 'state' },
    ]);
    expect(await store.readRatingState('current', id(7), 'rates')).toEqual({ epoch: 0, nextSeq: 1, state: 'state' });
    expect(await other.readRatingState('current', id(7), 'rates')).toBeUndefined();
    await store.close();
    await other.close();
  });
});
