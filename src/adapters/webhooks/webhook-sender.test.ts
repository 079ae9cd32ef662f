/** Tests the sender of webhooks against local receivers, and its signatures with the official library of Standard Webhooks. */
import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Receiver } from './watch-file.ts';
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts';
import { parseWebhookSecret } from './webhook-signature.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { RECEIVER_FAILURE_MODES } from '../../../test/failure-modes-table.ts';
import type { ResolveName } from '../outbound/public-address.ts';

/** Resolves `private.invalid` to a private address; no name server knows the top-level domain `invalid`. */
const resolveName: ResolveName = (hostname, options, callback) => {
  if (hostname === 'unknown.invalid') callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
  else if (hostname === 'private.invalid') callback(null, [{ address: '10.0.0.1', family: 4 }]);
  else lookup(hostname, options, callback);
};

const [SECRET, OLD_SECRET] = [`whsec_${'A'.repeat(32)}`, `whsec_${'B'.repeat(32)}`];
const MESSAGE = { id: 'change-7', body: '{"type":"machine.changed","data":{"cursor":7}}' };

let servers: Server[];
let certificate: string;
let urls: { readonly http: string; readonly https: string };
let received: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
let sender: WebhookSender | undefined;

/** Responds by path: `/500` with that status, `/silent` never. */
function respond(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const path = request.url!;
    received.push({ url: path, headers: request.headers, body: Buffer.concat(chunks).toString() });
    if (path === '/silent') return;
    if (path === '/reset') return void request.socket.resetAndDestroy();
    if (path === '/endless') {
      response.writeHead(200);
      response.write('x'.repeat(100_000));
      return;
    }
    response.writeHead(Number(path.slice(1)), { location: '/200' }).end('ignored');
  });
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ],
    { stdio: 'ignore' },
  );
  certificate = readFileSync(cert, 'utf8');
  servers = [createServer(respond), createSecureServer({ key: readFileSync(key), cert: certificate }, respond)];
  rmSync(folder, { recursive: true });
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [http, https] = servers.map((server) => (server.address() as AddressInfo).port);
  urls = { http: `http://127.0.0.1:${http}`, https: `https://localhost:${https}` };
});
afterEach(async () => {
  await sender?.close();
  received = [];
});
afterAll(() => {
  for (const server of servers) {
    (server as ReturnType<typeof createServer>).closeAllConnections();
    server.close();
  }
});

function open(url: string, parts: Partial<Receiver> = {}, trusted: string | null = certificate): WebhookSender {
  const receiver: Receiver = {
    name: 'desk',
    url: new URL(url),
    secrets: [parseWebhookSecret(SECRET)!],
    machines: new Set(),
    operators: new Set(),
    kinds: undefined,
    allowsPrivateAddress: false,
    ...parts,
  };
  const clock = { nowMilliseconds: () => Date.now() };
  return (sender = createWebhookSender([receiver], {
    clock,
    resolveName,
    timeoutMilliseconds: 500,
    ...(trusted !== null && { certificateAuthority: trusted }),
  }));
}

const send = (url: string, parts?: Partial<Receiver>) => open(url, parts).send('desk', MESSAGE);

test('sends a message that the official library verifies, over HTTP on loopback and over HTTPS', async () => {
  rule('changes.webhooks');
  for (const url of [urls.http, urls.https]) expect(await send(`${url}/200`)).toBeUndefined();
  expect(received.length).toBe(2);
  for (const { headers, body } of received) {
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(MESSAGE.body));
    expect(headers).toMatchObject({ 'webhook-id': 'change-7', 'content-type': 'application/json' });
    expect(() => new Webhook(SECRET).verify(`${body} `, headers as Record<string, string>)).toThrow();
    expect(() => new Webhook(OLD_SECRET).verify(body, headers as Record<string, string>)).toThrow();
  }
});

test('signs with both secrets during a rotation', async () => {
  await send(`${urls.http}/200`, { secrets: [SECRET, OLD_SECRET].map((secret) => parseWebhookSecret(secret)!) });
  const { headers, body } = received[0]!;
  for (const secret of [SECRET, OLD_SECRET]) {
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(MESSAGE.body));
  }
});

/** Sends one message to a receiver with the fault. */
const FAULTS: Readonly<Record<(typeof RECEIVER_FAILURE_MODES)[number]['fault'], () => Promise<unknown>>> = {
  'no response': () => send(`${urls.http}/silent`),
  'server error': () => send(`${urls.http}/500`),
  'client error': () => send(`${urls.http}/404`),
  redirect: () => send(`${urls.http}/302`),
  'closed port': () => send('http://127.0.0.1:1/200'),
  reset: () => send(`${urls.http}/reset`),
  'unknown name': () => send('https://unknown.invalid/200'),
  'private name': () => send('https://private.invalid/200'),
  certificate: () => open(`${urls.https}/200`, {}, null).send('desk', MESSAGE),
  'endless body': () => send(`${urls.http}/endless`),
};

test.each(RECEIVER_FAILURE_MODES)('reports $fault as $problem', async ({ fault, problem }) => {
  rule('changes.webhooks');
  expect(await FAULTS[fault]()).toBe(problem);
});

test('accepts any status of success', async () => {
  expect(await send(`${urls.http}/204`)).toBeUndefined();
});

test('follows no redirect', async () => {
  await send(`${urls.http}/302`);
  expect(received.map(({ url }) => url)).toEqual(['/302']);
});

test('sends nothing to a server whose certificate is not trusted, or whose name resolves to a private address', async () => {
  await FAULTS.certificate();
  await FAULTS['private name']();
  expect(received).toEqual([]);
});

test.each([
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://0.0.0.0/',
  'https://192.168.1.1/',
])('refuses the private address of %s', async (url) => {
  expect(await send(url)).toBe('address');
});

test('refuses a receiver that is not configured any more', async () => {
  expect(await open(urls.http).send('other', MESSAGE)).toBe('address');
});

test.each([
  ['whsec_' + 'A'.repeat(32), 24],
  ['whsec_' + 'A'.repeat(28), undefined],
  ['whsec_' + 'A'.repeat(33), undefined],
  ['A'.repeat(32), undefined],
  ['whsec_', undefined],
])('parses the secret %s to %s bytes', (text, length) => {
  expect(parseWebhookSecret(text)?.length).toBe(length);
});
