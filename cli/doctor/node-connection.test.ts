/** Tests of why a node does not respond: certificates, protocols, ports and names. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createSecureServer, rootCertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { createAuthority, createServerIdentity } from '../../testing/harness/tls-postgres.ts';
import { explainConnection } from './node-connection.ts';

const KEY = 'key-in-the-url';
const servers: Server[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Port of a server with each certificate of an authority that this process trusts, and of one without TLS. */
let valid: number;
let expired: number;
let plain: number;
/** Certificate of another authority. */
let foreign: number;

beforeAll(async () => {
  const authority = await createAuthority();
  const { key, certificates } = await createServerIdentity(authority);
  setDefaultCACertificates([...rootCertificates, authority.certificate.toString('pem')]);
  valid = await listen(createSecureServer({ key, cert: certificates.valid }));
  expired = await listen(createSecureServer({ key, cert: certificates.expired }));
  const other = await createServerIdentity(await createAuthority());
  foreign = await listen(createSecureServer({ key: other.key, cert: other.certificates.valid }));
  plain = await listen(
    createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
});
afterAll(() => {
  setDefaultCACertificates([...rootCertificates]);
  for (const server of servers) server.close();
});

it.each<[name: string, text: RegExp, url: () => string | Promise<string>]>([
  ['an expired certificate', /^CERT_HAS_EXPIRED: .*renew/, () => `https://localhost:${expired}`],
  ['an unknown authority', /^CERT_SIGNATURE_FAILURE: .*NODE_EXTRA_CA_CERTS/, () => `https://localhost:${foreign}`],
  ['another host name', /^ERR_TLS_CERT_ALTNAME_INVALID: .*name/, () => `https://127.0.0.1:${valid}`],
  ['a node without TLS', /^ERR_SSL_\w+: .*http:\/\//, () => `https://localhost:${plain}`],
  ['a closed port', /^ECONNREFUSED: .*port/, async () => `http://127.0.0.1:${await findFreePort()}`],
  ['an unknown host', /^(?:ENOTFOUND|EAI_AGAIN): .*DNS/, () => 'https://no-such-host.invalid'],
  ['a node that accepts connections', /no JSON-RPC response; check the path/, () => `http://localhost:${plain}`],
])('explains %s, and repeats nothing of the URL', async (_name, text, url) => {
  const explained = await explainConnection(`${await url()}/${KEY}`);
  expect(explained).toMatch(text);
  expect(explained).not.toContain(KEY);
});
