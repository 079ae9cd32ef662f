/** Tests migrations of databases that already hold rows. */
import { expect, test } from 'vitest';
import { createActiveMachines } from '../main-chain/active-machines.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { execute, readRows, type SqlValue, type SqlProgram } from '../engine/sql-program.ts';

const idOf = (number: number) => Buffer.alloc(32, number);

/** Opens a database with the first `known` migrations and the given machines, and applies the next migrations up to `last`. */
async function openOld(
  known: number,
  machines: readonly { id: number; logs: number; generation?: number }[],
  last = known + 1,
) {
  const database = openSqlite(':memory:', () => undefined);
  await database.upgrade(migrate(database.dialect, MIGRATIONS.slice(0, known)));
  function* fill(): SqlProgram<void> {
    const insert = function* (sql: string, parameters: readonly SqlValue[]): SqlProgram<void> {
      yield* execute({ sql, parameters });
    };
    for (const [place, { id, logs, generation = 2 }] of machines.entries()) {
      yield* insert('INSERT INTO event_histories VALUES (?, ?, ?, 1, ?, 5, 5)', [place, idOf(id), generation, logs]);
      for (let seq = 0; seq < Math.min(logs, 3); seq++) {
        const values = [place, logs - 1 - seq, 10 * id + 3 - seq, 1_000 + id - seq];
        yield* insert("INSERT INTO event_logs VALUES (?, 1, ?, '0', 0, '1', ?, ?)", values);
      }
    }
  }
  await database.exclusive(fill());
  await database.upgrade(migrate(database.dialect, MIGRATIONS.slice(0, last)));
  return database;
}

test('marks machines with many logs as unfolded, so that their days are computed', async () => {
  const database = await openOld(6, [
    { id: 1, logs: 1_000 },
    { id: 2, logs: 1_001 },
  ]);
  const rows = await database.run(
    readRows<{ settled_0: number }>({
      sql: 'SELECT settled_0 FROM event_histories ORDER BY history_id',
      parameters: [],
    }),
  );
  expect(rows.map(({ settled_0 }) => settled_0)).toEqual([5, 0]);
  await database.close();
});

test('counts the tokens of holders', async () => {
  const database = openSqlite(':memory:', () => undefined);
  await database.upgrade(migrate(database.dialect, MIGRATIONS.slice(0, 8)));
  const [owner, controller] = [Buffer.alloc(20, 1), Buffer.alloc(20, 2)];
  function* fill(): SqlProgram<void> {
    for (const number of [1, 2]) {
      const parameters = [idOf(number), owner, controller];
      yield* execute({ sql: 'INSERT INTO machine_owners VALUES (?, ?, ?)', parameters });
    }
    for (const holder of [owner, controller]) {
      yield* execute({ sql: 'INSERT INTO holders VALUES (?, 2, 1)', parameters: [holder] });
    }
  }
  await database.exclusive(fill());
  await database.upgrade(migrate(database.dialect, MIGRATIONS.slice(0, 10)));
  const sql = 'SELECT token_count FROM holders ORDER BY holder';
  const rows = await database.run(readRows<{ token_count: number }>({ sql, parameters: [] }));
  expect(rows.map(({ token_count }) => token_count)).toEqual([2, 0]);
  await database.close();
});

test('fills the list of active machines', async () => {
  const database = await openOld(7, [
    { id: 1, logs: 2 },
    { id: 5, logs: 1 },
    { id: 3, logs: 3 },
    { id: 4, logs: 0 },
    { id: 9, logs: 2, generation: 1 },
  ]);
  const active = await database.run(createActiveMachines(database.dialect).list(9));
  expect(active).toEqual(
    [5, 3, 1].map((id) => ({ id: BigInt(`0x${idOf(id).toString('hex')}`), lastEventAt: 1_000 + id })),
  );
  await database.close();
});

test('starts the index of the main chain again where provenance was not indexed', async () => {
  const machines = [{ id: 1, logs: 2 }];
  const database = await openOld(10, machines);
  const tables = ['event_logs', 'event_histories', 'checkpoints', 'active_machines', 'holdings'];
  for (const table of tables) {
    const rows = await database.run(readRows({ sql: `SELECT * FROM ${table}`, parameters: [] }));
    expect([table, rows]).toEqual([table, []]);
  }
  await database.close();
});
