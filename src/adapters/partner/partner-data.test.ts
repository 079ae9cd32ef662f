/** Tests the SSRF-safe fetch of partner data against a local HTTPS server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../outbound/public-address.ts';
import { createPartnerData } from './partner-data.ts';
import { rule } from '../../../test/conformance/rule.ts';

/** Responses of the partner's server by path. */
const RESPONSES: Record<string, { status?: number; headers?: Record<string, string>; body: string | undefined }> = {
  '/object': { body: '{"battery":81}' },
  '/array': { body: '[1]' },
  '/broken': { body: '{"battery":' },
  '/latin1': { body: undefined },
  '/error': { status: 500, body: '{}' },
  '/redirect': { status: 302, headers: { location: '/object' }, body: '{}' },
  '/full': { body: `{"x":"${'y'.repeat(65_536 - 8)}"}` },
  '/too-large': { body: `{"x":"${'y'.repeat(65_536 - 7)}"}` },
};

let server: Server;
let origin: string;
let certificate: string;
let requests = 0;
let now = 0;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
    stdio: 'ignore',
  });
  certificate = readFileSync(cert, 'utf8');
  server = createServer({ key: readFileSync(key), cert: certificate }, (request, response) => {
    requests++;
    if (request.url === '/silent') return;
    const { status, headers, body } = RESPONSES[request.url!]!;
    response.writeHead(status ?? 200, headers).end(body ?? Buffer.from([0x7b, 0xff, 0x7d]));
  });
  rmSync(folder, { recursive: true });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const partner of opened.splice(0)) await partner.close();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function open(options: { isPublicAddress?: (address: string) => boolean } = { isPublicAddress: () => true }) {
  const clock = { nowMilliseconds: () => now };
  const partner = createPartnerData({ clock, certificateAuthority: certificate, timeoutMilliseconds: 300, ...options });
  opened.push(partner);
  return partner;
}

describe('partner data of a public machine', () => {
  it.each([
    ['/object', { kind: 'object', value: { battery: 81 } }],
    ['/array', { kind: 'invalid' }],
    ['/broken', { kind: 'invalid' }],
    ['/latin1', { kind: 'invalid' }],
    ['/too-large', { kind: 'invalid' }],
    ['/error', { kind: 'unreachable' }],
    ['/redirect', { kind: 'unreachable' }],
    ['/silent', { kind: 'unreachable' }],
  ])('returns the result of the path %s', async (path, expected) => {
    expect(await open().readPartnerData(origin + path)).toEqual(expected);
  });

  it('accepts a body of exactly 64 KiB', async () => {
    expect((await open().readPartnerData(`${origin}/full`)).kind).toBe('object');
  });

  it('caches a response for 60 seconds', async () => {
    const partner = open();
    now = 0;
    const before = requests;
    await partner.readPartnerData(`${origin}/object`);
    now = 59_999;
    await partner.readPartnerData(`${origin}/object`);
    expect(requests - before).toBe(1);
    now = 60_000;
    await partner.readPartnerData(`${origin}/object`);
    expect(requests - before).toBe(2);
  });

  it.each([
    ['a name that resolves to the loopback', () => origin],
    ['a literal address that is not public', () => origin.replace('localhost', '127.0.0.1')],
    ['plain http', () => origin.replace('https:', 'http:')],
    ['credentials in the URL', () => origin.replace('//', '//user:secret@')],
    ['an invalid URL', () => 'https://'],
  ])('opens no connection for %s', async (_name, url) => {
    rule('security.public-addresses-only');
    const before = requests;
    expect(await open({}).readPartnerData(`${url()}/object`)).toEqual({ kind: 'unreachable' });
    expect(requests).toBe(before);
  });

  it.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['10.0.0.1', false],
    ['127.0.0.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['64:ff9b::7f00:1', false],
    ['224.0.0.1', false],
    ['not an address', false],
  ])('classifies the address %s as public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});
