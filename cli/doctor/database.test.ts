/** What `svc doctor` reports of a database that requires TLS, and of one of an earlier release, against real servers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { createAuthority, startTlsPostgres, type TlsPostgres } from '../../testing/harness/tls-postgres.ts';
import type { Config } from '../../src/config.ts';
import { explainCause } from '../../src/domain/index-rules/index-cause.ts';
import { openPostgres } from '../../src/adapters/sql/engine/postgres.ts';
import { readRows, type Query, type SqlDatabase } from '../../src/adapters/sql/engine/sql-program.ts';
import { openSqlite } from '../../src/adapters/sql/engine/sqlite.ts';
import { migrate } from '../../src/adapters/sql/schema/migrate.ts';
import { MIGRATIONS } from '../../src/adapters/sql/schema/migrations.ts';
import { examineDatabase } from './database.ts';
import { storeNodeProfiles } from './node-profiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'database-tls-'));
const authorityFile = join(folder, 'ca.pem');
let valid: TlsPostgres;
let expired: TlsPostgres;
let plain: PostgresServer;

beforeAll(async () => {
  const authority = await createAuthority();
  writeFileSync(authorityFile, authority.certificate.toString('pem'));
  valid = await startTlsPostgres(authority, 'valid');
  expired = await startTlsPostgres(authority, 'expired');
  plain = await startEmbeddedPostgres();
});
afterAll(async () => {
  await Promise.all([valid.server.stop(), expired.server.stop(), plain.stop()]);
  rmSync(folder, { recursive: true });
});

/** Examines the database of a URL with these parameters. */
function examine(base: URL, parameters: Readonly<Record<string, string>>, host = base.hostname) {
  const url = new URL(base);
  url.hostname = host;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return examineDatabase({ database: { kind: 'postgres', url: url.href } } as Config);
}

const VERIFIED = { sslmode: 'verify-full', sslrootcert: authorityFile };

it('accepts a server with a certificate of the authority that the URL names', async () => {
  expect(await examine(valid.url, VERIFIED)).toMatchObject([{ state: 'ok' }]);
});

it.each<[name: string, remedy: RegExp, examined: () => ReturnType<typeof examine>]>([
  ['required TLS', /^28000: .*sslmode=verify-full/, () => examine(valid.url, {})],
  ['a private authority', /^[A-Z_]+: .*sslrootcert=/, () => examine(valid.url, { sslmode: 'verify-full' })],
  [
    'a missing file of the authority',
    /^ENOENT: .*check the paths/,
    () => examine(valid.url, { ...VERIFIED, sslrootcert: '/no/ca.pem' }),
  ],
  ['a certificate of another host', /^ERR_TLS_CERT_ALTNAME_INVALID: /, () => examine(valid.url, VERIFIED, '127.0.0.1')],
  ['an expired certificate', /^CERT_HAS_EXPIRED: .*renew/, () => examine(expired.url, VERIFIED)],
])('names the remedy for %s', async (_name, remedy, examined) => {
  expect(await examined()).toEqual([
    {
      ...{ state: 'unreachable', subject: 'DATABASE_URL', text: explainCause({ kind: 'store-unavailable' }).text },
      remedy: expect.stringMatching(remedy) as string,
    },
  ]);
});

it('names the remedy for a server without TLS', async () => {
  const base = new URL((await plain.createDatabase()).url);
  expect(await examine(base, { sslmode: 'verify-full' })).toMatchObject([
    { remedy: expect.stringMatching(/^TLS_UNSUPPORTED: /) as string },
  ]);
});

describe('tables of an earlier release', () => {
  const ignore = () => undefined;
  const path = join(folder, 'svc.db');
  const OLDER = MIGRATIONS.slice(0, -1);

  async function readVersion(database: SqlDatabase): Promise<number> {
    const query = { sql: 'SELECT max(version) AS version FROM schema_migrations', parameters: [] } satisfies Query;
    const [row] = await database.run(readRows<{ version: number }>(query as Query<{ version: number }>));
    return row!.version;
  }

  it.each<[engine: string, locate: () => Promise<Config['database']>]>([
    ['SQLite', () => Promise.resolve({ kind: 'sqlite', path })],
    ['PostgreSQL', async () => ({ kind: 'postgres', url: (await plain.createDatabase()).url })],
  ])('are left to the next start: %s', async (_engine, locate) => {
    const location = await locate();
    const open = () =>
      location.kind === 'sqlite' ? openSqlite(location.path, ignore) : openPostgres(location.url, ignore);
    const earlier = open();
    await earlier.upgrade(migrate(earlier.dialect, OLDER));
    const config = { database: location } as Config;
    expect(await examineDatabase(config)).toEqual([
      {
        ...{ state: 'warn', subject: 'DATABASE_URL', text: 'the tables are of an earlier release' },
        remedy: expect.stringContaining('back up first') as string,
      },
    ]);
    expect(await storeNodeProfiles(config, new Map([['a'.repeat(64), '{}']]), 1_800_000_000)).toEqual([]);
    expect(await readVersion(earlier)).toBe(OLDER.length);
    await earlier.upgrade(migrate(earlier.dialect));
    expect(await examineDatabase(config)).toMatchObject([{ state: 'ok' }]);
    await earlier.close();
  });
});
