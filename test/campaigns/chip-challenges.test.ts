/**
 * Campaign: every challenge accepts exactly one document under races and killed services. `CHALLENGES` (100,000) on SQLite and a tenth of them
 * on PostgreSQL, 64 submissions each, with `KILLS` (200, and a quarter) in between. Then files and memory are searched for secrets.
 * `DATABASES` selects one of the two; `MINUTES` limits the races on each.
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
const REPORT_EVERY = 200;

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
  it.runIf(DATABASES.includes('sqlite'))('accepts one document for every challenge on SQLite', () =>
    race('sqlite', CHALLENGES, KILLS),
  );
  it.runIf(DATABASES.includes('postgres'))('accepts one document for every challenge on PostgreSQL', () =>
    race('postgres', CHALLENGES / 10, KILLS / 4),
  );
});

async function race(kind: string, challenges: number, kills: number): Promise<void> {
  const own = join(folder, kind);
  mkdirSync(own);
  const startedAt = performance.now();
  const report = (text: string) =>
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
      if (done % REPORT_EVERY === 0) report(`${done} challenges`);
      return performance.now() - startedAt > MINUTES * 60_000;
    },
  });
  const counts = JSON.stringify(Object.fromEntries([...result.answers].sort()));
  report(
    `${result.challenges} challenges (${result.expired} expired), ${result.sent} submissions, ${result.kills} kills: one each. ${counts}`,
  );
  const files = readdirSync(own).map((name) => join(own, name));
  expect(await findSecrets(files, [...result.openNonces, devnet.env['ONBOARDING_TOKENS']!])).toEqual([]);
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  report(`${result.openNonces.length} nonces of open challenges and the token: in none of ${bytes} bytes`);
}

it('leaves neither the token nor an unused nonce in a file or in memory', async () => {
  rule('challenge.nonce-hash-only');
  const { searched, nonces, found } = await searchAfterRefusals(devnet, mkdtempSync(join(folder, 'search-')));
  expect(found).toEqual([]);
  const names = searched.map((path) => path.split('/').at(-1));
  process.stdout.write(`${nonces} nonces and the token: not in ${names.join(', ')}\n`);
});
