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
/** Short, so that the tests need not wait for the real one. */
const ARRIVAL_MILLISECONDS = 700;

let waiting: (() => void)[] = [];

const testRoutes: RouteGroup = (routes) => {
  routes.get('/quick', { profile: 'read' }, (exchange) => sendCacheableJson(exchange, SOME));
  routes.get('/slow', { profile: 'read' }, async (exchange) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    sendCacheableJson(exchange, SOME);
  });
  routes.put('/taking', { profile: 'monetization' }, async (exchange) => {
    for await (const chunk of exchange.request) void chunk;
    sendUncached(exchange, 200, SOME);
  });
  routes.get('/v1/verify/quick', { profile: 'verify' }, (exchange) => sendUncached(exchange, 200, SOME));
};

let app: FastifyInstance;
let port: number;
let unhurriedApp: FastifyInstance;
/** What never ends, sent to a server with the timeouts of production; begun first, as they last seconds. */
let unhurried: Promise<RawExchange[]>;

beforeAll(async () => {
  unhurriedApp = await buildApp(createStubCtx(), { rateLimits: 'off' });
  await unhurriedApp.listen({ port: 0, host: '127.0.0.1' });
  const unhurriedPort = (unhurriedApp.server.address() as AddressInfo).port;
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
afterAll(() => Promise.all([app.close(), unhurriedApp.close()]));

const bare = (detail: string) => JSON.stringify({ detail });

/** The one answer to these bytes. */
async function ask(...parts: readonly string[]): Promise<RawResponse> {
  const { responses: answers } = await sendRaw(port, ...parts);
  expect(answers).toHaveLength(1);
  return answers[0]!;
}

function expectVerifyConduct({ headers }: RawResponse): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
  });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
}

