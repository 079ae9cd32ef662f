/**
 * Throughput of a hot read: `GET /mcr/{did}` (with `BENCH_PATH=verify`: `GET /v1/verify/machines/{id}`) of this service, of raw
 * node:http with the same bytes, and of FastAPI with slowapi. They alternate within one run (A B C A B C …), so that a drift in
 * machine speed favors none. Needs Debian's `wrk`; Python packages are installed into a temporary virtual environment.
 * `BENCH_ROUNDS` and `BENCH_SECONDS` change the length.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { printFigures } from '../figures.ts';
import { median, readCpuSeconds, waitForOk } from '../measuring.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const CONNECTIONS = 64;
const here = import.meta.dirname;
const UVICORN = ['-m', 'uvicorn', 'fastapi_app:app', '--app-dir', here, '--no-access-log', '--log-level', 'warning'];
/** Selects the route and the prefix of the figures. */
const IS_VERIFY = process.env['BENCH_PATH'] === 'verify';
const WHAT = IS_VERIFY ? 'verify-read' : 'hot-read';

interface Peer {
  readonly name: string;
  readonly url: string;
  readonly process: ChildProcess;
  readonly requestsPerSecond: number[];
  /** CPU time of one request, without kernel work outside of the process. */
  readonly cpuMicroseconds: number[];
}

function startPeer(name: string, url: string, command: string, args: string[], env: Record<string, string>): Peer {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  return { name, url, process: child, requestsPerSecond: [], cpuMicroseconds: [] };
}

/** Returns a Python with the packages; undefined when FastAPI cannot be installed. */
function findPython(folder: string): string | undefined {
  const python = join(folder, 'venv', 'bin', 'python');
  try {
    execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
    execFileSync(python, ['-m', 'pip', 'install', '-q', '-r', join(here, 'requirements.txt')], { stdio: 'inherit' });
    return python;
  } catch {
    return undefined;
  }
}

function load({ url, process, ...figures }: Peer, seconds: number): void {
  const before = readCpuSeconds(process.pid!);
  const text = execFileSync('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, url], { encoding: 'utf8' });
  const cpuSeconds = readCpuSeconds(process.pid!) - before;
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(text);
  if (failed !== null) throw new Error(`${failed[1]} responses of ${url} were not 200`);
  figures.requestsPerSecond.push(Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]));
  figures.cpuMicroseconds.push((cpuSeconds * 1e6) / Number(/(\d+) requests in/.exec(text)![1]));
}

const folder = mkdtempSync(join(tmpdir(), 'bench-http-'));
const python = process.env['PYTHON'] ?? findPython(folder);
const ports = { service: await findFreePort(), raw: await findFreePort(), fastApi: await findFreePort() };
const devnet = await startDevnet({ dir: folder });
const machine = devnet.fixtures.machines.find(({ name }) => name === 'rated-aaa')!;
const path = IS_VERIFY ? `/v1/verify/machines/${machine.id}` : `/mcr/${machine.did}`;
const peers: Peer[] = [];
try {
  const built = join(here, '../../dist/svc.js');
  const entry = existsSync(built) ? built : join(here, '../../cli/svc.ts');
  const service = startPeer(
    'this service',
    `http://127.0.0.1:${ports.service}${path}`,
    process.execPath,
    [entry, 'serve', '--env-file', join(folder, 'env')],
    {
      PORT: `${ports.service}`,
      ADMIN_PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
      DATABASE_URL: `sqlite:${join(folder, 'svc.db')}`,
    },
  );
  peers.push(service);
  const body = await waitForOk(service.url);
  const bodyFile = join(folder, 'body.json');
  writeFileSync(bodyFile, body);
  const raw = startPeer(
    'raw node:http',
    `http://127.0.0.1:${ports.raw}/`,
    process.execPath,
    [join(here, 'raw-node.ts'), `${ports.raw}`, bodyFile],
    {},
  );
  peers.push(raw);
  const fastApi =
    python === undefined
      ? undefined
      : startPeer(
          'FastAPI + slowapi',
          `http://127.0.0.1:${ports.fastApi}${path}`,
          python,
          [...UVICORN, '--port', `${ports.fastApi}`],
          { BODY_FILE: bodyFile },
        );
  if (fastApi !== undefined) peers.push(fastApi);
  for (const peer of peers) await waitForOk(peer.url);
  for (const peer of peers) load({ ...peer, requestsPerSecond: [], cpuMicroseconds: [] }, 2);
  for (let round = 0; round < ROUNDS; round++) {
    for (const peer of peers) load(peer, SECONDS);
  }
  const ours = median(service.requestsPerSecond);
  console.log(
    `hot read of ${IS_VERIFY ? 'a Verify record' : '/mcr'}, ${body.length} bytes, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s in turn, entry ${existsSync(built) ? 'built' : 'source'}`,
  );
  for (const { name, requestsPerSecond, cpuMicroseconds } of peers) {
    const own = median(requestsPerSecond);
    const range = `${Math.round(Math.min(...requestsPerSecond))} to ${Math.round(Math.max(...requestsPerSecond))}`;
    console.log(
      `${name.padEnd(18)} ${Math.round(own)} requests/s (${range}), this service / it = ${(ours / own).toFixed(2)}, CPU of each ${median(cpuMicroseconds).toFixed(1)} µs`,
    );
  }
  const medianOf = (peer: Peer | undefined) => (peer === undefined ? null : median(peer.requestsPerSecond));
  printFigures({
    [`${WHAT}/node`]: { ours, peer: medianOf(raw) },
    [`${WHAT}/cpu`]: { ours: median(service.cpuMicroseconds), peer: median(raw.cpuMicroseconds) },
    [`${WHAT}/fastapi`]: { ours, peer: medianOf(fastApi) },
  });
} finally {
  for (const peer of peers) peer.process.kill();
  await devnet.stop();
}
