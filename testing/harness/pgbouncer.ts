/** PgBouncer for tests, as installed on this machine, in front of one PostgreSQL server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from './free-port.ts';

export interface Pooler {
  /** Returns the URL of a database through the pooler. */
  urlOf(database: string): string;
  stop(): Promise<void>;
}

export type PoolMode = 'session' | 'transaction' | 'statement';

const UNPRIVILEGED = 65534;

/** Starts the pooler in front of the server of a database URL with a socket folder. Throws when it is not installed. */
export async function startPgbouncer(
  serverUrl: string,
  mode: PoolMode,
  settings: readonly string[] = [],
): Promise<Pooler> {
  const server = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const port = await findFreePort();
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    [
      '[databases]',
      `* = host=${server.searchParams.get('host')!} user=${server.username}`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
      ...[`pool_mode = ${mode}`, 'default_pool_size = 30', ...settings],
    ].join('\n'),
  );
  const account = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  if (account.uid !== undefined) for (const path of [folder, config]) chownSync(path, account.uid, account.gid);
  const child = spawn('pgbouncer', [config], { ...account, stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: PATHS } });
  const output: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    output.push(line);
    if (line.includes('process up')) break;
  }
  if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${output.join('\n')}`);
  child.stderr.resume();
  return {
    urlOf: (database) => `postgres://${server.username}@127.0.0.1:${port}/${database}`,
    async stop() {
      const exit = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGKILL')) await exit;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Debian installs the program among those of the administrator. */
const PATHS = '/usr/sbin:/usr/bin:/bin:/usr/local/bin';
