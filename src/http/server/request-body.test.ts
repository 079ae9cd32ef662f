import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRaw, open } from '../../../testing/harness/raw-http.ts';
import { createStubCtx, type StubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { buildApp } from '../../app.ts';
import { sendUncached } from './response.ts';
import { encodeJson } from './json-encoding.ts';
import { readBody } from './request-body.ts';

let ctx: StubCtx;
let app: FastifyInstance;
let port: number;

beforeAll(async () => {
  ctx = createStubCtx();
  app = await buildApp(ctx, {
    rateLimits: 'off',
    extraRoutes: [
      (routes) =>
        routes.put('/body', { profile: 'monetization' }, async (context) => {
          const body = await readBody(context, 10);
          sendUncached(context, 200, encodeJson({ hex: body.toString('hex') }));
        }),
    ],
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());

const put = (rest: string, ...more: string[]) =>
  sendRaw(port, `PUT /body HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${rest}`, ...more);

async function send(rest: string, ...more: string[]): Promise<string> {
  const { responses } = await put(rest, ...more);
  expect(responses).toHaveLength(1);
  return `${responses[0]!.status} ${responses[0]!.text}`;
}

test('returns the bytes as sent, with a length, in chunks, or without a body', async () => {
  expect(await send('Content-Length: 4\r\n\r\n\xff\0a', 'b')).toBe('200 {"hex":"ff006162"}');
  expect(await send('Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n', '1\r\nc\r\n0\r\n\r\n')).toBe(
    '200 {"hex":"616263"}',
  );
  expect(await send('\r\n')).toBe('200 {"hex":""}');
  expect(await send('Content-Length: 10\r\n\r\n0123456789')).toBe('200 {"hex":"30313233343536373839"}');
});

test.each([
  ['declared', `Content-Length: 2000000\r\n\r\n${'x'.repeat(2_000_000)}`],
  ['received', `Transfer-Encoding: chunked\r\n\r\nF4240\r\n${'x'.repeat(1_000_000)}\r\n0\r\n\r\n`],
])('returns 413 for a body above the limit, %s', async (_name, rest) => {
  expect(await send(rest)).toBe('413 {"detail":{"code":"REQUEST_TOO_LARGE","message":"The request is too large."}}');
});

test('sends 100 Continue only when the route reads the body', async () => {
  const head = (method: string, length: number) =>
    `${method} /body HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
  const socket = (await open(port)).setEncoding('latin1');
  const say = async (text: string) => {
    socket.write(text);
    return String((await once(socket, 'data'))[0]);
  };
  expect(await say(head('PUT', 2))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  expect(await say('{}')).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: keep-alive[^]*\{"hex":"7b7d"\}$/);
  expect(await say(head('PUT', 11))).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close/);
  await once(socket, 'close');
  const { responses } = await sendRaw(port, head('POST', 2));
  expect(responses.map(({ status, headers }) => [status, headers['connection']])).toEqual([[405, 'close']]);
});

test.each(['gzip, chunked', 'identity, chunked'])('rejects the transfer encoding %s', async (coding) => {
  expect(await send(`Transfer-Encoding: ${coding}\r\n\r\n2\r\nab\r\n0\r\n\r\n`)).toBe(
    '400 {"detail":{"code":"INVALID_REQUEST","message":"The request is not valid."}}',
  );
});

test('accepts the transfer encoding in any case', async () => {
  expect(await send('transfer-ENCODING: Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n')).toBe('200 {"hex":"61"}');
});

test.each([
  ['monetization', '408 REQUEST_TIMEOUT'],
  ['chip-evidence', '400 INVALID_REQUEST'],
] as const)('names the body, not the chain, when a %s request waits for it too long', async (profile, expected) => {
  const slow = await buildApp(createStubCtx(), {
    rateLimits: 'off',
    deadlineMilliseconds: { general: 100, 'chip-evidence': 100 },
    extraRoutes: [
      (routes) =>
        routes.post('/slow', { profile }, async (context) => {
          await readBody(context, 10);
        }),
    ],
  });
  try {
    await slow.listen({ port: 0, host: '127.0.0.1' });
    const socket = (await open((slow.server.address() as AddressInfo).port)).setEncoding('latin1');
    socket.write('POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab');
    const text = String((await once(socket, 'data'))[0]);
    const [, status, code] = /^HTTP\/1\.1 (\d+)[^]*"code":"(\w+)"/.exec(text) ?? [];
    expect(`${status} ${code}`).toBe(expected);
    socket.destroy();
  } finally {
    await slow.close();
  }
});

test('leaves a body of any content type to the route', async () => {
  expect(await send('Content-Type: ;;nonsense\r\nContent-Length: 1\r\n\r\na')).toBe('200 {"hex":"61"}');
  expect(await send('Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{')).toBe('200 {"hex":"7b"}');
});

test('logs one line when a client disconnects in the middle of a body', async () => {
  const before = ctx.lines.length;
  const socket = await open(port);
  socket.write('PUT /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab');
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  while (ctx.lines.length === before) await new Promise((resolve) => setImmediate(resolve));
  expect(ctx.lines.slice(before).map(({ level, fields }) => [level, (fields as { fault: string }).fault])).toEqual([
    ['info', 'RequestMalformed'],
  ]);
});
