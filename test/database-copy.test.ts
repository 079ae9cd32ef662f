/**
 * Copy of what cannot be read from the chains again to an empty database. Runs the blocks of `docs/operating.md`; that of PostgreSQL where a server
 * and its tools are installed.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { examineDatabase } from '../cli/doctor/database.ts';
import { createStore } from '../src/adapters/sql/create-store.ts';
import type { Schema } from '../src/adapters/sql/schema/schema.ts';
import type { Config } from '../src/config.ts';
import { startEmbeddedPostgres } from '../testing/harness/embedded-postgres.ts';
import { rule } from './conformance/rule.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/operating.md'), 'utf8');
const [postgresBlock, sqliteBlock] = page
  .split('<!-- run by test/database-copy.test.ts -->\n\n```bash\n')
  .slice(1)
  .map((text) => text.slice(0, text.indexOf('```')));

const bytes = (byte: number, length = 32) => Buffer.alloc(length, byte);

/** A row of each copied table. */
const ROWS: { readonly [T in keyof Schema]?: Schema[T] } = {
  decisions: { machine_id: bytes(1), opted_in: 1, signed_at: 20, signer: 'owner' },
  decision_audit: {
    ...{ machine_id: bytes(1), signed_at: 20, opted_in: 1, signer: 'owner', signature: '0x01', applied_at: 21 },
    ...{ message: 'text', owner: 'owner', controller: null, block_number: 7, block_hash: bytes(2), slot: null },
    ...{ previous: bytes(3), hash: bytes(4) },
  },
  decision_checkpoints: {
    ...{ machine_id: bytes(1), hash: bytes(3), log_count: 2, signed_at: 30, signer: 'key', signature: '0x02' },
  },
  challenges: {
    ...{ nonce_hash: bytes(5), machine_id: bytes(1), did_controller: bytes(6, 20), chain_id: 1 },
    ...{ issued_at: 40, expires_at: 50, consumed_at: 45, consumed_by: bytes(7) },
  },
  evidence_intakes: {
    ...{ receipt_id: bytes(8), evidence_hash: bytes(7), machine_id: bytes(1), chip_ref: bytes(9) },
    ...{ leaf_fingerprint: bytes(10), leaf_serial: bytes(11, 9), controller: bytes(6, 20), received_at: 45 },
    evidence: null,
  },
  attestation_reviews: {
    ...{ transaction_hash: bytes(12), change: 'revoked', receipt_id: bytes(8), subject: '1', reviewer: 'a' },
    ...{ reason: 'b', expires_at: null, operator: bytes(13, 20), reviewed_at: 60 },
  },
  statement_keys: { address: bytes(14, 20), position: 3, not_before: null, not_after: 70, revoked_at: 65 },
  fx_rates: { currency: 'EUR', day: 20_000, rate: '1' },
  fx_coverage: { only_row: 1, through_day: 20_000 },
};
const COPIED = Object.keys(ROWS);

/** Tables that the service fills again, from the chains or by its own operation. */
const FILLED_AGAIN = [
  /^(?:index_identities|checkpoints|head_observations|schema_migrations|write_probe|node_profiles|challenge_issuing)$/,
  /^(?:event_|machine_|unread_|log_blocks|proof_|fold|active_|ownership_|hold|registry_|alt_|payment_)/,
  /^(?:observed_machines|directory_counts|change_feed|changes|webhook_)/,
];

const folder = mkdtempSync(join(tmpdir(), 'database-copy-'));
afterAll(() => rmSync(folder, { recursive: true }));

function toInserts(toLiteral: (hex: string) => string): string {
  return Object.entries(ROWS)
    .map(([table, row]) => {
      const values = Object.values(row).map((value: unknown) => {
        if (value instanceof Uint8Array) return toLiteral(Buffer.from(value).toString('hex'));
        return typeof value === 'string' ? `'${value}'` : String(value);
      });
      return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')});`;
    })
    .join('\n');
}

async function createTables(database: Config['database']): Promise<void> {
  await (await createStore(database)).close();
}

/** Creates the tables of an empty database as `svc doctor` does. */
async function createTablesByDoctor(database: Config['database']): Promise<void> {
  expect(await examineDatabase({ database } as Config)).toMatchObject([{ state: 'ok' }]);
}

it('copies SQLite to an empty file', async () => {
  rule('documents.blocks');
  const [from, to] = [join(folder, 'data/svc.db'), join(folder, 'data/svc-new.db')];
  mkdirSync(join(folder, 'data'));
  await createTables({ kind: 'sqlite', path: from });
  const old = new Sqlite(from);
  old.exec(toInserts((hex) => `X'${hex}'`));
  writeFileSync(to, '');
  await createTablesByDoctor({ kind: 'sqlite', path: to });

  const copy = new Sqlite(to);
  const [, statements] = /^sqlite3 -bail data\/svc-new\.db <<'EOF'\n([^]+)^EOF\n/m.exec(sqliteBlock!)!;
  copy.exec(statements!.replace("'data/svc.db'", `'${from}'`));
  const read = (database: Sqlite.Database) =>
    COPIED.map((table) => database.prepare(`SELECT * FROM ${table}`).all() as object[]);
  expect(read(copy)).toEqual(Object.values(ROWS).map((row) => [row]));
  expect(read(copy)).toEqual(read(old));
  copy.close();
  old.close();
});

it('copies every table that the service does not fill again', async () => {
  const path = join(folder, 'tables.db');
  await createTables({ kind: 'sqlite', path });
  const database = new Sqlite(path, { readonly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  database.close();
  const others = tables.filter((name) => !FILLED_AGAIN.some((pattern) => pattern.test(name)));
  expect(others.toSorted()).toEqual(COPIED.toSorted());
});

const [installation] = globSync('/usr/lib/postgresql/*/bin/postgres').toSorted().reverse();
const hasTools = ['pg_dump', 'psql', 'bash'].every((tool) => spawnSync(tool, ['--version']).status === 0);

describe.skipIf(installation === undefined || !hasTools)('with the tools of PostgreSQL', () => {
  it('copies PostgreSQL to an empty database', async () => {
    rule('documents.blocks');
    // The tools refuse a server that is newer than they are.
    const server = await startEmbeddedPostgres({ installation: join(installation!, '../..') });
    try {
      const [old, empty] = [await server.createDatabase(), await server.createDatabase()];
      await createTables({ kind: 'postgres', url: old.url });
      await query(
        old.url,
        toInserts((hex) => `'\\x${hex}'`),
      );
      await createTablesByDoctor({ kind: 'postgres', url: empty.url });
      const env = { ...process.env, OLD_URL: old.url, NEW_URL: empty.url };
      const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', postgresBlock!], { env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      for (const table of COPIED) {
        const rows = await query(empty.url, `SELECT * FROM ${table}`);
        expect([table, rows.length, rows]).toEqual([table, 1, await query(old.url, `SELECT * FROM ${table}`)]);
      }
    } finally {
      await server.stop();
    }
  });
});

async function query(connectionString: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<object>(text);
  await client.end();
  return rows;
}
