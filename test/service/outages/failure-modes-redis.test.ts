/**
 * Failure modes of Redis do not affect callers: each replica counts alone, still rejects requests over the limit, and returns to distributed
 * counting when the server recovers. Runs against a real server.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abortAfter } from '../../../testing/harness/granted-time.ts';
import { startFaultProxy, type FaultProxy, type WireFault } from '../../../testing/harness/fault-proxy.ts';
import { RESPONSE_TIMEOUT_MILLISECONDS } from '../../failure-modes-table.ts';
import { isRedisAvailable, startRedis, type RedisServer } from '../../../testing/harness/redis-server.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const LIMIT = 90;
const POLL_MILLISECONDS = 50;
const TOGETHER = 'distributed rate limiting is active';
const ALONE = 'distributed rate limiting is unavailable';
const FAULTS: readonly WireFault[] = [
  { kind: 'cut' },
  { kind: 'reset' },
  { kind: 'silence' },
  { kind: 'dribble', millisecondsPerByte: 200 },
  { kind: 'garbage' },
  { kind: 'latency', milliseconds: 1_000 },
];

describe.runIf(isRedisAvailable)('Redis', () => {
  let folder: string;
  let server: RedisServer;
  let wire: FaultProxy;
  let proxied: ProxiedService;
  let serial = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'redis-'));
    const socket = join(folder, 'socket');
    server = await startRedis({ socket });
    wire = await startFaultProxy({ path: socket });
    proxied = await startIndexedService({ RATE_LIMITS: 'on', REDIS_URL: `redis://127.0.0.1:${wire.port}` });
  });
  afterAll(async () => {
    await proxied.close();
    await wire.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** The path that was requested last. */
  const path = () => `/machines/${serial + 1_000_000}`;

  async function request(requested: string): Promise<number> {
    const init = { signal: abortAfter(RESPONSE_TIMEOUT_MILLISECONDS.general) };
    return (await fetchChecked(proxied.service.url + requested, init)).status;
  }

  /** Sends one request more than the limit allows, on a path that was not requested before. */
  async function exhaust(): Promise<number[]> {
    serial++;
    const admitted = await Promise.all(Array.from({ length: LIMIT }, () => request(path())));
    return [...new Set([...admitted, await request(path())])];
  }

  const countLines = (text: string) => proxied.lines.filter((line) => line.includes(text)).length;
  const recoveries = () => countLines(TOGETHER);

  /**
   * Exhausts a path while the server counts. A busy machine may exceed the timeout of a command, from which on the replica counts alone
   * and the server has not seen every request; then another path is exhausted after the recovery.
   */
  async function exhaustTogether(): Promise<number[]> {
    for (;;) {
      const outages = countLines(ALONE);
      if (recoveries() > outages) {
        const statuses = await exhaust();
        if (countLines(ALONE) === outages) return statuses;
      }
      await delay(POLL_MILLISECONDS);
    }
  }

  /** Sends commands to the server itself. */
  async function send(commands: readonly string[]): Promise<void> {
    const client = new Redis({ path: join(folder, 'socket') });
    for (const command of commands) {
      const [name, ...args] = command.split(' ');
      await client.call(name!, ...args);
    }
    client.disconnect();
  }

  it.each(FAULTS)('$kind: serves and counts requests, and resumes distributed counting afterwards', async (fault) => {
    expect(await exhaustTogether()).toEqual([404, 429]);
    const before = recoveries();
    wire.inject(fault);
    try {
      expect(await exhaust()).toEqual([404, 429]);
      expect(wire.hits).toBeGreaterThan(0);
    } finally {
      wire.heal();
    }
    while (recoveries() === before) await delay(POLL_MILLISECONDS);
    expect(await exhaustTogether()).toEqual([404, 429]);
  });

  /** Faults of a server that responds: what breaks it, and what repairs it. */
  it.each<[name: string, breaking: readonly string[], healing: readonly string[]]>([
    ['a fail-over, during which the server is a replica', ['REPLICAOF 127.0.0.1 1'], ['REPLICAOF NO ONE']],
    ['a full memory without eviction', ['CONFIG SET maxmemory 1'], ['CONFIG SET maxmemory 0']],
  ])('%s: counts alone, and resumes distributed counting afterwards', async (_name, breaking, healing) => {
    expect(await exhaustTogether()).toEqual([404, 429]);
    const before = recoveries();
    await send(breaking);
    try {
      expect(await exhaust()).toEqual([404, 429]);
    } finally {
      await send(healing);
    }
    while (recoveries() === before) await delay(POLL_MILLISECONDS);
    expect(await exhaustTogether()).toEqual([404, 429]);
  });

  it('an eviction of all counters begins new windows and rejects no caller below the limit', async () => {
    expect(await exhaustTogether()).toEqual([404, 429]);
    await send(['FLUSHALL']);
    expect(await request(path())).toBe(404);
    expect(await exhaustTogether()).toEqual([404, 429]);
  });
});
