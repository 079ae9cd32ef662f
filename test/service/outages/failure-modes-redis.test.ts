/**
 * Failure modes of Redis do not affect callers: each replica counts alone, still rejects requests over the limit, and returns to distributed
 * counting when the server recovers. Runs against a real server.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultProxy, type FaultProxy, type WireFault } from '../../../testing/harness/fault-proxy.ts';
import { RESPONSE_TIMEOUT_MILLISECONDS } from '../../failure-modes-table.ts';
import { isRedisAvailable, startRedis, type RedisServer } from '../../../testing/harness/redis-server.ts';
import { fetchChecked } from '../fetch-checked.ts';
import { startProxiedService, type ProxiedService } from '../proxied-service.ts';

const LIMIT = 90;
const POLL_MILLISECONDS = 50;
const TOGETHER = 'distributed rate limiting is active';
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
    proxied = await startProxiedService({ RATE_LIMITS: 'on', REDIS_URL: `redis://127.0.0.1:${wire.port}` });
  });
  afterAll(async () => {
    await proxied.close();
    await wire.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Sends one request more than the limit allows, on a path that was not requested before. */
  async function exhaust(): Promise<number[]> {
    const path = `/machines/${++serial + 1_000_000}`;
    const init = () => ({ signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MILLISECONDS.general) });
    const statusOf = async () => (await fetchChecked(proxied.service.url + path, init())).status;
    const admitted = await Promise.all(Array.from({ length: LIMIT }, statusOf));
    return [...new Set([...admitted, await statusOf()])];
  }

  const recoveries = () => proxied.lines.filter((line) => line.includes(TOGETHER)).length;

  it.each(FAULTS)('$kind: serves and counts requests, and resumes distributed counting afterwards', async (fault) => {
    while (recoveries() === 0) await delay(POLL_MILLISECONDS);
    expect(await exhaust()).toEqual([404, 429]);
    const before = recoveries();
    wire.inject(fault);
    try {
      expect(await exhaust()).toEqual([404, 429]);
      expect(wire.hits).toBeGreaterThan(0);
    } finally {
      wire.heal();
    }
    while (recoveries() === before) await delay(POLL_MILLISECONDS);
    expect(await exhaust()).toEqual([404, 429]);
  });
});
