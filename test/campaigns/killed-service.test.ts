/**
 * Campaign: acknowledged decisions survive a killed service. A service under a load of signed decisions is killed `KILLS` (200) times at
 * instants that `SEED` chooses; after each kill the database must contain every acknowledged decision, in order.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { Random } from '../../sim/random.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { parseDatabaseUrl } from '../../src/adapters/sql/engine/database-url.ts';
import type { Address, MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { prepareDecision } from '../../src/domain/monetization/prepared-decision.ts';
import { createMainChainKey } from '../../testing/fixtures/signing-keys.ts';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { rule } from '../conformance/rule.ts';

const KILLS = Number(process.env['KILLS'] ?? 200);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const CALLERS = 32;
/** Age of the oldest decision that is signed, with a margin for transport. */
const OLDEST_SECONDS = 240;
const NEWEST_SECONDS = 20;
const EVERY = { through: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };

interface Acknowledgment {
  readonly timestamp: number;
  readonly signature: string;
}

let devnet: Devnet;
let postgres: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'));
  devnet = await startDevnet({ quiet: true });
  postgres = await startEmbeddedPostgres();
}, 120_000);
afterAll(async () => {
  await devnet.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

describe(`SEED=${SEED} KILLS=${KILLS}`, () => {
  it('loses no acknowledged decision on SQLite', async () => {
    rule('security.durable-acknowledgment');
    await killUnderLoad(`sqlite:${join(folder, 'svc.db')}`);
  });

  it('loses no acknowledged decision on PostgreSQL', async () => {
    rule('security.durable-acknowledgment');
    await killUnderLoad((await postgres.createDatabase()).url);
  });
});

async function killUnderLoad(databaseUrl: string): Promise<void> {
  const random = new Random(SEED);
  const acknowledgments = new Map<MachineId, Acknowledgment[]>();
  const nextTimestamps = new Map<MachineId, number>();
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await startService(databaseUrl);
    const acksUntilDeath = random.integer(1, 60);
    let acks = 0;
    await new Promise<void>((resolve) => {
      const isOver = () => acks >= acksUntilDeath;
      const call = async () => {
        while (!isOver()) {
          const response = await decide(service, random, nextTimestamps);
          if (response === undefined) continue;
          // An acknowledgment counts even if the service has died since.
          const list = acknowledgments.get(response.id) ?? [];
          acknowledgments.set(response.id, [...list, response]);
          acks++;
        }
        resolve();
      };
      for (let caller = 0; caller < CALLERS; caller++) void call();
    });
    await service.kill();
    acknowledged += acks;
    await expectStored(databaseUrl, acknowledgments, `kill ${kill}`);
  }
  process.stdout.write(
    `${KILLS} kills, ${acknowledged} acknowledged decisions, none lost (${databaseUrl.split(':')[0]!})\n`,
  );
}

async function expectStored(
  databaseUrl: string,
  acknowledgments: ReadonlyMap<MachineId, readonly Acknowledgment[]>,
  when: string,
): Promise<void> {
  const store = await createStore(parseDatabaseUrl(databaseUrl)!);
  try {
    for (const [id, acknowledged] of acknowledgments) {
      const audit = (await store.listDecisions(id, EVERY)).decisions.toReversed();
      const timestamps = audit.map(({ timestamp }) => timestamp);
      expect(timestamps, when).toStrictEqual([...new Set(timestamps)].sort((a, b) => a - b));
      const stored = new Set(audit.map(({ timestamp, signature }) => `${timestamp} ${signature}`));
      const lost = acknowledged.filter(({ timestamp, signature }) => !stored.has(`${timestamp} ${signature}`));
      expect(lost, when).toStrictEqual([]);
      expect((await store.readDecision(id))?.timestamp, when).toBe(timestamps.at(-1));
    }
  } finally {
    await store.close();
  }
}

interface RunningService {
  readonly url: string;
  readonly agent: Agent;
  kill(): Promise<void>;
}

async function startService(databaseUrl: string): Promise<RunningService> {
  const env = {
    ...process.env,
    ...devnet.env,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    ADMIN_PORT: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, ['cli/svc.ts', 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  return { url: await readUrl(child), agent, kill: () => kill(child, agent) };
}

async function readUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('listening on ')) return line.slice('listening on '.length);
  }
  throw new Error('the service did not start');
}

async function kill(child: ChildProcess, agent: Agent): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  agent.destroy();
}

/** Sends a decision. Returns undefined when it is refused or the service dies before it responds. */
async function decide(
  { url, agent }: RunningService,
  random: Random,
  nextTimestamps: Map<MachineId, number>,
): Promise<(Acknowledgment & { readonly id: MachineId }) | undefined> {
  const fleet = devnet.fixtures.machines.filter(({ name }) => name.startsWith('fleet'));
  const machine = random.pick(fleet);
  const id = BigInt(machine.id) as MachineId;
  const now = Math.floor(Date.now() / 1000);
  const timestamp = Math.max(nextTimestamps.get(id) ?? 0, now - OLDEST_SECONDS);
  if (timestamp > now + NEWEST_SECONDS) return undefined;
  nextTimestamps.set(id, timestamp + 1);
  const optedIn = random.chance(0.5);
  const { chainId, addresses } = devnet.fixtures.mainChain;
  const deployment = { chainId: String(chainId), registry: addresses.machineRegistry.toLowerCase() as Address };
  const { message } = prepareDecision(
    { machineId: id, optedIn, timestamp },
    { chain: 'main' },
    deployment,
    DEFAULT_NAMESPACE,
  );
  const signature = createMainChainKey(Buffer.from(machine.ownerKey.slice(2), 'hex')).sign(message);
  const body = JSON.stringify({ opted_in: optedIn, timestamp, signature });
  const status = await put(`${url}/machine/${machine.id}/monetization`, agent, body);
  return status === 200 ? { id, timestamp, signature } : undefined;
}

function put(target: string, agent: Agent, body: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(target, { method: 'PUT', agent, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', () => resolve(undefined));
    call.end(body);
  });
}
