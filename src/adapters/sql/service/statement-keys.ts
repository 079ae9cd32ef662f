/** Keys of rating statements (`StatementKeyStore`). The table holds a handful of rows and is read about once a minute. */
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type { StatementKey } from '../../../domain/statements/statement-keys.ts';
import type { StatementKeyStore } from '../../../ports/store.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import {
  countChanges,
  execute,
  readFirst,
  readRows,
  type SqlDatabase,
  type SqlProgram,
} from '../engine/sql-program.ts';
import { columnToHex, hexToColumn } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';

export function createStatementKeys(database: SqlDatabase): StatementKeyStore {
  const { builder } = database.dialect;
  const selectAll = prepareQuery({}, () => builder.selectFrom('statement_keys').selectAll().orderBy('position'));
  const selectLast = prepareQuery({}, () =>
    builder.selectFrom('statement_keys').select('position').orderBy('position', 'desc').limit(1),
  );
  const insert = prepareQuery({ address: bytes, position: integer }, ({ address, position }) =>
    builder
      .insertInto('statement_keys')
      .values({ address, position, not_before: null, not_after: null, revoked_at: null })
      .onConflict((conflict) => conflict.column('address').doNothing()),
  );
  const begin = prepareQuery({ address: bytes, now: integer }, ({ address, now }) =>
    builder
      .updateTable('statement_keys')
      .set(({ fn, ref }) => ({ not_before: fn.coalesce(ref('not_before'), now), not_after: null }))
      .where('address', '=', address),
  );
  const end = prepareQuery({ address: bytes, lastSecond: integer }, ({ address, lastSecond }) =>
    builder
      .updateTable('statement_keys')
      .set({ not_after: lastSecond })
      .where('address', '<>', address)
      .where('not_before', 'is not', null)
      .where('not_after', 'is', null),
  );
  const revoke = prepareQuery({ address: bytes, now: integer }, ({ address, now }) =>
    builder
      .updateTable('statement_keys')
      .set(({ fn, ref }) => ({ revoked_at: fn.coalesce(ref('revoked_at'), now) }))
      .where('address', '=', address),
  );

  function* add(address: Address): SqlProgram<void> {
    const last = yield* readFirst(selectLast({}));
    yield* execute(insert({ address: hexToColumn(address), position: (last?.position ?? 0) + 1 }));
  }

  return {
    recordStatementKeys: ({ signing, announced }, { nowSeconds, lastSecond }) =>
      database.exclusive(
        (function* () {
          for (const address of [signing, ...announced]) yield* add(address);
          const address = hexToColumn(signing);
          yield* execute(end({ address, lastSecond }));
          yield* execute(begin({ address, now: nowSeconds }));
        })(),
      ),
    async listStatementKeys() {
      return (await database.run(readRows(selectAll({})))).map(toKey);
    },
    async revokeStatementKey(address, nowSeconds) {
      return (await database.exclusive(countChanges(revoke({ address: hexToColumn(address), now: nowSeconds })))) > 0;
    },
  };
}

function toKey({ address, not_before, not_after, revoked_at }: Schema['statement_keys']): StatementKey {
  return {
    address: columnToHex(address) as Address,
    notBefore: not_before ?? undefined,
    notAfter: not_after ?? undefined,
    revokedAt: revoked_at ?? undefined,
  };
}
