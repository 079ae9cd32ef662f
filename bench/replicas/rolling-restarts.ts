/**
 * Failed requests across rolling restarts of two replicas. They run behind nginx with the file that `deploy/nginx` ships, over
 * PostgreSQL, and over Redis where `redis-server` is installed. An open-loop load sends reads of every kind, signed decisions
 * and rejected challenges, and compares each response with the devnet's fixtures. In one rolling restart each replica stops,
 * starts and reports ready before the next. Needs Debian's `nginx`.
 *
 * `RATE` (5,000 a second), `REQUESTS` (1,000,000) and `RESTARTS` (20) change the size, `ENTRY` the program; the load runs until
 * both are done. Exits with 1 if any request failed.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fixtures } from '../../devnet/fixtures.ts';
import { Random } from '../../sim/random.ts';
import { startEmbeddedPostgres } from '../../testing/harness/embedded-postgres.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { startReplica, type Replica } from '../../testing/harness/replica.ts';
import { printFigures } from '../figures.ts';
import { waitForOk } from '../measuring.ts';
import { runLoad, type Call } from './fixed-rate-load.ts';
import { createCalls } from './fixture-calls.ts';
import { readProcessTimes, sumTree } from './processor-time.ts';

const RATE = Number(process.env['RATE'] ?? 5_000);
const REQUESTS = Number(process.env['REQUESTS'] ?? 1_000_000);
const RESTARTS = Number(process.env['RESTARTS'] ?? 20);
const SEED = Number(process.env['SEED'] ?? 1);
const CONNECTIONS = 128;
const ROOT = join(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'dist/svc.js');
const SOURCE = join(ROOT, 'cli/svc.ts');
const ENTRY = process.env['ENTRY'] ?? (existsSync(BUILT) ? BUILT : SOURCE);

/** Cleared only after a run without failures. */
process.exitCode = 1;
const folder = mkdtempSync(join(tmpdir(), 'bench-replicas-'));
const ports = { nginx: await findFreePort(), replicas: [await findFreePort(), await findFreePort()] };
const children: ChildProcess[] = [];
const replicas: Replica[] = [];
/** Names of the processes that run throughout. */
const names = new Map<number, string>();

function track(name: string, child: ChildProcess): void {
  children.push(child);
  names.set(child.pid!, name);
}

