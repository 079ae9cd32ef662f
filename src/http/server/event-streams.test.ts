/** Tests streams of changes over real sockets: replay, resumption, limits, clients that do not read, and a closing server. */
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildApp } from '../../app.ts';
import { storeRatingChange } from '../../../testing/fixtures/stored-changes.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import type { Ctx } from '../../ports/ctx.ts';
import type { Store } from '../../ports/store.ts';
import { createStubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { findMessageProblems, type AsyncapiDocument } from '../../../testing/harness/asyncapi-conformance.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { HEARTBEAT_MILLISECONDS, MAX_STREAMS_OF_NETWORK, READ_TIMEOUT_MILLISECONDS } from './event-streams.ts';
import { rule } from '../../../test/conformance/rule.ts';

let store: Store;
let app: FastifyInstance;
let time: VirtualTime;
let sockets: Socket[];
let block = 0;

beforeEach(async () => {
  store = await createMemoryStore();
  await store.openChanges(1_000);
  block = 0;
  sockets = [];
  time = new VirtualTime();
  const ctx = createStubCtx({ store, timers: time, main: {} as Ctx['main'] });
  app = await buildApp(ctx, { rateLimits: 'off' });
  await app.listen({ host: '127.0.0.1', port: 0 });
  for (const rating of ['AA', 'A', 'BBB']) await change(rating);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
  await store.close();
});

async function change(rating: string): Promise<void> {
  await storeRatingChange(store, ++block, rating);
}

/** Opens a stream and collects what it sends. */
class Reader {
  readonly socket: Socket;
  text = '';

  constructor(query: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(this.socket);
    const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`GET /changes/stream${query} HTTP/1.1\r\n${lines.join('')}\r\n`);
    this.socket.on('data', (bytes: Buffer) => (this.text += bytes.toString()));
    this.socket.on('error', () => undefined);
  }

  /** Resolves once the pattern has arrived; advances the timers of the service meanwhile. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await tick();
  }

  get cursors(): string[] {
    return [...this.text.matchAll(/id: (\d+)\nevent: change\n/g)].map(([, cursor]) => cursor!);
  }
}

/** Lets a second of virtual time pass. */
async function tick(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await time.advance(1_000);
}

test('replays from a cursor and continues with new changes', async () => {
  rule('changes.stream');
  const reader = new Reader('?after=1');
  await reader.until(/id: 3\nevent/);
  await change('B');
  await reader.until(/id: 4\nevent/);
  expect(reader.cursors).toEqual(['2', '3', '4']);
  expect(reader.text).toMatch(/^HTTP\/1.1 200 OK/);
  expect(reader.text).toContain('Content-Type: text/event-stream\r\n');
  expect(reader.text).toContain('data: {"cursor":4,"kind":"rating","machine_id":"42","did":"did:svc:42",');
});

test('sends events as the AsyncAPI document describes them', async () => {
  rule('changes.asyncapi');
  const document = (await app.inject('/asyncapi.json')).json<AsyncapiDocument>();
  const reader = new Reader('?after=0');
  await reader.until(/id: 3\nevent: change\ndata: .+\n\n/);
  const events = [...reader.text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as object);
  expect(events).toHaveLength(3);
  const find = (payload: unknown) => findMessageProblems(document, ['changeStream', 'change'], { payload });
  expect(events.flatMap(find)).toEqual([]);
  expect(find({ ...events[0], cursor: 0, more: 1 })).toHaveLength(2);
});

test('begins with the next change without a cursor', async () => {
  const reader = new Reader('');
  await reader.until(/id: 3\n\n/);
  await change('B');
  await reader.until(/id: 4\nevent/);
  expect(reader.cursors).toEqual(['4']);
});

test('resumes after Last-Event-ID rather than after the query', async () => {
  rule('changes.stream');
  const reader = new Reader('?after=0', { 'Last-Event-ID': '2' });
  await reader.until(/id: 3\nevent/);
  expect(reader.cursors).toEqual(['3']);
});

test('allows pages of other origins to send Last-Event-ID, and to read the stream', async () => {
  rule('changes.other-origin');
  const { statusCode, headers } = await app.inject({
    method: 'OPTIONS',
    url: '/changes/stream',
    headers: {
      origin: 'https://page.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'last-event-id',
    },
  });
  expect([statusCode, headers['access-control-allow-origin']]).toEqual([204, '*']);
  expect(String(headers['access-control-allow-methods']).split(', ')).toContain('GET');
  expect(String(headers['access-control-allow-headers']).toLowerCase().split(', ')).toContain('last-event-id');
  const reader = new Reader('', { Origin: 'https://page.example', 'Last-Event-ID': '2' });
  await reader.until(/id: 3\nevent/);
  expect(reader.text).toContain('\r\nAccess-Control-Allow-Origin: *\r\n');
});

test('moves the position past changes of other kinds', async () => {
  const reader = new Reader('?after=0&kinds=flag');
  await reader.until(/id: 3\n\n/);
  expect(reader.cursors).toEqual([]);
});

test('sends heartbeats while nothing changes', async () => {
  const reader = new Reader('?after=3');
  await reader.until(/: heartbeat\n\n/);
  expect(HEARTBEAT_MILLISECONDS).toBeLessThan(60_000);
});

test.each([
  ['?after=4', {}, 410],
  ['', { 'Last-Event-ID': '9' }, 410],
  ['', { 'Last-Event-ID': 'x' }, 422],
  ['?kinds=score', {}, 422],
])('refuses %s with %j (%i)', async (query, headers, status) => {
  const reader = new Reader(query, headers);
  await reader.until(/\r\n\r\n\{.+\}/);
  expect(reader.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test('responds to HEAD without a stream', async () => {
  const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/changes/stream' });
  expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/event-stream', '']);
});

test('limits the streams of one network, and frees the place of a closed one', async () => {
  const readers = Array.from({ length: MAX_STREAMS_OF_NETWORK }, () => new Reader('?after=3'));
  for (const reader of readers) await reader.until(/id: 3\n\n/);
  const refused = new Reader('?after=3');
  await refused.until(/Too many open streams/);
  expect(refused.text).toMatch(/^HTTP\/1.1 503 /);
  readers[0]!.socket.destroy();
  for (;;) {
    const reader = new Reader('?after=3');
    await reader.until(/id: 3\n\n|Too many open streams/);
    if (reader.text.includes('200 OK')) break;
  }
});

test('disconnects a client that does not read', async () => {
  for (let step = 0; step < 400; step++) await change(`${step}`.padEnd(40_000, 'x'));
  const connections: Socket[] = [];
  app.server.once('connection', (socket) => connections.push(socket));
  new Reader('?after=0').socket.pause();
  const isClosed = () => connections[0]?.destroyed === true;
  for (let waited = 0; !isClosed() && waited < 10 * READ_TIMEOUT_MILLISECONDS; waited += 1_000) await tick();
  expect(isClosed()).toBe(true);
});

test('ends every stream when the server closes', async () => {
  const reader = new Reader('?after=3');
  await reader.until(/id: 3\n\n/);
  const ended = once(reader.socket, 'end');
  await app.close();
  await ended;
  expect(reader.text).toMatch(/0\r\n\r\n$/);
});
