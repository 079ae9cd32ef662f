/** Bodies of responses that several hosts send at the same time. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterAll, afterEach, expect, test } from 'vitest';
import { BodyMemory } from './body-memory.ts';
import { createHttpPost, parseRpcUrl, type RpcNode } from './http-post.ts';

const KIBIBYTE = 1024;

const dispatcher = new Agent();
afterAll(() => dispatcher.destroy());
let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

async function startHost(respond: (response: ServerResponse) => void): Promise<RpcNode> {
  const server = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return parseRpcUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

/** Starts a host that sends the first bytes of every body and nothing more; `waitForStarts` resolves after `count` bodies. */
async function startStalling(bytes: number) {
  const started = new EventTarget();
  let starts = 0;
  const node = await startHost((response) =>
    response.write(Buffer.alloc(bytes, ' '), () => {
      starts += 1;
      started.dispatchEvent(new Event('start'));
    }),
  );
  const waitForStarts = async (count: number) => {
    while (starts < count) await once(started, 'start');
  };
  return { node, waitForStarts };
}

const startHonest = (bytes: number) => startHost((response) => response.end(Buffer.alloc(bytes, ' ')));
const options = (signal: AbortSignal) => ({ signal, maxResponseBytes: 64 * KIBIBYTE * KIBIBYTE });

test('a host whose long responses stall delays no other host', async () => {
  const post = createHttpPost(dispatcher);
  const { node, waitForStarts } = await startStalling(300 * KIBIBYTE);
  const abort = new AbortController();
  const stalled = [1, 2, 3].map(() => post(node, '', options(abort.signal)).catch(() => 'failed'));
  await waitForStarts(3);
  const honest = await startHonest(400 * KIBIBYTE);
  const { body } = await post(honest, '', options(AbortSignal.timeout(10_000)));
  expect(body).toHaveLength(400 * KIBIBYTE);
  abort.abort();
  expect(await Promise.all(stalled)).toEqual(['failed', 'failed', 'failed']);
});

test('a host sends a third long response once one of the first two is used', async () => {
  const post = createHttpPost(dispatcher);
  const node = await startHonest(300 * KIBIBYTE);
  const used = Promise.withResolvers<unknown>();
  const held = { ...options(AbortSignal.timeout(10_000)), used: used.promise };
  expect((await Promise.all([post(node, '', held), post(node, '', held)])).map(({ status }) => status)).toEqual([
    200, 200,
  ]);
  await expect(post(node, '', options(AbortSignal.timeout(200)))).rejects.toThrow('aborted');
  const { body } = await post(await startHonest(300 * KIBIBYTE), '', options(AbortSignal.timeout(10_000)));
  expect(body).toHaveLength(300 * KIBIBYTE);
  used.resolve(undefined);
  expect((await post(node, '', held)).body).toHaveLength(300 * KIBIBYTE);
});

test('a host that fills the memory loses its own response', async () => {
  const post = createHttpPost(dispatcher, new BodyMemory(KIBIBYTE * KIBIBYTE));
  const { node, waitForStarts } = await startStalling(1_200 * KIBIBYTE);
  const stalled = post(node, '', options(AbortSignal.timeout(10_000)));
  await waitForStarts(1);
  const honest = await startHonest(800 * KIBIBYTE);
  for (let i = 0; i < 3; i++) {
    const { body } = await post(honest, '', options(AbortSignal.timeout(10_000)));
    expect(body).toHaveLength(800 * KIBIBYTE);
  }
  expect((await stalled).body).toBeUndefined();
});
