/**
 * Does every challenge get exactly one document, whatever races for it and whenever the service dies? `CHALLENGES` (100,000) on SQLite and a tenth of them on
 * PostgreSQL, 64 submissions each, `KILLS` (200, and a quarter of them) on the way. Then a search of everything that was written, and of the memory, for what must
 * be nowhere. `DATABASES` takes one of the two; `MINUTES` ends the races of each before all are run.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevnet, type Devnet } from '../../devnet/start-devnet.ts';
import { Random } from '../../sim/random.ts';
import { startEmbeddedPostgres, type PostgresServer } from '../../testing/harness/embedded-postgres.ts';
import { raceChallenges } from './chip-races.ts';
import { searchAfterRefusals } from './chip-secrets.ts';
import { findSecrets } from './secret-search.ts';
import { rule } from '../conformance/rule.ts';

const CHALLENGES = Number(process.env['CHALLENGES'] ?? 100_000);
const KILLS = Number(process.env['KILLS'] ?? 200);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const DATABASES = (process.env['DATABASES'] ?? 'sqlite,postgres').split(',');
const MINUTES = Number(process.env['MINUTES'] ?? Infinity);
const SUBMISSIONS = 64;
const BATCH = 8;
const TOLD_EVERY = 200;

let devnet: Devnet;
let postgres: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chips-'));
  devnet = await startDevnet({ quiet: true });
  postgres = await startEmbeddedPostgres();
}, 600_000);
afterAll(async () => {
  await devnet.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

describe(`SEED=${SEED} CHALLENGES=${CHALLENGES} KILLS=${KILLS}`, () => {
  it.runIf(DATABASES.includes('sqlite'))('SQLite', () => race('sqlite', CHALLENGES, KILLS));
  it.runIf(DATABASES.includes('postgres'))('PostgreSQL', () => race('postgres', CHALLENGES / 10, KILLS / 4));
});

async function race(kind: string, challenges: number, kills: number): Promise<void> {
  const own = join(folder, kind);
  mkdirSync(own);
  const startedAt = performance.now();
  const tell = (text: string) =>
    process.stdout.write(`${kind}, after ${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  const result = await raceChallenges({
    devnet,
    databaseUrl: kind === 'sqlite' ? `sqlite:${join(own, 'svc.db')}` : (await postgres.createDatabase()).url,
    logFile: join(own, 'log'),
    random: new Random(SEED),
    challenges,
    submissions: SUBMISSIONS,
    batchesPerKill: challenges / BATCH / kills,
    isOver(done) {
      if (done % TOLD_EVERY === 0) tell(`${done} challenges`);
      return performance.now() - startedAt > MINUTES * 60_000;
    },
  });
  const counts = JSON.stringify(Object.fromEntries([...result.answers].sort()));
  tell(
    `${result.challenges} challenges (${result.expired} expired), ${result.sent} submissions, ${result.kills} kills: one each. ${counts}`,
  );
  const files = readdirSync(own).map((name) => join(own, name));
  expect(await findSecrets(files, [...result.openNonces, devnet.env['ONBOARDING_TOKENS']!])).toEqual([]);
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  tell(`${result.openNonces.length} nonces of open challenges and the token: in none of ${bytes} bytes`);
}

it('nonces that nobody used, and the token, are in no file and not in memory', async () => {
  rule('challenge.nonce-hash-only');
  const { searched, nonces, found } = await searchAfterRefusals(devnet, mkdtempSync(join(folder, 'search-')));
  expect(found).toEqual([]);
  const names = searched.map((path) => path.split('/').at(-1));
  process.stdout.write(`${nonces} nonces and the token: not in ${names.join(', ')}\n`);
});
