/**
 * Do replicas count together? Tried on a real server, Debian's `redis-server` or another that `TEST_REDIS_SERVER` names; skipped, and said so, where there
 * is none.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DistributedCounters } from '../../ports/runtime.ts';
import { createDistributedCounters } from './distributed-counters.ts';
import { findFreePort } from '../../../testing/harness/free-port.ts';
import { isRedisAvailable, startRedis, type RedisServer } from '../../../testing/harness/redis-server.ts';

const WINDOW = 60_000;

/** Lines of the log, and the next of them as it comes. */
function createLines() {
  const lines: string[] = [];
  let told = Promise.withResolvers<unknown>();
  const note = (fields: object, message: string) => {
    lines.push(JSON.stringify({ ...fields, message }));
    told.resolve(undefined);
    told = Promise.withResolvers();
  };
  return { lines, log: { info: note, warn: note, error: note }, next: () => told.promise };
}

const UP = '{"message":"requests are counted by all replicas together"}';
const DOWN = '{"message":"shared counters do not answer; this replica counts alone"}';

describe.skipIf(!isRedisAvailable)('shared counters', () => {
  let port: number;
  let server: RedisServer;
  let replicas: DistributedCounters[];
  beforeAll(async () => {
    port = await findFreePort();
    server = await startRedis({ port });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    replicas = [];
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.close();
  });

  async function open(): Promise<DistributedCounters> {
    const { log, next } = createLines();
    const up = next();
    const replica = createDistributedCounters(`redis://127.0.0.1:${port}/0`, log);
    replicas.push(replica);
    await up;
    return replica;
  }

  const times = (count: number, ask: (index: number) => Promise<number | undefined>) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

  test('admit what the limit allows to all replicas together, and tell how long the rest must wait', async () => {
    const [one, two] = [await open(), await open()];
    const answers = await times(100, (index) => (index % 2 === 0 ? one : two).increment('together', 90, WINDOW));
    const refused = answers.filter((left) => left !== 0);
    expect(refused).toHaveLength(10);
    for (const left of refused) expect(left).toBeGreaterThan(WINDOW - 10_000);
    for (const left of refused) expect(left).toBeLessThanOrEqual(WINDOW);
  });

  test('count keys apart', async () => {
    const one = await open();
    expect(await times(2_000, (index) => one.increment(`apart ${index}`, 1, WINDOW))).toEqual(Array(2_000).fill(0));
    expect(await one.increment('apart 7', 2, WINDOW)).toBe(0);
    expect(await one.increment('apart 7', 2, WINDOW)).toBeGreaterThan(0);
  });

  test('begin a window with the key’s first request, and a refused one does not lengthen it', async () => {
    const one = await open();
    expect(await one.increment('short', 1, 300)).toBe(0);
    let left = await one.increment('short', 1, 300);
    expect(left).toBeLessThanOrEqual(300);
    const asked = [left];
    while (left !== 0) asked.push((left = await one.increment('short', 1, 300)));
    const falling = asked.slice(0, -1).map(Number);
    expect(falling).toEqual(falling.toSorted((a, b) => b - a));
  });

  test('survive a server that forgets its scripts', async () => {
    const one = await open();
    expect(await one.increment('script', 1, WINDOW)).toBe(0);
    spawnSync('redis-cli', ['-p', `${port}`, 'SCRIPT', 'FLUSH']);
    expect(await one.increment('script', 1, WINDOW)).toBeGreaterThan(0);
  });

  test('that are gone are told of at once, and found again when they are back, with no secret in any line', async () => {
    const ownPort = await findFreePort();
    let own = await startRedis({ port: ownPort });
    const { lines, log, next } = createLines();
    let changed = next();
    const replica = createDistributedCounters(`redis://user:hidden@127.0.0.1:${ownPort}`, log);
    // Not connected yet, which is as good as away.
    expect(await replica.increment('key', 1, WINDOW)).toBeUndefined();
    expect([replica.isUp(), replica.failures()]).toEqual([false, 1]);
    await replica.close();
    const second = createDistributedCounters(`redis://127.0.0.1:${ownPort}`, log);
    replicas.push(second);
    await changed;
    expect([second.isUp(), await second.increment('key', 1, WINDOW)]).toEqual([true, 0]);
    changed = next();
    await own.stop();
    await changed;
    expect([second.isUp(), await second.increment('key', 1, WINDOW)]).toEqual([false, undefined]);
    changed = next();
    own = await startRedis({ port: ownPort });
    await changed;
    expect([second.isUp(), await second.increment('key', 1, WINDOW)]).toEqual([true, 0]);
    await own.stop();
    expect(lines.filter((line) => line !== UP && line !== DOWN)).toEqual([]);
    expect(lines.slice(0, 3)).toEqual([UP, DOWN, UP]);
  });
});

describe('a server that accepts and says nothing', () => {
  let silent: Server;
  const sockets = new Set<Socket>();
  beforeEach(async () => {
    silent = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('is never waited for: it is not up', async () => {
    const { lines, log } = createLines();
    const replica = createDistributedCounters(`redis://127.0.0.1:${(silent.address() as AddressInfo).port}`, log);
    expect([replica.isUp(), await replica.increment('key', 1, WINDOW)]).toEqual([false, undefined]);
    await replica.close();
    expect(lines).toEqual([]);
  });
});
