/**
 * Cost of following payments: calls and bytes to and from the source, and rows and bytes in the database, for each cited event. Five machines
 * cite one payment a day each, so a block has five of them, as with 10,000 machines, 20 events a day and a block every two seconds.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { machineIdOf } from '../../devnet/main-chain/calls.ts';
import { accountOf } from '../../devnet/accounts.ts';
import { customerPayments, payoutOf } from '../../devnet/personas/paid-persona.ts';
import { paymentName } from '../../devnet/personas/paid-histories.ts';
import { signPayoutProof } from '../../devnet/personas/payout-proof.ts';
import { credentialsOf, toPersonaMachine } from '../../devnet/personas/persona.ts';
import type { Persona } from '../../devnet/personas/persona.ts';
import { daysBetween } from '../../devnet/personas/planned-event.ts';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/main.ts';
import { printFigures } from '../figures.ts';
import { startCountingProxy } from '../index/counting-proxy.ts';

const DAYS = Number(process.env['BENCH_DAYS'] ?? 100);
const MACHINES = 5;
const CENTS = 25_000n;
/** The fleet that the figures are computed for. */
const FLEET_EVENTS_PER_DAY = 10_000 * 20;
const SECONDS_PER_DAY = 86_400;
const POLL_MILLISECONDS = 250;
const DEADLINE_MILLISECONDS = 600_000;
const SILENT = { info() {}, warn() {}, error() {} };

/** Returns a machine that claims its account with the oldest event, and cites a payment with each of the others. */
function toPaid(name: string): Persona {
  const days = daysBetween(1, DAYS + 1);
  const metadata = signPayoutProof(
    machineIdOf(credentialsOf(name)),
    accountOf(`${name} owner`).address,
    payoutOf(name),
  );
  return {
    ...{ name, about: 'Cites a payment every day.', home: 'main', activatedDaysAgo: DAYS + 10 },
    events: days.map((daysAgo, i) => ({
      ...{ daysAgo, eventType: 0, value: CENTS, currency: 'USD', trustLevel: 1 },
      ...(i === 0 ? { metadata } : { cites: paymentName(name, daysAgo) }),
    })),
    payments: customerPayments(name, days.slice(1), CENTS),
    expected: { kind: 'unknown' },
  };
}

const personas = Array.from({ length: MACHINES }, (_, i) => toPaid(`cited-${i + 1}`));
const citations = MACHINES * DAYS;

const folder = mkdtempSync(join(tmpdir(), 'bench-citations-'));
const devnet = await startDevnet({
  ...{ dir: folder, altChain: false, blocks: 'on-demand', quiet: true },
  machines: personas.map((persona) => ({ persona, machine: toPersonaMachine(persona) })),
});
const proxy = await startCountingProxy(devnet.rpcUrl);
try {
  const sources = JSON.parse(readFileSync(devnet.env['SOURCES_FILE']!, 'utf8')) as Record<string, object>;
  const proxied = Object.entries(sources).map(([name, source]) => [name, { ...source, rpc: [proxy.url] }] as const);
  const file = join(folder, 'proxied-sources.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(proxied)));
  const databaseFile = join(folder, 'svc.db');
  const { config } = readConfig(
    {
      ...devnet.env,
      ...{ SOURCES_FILE: file, DATABASE_URL: `sqlite:${databaseFile}`, PORT: '0', ADMIN_PORT: '0' },
    },
    { readFile: () => '' },
  );
  const service = await startService(config, { log: SILENT });
  try {
    const database = new Database(databaseFile, { readonly: true });
    const paid = database.prepare("SELECT count(*) AS paid FROM payment_citations WHERE code = 'paid'");
    const until = performance.now() + DEADLINE_MILLISECONDS;
    while ((paid.get() as { paid: number }).paid < citations) {
      if (performance.now() > until) throw new Error(`${JSON.stringify(paid.get())} of ${citations} are paid`);
      await delay(POLL_MILLISECONDS);
    }
    const perCitation = (sum: number) => sum / citations;
    const { calls, bytes } = proxy;
    const stored = measureTables(database);
    database.close();
    for (const [methods, requests] of proxy.counts())
      console.log(`${String(requests).padStart(6)} requests: ${methods}`);
    console.log(
      `${citations} citations: ${calls} calls, ${bytes} bytes, ${stored.rows} rows, ${stored.bytes} bytes stored`,
    );
    printFigures({
      'citation/calls': { ours: perCitation(calls) },
      'citation/bytes': { ours: perCitation(bytes) },
      'citation/rows': { ours: perCitation(stored.rows) },
      'citation/stored': { ours: perCitation(stored.bytes) },
      'citation/calls-per-second': { ours: (perCitation(calls) * FLEET_EVENTS_PER_DAY) / SECONDS_PER_DAY },
    });
  } finally {
    await service.close();
  }
} finally {
  await proxy.close();
  await devnet.stop();
  rmSync(folder, { recursive: true });
}

/**
 * Returns rows and pages of all tables of payments, with their indexes. The first page of each is left out: every database has it, whatever
 * the number of citations.
 */
function measureTables(database: Database.Database): { readonly rows: number; readonly bytes: number } {
  const objects = database
    .prepare("SELECT name, type FROM sqlite_master WHERE tbl_name LIKE 'payment!_%' ESCAPE '!'")
    .all() as { name: string; type: string }[];
  const rows = objects
    .filter(({ type }) => type === 'table')
    .map(({ name }) => (database.prepare(`SELECT count(*) AS rows FROM ${name}`).get() as { rows: number }).rows);
  const names = objects.map(() => '?').join(', ');
  const { bytes } = database
    .prepare(`SELECT sum(pgsize) - sum(path = '/') * max(pgsize) AS bytes FROM dbstat WHERE name IN (${names})`)
    .get(...objects.map(({ name }) => name)) as { bytes: number };
  return { rows: rows.reduce((sum, count) => sum + count, 0), bytes };
}
