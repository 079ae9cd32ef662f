/** Two replicas and one Redis: the 91st request is refused whichever replica gets it, and nobody is refused because Redis is away (decisions 3). */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { startProxiedService, type ProxiedService } from './proxied-service.ts';
import { findFreePort } from '../free-port.ts';

const SERVER = process.env['TEST_REDIS_SERVER'] ?? 'redis-server';
const isThere = spawnSync(SERVER, ['--version']).status === 0;
if (!isThere) process.stderr.write(`skipped: no ${SERVER}; install it to try replicas that share their limits\n`);

describe.skipIf(!isThere)('replicas that share their counters', () => {
  let port: number;
  let server: ChildProcess;
  let replicas: ProxiedService[];
  beforeAll(async () => {
    port = await findFreePort();
    server = await startServer(port);
    const variables = { RATE_LIMITS: 'on', REDIS_URL: `redis://127.0.0.1:${port}`, LOG_LEVEL: 'warn' };
    replicas = [await startProxiedService(variables), await startProxiedService(variables)];
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    server.kill();
  });

  const get = (index: number, path: string) => ask(replicas[index % 2]!.service.url + path);

  it('count together, each alone while the server is away, and together again', async () => {
    for (const { lines } of replicas) await untilTogether(lines, 1);
    expect((await get(0, '/ready')).json()['shared_rate_limits']).toBe(true);
    const together = await Promise.all(Array.from({ length: 120 }, (_, index) => get(index, '/health')));
    expect(together.filter(({ status }) => status === 200)).toHaveLength(90);
    expect(together.filter(({ status }) => status === 429)).toHaveLength(30);

    const exit = once(server, 'exit');
    server.kill('SIGKILL');
    await exit;
    const alone = await Promise.all(Array.from({ length: 180 }, (_, index) => get(index, '/health')));
    expect(alone.filter(({ status }) => status === 200)).toHaveLength(180);
    expect((await get(0, '/health')).status).toBe(429);
    expect((await get(0, '/ready')).json()['shared_rate_limits']).toBe(false);

    server = await startServer(port);
    for (const { lines } of replicas) await untilTogether(lines, 2);
    expect((await get(1, '/ready')).json()['shared_rate_limits']).toBe(true);
  });

  /** Until a replica has said so often that it counts together. */
  async function untilTogether(lines: readonly string[], times: number): Promise<void> {
    const count = () => lines.filter((line) => line.includes('counted by all replicas together')).length;
    while (count() < times) await new Promise((resolve) => setImmediate(resolve));
  }
});

async function startServer(port: number): Promise<ChildProcess> {
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(SERVER, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) if (/ready to accept/i.test(line)) break;
  child.stdout.resume();
  return child;
}
