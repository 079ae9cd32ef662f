/**
 * Does every challenge get exactly one document, whatever races for it and whenever the service dies? `CHALLENGES` (100,000 on SQLite, a tenth of
 * that on PostgreSQL), 64 submissions of two documents at once for each; in one of `RACES_PER_KILL` (50) the service is killed on the way. Then a search
 * of everything that was written, and of the memory, for what must be nowhere.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MachineFixture } from '../../devnet/fixtures.ts';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { Random } from '../../sim/random.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { parseDatabaseUrl } from '../../src/adapters/sql/database-url.ts';
import type { BuiltEvidence } from '../../src/domain/evidence/evidence-building.ts';
import { nonceHashOf, type Hex } from '../../src/domain/evidence/signed-bytes.ts';
import type { MachineId } from '../../src/domain/identifiers.ts';
import type { Store } from '../../src/ports/store.ts';
import { startEmbeddedPostgres, type PostgresServer } from '../embedded-postgres.ts';
import { createProvider, startChipService, type ChipService } from './chip-scene.ts';

const CHALLENGES = Number(process.env['CHALLENGES'] ?? 100_000);
const RACES_PER_KILL = Number(process.env['RACES_PER_KILL'] ?? 50);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const SUBMISSIONS = 64;
const REFUSALS = ['EVIDENCE_ALREADY_ACCEPTED', 'CHALLENGE_CONSUMED'];
const UNCONSUMED = 20;

interface Race {
  readonly id: MachineId;
  readonly nonceHash: Hex;
  readonly documents: readonly BuiltEvidence[];
  /** Hashes of documents that were answered with 202. */
  readonly accepted: Hex[];
}

