/** Tests that the embedded PostgreSQL stops with its owner. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

function folderOf(url: string): string {
  return new URL(url).searchParams.get('host')!;
}

/** Resolves when the folder is removed. */
function untilGone(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(folder), check);
    check();

    function check(): void {
      if (existsSync(folder)) return;
      watcher.close();
      resolve();
    }
  });
}

test('stop() removes the folder of the server', async () => {
  const server = await startEmbeddedPostgres();
  const { url } = await server.createDatabase();
  expect(existsSync(folderOf(url))).toBe(true);
  await server.stop();
  expect(existsSync(folderOf(url))).toBe(false);
  await server.stop();
});

test('killing the owner stops the server and removes its folder', async () => {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL('embedded-postgres.ts', import.meta.url))});
    const server = await startEmbeddedPostgres();
    process.stdout.write((await server.createDatabase()).url);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(owner.stdout, 'data')).map(String) as [string];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  client.on('error', () => undefined);
  const isEnded = new Promise((resolve) => client.once('end', resolve));

  owner.kill('SIGKILL');

  await isEnded;
  await untilGone(folderOf(url));
});
