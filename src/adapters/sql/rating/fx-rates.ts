/** Append-only store of exchange rates (`FxStore`; design/scoring.md, Amount; decisions 6). */
import type { FxRateRow, FxStore } from '../../../ports/store.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import { execute, readRows, type SqlDatabase, type SqlValue, type SqlProgram } from '../engine/sql-program.ts';

export function createFxRates(database: SqlDatabase): FxStore {
  const { builder, batch } = database.dialect;
  // One statement, so that rows and coverage are consistent.
  const select = prepareQuery({}, () =>
    builder
      .selectFrom('fx_coverage as c')
      .leftJoin('fx_rates as r', (join) => join.onTrue())
      .select(['c.through_day', 'r.currency', 'r.day', 'r.rate'])
      .orderBy('r.currency')
      .orderBy('r.day'),
  );
  const insertRates = batch(
    { currency: 'text', day: 'integer', rate: 'text' },
    `INSERT INTO fx_rates (currency, day, rate)
     SELECT currency, day, rate FROM batch
     WHERE NOT EXISTS (SELECT 1 FROM fx_coverage WHERE through_day >= batch.day)
     ON CONFLICT (currency, day) DO UPDATE SET rate = excluded.rate`,
  );
  const moveCoverage = prepareQuery({ throughDay: integer }, ({ throughDay }) =>
    builder
      .insertInto('fx_coverage')
      .values({ only_row: 1, through_day: throughDay })
      .onConflict((conflict) =>
        conflict
          .column('only_row')
          .doUpdateSet((set) => ({ through_day: set.ref('excluded.through_day') }))
          .whereRef('fx_coverage.through_day', '<', 'excluded.through_day'),
      ),
  );

  function* append(rows: readonly FxRateRow[], throughDay: number): SqlProgram<void> {
    yield* execute({ sql: insertRates, batch: selectLast(rows).map(toRow) });
    yield* execute(moveCoverage({ throughDay }));
  }

  return {
    async loadRates() {
      const found = await database.run(readRows(select({})));
      const rows = found.flatMap(({ currency, day, rate }) =>
        currency === null || day === null || rate === null ? [] : [{ currency, day, rate: BigInt(rate) }],
      );
      return { rows, throughDay: found[0]?.through_day };
    },
    appendRates: (rows, throughDay) => database.exclusive(append(rows, throughDay)),
  };
}

/** Selects the last rate per currency and day, because one statement can write a row only once. */
function selectLast(rows: readonly FxRateRow[]): readonly FxRateRow[] {
  return [...new Map(rows.map((row) => [`${row.currency} ${row.day}`, row])).values()];
}

function toRow({ currency, day, rate }: FxRateRow): SqlValue[] {
  return [currency, day, rate.toString()];
}
