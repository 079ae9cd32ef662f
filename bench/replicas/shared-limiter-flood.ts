/**
 * Cost of distributed rate limiting in a flood of new keys, and correctness of its limits for steady callers meanwhile. Runs a
 * `redis-server` with the memory and the policy of `deploy/compose.yaml` (`MAXMEMORY`, `POLICY`). `KEYS` (10,000,000) new callers
 * call within one window; half way through, the server is killed and restarted empty. Needs Debian's `redis-server`.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createDistributedCounters } from '../../src/adapters/redis/distributed-counters.ts';
import { RateLimiter } from '../../src/http/limits/rate-limiter.ts';
import { DistributedRateLimiter } from '../../src/http/limits/distributed-rate-limiter.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { floodAddress, PATH, STEADY_CALLERS, steadyAddress } from '../http/flood.ts';

const KEYS = Number(process.env['KEYS'] ?? 10_000_000);
const MAXMEMORY = process.env['MAXMEMORY'] ?? '256mb';
const POLICY = process.env['POLICY'] ?? 'volatile-lru';
const LIMIT = 90;
/** Longer than the run, so that all of it is one window. */
const WINDOW_MILLISECONDS = 3_600_000;
const BATCH = 500;
const HALF = Math.floor(KEYS / 2 / BATCH) * BATCH;
const AWAY = 100_000;
/** Steady calls per batch, such that each steady caller calls about twice as often as its limit. */
const STEADY_PER_BATCH = Math.ceil((2 * LIMIT * STEADY_CALLERS * BATCH) / HALF);

const port = await findFreePort();
const lines: string[] = [];
const note = (level: string) => (_fields: object, message: string) => void lines.push(`${level}: ${message}`);

function startServer(): ChildProcess {
  const memory = ['--maxmemory', MAXMEMORY, '--maxmemory-policy', POLICY];
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...memory];
  return spawn('redis-server', args, { stdio: 'ignore' });
}

const info = (name: string) =>
  new RegExp(`${name}:(\\S+)`).exec(execFileSync('redis-cli', ['-p', `${port}`, 'info'], { encoding: 'utf8' }))?.[1];

let server = startServer();
const shared = createDistributedCounters(`redis://127.0.0.1:${port}`, {
  info: note('info'),
  warn: note('warn'),
  error: note('error'),
});
const own = new RateLimiter({ limit: LIMIT, windowMilliseconds: WINDOW_MILLISECONDS, memoryBytes: 64 * 2 ** 20 });
const limit = { name: 'general', limit: LIMIT, windowMilliseconds: WINDOW_MILLISECONDS };
const limiter = new DistributedRateLimiter(own, shared, limit);
const waitUntilUp = async () => {
  while (!shared.isUp()) await new Promise((resolve) => setImmediate(resolve));
};

/** Runs a part of the flood and returns the admitted requests by steady caller. */
async function flood(
  from: number,
  to: number,
  isConnected: boolean,
): Promise<{ admitted: Uint32Array; newRefused: number }> {
  const admitted = new Uint32Array(STEADY_CALLERS);
  let steady = 0;
  let newRefused = 0;
  for (let next = from; next < to; next += BATCH) {
    if (isConnected) await waitUntilUp();
    const pending: Promise<void>[] = [];
    for (let k = next; k < Math.min(next + BATCH, to); k++) {
      pending.push(
        Promise.resolve(limiter.count(floodAddress(k), PATH, Date.now())).then((left) => {
          if (left > 0) newRefused++;
        }),
      );
    }
    for (let k = 0; k < STEADY_PER_BATCH; k++) {
      const caller = steady++ % STEADY_CALLERS;
      const counted = Promise.resolve(limiter.count(steadyAddress(caller), PATH, Date.now()));
      pending.push(
        counted.then((left) => {
          if (left === 0) admitted[caller]!++;
        }),
      );
    }
    await Promise.all(pending);
  }
  return { admitted, newRefused };
}

async function measure(what: string, from: number, to: number): Promise<void> {
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  let residentMebibytes = 0;
  const timer = setInterval(
    () => (residentMebibytes = Math.max(residentMebibytes, process.memoryUsage.rss() / 2 ** 20)),
    100,
  );
  const { admitted, newRefused } = await flood(from, to, true);
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  const count = to - from;
  const calls = Math.floor(((count / BATCH) * STEADY_PER_BATCH) / STEADY_CALLERS);
  const [least, most] = [Math.min(...admitted), Math.max(...admitted)];
  console.log(
    `${what}: ${count.toLocaleString('en')} new callers in ${((performance.now() - started) / 1000).toFixed(0)} s, ${((user + system) / count).toFixed(1)} µs of CPU each; ${newRefused} of them rejected`,
  );
  console.log(
    `  steady callers called ${calls} times each and were admitted ${least} to ${most} times (limit ${LIMIT})`,
  );
  console.log(
    `  server: ${info('used_memory_human')} used, ${info('used_memory_peak_human')} at most, ${info('used_memory_rss_human')} resident, ${info('evicted_keys')} keys evicted, ${info('db0')}; this process: ${residentMebibytes.toFixed(0)} MiB resident; ${shared.failures()} requests without a response`,
  );
}

try {
  await waitUntilUp();
  console.log(`maxmemory ${MAXMEMORY}, ${POLICY}`);
  await measure('first half', 0, HALF);
  const dead = once(server, 'exit');
  server.kill('SIGKILL');
  await dead;
  const aloneFrom = performance.now();
  const { newRefused } = await flood(HALF, HALF + AWAY, false);
  console.log(
    `server away: ${AWAY.toLocaleString('en')} new callers in ${((performance.now() - aloneFrom) / 1000).toFixed(1)} s, ${newRefused} rejected`,
  );
  server = startServer();
  await waitUntilUp();
  await measure('second half, on an empty server', HALF + AWAY, KEYS);
  for (const line of lines) console.log(line);
} finally {
  await shared.close();
  server.kill();
}
