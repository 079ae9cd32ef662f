/** PostgreSQL that accepts only encrypted connections over TCP, with certificates of a private authority. */
import type { webcrypto } from 'node:crypto';
import '../../test/campaigns/no-metadata.ts';
import * as x509 from '@peculiar/x509';
import { startEmbeddedPostgres, type PostgresServer } from './embedded-postgres.ts';
import { findFreePort } from './free-port.ts';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MILLISECONDS = 3_600_000;

type Keys = webcrypto.CryptoKeyPair;

export interface Authority {
  readonly certificate: x509.X509Certificate;
  readonly signingKey: webcrypto.CryptoKey;
}

const generateKeys = (): Promise<Keys> => crypto.subtle.generateKey(KEY, true, ['sign', 'verify']);

/** Creates an authority with its own key. */
export async function createAuthority(): Promise<Authority> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=private authority', keys, signingAlgorithm: KEY },
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  return { certificate, signingKey: keys.privateKey };
}

/** Issues a certificate for `localhost`, valid until an hour from now or an hour ago. */
async function issue({ certificate, signingKey }: Authority, { publicKey }: Keys, isExpired: boolean): Promise<string> {
  const issued = await x509.X509CertificateGenerator.create({
    ...{ subject: 'CN=localhost', issuer: certificate.subject, publicKey, signingKey, signingAlgorithm: KEY },
    notBefore: new Date(Date.now() - 2 * HOUR_MILLISECONDS),
    notAfter: new Date(Date.now() + (isExpired ? -HOUR_MILLISECONDS : HOUR_MILLISECONDS)),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  });
  return issued.toString('pem');
}

export interface TlsPostgres {
  readonly server: PostgresServer;
  /** A database on the host `localhost`, without parameters. */
  readonly url: URL;
  /** The same database over the socket, which is not encrypted. */
  readonly localUrl: string;
  /** Certificates of the server's key, for its file `server.crt` beside the data folder. */
  readonly certificates: { readonly valid: string; readonly expired: string };
}

/** Creates a key in PEM with its two certificates for `localhost`. */
export async function createServerIdentity(authority: Authority) {
  const keys = await generateKeys();
  const certificates = { valid: await issue(authority, keys, false), expired: await issue(authority, keys, true) };
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { certificates, key: `-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n` };
}

/** Starts a server with a valid or an expired certificate. */
export async function startTlsPostgres(authority: Authority, initial: 'valid' | 'expired'): Promise<TlsPostgres> {
  const port = await findFreePort();
  const { certificates, key } = await createServerIdentity(authority);
  const server = await startEmbeddedPostgres({
    port,
    files: {
      'server.crt': certificates[initial],
      'server.key': key,
      hba: 'local all all trust\nhostssl all all all trust\n',
    },
    settings: { ssl: 'on', ssl_cert_file: '../server.crt', ssl_key_file: '../server.key', hba_file: 'hba' },
  });
  const { url: localUrl } = await server.createDatabase();
  const url = new URL(localUrl);
  url.search = '';
  return { server, url, localUrl, certificates };
}