let devnet: Devnet;
let postgres: PostgresServer;
let folder: string;
let sign: ReturnType<typeof createProvider>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chips-'));
  devnet = await startDevnet({ quiet: true });
  postgres = await startEmbeddedPostgres();
  sign = createProvider(devnet);
}, 120_000);
afterAll(async () => {
  await devnet.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

describe(`SEED=${SEED} CHALLENGES=${CHALLENGES}`, () => {
  it('SQLite', () => raceUnderKills(`sqlite:${join(folder, 'svc.db')}`, CHALLENGES));
  it('PostgreSQL', async () =>
    raceUnderKills((await postgres.createDatabase()).url, Math.max(1, Math.floor(CHALLENGES / 10))));
});

async function raceUnderKills(databaseUrl: string, challenges: number): Promise<void> {
  const random = new Random(SEED);
  const start = () =>
    startChipService(devnet, { databaseUrl, connections: SUBMISSIONS, logFile: join(folder, 'races.log') });
  const store = await createStore(parseDatabaseUrl(databaseUrl)!);
  let service = await start();
  let kills = 0;
  try {
    for (let n = 0; n < challenges; n++) {
      const race = await openRace(service, random.pick(listMachines()));
      const diesAfter = random.integer(1, RACES_PER_KILL) === 1 ? random.integer(0, SUBMISSIONS - 1) : undefined;
      await run(service, race, diesAfter);
      if (diesAfter !== undefined) {
        kills += 1;
        await service.kill();
        service = await start();
        // Whoever got no answer asks again.
        await run(service, race, undefined);
      }
      await expectOne(store, race, `race ${n}`);
    }
  } finally {
    await service.kill();
    await store.close();
  }
  const kind = databaseUrl.split(':')[0]!;
  process.stdout.write(
    `${challenges} challenges, ${SUBMISSIONS} submissions each, ${kills} kills: one each (${kind})\n`,
  );
}

function listMachines(): readonly MachineFixture[] {
  return devnet.fixtures.machines.filter(({ name }) => name.startsWith('fleet'));
}

async function openRace(service: ChipService, machine: MachineFixture): Promise<Race> {
  const nine = await issue(service, machine);
  const documents = [sign(nine, machine), sign(nine, machine)];
  expect(documents[0]!.evidenceHash).not.toBe(documents[1]!.evidenceHash);
  return { id: BigInt(machine.id) as MachineId, nonceHash: nonceHashOf(nine['nonce']!), documents, accepted: [] };
}

async function issue(service: ChipService, machine: MachineFixture): Promise<Record<string, string>> {
  const answer = await service.post('challenge', JSON.stringify({ machineId: machine.id }));
  expect(answer).toMatchObject({ status: 201 });
  return JSON.parse(answer!.text) as Record<string, string>;
}

/** All submissions at once; the service dies after so many answers. */
async function run(service: ChipService, { documents, accepted }: Race, diesAfter: number | undefined): Promise<void> {
  let answers = 0;
  if (diesAfter === 0) service.process.kill('SIGKILL');
  await Promise.all(
    Array.from({ length: SUBMISSIONS }, async (_, n) => {
      const { body, evidenceHash } = documents[n % documents.length]!;
      const answer = await service.post('evidence', body);
      if (++answers === diesAfter) service.process.kill('SIGKILL');
      if (answer === undefined) return;
      if (answer.status === 202) return void accepted.push(evidenceHash);
      const { detail } = JSON.parse(answer.text) as { detail: { code: string } };
      expect([answer.status, REFUSALS]).toEqual([409, expect.arrayContaining([detail.code])]);
    }),
  );
}

/** One document has the challenge, one intake is kept, and nobody was told otherwise. */
async function expectOne(store: Store, { id, nonceHash, documents, accepted }: Race, when: string): Promise<void> {
  const hashes = documents.map(({ evidenceHash }) => evidenceHash);
  const kept = (await store.listIntakes(id, 1_000_000)).filter((intake) => hashes.includes(intake.evidenceHash));
  expect(kept, when).toHaveLength(1);
  const { evidenceHash } = kept[0]!;
  expect([[], [evidenceHash]], when).toContainEqual(accepted);
  const lookup = await store.findChallenge(nonceHash, evidenceHash);
  expect(lookup, when).toMatchObject({ state: 'kept', challenge: { consumedBy: evidenceHash } });
}

it(`nonces that nobody used, and the token, are in no file and not in memory`, async () => {
  const [written, memory] = [join(folder, 'search'), mkdtempSync(join(folder, 'memory-'))];
  const service = await startChipService(devnet, {
    databaseUrl: `sqlite:${written}.db`,
    connections: 1,
    logFile: `${written}.log`,
    flags: ['--heapsnapshot-signal=SIGUSR2'],
    cwd: memory,
  });
  try {
    const machines = listMachines().slice(0, UNCONSUMED);
    const nonces: string[] = [];
    for (const machine of machines) nonces.push((await issue(service, machine))['nonce']!.slice(2));
    // A refusal of each kind that carries the nonce: none may leave it behind.
    const nine = await issue(service, machines[0]!);
    nonces.push(nine['nonce']!.slice(2));
    const { body } = sign(nine, machines[0]!);
    const spoilt = Buffer.from(body).toString().replace('not_evaluated', 'not_evaluatee');
    expect(await service.post('evidence', spoilt)).toMatchObject({ status: 422 });
    expect(await service.post('evidence', `${spoilt} `)).toMatchObject({ status: 400 });
    // Requests of others push what was read and written before out of the buffers.
    for (const machine of machines) await service.post('evidence', JSON.stringify({ machineId: machine.id }));
    service.hangUp();
    const snapshot = await takeSnapshot(service, memory);

    const files = readdirSync(folder).filter((name) => name.startsWith('search'));
    expect(files.length).toBeGreaterThan(1);
    const searched = [...files.map((name) => join(folder, name)), snapshot];
    const found = searched.flatMap((path) => search(path, [...nonces, devnet.env['ONBOARDING_TOKENS']!]));
    expect(found).toEqual([]);
    const size = searched.reduce((sum, path) => sum + statSync(path).size, 0);
    process.stdout.write(`${nonces.length} nonces and the token: in none of ${size} bytes\n`);
  } finally {
    await service.kill();
  }
});

async function takeSnapshot(service: ChipService, memory: string): Promise<string> {
  service.process.kill('SIGUSR2');
  for (let size = -1; ;) {
    await delay(500);
    const [name] = readdirSync(memory).filter((each) => each.endsWith('.heapsnapshot'));
    if (name === undefined) continue;
    const now = statSync(join(memory, name)).size;
    if (now === size && now > 0) return join(memory, name);
    size = now;
  }
}

/** As hex, as bytes, or as base64url, in any letter case. */
function search(path: string, secrets: readonly string[]): string[] {
  const content = readFileSync(path).toString('latin1');
  const lower = content.toLowerCase();
  return secrets.flatMap((secret, n) => {
    const isHex = /^[0-9a-f]{64}$/.test(secret);
    const bytes = Buffer.from(secret, 'hex');
    const spellings = isHex ? [bytes.toString('latin1'), bytes.toString('base64url'), bytes.toString('base64')] : [];
    const isThere = lower.includes(secret.toLowerCase()) || spellings.some((spelling) => content.includes(spelling));
    return isThere ? [`${path.split('/').at(-1)}: ${isHex ? `nonce ${n}` : 'the token'}`] : [];
  });
}
