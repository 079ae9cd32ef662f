import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  sendRaw,
  open,
  parseResponses,
  type RawExchange,
  type RawResponse,
} from '../../../testing/harness/raw-http.ts';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { buildApp, type RouteGroup } from '../../app.ts';
import { sendUncached, sendCacheableJson } from './response.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { encodeJson } from './json-encoding.ts';

const SOME = encodeJson({ some: 'thing' });
/** Arrival timeout of the tests, shorter than in production. */
const ARRIVAL_MILLISECONDS = 700;

let waiting: (() => void)[] = [];

const testRoutes: RouteGroup = (routes) => {
  routes.get('/quick', { profile: 'read' }, (context) => sendCacheableJson(context, SOME));
  routes.get('/slow', { profile: 'read' }, async (context) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    sendCacheableJson(context, SOME);
  });
  routes.put('/taking', { profile: 'monetization' }, async (context) => {
    await context.request.toArray();
    sendUncached(context, 200, SOME);
  });
  routes.get('/v1/verify/quick', { profile: 'verify' }, (context) => sendUncached(context, 200, SOME));
};

let app: FastifyInstance;
let port: number;
let productionApp: FastifyInstance;
/** Incomplete requests to a server with production timeouts; started first, because they take seconds. */
let unhurried: Promise<RawExchange[]>;

beforeAll(async () => {
  productionApp = await buildApp(createStubCtx(), { rateLimits: 'off' });
  await productionApp.listen({ port: 0, host: '127.0.0.1' });
  const unhurriedPort = (productionApp.server.address() as AddressInfo).port;
  const unended = ['', 'GET /health', 'GET /health HTTP/1.1\r\nHost: a\r\nX-'];
  unhurried = Promise.all(unended.map((bytes) => sendRaw(unhurriedPort, bytes)));
  app = await buildApp(createStubCtx(), {
    rateLimits: 'off',
    arrivalMilliseconds: ARRIVAL_MILLISECONDS,
    extraRoutes: [testRoutes],
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => Promise.all([app.close(), productionApp.close()]));

const bare = (detail: string) => JSON.stringify({ detail });

/** Returns the single response to these bytes. */
async function send(...parts: readonly string[]): Promise<RawResponse> {
  const { responses } = await sendRaw(port, ...parts);
  expect(responses).toHaveLength(1);
  return responses[0]!;
}

function expectVerifyHeaders({ headers }: RawResponse): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
  });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
}

