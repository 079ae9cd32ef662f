/** Remedies of `svc doctor` for a database that requires TLS, against a real server. */
import type { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../test/campaigns/no-metadata.ts';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import type { Config } from '../../src/config.ts';
import { examineDatabase } from './database.ts';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MILLISECONDS = 3_600_000;

interface Issued {
  readonly certificate: string;
  readonly key: string;
}

/** Issues a certificate of a private authority for `localhost`, valid until an hour from now or an hour ago. */
async function issue(
  authority: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
  isExpired: boolean,
): Promise<Issued> {
  const keys = await crypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...{
      subject: 'CN=localhost',
      issuer: authority.subject,
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: KEY,
    },
    notBefore: new Date(Date.now() - 2 * HOUR_MILLISECONDS),
    notAfter: new Date(Date.now() + (isExpired ? -HOUR_MILLISECONDS : HOUR_MILLISECONDS)),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificate: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  };
}

/** Starts a server that accepts only encrypted connections over TCP. Returns the URL of a database with the host name `localhost`. */
async function startTls({ certificate, key }: Issued): Promise<{ readonly server: PostgresServer; readonly url: URL }> {
  const port = await findFreePort();
  const server = await startEmbeddedPostgres({
    port,
    files: { 'server.crt': certificate, 'server.key': key, hba: 'local all all trust\nhostssl all all all trust\n' },
    settings: { ssl: 'on', ssl_cert_file: '../server.crt', ssl_key_file: '../server.key', hba_file: 'hba' },
  });
  const url = new URL((await server.createDatabase()).url);
  url.search = '';
  return { server, url };
}

const folder = mkdtempSync(join(tmpdir(), 'database-tls-'));
const authorityFile = join(folder, 'ca.pem');
let valid: Awaited<ReturnType<typeof startTls>>;
let expired: Awaited<ReturnType<typeof startTls>>;
let plain: PostgresServer;

beforeAll(async () => {
  const keys = await crypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=private authority', keys, signingAlgorithm: KEY },
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  writeFileSync(authorityFile, authority.toString('pem'));
  valid = await startTls(await issue(authority, keys.privateKey, false));
  expired = await startTls(await issue(authority, keys.privateKey, true));
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