describe('what is no request', () => {
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
  ])('%s is 400 in JSON', async (_name, bytes) => {
    const answer = await ask(bytes);
    expect([answer.status, answer.text]).toEqual([400, bare('Bad Request')]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a broken chunk is 400 in the envelope of its route', async () => {
    const answer = await ask('PUT /taking HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ detail: { code: 'INVALID_REQUEST' } });
  });

  test('CONNECT finds no route', async () => {
    const answer = await ask('CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect([answer.status, answer.text]).toEqual([404, bare('Not Found')]);
  });

  test('CONNECT whose caller resets the connection ends nothing else', async () => {
    const taken = new Promise<Duplex>((resolve) => {
      app.server.once('connect', (_request, socket: Duplex) => resolve(socket));
    });
    await ask('CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    const socket = await taken;
    expect(() => socket.emit('error', new Error('reset'))).not.toThrow();
  });

  test('nothing of it is echoed', async () => {
    rule('auth.no-body-echo');
    const { responses: answers } = await sendRaw(
      port,
      'GET /very-secret HTTP/1.1\r\nHost: a\r\nBad Header: very-secret\r\n\r\n',
    );
    expect(JSON.stringify(answers)).not.toContain('very-secret');
  });
});

describe('what is too large', () => {
  const long = 'x'.repeat(40_000);

  test.each([
    ['a target', `GET /quick/${long} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a header', `GET /quick HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`],
    ['the number of headers', `GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${'X: y\r\n'.repeat(300)}\r\n`],
  ])('%s is 431 in JSON, not echoed', async (_name, bytes) => {
    const answer = await ask(bytes);
    expect([answer.status, answer.text]).toEqual([431, bare('Request Header Fields Too Large')]);
  });

  test.each([
    ['a target that nobody reads', `GET /v1/verify/${long} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a header that nobody reads', `GET /v1/verify/quick HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`],
    [
      'headers that are read',
      `GET /v1/verify/quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: ${long.slice(0, 20_000)}\r\n\r\n`,
    ],
  ])('under /v1/verify/ %s is 413 with its headers', async (_name, bytes) => {
    const answer = await ask(bytes);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({ detail: { code: 'REQUEST_TOO_LARGE' } });
    expectVerifyConduct(answer);
  });

  test('a head of which only a later piece is at hand has the answer that readers of Verify take', async () => {
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
    const [answer] = parseResponses((await received).join(''));
    expect(answer!.status).toBe(413);
    expect(JSON.parse(answer!.text)).toMatchObject({ detail: { code: 'REQUEST_TOO_LARGE' } });
    expectVerifyConduct(answer!);
  });

  test.each([
    'GET /v1/verify/quick HTTP/7.7\r\n\r\n',
    'GET /v1/verify/quick HTTP/1.1\r\nno header\r\n\r\n',
    'get /v1/verify/quick HTTP/1.1\r\n\r\n',
    'A_b! /v1/verify/quick HTTP/1.1\r\n\r\n',
    'BREW http://a/v1/verify/quick HTTP/1.1\r\n\r\n',
  ])('a bad request line under /v1/verify/ wears its headers: %j', async (bytes) => {
    const answer = await ask(bytes);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ detail: { code: 'INVALID_REQUEST' } });
    expectVerifyConduct(answer);
  });

  test('ten thousand digits get the answer of their route', async () => {
    const digits = '7'.repeat(10_000);
    const mcr = await ask(`GET /mcr/did:svc:${digits} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect([mcr.status, mcr.text]).toEqual([400, bare('Invalid machine DID format')]);
    const card = await ask(`GET /machines/${digits} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(card.status).toBe(422);
    expect(card.text.length).toBeLessThan(500);
  });
});

describe('what never ends', () => {
  test.each([
    ['a request line', 'GET /qui', 408],
    ['headers', 'GET /quick HTTP/1.1\r\nHost: a\r\nX-', 408],
    ['a body', 'PUT /taking HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12', 408],
  ])('half of %s is given up with 408', async (_name, bytes, status) => {
    const { responses: answers, milliseconds } = await sendRaw(port, bytes);
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(milliseconds).toBeLessThan(ARRIVAL_MILLISECONDS + 2_000);
  });

  test('half of a body that nobody asked for does not get a second answer', async () => {
    const { responses: answers } = await sendRaw(
      port,
      'GET /quick HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12',
    );
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  test('half of a second request on one connection is given up too', async () => {
    const { responses: answers } = await sendRaw(port, 'GET /quick HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /qui');
    expect(answers.map(({ status }) => status)).toEqual([200, 408]);
  });

  test('a connection that says nothing is closed without a word', async () => {
    const { responses: answers, milliseconds } = await sendRaw(port, '');
    expect(answers).toEqual([]);
    expect(milliseconds).toBeLessThan(ARRIVAL_MILLISECONDS + 2_000);
  });

  test('is closed after 9 to 12 seconds with the timeouts of production', async () => {
    const conversations = await unhurried;
    expect(conversations.map(({ responses: answers }) => answers.map(({ status }) => status))).toEqual([
      [],
      [408],
      [408],
    ]);
    for (const { milliseconds } of conversations) {
      expect(milliseconds).toBeGreaterThanOrEqual(8_900);
      expect(milliseconds).toBeLessThan(12_000);
    }
  });

  test('300 slow connections do not keep others from being served, and all end', async () => {
    const slow = Array.from({ length: 300 }, () => sendRaw(port, 'GET /quick HTTP/1.1\r\nHost: a\r\nX'));
    const quick = await ask('GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(quick.status).toBe(200);
    for (const { responses: answers } of await Promise.all(slow))
      expect(answers.map(({ status }) => status)).toEqual([408]);
  });
});

describe('HTTP/1.1 itself', () => {
  test.each([
    ['the broken one last', 'NONSENSE\r\n\r\n', 400],
    ['CONNECT last', 'CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
  ])('pipelined requests are answered in order, %s', async (_name, last, status) => {
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

  test('HTTP/1.0 needs no host and is closed after its answer', async () => {
    const answer = await ask('GET /quick HTTP/1.0\r\n\r\n');
    expect([answer.status, answer.headers.connection, answer.text]).toEqual([200, 'close', SOME.text]);
  });

  test('a connection is dropped after one silence, whether it is idle or its reader is', () => {
    expect([app.server.timeout, app.server.keepAliveTimeout]).toEqual([75_000, 0]);
  });

  test('who ends its side after the request still hears the answer', async () => {
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

  test('the absolute form of a target is its path', async () => {
    const answer = await ask('GET http://example.org/quick?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(answer.status).toBe(200);
  });

  test('dots lead nowhere', async () => {
    for (const target of ['/nothing/../quick', '/./quick', '/quick/.', '/nothing/%2e%2e/quick']) {
      expect((await ask(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).status).toBe(404);
    }
  });

  test('an expectation that nobody knows is ignored', async () => {
    const answer = await ask('GET /quick HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n');
    expect(answer.status).toBe(200);
  });

  test('an upgrade that nobody offers is ignored', async () => {
    const bytes = 'GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n';
    expect((await ask(bytes)).status).toBe(200);
  });

  test('nothing tells what the service is made of', async () => {
    const { headers } = await ask('GET /quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(headers).not.toHaveProperty('server');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  test('a large body that nobody asked for does not cost its sender the answer', async () => {
    const body = 'x'.repeat(3_000_000);
    const head = `POST /quick HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const answer = await ask(head, body);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

test('a server that closes gives the answers it owes and then ends', async () => {
  waiting = [];
  const other = await buildApp(createStubCtx(), { rateLimits: 'off', extraRoutes: [testRoutes] });
  await other.listen({ port: 0, host: '127.0.0.1' });
  const { port: otherPort } = other.server.address() as AddressInfo;
  const asked = sendRaw(otherPort, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = other.close();
  waiting[0]!();
  const { responses: answers } = await asked;
  expect(answers.map(({ status }) => status)).toEqual([200]);
  await closed;
});

test('a server that closes waits for a reader who takes his time', async () => {
  const large = encodeJson({ text: 'x'.repeat(16_000_000) });
  const given = Promise.withResolvers<unknown>();
  const routes: RouteGroup = (group) =>
    group.get('/large', { profile: 'read' }, (exchange) => {
      sendCacheableJson(exchange, large);
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
  // Longer than idle connections are left.
  await new Promise((resolve) => setTimeout(resolve, 500));
  socket.resume();
  await Promise.all([closed, read]);
  expect(bytes).toBeGreaterThan(16_000_000);
});

test('a server that is told to close answers everybody who had connected, and then nobody', async () => {
  const closing = await buildApp(createStubCtx(), { rateLimits: 'off', extraRoutes: [testRoutes] });
  await closing.listen({ port: 0, host: '127.0.0.1' });
  const { port: closingPort } = closing.server.address() as AddressInfo;
  const conversations = Array.from({ length: 40 }, () =>
    sendRaw(closingPort, 'GET /quick HTTP/1.1\r\nHost: a\r\n\r\n'),
  );
  await closing.close();
  for (const { responses: answers } of await Promise.all(conversations)) {
    expect(answers.map(({ status, headers, text }) => [status, headers['connection'], text])).toEqual([
      [200, 'close', SOME.text],
    ]);
  }
  await expect(open(closingPort)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
