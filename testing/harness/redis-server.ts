/**
 * A real Redis for tests: Debian's `redis-server` or another that `TEST_REDIS_SERVER` names. The one server that does not come as an npm package, so the
 * suites that need it are skipped, and say so, where there is none.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const SERVER = process.env['TEST_REDIS_SERVER'] ?? 'redis-server';

export const isRedisThere = spawnSync(SERVER, ['--version']).status === 0;
if (!isRedisThere)
  process.stderr.write(`skipped: no ${SERVER}; install it to try what replicas share on a real server\n`);

export interface RedisServer {
  /** As a crash would. */
  stop(): Promise<void>;
}

/** Keeps nothing on disk; answers when this resolves. */
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
