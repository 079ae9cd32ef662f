/** Queries of a repair: their cost must not grow with the events that are stored. */
import { expect, it } from 'vitest';
import type { BlockRepair } from '../../../ports/index-proof.ts';
import { readRows, statementOf, type SqlProgram } from '../engine/sql-program.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { migrate } from '../schema/migrate.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { createEventRepair } from './event-repair.ts';

const BLOCK = { blockNumber: 5, blockHash: `0x${'5'.repeat(64)}`, blockTimestamp: 1_772_452_800 };
const REPAIR: BlockRepair = { block: { ...BLOCK, digest: `0x${'0'.repeat(64)}` }, events: [], isProven: true };

it('finds the logs of a block by an index', async () => {
  const database = openSqlite(':memory:', () => undefined);
  await database.upgrade(migrate(database.dialect, MIGRATIONS));
  const plan: string[] = [];
  function* explain<T>(program: SqlProgram<T>): SqlProgram<T> {
    let step = program.next();
    while (step.done !== true) {
      const statement = statementOf(step.value);
      const parameters = 'batch' in statement ? statement.batch[0] : statement.parameters;
      if (parameters !== undefined) {
        const details = { sql: `EXPLAIN QUERY PLAN ${statement.sql}`, parameters };
        plan.push(...(yield* readRows<{ detail: string }>(details)).map(({ detail }) => detail));
      }
      step = program.next(yield step.value);
    }
    return step.value;
  }
  const repair = createEventRepair(database.dialect);
  await database.exclusive(explain(repair.replaceBlocks([REPAIR])));
  await database.exclusive(explain(repair.listUntimed([5])));
  await database.close();
  expect(plan.filter((step) => / [lr] USING (?!PRIMARY)/.test(step))).toEqual([
    'SEARCH l USING INDEX event_logs_by_block (block_number=?)',
    'SEARCH l USING INDEX event_imports_by_block (block_number=?)',
    'SEARCH r USING INDEX registry_logs_by_block (block_number=?)',
    'SEARCH l USING INDEX event_logs_by_block (block_number=?)',
    'SEARCH r USING COVERING INDEX registry_logs_without_time (block_number=?)',
  ]);
  expect(plan.filter((step) => / [lr] USING PRIMARY| SCAN/.test(step))).toEqual([]);
});
