/** Tests how SQLite finds the earlier payments of a citation: by an index, however many citations the machine has. */
import { expect, it } from 'vitest';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { OpenCitation } from '../../../ports/payment-store.ts';
import { readRows, type Query, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { migrate } from '../schema/migrate.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { createPaymentVerdicts } from './payment-verdicts.ts';
import { createScanReads } from './scan-reads.ts';

const TIME = 1_772_452_800;
const CITATION: OpenCitation = {
  ...{ home: 'main', id: 7n as MachineId, seq: 5, source: 'eip155:8453', reference: '0x1', cents: 1_000, day: 20_514 },
  ...{ timestamp: TIME, blockTimestamp: TIME, isAttested: false, attempts: 0, claimRevision: 0 },
};

it('reads the payments of the payer by their index, and those of the transaction in the last blocks', async () => {
  const database = openSqlite(':memory:', () => undefined);
  await database.upgrade(migrate(database.dialect, MIGRATIONS));
  const plan: string[] = [];
  function* explain<T>(program: SqlProgram<T>): SqlProgram<T> {
    const { sql, parameters } = program.next().value as Query;
    const steps = yield* readRows<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters });
    plan.push(...steps.map(({ detail }) => detail));
    return (program.next({ rows: [], changes: 0 }) as IteratorReturnResult<T>).value;
  }
  const explained: SqlDatabase = { ...database, run: (program) => database.run(explain(program)) };
  const verdicts = createPaymentVerdicts(explained, createScanReads(explained));
  await verdicts.listEarlierPayments(CITATION, { payer: '0x2', time: TIME });
  await database.close();
  expect(plan.filter((step) => step.startsWith('SEARCH'))).toEqual([
    'SEARCH payment_citations USING INDEX payment_citations_by_payer (payer=? AND home=? AND machine_id=? AND payment_time>?)',
    ...[
      'SEARCH payment_citations USING INDEX sqlite_autoindex_payment_citations_1 (home=? AND machine_id=? AND seq>? AND seq<?)',
      'SEARCH payment_citations USING INDEX sqlite_autoindex_payment_citations_1 (home=? AND machine_id=? AND seq<?)',
    ],
  ]);
});
