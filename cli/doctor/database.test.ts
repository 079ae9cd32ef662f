/** Remedies of `svc doctor` for a database that requires TLS, against a real server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { createAuthority, startTlsPostgres, type TlsPostgres } from '../../testing/harness/tls-postgres.ts';
import type { Config } from '../../src/config.ts';
import { examineDatabase } from './database.ts';

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
  expect(await examine(valid.url, VERIFIED)).toMatchObject({ state: 'ok' });
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
  expect(await examined()).toEqual({
    ...{ state: 'unreachable', subject: 'DATABASE_URL', text: 'cannot be opened or written' },
    remedy: expect.stringMatching(remedy) as string,
  });
});

it('names the remedy for a server without TLS', async () => {
  const base = new URL((await plain.createDatabase()).url);
  expect(await examine(base, { sslmode: 'verify-full' })).toMatchObject({
    remedy: expect.stringMatching(/^TLS_UNSUPPORTED: /) as string,
  });
});
