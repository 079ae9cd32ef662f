/**
 * Run of the changes campaign. Two replicas on one PostgreSQL find changes and send webhooks while the leader is killed (`kill -9`) at instants
 * that a seed chooses. Machines are touched until enough changes are stored; all of them must arrive.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { Random } from '../../sim/random.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { Store } from '../../src/ports/store.ts';
import { startEmbeddedPostgres } from '../../testing/harness/embedded-postgres.ts';

export interface ChangesRunOptions {
  readonly seed: number;
  /** The least number of changes. */
  readonly changes: number;
  readonly kills: number;
  /** Machines that every block touches; each touch is seven changes. */
  readonly machines: number;
  /** One in so many first attempts is refused, and repeated after five seconds; undefined: none. */
  readonly refusedOneIn: number | undefined;
}

export interface ChangesRunResult {
  readonly stored: number;
  /** Changes that arrived more than once. */
  readonly repeated: number;
  /** Gaps in the order of changes, and values that do not follow from the previous ones. */
  readonly problems: readonly string[];
}

const PROCESS = new URL('changes-process.ts', import.meta.url).pathname;
const SECRET = `whsec_${'A'.repeat(32)}`;
/** Changes that may wait for their delivery, so that kills interrupt both workers. */
const MAX_WAITING = 3_000;
/** Without any delivery in this time one is lost. */
const SILENCE_MILLISECONDS = 120_000;
const MAX_KILL_DELAY_MILLISECONDS = 100;

/** Runs to the end. Throws when no change arrives any more although some are missing. */
export async function runChanges(options: ChangesRunOptions): Promise<ChangesRunResult> {
  const random = new Random(options.seed);
  const folder = mkdtempSync(join(tmpdir(), 'changes-'));
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, SECRET);
  const postgres = await startEmbeddedPostgres();
  const database = await postgres.createDatabase();
  const store = await createStore(database.url);
  const receiver = await startReceiver(random, options.refusedOneIn);
  await store.openReceiver('campaign');
  await store.openChanges(1);
  const ids = Array.from({ length: options.machines }, (_, at) => BigInt(at + 1) as MachineId);
  const start = () => startReplica([database.url, receiver.url, secretFile, String(options.machines)]);
  const replicas = [await start(), await start()];
  try {
    let kills = 0;
    for (let newest = 0; newest < options.changes || kills < options.kills;) {
      await touchAll(store, ids);
      ({ newest } = await store.readChangeRange());
      while (newest - receiver.received.size > MAX_WAITING) await receiver.untilNext();
      if (kills === options.kills || newest < (options.changes / (options.kills + 1)) * (kills + 1)) continue;
      await delay(random.integer(0, MAX_KILL_DELAY_MILLISECONDS));
      const victim = kills++ % 2;
      await kill(replicas[victim]!);
      replicas[victim] = await start();
    }
    const { stored, problems } = await examineChanges(store);
    for (let cursor = 1; cursor <= stored; cursor++) {
      while (!receiver.received.has(cursor)) await receiver.untilNext();
    }
    const repeated = [...receiver.received.values()].filter((times) => times > 1).length;
    return { stored, repeated, problems };
  } finally {
    await Promise.all(replicas.map(kill));
    receiver.close();
    await store.close();
    await database.drop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

interface CountingReceiver {
  readonly url: string;
  /** How often each change was accepted, by cursor. */
  readonly received: ReadonlyMap<number, number>;
  /** Resolves with the next accepted change. */
  untilNext(): Promise<unknown>;
  close(): void;
}

async function startReceiver(random: Random, refusedOneIn: number | undefined): Promise<CountingReceiver> {
  const received = new Map<number, number>();
  const refused = new Set<number>();
  const events = new EventEmitter();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { cursor } = new Webhook(SECRET).verify(body, request.headers as Record<string, string>) as {
        readonly cursor: number;
      };
      const isRefused = refusedOneIn !== undefined && !refused.has(cursor) && random.integer(1, refusedOneIn) === 1;
      response.writeHead(isRefused ? 500 : 204).end();
      if (isRefused) {
        refused.add(cursor);
        return;
      }
      received.set(cursor, (received.get(cursor) ?? 0) + 1);
      events.emit('received');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    untilNext: () => once(events, 'received', { signal: AbortSignal.timeout(SILENCE_MILLISECONDS) }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Stores one block that touches every machine. */
async function touchAll(store: Store, machines: readonly MachineId[]): Promise<void> {
  const checkpoint = await store.readMainChainCheckpoint();
  const next = { blockNumber: (checkpoint?.blockNumber ?? 0) + 1, blockHash: `0x${'b'.repeat(64)}` };
  const touched = { machines: [...machines], kybOperators: [] };
  await store.advanceMainChain(checkpoint, next, [], { readAtBlock: 0, changes: [] }, undefined, touched);
}

/** Cursors have no gap, and each change begins with the value that the previous one of its machine and kind ended with. */
async function examineChanges(store: Store): Promise<Pick<ChangesRunResult, 'stored' | 'problems'>> {
  const values = new Map<string, string | null>();
  const problems: string[] = [];
  let stored = 0;
  for (let after = 0; ;) {
    const { changes, next, newest } = await store.listChanges({ after, limit: 500 });
    for (const { cursor, kind, machineId, from, to } of changes) {
      if (cursor !== ++stored) problems.push(`change ${stored} has cursor ${cursor}`);
      const key = `${kind} of ${machineId}`;
      if (from !== (values.get(key) ?? null)) problems.push(`change ${cursor}: ${key} was not ${from}`);
      values.set(key, to);
    }
    after = next;
    if (after === newest) return { stored, problems };
  }
}

async function startReplica(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROCESS, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface(child.stdout), 'line');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
