/**
 * Tests the distributed counters on a real server: Debian's `redis-server`, or the binary that `TEST_REDIS_SERVER` names. Skipped
 * with a message when there is none.
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

/** Creates a recording log and a promise of its next line. */
function createLines() {
  const lines: string[] = [];
  let logged = Promise.withResolvers<unknown>();
  const record = (fields: object, message: string) => {
    lines.push(JSON.stringify({ ...fields, message }));
    logged.resolve(undefined);
    logged = Promise.withResolvers();
  };
  return { lines, log: { info: record, warn: record, error: record }, next: () => logged.promise };
}

const UP = '{"message":"distributed rate limiting is active"}';
const DOWN = '{"message":"distributed rate limiting is unavailable; this replica counts alone"}';

describe.skipIf(!isRedisAvailable)('distributed counters', () => {
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

  const times = (count: number, increment: (index: number) => Promise<number | undefined>) =>
    Promise.all(Array.from({ length: count }, (_, index) => increment(index)));

  test('admit requests up to the limit over all replicas and return the wait of the others', async () => {
    const [one, two] = [await open(), await open()];
    const results = await times(100, (index) => (index % 2 === 0 ? one : two).increment('together', 90, WINDOW));
    const refused = results.filter((left) => left !== 0);
    expect(refused).toHaveLength(10);
    for (const left of refused) expect(left).toBeGreaterThan(WINDOW - 10_000);
    for (const left of refused) expect(left).toBeLessThanOrEqual(WINDOW);
  });

  test('count each key separately', async () => {
    const one = await open();
    expect(await times(2_000, (index) => one.increment(`apart ${index}`, 1, WINDOW))).toEqual(Array(2_000).fill(0));
    expect(await one.increment('apart 7', 2, WINDOW)).toBe(0);
    expect(await one.increment('apart 7', 2, WINDOW)).toBeGreaterThan(0);
  });

  test('start a window with the key’s first request, and do not extend it for a refused one', async () => {
    const one = await open();
    expect(await one.increment('short', 1, 300)).toBe(0);
    let left = await one.increment('short', 1, 300);
    expect(left).toBeLessThanOrEqual(300);
    const waits = [left];
    while (left !== 0) waits.push((left = await one.increment('short', 1, 300)));
    const nonZero = waits.slice(0, -1).map(Number);
    expect(nonZero).toEqual(nonZero.toSorted((a, b) => b - a));
  });

  test('keep counting after the server lost its scripts', async () => {
    const one = await open();
    expect(await one.increment('script', 1, WINDOW)).toBe(0);
    spawnSync('redis-cli', ['-p', `${port}`, 'SCRIPT', 'FLUSH']);
    expect(await one.increment('script', 1, WINDOW)).toBeGreaterThan(0);
  });

  test('log the loss and the recovery of the server, with no secret in any line', async () => {
    const ownPort = await findFreePort();
    let own = await startRedis({ port: ownPort });
    const { lines, log, next } = createLines();
    let changed = next();
    const replica = createDistributedCounters(`redis://user:hidden@127.0.0.1:${ownPort}`, log);
    // Not connected yet, which counts as down.
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

describe('a server that accepts connections and never responds', () => {
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

  test('is down, and no increment waits for it', async () => {
    const { lines, log } = createLines();
    const replica = createDistributedCounters(`redis://127.0.0.1:${(silent.address() as AddressInfo).port}`, log);
    expect([replica.isUp(), await replica.increment('key', 1, WINDOW)]).toEqual([false, undefined]);
    await replica.close();
    expect(lines).toEqual([]);
  });
});
