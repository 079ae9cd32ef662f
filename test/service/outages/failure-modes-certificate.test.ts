/**
 * Failure mode of a database whose certificate expires while the service runs: existing connections continue, new ones fail. Every route
 * returns what the table lists for a database that is down, and recovers without a restart when the certificate is renewed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../../testing/harness/free-port.ts';
import { createAuthority, startTlsPostgres, type TlsPostgres } from '../../../testing/harness/tls-postgres.ts';
import { DECISION_STORAGE, expectedOf, POLL_INTERVAL_SECONDS } from '../../failure-modes-table.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';
import { createExpectations, whenHealthy, type Allowed, type Expectations } from './failure-modes-expectations.ts';
import { createCaller } from './failure-modes-fixture.ts';

const POLL_MILLISECONDS = 50;

let folder: string;
let database: TlsPostgres;
let secureUrl: string;
let administration: pg.Client;
let adminPort: number;
let proxied: ProxiedService;
let expectations: Expectations;

/** Returns the code of the error of a new connection, or undefined when it succeeds. */
async function probe(): Promise<unknown> {
  const client = new pg.Client({ connectionString: secureUrl });
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Installs a certificate, waits until new connections receive it, and ends the others. */
async function install(certificate: string, code: string | undefined): Promise<void> {
  const { rows } = await administration.query<{ data_directory: string }>('SHOW data_directory');
  writeFileSync(join(rows[0]!.data_directory, '../server.crt'), certificate);
  await administration.query('SELECT pg_reload_conf()');
  while ((await probe()) !== code) await delay(POLL_MILLISECONDS);
  await administration.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
}

describe('the database', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'certificate-'));
    const authority = await createAuthority();
    const authorityFile = join(folder, 'ca.pem');
    writeFileSync(authorityFile, authority.certificate.toString('pem'));
    database = await startTlsPostgres(authority, 'valid');
    administration = new pg.Client({ connectionString: database.localUrl });
    await administration.connect();
    const url = new URL(database.url);
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', authorityFile);
    secureUrl = url.href;
    adminPort = await findFreePort();
    const ports = { ADMIN_PORT: String(adminPort), POLL_INTERVAL_SECONDS: String(POLL_INTERVAL_SECONDS) };
    proxied = await startProxiedService({ DATABASE_URL: secureUrl, ...ports });
    expectations = createExpectations(await createCaller(proxied.service.url));
  });
  afterAll(async () => {
    await proxied.close();
    await administration.end();
    await database.server.stop();
    rmSync(folder, { recursive: true });
  });

  it('an expired certificate is a database that is down, until it is renewed', { timeout: 900_000 }, async () => {
    const then: Allowed = (name) => expectedOf('databaseDown', name);
    // A connection that ends aborts its statements, and this route has no other code for that.
    const during =
      (of: Allowed): Allowed =>
      (name) =>
        name === 'decision' ? [...of(name), DECISION_STORAGE] : of(name);
    await expectations.settle(whenHealthy, whenHealthy);
    await expectations.expectWrites(whenHealthy);
    await install(database.certificates.expired, 'CERT_HAS_EXPIRED');
    await expectations.settle(during(whenHealthy), then);
    await expectations.expectWrites(then);
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    expect(metrics).toMatch(/^svc_database_failures_total\{code="CERT_HAS_EXPIRED"\} [1-9]/m);
    await install(database.certificates.valid, undefined);
    await expectations.settle(during(then), whenHealthy);
    await expectations.expectWrites(whenHealthy);
  });
});
