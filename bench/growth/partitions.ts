/**
 * Hash partitioning of the tables that grow with machines, by the column that their statements name: no statement of the
 * service changes. `event_histories` stays whole: a unique index of a partitioned table must contain the partition column, and
 * this table has two unique indexes.
 *
 *     node bin/run.js bench/growth/partitions.ts 16 | psql "$DATABASE_URL"
 *
 * Run it after a service has created the tables and before one fills them.
 */
import { pathToFileURL } from 'node:url';
import type pg from 'pg';

/** Partition column of each table, which every unique index of the table contains. */
const TABLES = {
  machine_owners: 'machine_id',
  holdings: 'holder',
  holders: 'holder',
  event_logs: 'history_id',
  folds: 'history_id',
  fold_days: 'history_id',
  registry_logs: 'machine_id',
  machine_provenance: 'machine_id',
  observed_machines: 'machine_id',
} as const;

/** Returns the statements for a database whose tables exist and are empty. */
export function listStatements(parts: number): readonly string[] {
  return Object.entries(TABLES)
    .flatMap(([table, column]) => [
      `ALTER TABLE ${table} RENAME TO whole_${table}`,
      `CREATE TABLE ${table} (LIKE whole_${table} INCLUDING ALL) PARTITION BY HASH (${column})`,
      ...Array.from(
        { length: parts },
        (_, part) =>
          `CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${parts}, REMAINDER ${part})`,
      ),
      `DROP TABLE whole_${table}`,
    ])
    .concat(
      ['folds', 'fold_days'].map(
        (table) => `ALTER TABLE ${table} ADD FOREIGN KEY (history_id) REFERENCES event_histories (history_id)`,
      ),
    );
}

/** Returns a statement that fails where a table has rows, which the partitions would not contain. */
function requireEmptyTables(): string {
  const filled = Object.keys(TABLES).map((table) => `EXISTS (SELECT FROM ${table})`);
  return `DO $$ BEGIN IF ${filled.join(' OR ')} THEN RAISE 'the tables have rows'; END IF; END $$`;
}

/** Returns the bytes of rows and indexes of each table, over all its partitions. */
export async function readSizes(client: pg.Client): Promise<Record<string, { rows: number; indexes: number }>> {
  const { rows } = await client.query<{ name: string; rows: string; indexes: string }>(
    `SELECT coalesce(parent.relname, each.relname) AS name,
            sum(pg_table_size(each.oid)) AS rows, sum(pg_indexes_size(each.oid)) AS indexes
     FROM pg_class each
     LEFT JOIN pg_inherits ON inhrelid = each.oid
     LEFT JOIN pg_class parent ON parent.oid = inhparent
     WHERE each.relkind = 'r' AND each.relnamespace = 'public'::regnamespace
     GROUP BY 1`,
  );
  const wanted = rows.filter(({ name }) => name in TABLES || name === 'event_histories');
  return Object.fromEntries(
    wanted.map(({ name, ...sizes }) => [name, { rows: Number(sizes.rows), indexes: Number(sizes.indexes) }]),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const statements = ['BEGIN', requireEmptyTables(), ...listStatements(Number(process.argv[2] ?? 16)), 'COMMIT'];
  console.log('\\set ON_ERROR_STOP on');
  for (const statement of statements) console.log(`${statement};`);
}
