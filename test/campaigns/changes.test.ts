/**
 * Campaign: no change is lost. Two replicas on one PostgreSQL find changes and send webhooks while one of them is killed (`kill -9`) `KILLS`
 * (50) times at instants that `SEED` chooses, and machines are touched until `CHANGES` (100,000) changes are stored. Afterwards the changes
 * have gapless cursors, those of each machine form one chain of values, and the receiver has each of them at least once.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { Random } from '../../sim/random.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { Store } from '../../src/ports/store.ts';
import { startEmbeddedPostgres } from '../../testing/harness/embedded-postgres.ts';
import { MACHINES } from './changes-process.ts';

const CHANGES = Number(process.env['CHANGES'] ?? 100_000);
const KILLS = Number(process.env['KILLS'] ?? 50);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const PROCESS = new URL('changes-process.ts', import.meta.url).pathname;
const SECRET = `whsec_${'A'.repeat(32)}`;
const IDS = Array.from({ length: MACHINES }, (_, at) => BigInt(at + 1) as MachineId);

it(`SEED=${SEED}: loses none of ${CHANGES} changes across ${KILLS} kills of two replicas`, async () => {
  const random = new Random(SEED);
  const folder = mkdtempSync(join(tmpdir(), 'changes-'));
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, SECRET);
  const postgres = await startEmbeddedPostgres();
  const database = await postgres.createDatabase();
  const store = await createStore(database.url);
  const received = new Map<number, number>();
  const refused = new Set<number>();
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const { cursor } = new Webhook(SECRET).verify(body, request.headers as Record<string, string>) as {
        cursor: number;
      };
      // One in ten first attempts fails, so that retries are part of the campaign.
      const isAccepted = refused.has(cursor) || random.integer(0, 9) > 0;
      if (!isAccepted) refused.add(cursor);
      if (isAccepted) received.set(cursor, (received.get(cursor) ?? 0) + 1);
      response.writeHead(isAccepted ? 204 : 500).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await store.openReceiver('campaign');
  await store.openChanges(1);
  const start = () => startReplica([database.url, url, secretFile]);
  const replicas = [await start(), await start()];
  try {
    for (let kills = 0, { newest } = await store.readChangeRange(); newest < CHANGES || kills < KILLS;) {
      await touchAll(store);
      await delay(random.integer(0, 20));
      ({ newest } = await store.readChangeRange());
      if (kills >= KILLS || newest < (CHANGES / (KILLS + 1)) * (kills + 1)) continue;
      const victim = kills % 2;
      await kill(replicas[victim]!);
      replicas[victim] = await start();
      kills++;
    }
    await expectAll(store, received);
  } finally {
    await Promise.all(replicas.map(kill));
    receiver.close();
    await store.close();
    await database.drop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
});

/** Stores one block that touches every machine. */
async function touchAll(store: Store): Promise<void> {
  const checkpoint = await store.readMainChainCheckpoint();
  const next = { blockNumber: (checkpoint?.blockNumber ?? 0) + 1, blockHash: `0x${'b'.repeat(64)}` };
  const touched = { machines: IDS, kybOperators: [] };
  await store.advanceMainChain(checkpoint, next, [], { readAtBlock: 0, changes: [] }, undefined, touched);
}

async function expectAll(store: Store, received: ReadonlyMap<number, number>): Promise<void> {
  const values = new Map<MachineId, string | null>();
  let count = 0;
  for (let after = 0; ;) {
    const { changes, next, newest } = await store.listChanges({ after, limit: 500 });
    for (const { cursor, kind, machineId, from, to } of changes) {
      expect(cursor).toBe(++count);
      if (kind !== 'rating') continue;
      expect([cursor, from]).toEqual([cursor, values.get(machineId) ?? null]);
      values.set(machineId, to);
    }
    after = next;
    if (after === newest) break;
  }
  expect(count).toBeGreaterThanOrEqual(CHANGES);
  // Retries follow after 5 seconds.
  while ([...Array(count).keys()].some((at) => !received.has(at + 1))) {
    const [state] = await store.listReceiverStates();
    expect(state).toMatchObject({ dead: 0 });
    await delay(1_000);
  }
  const repeated = [...received.values()].filter((times) => times > 1).length;
  process.stdout.write(`${count} changes, all delivered, ${repeated} of them more than once\n`);
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
