/**
 * Failure modes of the host of a service with a SQLite file: a full disk, a read-only file system, and no file descriptors left. The
 * service runs as a process on its own small file system. Nothing is wrong, no acknowledged decision is lost, and every route
 * recovers within one poll without a restart. Needs root and a kernel that allows mounts; skipped with a message without them.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startFaultProxy, type FaultProxy } from '../../../testing/harness/fault-proxy.ts';
import { findFreePort } from '../../../testing/harness/free-port.ts';
import { expectedOf, HOST_FAILURE_MODES, POLL_INTERVAL_SECONDS, type HostFault } from '../../failure-modes-table.ts';
import { findMachine } from '../fetch-checked.ts';
import { createCaller } from './failure-modes-fixture.ts';
import {
  CLOSED,
  createExpectations,
  whenHealthy,
  type Allowed,
  type Expectations,
} from './failure-modes-expectations.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DISK_BYTES = 64 * 1024 * 1024;
const POLL_MILLISECONDS = 250;
const BLOCK = Buffer.alloc(4_096, 1);

/** A connection that the process could not accept, and of which the client learns nothing until it has descriptors again. */
const UNACCEPTED = 'not accepted';

/** Whether the kernel holds connections to this port that its process has not accepted: the receive queue of the listening socket. */
function hasUnaccepted(port: number): boolean {
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  const listening = new RegExp(`:${local} [0-9A-F]+:0000 0A [0-9A-F]+:([0-9A-F]+) `, 'g');
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFileSync(path, 'utf8')).join('');
  return [...tables.matchAll(listening)].some(([, queue]) => Number.parseInt(queue!, 16) > 0);
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Mounts the image in a namespace of its own, as the tests do. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  const script =
    'truncate -s 8M image && mkfs.ext4 -q image && mkdir disk && mount -o loop image disk && chattr -i disk';
  const { status } = spawnSync('unshare', ['--mount', '/bin/sh', '-c', script], { cwd: folder });
  rmSync(folder, { recursive: true });
  if (status !== 0) process.stderr.write('skipped: failure modes of the host need root and mounts\n');
  return status === 0;
}

const { machines, mainChain } = inject('fixtures');
/** Machine of the caller's decisions. */
const decider = findMachine(machines, 'fresh');

describe.runIf(canMount())('the host', () => {
  let folder: string;
  let child: ChildProcess;
  let node: FaultProxy;
  let url: string;
  let expectations: Expectations;
  /** The folder of the database as the service sees it. */
  let disk: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'host-'));
    const image = join(folder, 'image');
    closeSync(openSync(image, 'w'));
    truncateSync(image, DISK_BYTES);
    run('mkfs.ext4', '-q', '-m', '0', image);
    mkdirSync(join(folder, 'disk'));
    const { hostname: host, port: nodePort } = new URL(mainChain.rpcUrl);
    node = await startFaultProxy({ host, port: Number(nodePort) });
    const port = await findFreePort();
    const script = 'mount -o loop "$1" "$2" && shift 2 && exec "$@"';
    const mounting = [
      '--mount',
      '--propagation',
      'private',
      '/bin/sh',
      '-c',
      script,
      'sh',
      image,
      join(folder, 'disk'),
    ];
    child = spawn('unshare', [...mounting, process.execPath, 'cli/svc.ts', 'serve'], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        ...inject('devnetEnv'),
        ...{ DATABASE_URL: `sqlite:${join(folder, 'disk/svc.db')}`, PORT: String(port), ADMIN_PORT: '0' },
        MAIN_RPC_URLS: `http://127.0.0.1:${node.port}`,
        ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'error', POLL_INTERVAL_SECONDS: String(POLL_INTERVAL_SECONDS) },
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    url = `http://127.0.0.1:${port}`;
    disk = `/proc/${child.pid!}/root${folder}/disk`;
    while (!(await isReady())) {
      expect(child.exitCode).toBeNull();
      await delay(POLL_MILLISECONDS);
    }
    const call = await createCaller(url);
    expectations = createExpectations((route) =>
      call(route).catch((error: unknown) => {
        if ((error as Error).name === 'TimeoutError' && hasUnaccepted(port)) return UNACCEPTED;
        throw error;
      }),
    );
  });
  afterAll(async () => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await node.close();
    rmSync(folder, { recursive: true });
  });

  async function isReady(): Promise<boolean> {
    return fetch(`${url}/ready`).then(
      (response) => response.ok,
      () => false,
    );
  }

  /** Returns the time of the decision that the service has stored. */
  async function readDecision(): Promise<unknown> {
    const body = (await (await fetch(`${url}/machine/${decider.did}/monetization`)).json()) as object;
    return (body as { readonly updated_at?: unknown }).updated_at;
  }

  /** Takes every free block, also those that the write-ahead log would use again. */
  function fillDisk(): () => void {
    const filler = openSync(join(disk, 'filler'), 'a');
    const fill = () => {
      try {
        for (;;) writeSync(filler, BLOCK);
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    };
    fill();
    const database = new Sqlite(join(disk, 'svc.db'));
    database.pragma('wal_checkpoint(TRUNCATE)');
    fill();
    database.close();
    closeSync(filler);
    return () => rmSync(join(disk, 'filler'));
  }

  /** Lets the kernel reject writes to open files, as a file system does that was remounted after an error. */
  function rejectWrites(): () => void {
    const files = readdirSync(disk)
      .filter((name) => /^svc\.db(?:-wal)?$/.test(name))
      .map((name) => join(disk, name));
    run('chattr', '+i', ...files);
    return () => void run('chattr', '-i', ...files);
  }

  /** Allows no further descriptor and ends the connections to the node. */
  function exhaustDescriptors(): () => void {
    const limitTo = (soft: string) => run('prlimit', `--nofile=${soft}:`, '--pid', String(child.pid!));
    limitTo('3');
    node.inject({ kind: 'cut' });
    node.heal();
    return () => void limitTo('4096');
  }

  const INJECT: Readonly<Record<HostFault, () => () => void>> = {
    'full disk': fillDisk,
    'read-only file system': rejectWrites,
    'no file descriptors': exhaustDescriptors,
  };

  it.each(HOST_FAILURE_MODES)('$fault: $description', { timeout: 900_000 }, async ({ fault, outcome }) => {
    const then: Allowed = (name) => [
      ...expectedOf(outcome, name),
      ...(fault === 'no file descriptors' ? [CLOSED, UNACCEPTED] : []),
    ];
    await expectations.settle(whenHealthy, whenHealthy);
    await expectations.expectWrites(whenHealthy);
    const acknowledged = await readDecision();
    expect(acknowledged).toEqual(expect.any(Number));
    const heal = INJECT[fault]();
    try {
      await expectations.settle(whenHealthy, then);
      await expectations.expectWrites(then);
    } finally {
      heal();
    }
    await expectations.settle(then, whenHealthy);
    expect(await readDecision()).toBe(acknowledged);
    await expectations.expectWrites(whenHealthy);
    expect(child.exitCode).toBeNull();
  });
});