/** Starts the devnet in a separate process, because the alt chain's node would share the one of the load. */
async function startDevnetProcess(): Promise<{ env: Record<string, string>; fixtures: Fixtures }> {
  const child = spawn(process.execPath, [join(ROOT, 'cli/svc.ts'), 'devnet', '--dir', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  track('chains', child);
  for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') break;
  child.stdout.resume();
  const lines = readFileSync(join(folder, 'env'), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^[A-Z0-9_]+=/.test(line)).map((line) => line.split(/=(.*)/s, 2));
  const fixtures = JSON.parse(readFileSync(join(folder, 'fixtures.json'), 'utf8')) as Fixtures;
  return { env: Object.fromEntries(pairs) as Record<string, string>, fixtures };
}

async function startRedis(): Promise<Record<string, string>> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return {};
  const port = await findFreePort();
  const child = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' });
  track('Redis', child);
  return { REDIS_URL: `redis://127.0.0.1:${port}` };
}

/** Starts nginx with the shipped file on free ports. */
async function startNginx(): Promise<void> {
  const shipped = readFileSync(join(ROOT, 'deploy/nginx/machine-rating.conf'), 'utf8');
  const [first, second] = ports.replicas;
  const site = shipped
    .replace('127.0.0.1:8001', `127.0.0.1:${first}`)
    .replace('127.0.0.1:8002', `127.0.0.1:${second}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${ports.nginx}`);
  for (const name of ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const whole = `worker_processes 1; daemon off; user root; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log warn;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 100000; ${paths.join(' ')}
${site} }`;
  writeFileSync(join(folder, 'nginx.conf'), whole);
  const options = ['-p', folder, '-c', join(folder, 'nginx.conf')];
  track('nginx', spawn('nginx', options, { stdio: ['ignore', 'ignore', 'inherit'] }));
}

async function start(index: number, variables: Record<string, string>): Promise<void> {
  const port = ports.replicas[index]!;
  replicas[index] = await startReplica(variables, { port, entry: ENTRY });
  await waitForOk(`http://127.0.0.1:${port}/ready`);
}

/** Waits until every read of a replica is correct, so that its index has caught up. */
async function waitUntilCorrect(port: number, reads: readonly Call[]): Promise<void> {
  for (;;) {
    const once = { port, requestsPerSecond: Infinity, connections: 8, next: (index: number) => reads[index]! };
    const { failures } = await runLoad({ ...once, isOver: (due) => due === reads.length });
    if (failures.size === 0) return;
    await delay(1_000);
  }
}

interface Restart {
  readonly code: number | null;
  readonly endingSeconds: number;
  readonly startingSeconds: number;
}

async function restart(index: number, variables: Record<string, string>): Promise<Restart> {
  const signaled = performance.now();
  replicas[index]!.signal('SIGTERM');
  const code = await replicas[index]!.ended;
  const ended = performance.now();
  await start(index, variables);
  return { code, endingSeconds: (ended - signaled) / 1000, startingSeconds: (performance.now() - ended) / 1000 };
}

/** Returns the CPU seconds so far of this process, of its children, and of all replicas so far. */
function readUses(): Map<string, number> {
  const times = readProcessTimes();
  const { own, reaped } = times.get(process.pid)!;
  const uses = new Map([
    ['load', own],
    ['replicas', reaped],
  ]);
  for (const { pid, parent } of times.values()) {
    if (parent !== process.pid) continue;
    const name = names.get(pid) ?? 'replicas';
    uses.set(name, (uses.get(name) ?? 0) + sumTree(times, pid));
  }
  return uses;
}

const postgres = await startEmbeddedPostgres();
for (const { pid, parent } of readProcessTimes().values()) if (parent === process.pid) names.set(pid, 'PostgreSQL');
try {
  const { env, fixtures } = await startDevnetProcess();
  const database = await postgres.createDatabase();
  const variables = {
    ...env,
    ...(await startRedis()),
    DATABASE_URL: database.url,
    POLL_INTERVAL_SECONDS: '5',
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'on',
    TRUSTED_PROXIES: '127.0.0.1/32',
  };
  await Promise.all([start(0, variables), start(1, variables)]);
  await startNginx();
  await waitForOk(`http://127.0.0.1:${ports.nginx}/ready`);
  const { next, reads } = createCalls(fixtures, env['ONBOARDING_TOKENS']!.split(',')[0]!, new Random(SEED));
  for (const port of ports.replicas) await waitUntilCorrect(port, reads);

  const restarts: Restart[] = [];
  const before = readUses();
  const rolling = (async () => {
    for (let roll = 0; roll < RESTARTS; roll++) {
      for (const index of replicas.keys()) restarts.push(await restart(index, variables));
      process.stderr.write(`rolling restart ${roll + 1} of ${RESTARTS}\n`);
    }
  })();
  const isRolled = () => restarts.length === 2 * RESTARTS;
  const load = runLoad({
    port: ports.nginx,
    requestsPerSecond: RATE,
    connections: CONNECTIONS,
    next,
    isOver: (due) => due >= REQUESTS && isRolled(),
  });
  const [report] = await Promise.all([load, rolling]);
  const after = readUses();

  const failed = [...report.failures.values()].reduce((sum, count) => sum + count, 0);
  const longest = (of: (each: Restart) => number) => Math.max(...restarts.map(of)).toFixed(2);
  const { p50, p99, p999, max } = report.milliseconds;
  console.log(
    `${failed} failed of ${report.responses} at ${Math.round(report.responses / report.seconds)}/s (due: ${RATE}/s), seed ${SEED}, entry ${ENTRY === SOURCE ? 'source' : 'built'}`,
  );
  printFigures({ 'replicas/failed': { ours: failed } });
  for (const [what, count] of report.failures) console.log(`${String(count).padStart(7)} x ${what}`);
  console.log(
    `${RESTARTS} rolling restarts of 2 replicas: longest end ${longest((each) => each.endingSeconds)} s, longest start ${longest((each) => each.startingSeconds)} s, exit codes ${[...new Set(restarts.map(({ code }) => code))].join(', ')}`,
  );
  console.log(
    `latency from the due time, ms: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)}, longest ${max.toFixed(0)}; load ${loadavg()[0]!.toFixed(1)}`,
  );
  const uses = [...after].map(([name, seconds]) => ({ name, share: (seconds - before.get(name)!) / report.responses }));
  const format = (share: number) => (share * 1e6).toFixed(0);
  console.log(
    `CPU time per request, us: ${uses.map(({ name, share }) => `${name} ${format(share)}`).join(', ')}, all ${format(uses.reduce((sum, { share }) => sum + share, 0))}`,
  );
  for (const line of summarize(readFileSync(join(folder, 'nginx.log'), 'utf8'))) console.log(line);
  if (failed === 0 && restarts.every(({ code }) => code === 0)) process.exitCode = undefined;
} finally {
  for (const replica of replicas) await replica.kill();
  for (const child of children) {
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await postgres.stop();
  if (process.exitCode !== 1) rmSync(folder, { recursive: true });
  else console.log(`see the nginx log: ${folder}/nginx.log`);
}

/** Summarizes the log of nginx: errors that it met and hid from callers. */
function summarize(log: string): string[] {
  const counts = new Map<string, number>();
  for (const [, message] of log.matchAll(/\] \d+#\d+: (?:\*\d+ )?([^,\n]+)/g)) {
    counts.set(message!, (counts.get(message!) ?? 0) + 1);
  }
  return [...counts].map(([message, count]) => `${String(count).padStart(7)} x nginx: ${message}`);
}
