/**
 * Throughput of a hot statement against a hot rating of the same machine and service; the two alternate within one run, so that a drift in
 * machine speed favors neither. Also signatures per second: one is needed per machine, finalized block and minute. Needs Debian's `wrk`.
 * `BENCH_ROUNDS` and `BENCH_SECONDS` change the length; `BENCH_SAVE` names a file for the last statement.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { createMainChainKey } from '../../src/domain/signatures/account-keys.ts';
import {
  signStatement,
  type RatingStatement,
  type StatementDomain,
} from '../../src/domain/statements/rating-statement.ts';
import { findFreePort } from '../../testing/harness/free-port.ts';
import { printFigures } from '../figures.ts';
import { median, waitForOk } from '../measuring.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const CONNECTIONS = 64;
const SIGNATURES = 500;

/** Returns requests per second. Throws when a response is not 200. */
function load(url: string, seconds: number): number {
  const text = execFileSync('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, url], { encoding: 'utf8' });
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1];
  if (failed !== undefined) throw new Error(`${failed} responses of ${url} were not 200`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]);
}

/** Returns signatures per second of this process, for statements that differ. */
function measureSigning(statement: RatingStatement, domain: StatementDomain): number {
  const key = createMainChainKey(new Uint8Array(32).fill(1));
  const sign = (ratedAt: number) => signStatement({ ...statement, ratedAt }, domain, key);
  for (let at = 0; at < SIGNATURES / 5; at++) sign(at);
  const startedAt = performance.now();
  for (let at = 0; at < SIGNATURES; at++) sign(at);
  return (SIGNATURES * 1000) / (performance.now() - startedAt);
}

const folder = mkdtempSync(join(tmpdir(), 'bench-statements-'));
const port = await findFreePort();
const devnet = await startDevnet({ dir: folder });
const { did } = devnet.fixtures.machines.find(({ name }) => name === 'rated-aaa')!;
const built = join(import.meta.dirname, '../../dist/svc.js');
const entry = existsSync(built) ? built : join(import.meta.dirname, '../../cli/svc.ts');
const service = spawn(process.execPath, [entry, 'serve', '--env-file', join(folder, 'env')], {
  env: {
    ...process.env,
    ...{ PORT: `${port}`, ADMIN_PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'warn' },
    DATABASE_URL: `sqlite:${join(folder, 'svc.db')}`,
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  const rating = `http://127.0.0.1:${port}/mcr/${did}`;
  const statement = `${rating}/statement`;
  const ratingBytes = (await waitForOk(rating)).length;
  const body = await waitForOk(statement);
  if (process.env['BENCH_SAVE'] !== undefined) writeFileSync(process.env['BENCH_SAVE'], body);
  for (const url of [rating, statement]) load(url, 2);
  const [ratings, statements]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ratings.push(load(rating, SECONDS));
    statements.push(load(statement, SECONDS));
  }
  const signed = JSON.parse(body) as { readonly statement: RatingStatement; readonly domain: StatementDomain };
  const signatures = measureSigning(signed.statement, signed.domain);
  const [ours, peer] = [median(statements), median(ratings)];
  console.log(
    `hot statement, ${body.length} bytes, against hot /mcr, ${ratingBytes} bytes: ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s in turn, entry ${existsSync(built) ? 'built' : 'source'}`,
  );
  console.log(
    `statement ${Math.round(ours)} requests/s, /mcr ${Math.round(peer)} requests/s, ratio ${(ours / peer).toFixed(2)}`,
  );
  console.log(`${Math.round(signatures)} signatures/s`);
  printFigures({
    'hot-statement/rating': { ours, peer },
    'hot-statement/signatures': { ours: signatures },
  });
} finally {
  service.kill();
  await devnet.stop();
}
