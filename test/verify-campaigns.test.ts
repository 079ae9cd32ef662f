/** Short runs of the Verify campaigns, each for some seconds; `npm run campaigns` runs them at full length. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSampleMachines } from '../devnet/personas/sample-machines.ts';
import { startDevnet, type Devnet } from '../devnet/start-devnet.ts';
import { Random } from '../sim/random.ts';
import { judgeMutatedBodies } from './campaigns/body-judging.ts';
import { raceChallenges } from './campaigns/chip-races.ts';
import { searchAfterRefusals } from './campaigns/chip-secrets.ts';
import { judgeMutatedLeaves } from './campaigns/leaf-judging.ts';
import { findSecrets } from './campaigns/secret-search.ts';
import { startEmbeddedPostgres, type PostgresServer } from '../testing/harness/embedded-postgres.ts';
import { rule } from './conformance/rule.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const [BODIES, LEAVES, CHALLENGES, SUBMISSIONS] = [1_500, 1_000, 8, 16];
/** As many as are challenged, because each killed service indexes all of them again. */
const MACHINES = 21;
/** Covers the start of many processes. */
const SERVICES_TIMEOUT_MILLISECONDS = 600_000;

describe(`SEED=${SEED}`, () => {
  it('returns the expected response to every mutated body', async () => {
    const { runs, answers } = await judgeMutatedBodies(SEED, BODIES);
    expect([runs, [...answers.values()].reduce((sum, count) => sum + count, 0)]).toEqual([BODIES, BODIES]);
  });

  it('accepts no mutated leaf that two other readers refuse', async () => {
    const { runs, verdicts } = await judgeMutatedLeaves(SEED, LEAVES);
    expect(runs).toBe(LEAVES);
    expect(verdicts.get('accepted')).toBeGreaterThan(0);
  });

  describe('a service that is killed', { timeout: SERVICES_TIMEOUT_MILLISECONDS }, () => {
    let devnet: Devnet;
    let postgres: PostgresServer;
    let folder: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'chips-'));
      const machines = listSampleMachines(MACHINES).filter(({ persona }) => persona.name.startsWith('fleet'));
      devnet = await startDevnet({ machines, altChain: false, quiet: true });
      postgres = await startEmbeddedPostgres();
    }, SERVICES_TIMEOUT_MILLISECONDS);
    afterAll(async () => {
      await devnet.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true });
    });

    it.each(['SQLite', 'PostgreSQL'])('accepts one document for every challenge on %s', async (database) => {
      rule('security.durable-acknowledgment', 'limits.challenge-lifetime');
      const own = mkdtempSync(join(folder, database));
      const databaseUrl =
        database === 'SQLite' ? `sqlite:${join(own, 'svc.db')}` : (await postgres.createDatabase()).url;
      const [logFile, random] = [join(own, 'log'), new Random(SEED)];
      const { challenges, expired, kills, openNonces } = await raceChallenges({
        ...{ devnet, databaseUrl, logFile, random },
        challenges: CHALLENGES,
        submissions: SUBMISSIONS,
        batchesPerKill: 1,
      });
      expect([challenges, expired]).toEqual([CHALLENGES, 0]);
      expect(kills).toBeGreaterThan(0);
      expect(openNonces).toHaveLength(1);
      const files = readdirSync(own).map((name) => join(own, name));
      expect(await findSecrets(files, [...openNonces, devnet.env['ONBOARDING_TOKENS']!])).toEqual([]);
    });

    it('leaves neither the token nor an unused nonce in a file or in memory', async () => {
      rule('challenge.nonce-hash-only');
      const { nonces, found } = await searchAfterRefusals(devnet, mkdtempSync(join(folder, 'search-')));
      expect([nonces, found]).toEqual([21, []]);
    });

    it('is searched by a function that finds planted secrets', async () => {
      const nonce = 'ab'.repeat(32);
      const path = join(folder, 'planted');
      writeFileSync(path, Buffer.concat([Buffer.alloc(100), Buffer.from(nonce, 'hex')]));
      expect(await findSecrets([path], ['nothing', nonce])).toEqual(['planted: secret 1']);
    });
  });
});
