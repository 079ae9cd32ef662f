/**
 * Replica of the campaign of changes: `node changes-process.ts <database url> <receiver url> <secret file> <machines>`, whose ids are 1 to
 * that number. Takes the leader lock like the
 * service, observes machines whose values are the number of the newest block, and sends webhooks. Runs until it is killed.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { parseDatabaseUrl } from '../../src/adapters/sql/engine/database-url.ts';
import { createLeaderLock } from '../../src/adapters/sql/leader-lock.ts';
import { readWatchFile } from '../../src/adapters/webhooks/watch-file.ts';
import { createWebhookSender } from '../../src/adapters/webhooks/webhook-sender.ts';
import { CLOCK, TIMERS } from '../../src/composition/process-time.ts';
import { CHANGE_KINDS, type MachineValues } from '../../src/domain/changes/machine-change.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { createChangeWorker } from '../../src/indexing/changes/change-worker.ts';
import { createWebhookWorker } from '../../src/indexing/webhooks/webhook-worker.ts';
import { createLeaderLoop } from '../../src/indexing/loops/leader-loop.ts';

async function run(databaseUrl: string, receiverUrl: string, secretFile: string, count: number): Promise<void> {
  const location = parseDatabaseUrl(databaseUrl)!;
  const store = await createStore(location);
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const path = join(mkdtempSync(join(tmpdir(), 'changes-')), 'watch.json');
  const machines = Array.from({ length: count }, (_, at) => String(at + 1));
  const receiver = { name: 'campaign', url: receiverUrl, secret_file: secretFile, machines };
  writeFileSync(path, JSON.stringify({ receivers: [receiver] }));
  const { receivers } = await readWatchFile(path, DEFAULT_NAMESPACE);
  const sender = createWebhookSender(receivers!, { clock: CLOCK });
  const shared = { store, clock: CLOCK, timers: TIMERS, log };
  const changes = createChangeWorker({
    ...shared,
    readFinalBlock: async () => {
      const checkpoint = await store.readMainChainCheckpoint();
      return checkpoint && { number: checkpoint.blockNumber, hash: checkpoint.blockHash };
    },
    // A change of every kind but the operator, which must be an address.
    observe: (_id, block) => {
      const values = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, String(block.number)])) as MachineValues;
      return Promise.resolve({ values: { ...values, operator: null }, home: 'main', changesAt: undefined });
    },
  });
  const webhooks = createWebhookWorker({
    ...shared,
    receivers: { list: () => receivers!, send: (name, message) => sender.send(name, message) },
    formatBody: ({ cursor, machineId, from, to }) => JSON.stringify({ cursor, machine: String(machineId), from, to }),
    random: Math.random,
  });
  const lock = createLeaderLock(location, () => undefined);
  createLeaderLoop({ lock, workers: [changes.loop, webhooks.loop], ...shared }).loop.start();
  process.stdout.write('ready\n');
}

if (import.meta.main) {
  const [databaseUrl, receiverUrl, secretFile, machines] = process.argv.slice(2);
  await run(databaseUrl!, receiverUrl!, secretFile!, Number(machines));
}
