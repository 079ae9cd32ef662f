/**
 * Online backups: a copy made while the service writes is complete. Uses the procedures of `docs/operating.md`, for SQLite, and for PostgreSQL
 * where `TEST_DATABASE_URL` names a server and its `pg_dump` is installed.
 */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStore } from '../src/adapters/sql/create-store.ts';
import { append, id, LOGS_PER_BLOCK, submitted } from '../testing/contracts/store/samples.ts';
import { connectPostgres } from '../testing/harness/embedded-postgres.ts';

const WRITER = join(import.meta.dirname, '../testing/contracts/store/writing-process.ts');
const BLOCKS_BEFORE = 20;

type Writer = ChildProcessByStdio<Writable, Readable, null>;

let folder: string;
let writer: Writer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'));
});
afterEach(() => {
  writer?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Resolves when so many blocks are stored; the process continues. */
async function startWriting(url: string): Promise<Writer> {
  writer = spawn(process.execPath, [WRITER, url, 'Infinity'], { stdio: ['pipe', 'pipe', 'inherit'] });
  writer.stdin.write('go\n');
  let blocks = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    if (line !== 'ready') blocks += 1;
    if (blocks === BLOCKS_BEFORE) break;
  }
  return writer;
}

/** Asserts that the copy contains whole blocks, at least the acknowledged ones, and is writable. */
async function expectWhole(url: string): Promise<void> {
  const store = await createStore(url);
  const checkpoint = await store.readMainChainCheckpoint();
  expect(checkpoint!.blockNumber).toBeGreaterThanOrEqual(BLOCKS_BEFORE);
  const count = checkpoint!.blockNumber * LOGS_PER_BLOCK;
  expect(await store.readEventLogCount('current', id(1))).toEqual({ count, epoch: 0 });
  await append(store, submitted(id(1)));
  expect(await store.readEventLogCount('current', id(1))).toEqual({ count: count + 1, epoch: 0 });
  await store.close();
}

test('VACUUM INTO copies SQLite completely while a service writes', async () => {
  const file = join(folder, 'svc.db');
  const running = await startWriting(`sqlite:${file}`);
  const connection = new Sqlite(file, { readonly: true });
  connection.prepare('VACUUM INTO ?').run(join(folder, 'copy.db'));
  connection.close();
  expect(running.exitCode).toBeNull();
  await expectWhole(`sqlite:${join(folder, 'copy.db')}`);
});

const named = process.env['TEST_DATABASE_URL'];
const hasDump = spawnSync('pg_dump', ['--version']).status === 0;

if (named !== undefined && hasDump) {
  test('pg_dump and pg_restore copy PostgreSQL completely while a service writes', async () => {
    const server = connectPostgres(named);
    const [source, target] = [await server.createDatabase(), await server.createDatabase()];
    const running = await startWriting(source.url);
    const dump = join(folder, 'svc.dump');
    run('pg_dump', ['--format=custom', `--file=${dump}`, source.url]);
    expect(running.exitCode).toBeNull();
    run('pg_restore', ['--no-owner', `--dbname=${target.url}`, dump]);
    await expectWhole(target.url);
    const exit = once(running, 'exit');
    running.kill('SIGKILL');
    await exit;
    await source.drop();
    await target.drop();
  });
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  expect([command, status, stderr]).toEqual([command, 0, '']);
}
