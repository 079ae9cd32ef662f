/** Tests that the work of the database for one window of transfers is bounded, however many an address sent. */
import { expect, it } from 'vitest';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { OpenCitation } from '../../../ports/payment-store.ts';
import { execute, statementOf, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { migrate } from '../schema/migrate.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { createPaymentFlows } from './payment-flows.ts';
import { createScanReads } from './scan-reads.ts';

const SOURCE = 'eip155:8453';
const [SENDER, PAYER] = ['11', '22'].map((digits) => `0x${digits.repeat(20)}`) as [string, string];
const TIME = 1_772_409_600;
const CITATION: OpenCitation = {
  ...{ home: 'main', id: 7n as MachineId, seq: 5, source: SOURCE, reference: '0x1', cents: 1_000, day: 20_514 },
  ...{ timestamp: TIME, blockTimestamp: TIME, isAttested: false, attempts: 0, claimRevision: 0 },
};

it('stores the first 1,000 transfers of a day of 20,000 without a statement for each', async () => {
  const database = openSqlite(':memory:', () => undefined);
  await database.upgrade(migrate(database.dialect, MIGRATIONS));
  await database.exclusive(
    execute({
      sql: `INSERT INTO payment_senders (source, address, since) VALUES ('${SOURCE}', '${SENDER}', 0)`,
      parameters: [],
    }),
  );
  let executions = 0;
  function* count<T>(program: SqlProgram<T>): SqlProgram<T> {
    let step = program.next();
    while (step.done !== true) {
      const statement = statementOf(step.value);
      executions += 'batch' in statement ? statement.batch.length : 1;
      step = program.next(yield step.value);
    }
    return step.value;
  }
  const counted: SqlDatabase = { ...database, exclusive: (program) => database.exclusive(count(program)) };
  const { writeFlows } = createPaymentFlows(counted, createScanReads(counted));
  const { listFlowsTo } = createPaymentFlows(database, createScanReads(database));
  const transfers = Array.from({ length: 20_000 }, (_, i) => ({
    ...{ from: SENDER, to: PAYER, token: 'USDC', units: 1n, isWhole: false },
    ...{ block: i, logIndex: 0, time: TIME + i },
  }));
  const unread = { addresses: [{ address: SENDER, since: 0 }], throughBlock: undefined };
  await writeFlows(SOURCE, unread, 20_000, transfers, 1_000);
  const stored = await listFlowsTo(CITATION, [SENDER], { payer: PAYER, block: 20_000, time: TIME + 20_000 });
  await database.close();
  expect(stored.map(({ block }) => block)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
  expect(executions).toBeLessThan(1_010);
});