describe('malformed requests', () => {
  test.each([
    ['a bad request line', 'NONSENSE\r\n\r\n'],
    ['an unknown method', 'BREW /quick HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/9.9', 'GET /quick HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['a space in the target', 'GET /qui ck HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a header without a name', 'GET /quick HTTP/1.1\r\nHost: a\r\n: secret\r\n\r\n'],
    ['a NUL in a header', 'GET /quick HTTP/1.1\r\nHost: a\r\nX: se\0cret\r\n\r\n'],
    ['two lengths', 'GET /quick HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'PUT /taking HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['a negative length', 'PUT /taking HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    ['two hosts', 'GET /quick HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n'],
    ['no host', 'GET /quick HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('returns 400 in JSON for %s', async (_name, bytes) => {
    const response = await send(bytes);
    expect([response.status, response.text]).toEqual([400, bare('Bad Request')]);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('returns 400 in the envelope of the route for a broken chunk', async () => {
    const response = await send('PUT /taking HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text)).toMatchObject({ detail: { code: 'INVALID_REQUEST' } });
  });

  test('returns 404 for CONNECT', async () => {
    const response = await send('CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect([response.status, response.text]).toEqual([404, bare('Not Found')]);
  });

  test('survives a client that resets its CONNECT', async () => {
    const taken = new Promise<Duplex>((resolve) => {
      app.server.once('connect', (_request, socket: Duplex) => resolve(socket));
    });
    await send('CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    const socket = await taken;
    expect(() => socket.emit('error', new Error('reset'))).not.toThrow();
  });

  test('echoes nothing of the request', async () => {
    rule('auth.no-body-echo', 'security.no-secret-in-errors');
    const { responses } = await sendRaw(
      port,
      'GET /very-secret HTTP/1.1\r\nHost: a\r\nBad Header: very-secret\r\n\r\n',
    );
    expect(JSON.stringify(responses)).not.toContain('very-secret');
  });
});

describe('oversized requests', () => {
  const long = 'x'.repeat(40_000);

  test.each([
    ['a long target', `GET /quick/${long} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a long header', `GET /quick HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`],
    ['too many headers', `GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${'X: y\r\n'.repeat(300)}\r\n`],
  ])('returns 431 in JSON for %s and echoes nothing', async (_name, bytes) => {
    const response = await send(bytes);
    expect([response.status, response.text]).toEqual([431, bare('Request Header Fields Too Large')]);
  });

  test.each([
    ['an unparsed target', `GET /v1/verify/${long} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['an unparsed header', `GET /v1/verify/quick HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`],
    [
      'headers that are read',
      `GET /v1/verify/quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${long.slice(0, 20_000)}\r\n\r\n`,
    ],
  ])('returns 413 with the headers of /v1/verify/ for %s', async (_name, bytes) => {
    const response = await send(bytes);
    expect(response.status).toBe(413);
    expect(JSON.parse(response.text)).toMatchObject({ detail: { code: 'REQUEST_TOO_LARGE' } });
    expectVerifyHeaders(response);
  });

  test('returns the Verify error when only a later piece of a large head is available', async () => {
    rule('envelope.coded-verify');
    const taken = new Promise<Socket>((resolve) => app.server.once('connection', resolve));
    const socket = await open(port);
    const received = socket.setEncoding('latin1').toArray() as Promise<string[]>;
    const server = await taken;
    let sent = 0;
    for (const piece of ['GET /v1/verify/quick HTTP/1.1\r\n', 'Host: a\r\n', `X: ${long}\r\n\r\n`]) {
      while (server.bytesRead < sent) await new Promise((resolve) => setImmediate(resolve));
      socket.write(piece);
      sent += piece.length;
    }
    const [response] = parseResponses((await received).join(''));
    expect(response!.status).toBe(413);
    expect(JSON.parse(response!.text)).toMatchObject({ detail: { code: 'REQUEST_TOO_LARGE' } });
    expectVerifyHeaders(response!);
  });

  test.each([
    'GET /v1/verify/quick HTTP/7.7\r\n\r\n',
    'GET /v1/verify/quick HTTP/1.1\r\nno header\r\n\r\n',
    'get /v1/verify/quick HTTP/1.1\r\n\r\n',
    'A_b! /v1/verify/quick HTTP/1.1\r\n\r\n',
    'BREW http://a/v1/verify/quick HTTP/1.1\r\n\r\n',
  ])('returns 400 with the headers of /v1/verify/ for the request line %j', async (bytes) => {
    const response = await send(bytes);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text)).toMatchObject({ detail: { code: 'INVALID_REQUEST' } });
    expectVerifyHeaders(response);
  });

  test('passes ten thousand digits to their route', async () => {
    const digits = '7'.repeat(10_000);
    const mcr = await send(`GET /mcr/did:svc:${digits} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect([mcr.status, mcr.text]).toEqual([400, bare('Invalid machine DID format')]);
    const card = await send(`GET /machines/${digits} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(card.status).toBe(422);
    expect(card.text.length).toBeLessThan(500);
  });
});

describe('incomplete requests', () => {
  test.each([
    ['a request line', 'GET /qui', 408],
    ['headers', 'GET /quick HTTP/1.1\r\nHost: a\r\nX-', 408],
    ['a body', 'PUT /taking HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12', 408],
  ])('returns 408 for half of %s', async (_name, bytes, status) => {
    const { responses, milliseconds } = await sendRaw(port, bytes);
    expect(responses.map((response) => response.status)).toEqual([status]);
    expect(milliseconds).toBeLessThan(ARRIVAL_MILLISECONDS + 2_000);
  });

  test('sends one response when the body that no route reads is incomplete', async () => {
    const { responses } = await sendRaw(port, 'GET /quick HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12');
    expect(responses.map(({ status }) => status)).toEqual([200]);
  });

  test('returns 408 for half of a second request on a connection', async () => {
    const { responses } = await sendRaw(port, 'GET /quick HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /qui');
    expect(responses.map(({ status }) => status)).toEqual([200, 408]);
  });

  test('closes a silent connection without a response', async () => {
    const { responses, milliseconds } = await sendRaw(port, '');
    expect(responses).toEqual([]);
    expect(milliseconds).toBeLessThan(ARRIVAL_MILLISECONDS + 2_000);
  });

  test('closes the connection after 9 to 12 seconds with production timeouts', async () => {
    const conversations = await unhurried;
    expect(conversations.map(({ responses }) => responses.map(({ status }) => status))).toEqual([[], [408], [408]]);
    for (const { milliseconds } of conversations) {
      expect(milliseconds).toBeGreaterThanOrEqual(8_900);
      expect(milliseconds).toBeLessThan(12_000);
    }
  });

  test('serves other clients during 300 slow connections and closes all of those', async () => {
    const slow = Array.from({ length: 300 }, () => sendRaw(port, 'GET /quick HTTP/1.1\r\nHost: a\r\nX'));
    const quick = await send('GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(quick.status).toBe(200);
    for (const { responses } of await Promise.all(slow)) expect(responses.map(({ status }) => status)).toEqual([408]);
  });
});

describe('HTTP/1.1', () => {
  test.each([
    ['the last one malformed', 'NONSENSE\r\n\r\n', 400],
    ['the last one CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
  ])('responds to pipelined requests in order, %s', async (_name, last, status) => {
    waiting = [];
    const socket = await open(port);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /quick HTTP/1.1\r\nHost: a\r\n\r\n' + last);
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    waiting[0]!();
    await closed;
    expect(parseResponses(text).map(({ status }) => status)).toEqual([200, 200, status]);
  });

  test('serves HTTP/1.0 without a host and closes the connection', async () => {
    const response = await send('GET /quick HTTP/1.0\r\n\r\n');
    expect([response.status, response.headers.connection, response.text]).toEqual([200, 'close', SOME.text]);
  });

  test('has one idle timeout for connections and slow readers', () => {
    expect([app.server.timeout, app.server.keepAliveTimeout]).toEqual([75_000, 0]);
  });

  test('responds to a client that closed its side after the request', async () => {
    waiting = [];
    const socket = await open(port);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.end('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    waiting[0]!();
    await closed;
    expect(parseResponses(text).map(({ status }) => status)).toEqual([200]);
  });

  test('routes the absolute form of a target by its path', async () => {
    const response = await send('GET http://example.org/quick?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(response.status).toBe(200);
  });

  test('does not resolve . and .. path segments (404)', async () => {
    for (const target of ['/nothing/../quick', '/./quick', '/quick/.', '/nothing/%2e%2e/quick']) {
      expect((await send(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).status).toBe(404);
    }
  });

  test('ignores an unknown expectation', async () => {
    const response = await send('GET /quick HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n');
    expect(response.status).toBe(200);
  });

  test('ignores an unsupported upgrade', async () => {
    const bytes = 'GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n';
    expect((await send(bytes)).status).toBe(200);
  });

  test('reveals no server software in headers', async () => {
    const { headers } = await send('GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(headers).not.toHaveProperty('server');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  test('responds to a client that sends a large unread body', async () => {
    const body = 'x'.repeat(3_000_000);
    const head = `POST /quick HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const response = await send(head, body);
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

test('finishes pending responses before the server closes', async () => {
  waiting = [];
  const other = await buildApp(createStubCtx(), { rateLimits: 'off', extraRoutes: [testRoutes] });
  await other.listen({ port: 0, host: '127.0.0.1' });
  const { port: otherPort } = other.server.address() as AddressInfo;
  const pending = sendRaw(otherPort, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = other.close();
  waiting[0]!();
  const { responses } = await pending;
  expect(responses.map(({ status }) => status)).toEqual([200]);
  await closed;
});

test('waits for a slow reader before the server closes', async () => {
  const large = encodeJson({ text: 'x'.repeat(16_000_000) });
  const given = Promise.withResolvers<unknown>();
  const routes: RouteGroup = (group) =>
    group.get('/large', { profile: 'read' }, (context) => {
      sendCacheableJson(context, large);
      given.resolve(undefined);
    });
  const closing = await buildApp(createStubCtx(), { rateLimits: 'off', extraRoutes: [routes] });
  await closing.listen({ port: 0, host: '127.0.0.1' });
  const socket = await open((closing.server.address() as AddressInfo).port);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).pause();
  const read = new Promise((resolve) => socket.once('end', resolve));
  socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await given.promise;
  const closed = closing.close();
  // Longer than the interval at which idle connections are closed.
  await new Promise((resolve) => setTimeout(resolve, 500));
  socket.resume();
  await Promise.all([closed, read]);
  expect(bytes).toBeGreaterThan(16_000_000);
});

test('serves all clients connected before close, and none after', async () => {
  const closing = await buildApp(createStubCtx(), { rateLimits: 'off', extraRoutes: [testRoutes] });
  await closing.listen({ port: 0, host: '127.0.0.1' });
  const { port: closingPort } = closing.server.address() as AddressInfo;
  const conversations = Array.from({ length: 40 }, () =>
    sendRaw(closingPort, 'GET /quick HTTP/1.1\r\nHost: a\r\n\r\n'),
  );
  await closing.close();
  for (const { responses } of await Promise.all(conversations)) {
    expect(responses.map(({ status, headers, text }) => [status, headers['connection'], text])).toEqual([
      [200, 'close', SOME.text],
    ]);
  }
  await expect(open(closingPort)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
