/**
 * Real Redis for tests: Debian's `redis-server`, or the binary that `TEST_REDIS_SERVER` names. It is the only server without an npm
 * package, so the suites that need it are skipped with a message when it is missing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const SERVER = process.env['TEST_REDIS_SERVER'] ?? 'redis-server';

export const isRedisAvailable = spawnSync(SERVER, ['--version']).status === 0;
if (!isRedisAvailable)
  process.stderr.write(`skipped: ${SERVER} not found; install it to test shared counters on a real server\n`);

export interface RedisServer {
  /** Kills the server, as a crash would. */
  stop(): Promise<void>;
}

/** Starts a server without persistence; resolves when it accepts connections. */
export async function startRedis(where: { readonly port: number } | { readonly socket: string }): Promise<RedisServer> {
  const place =
    'port' in where
      ? ['--port', `${where.port}`, '--bind', '127.0.0.1']
      : ['--port', '0', '--unixsocket', where.socket];
  const child = spawn(SERVER, [...place, '--save', '', '--appendonly', 'no'], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) if (/ready to accept/i.test(line)) break;
  child.stdout.resume();
  return {
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
