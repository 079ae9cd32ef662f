/** Walk of the alt chain's event history: its progress, and listed and parked transactions (chain-svm 6). Written in exclusive programs only. */
import type { AltWalk, ListedTransaction, ParkedTransaction, SignatureMark } from '../../../ports/alt-store.ts';
import type { SlotObservation } from '../../../domain/alt-chain/alt-fleet.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import type { Schema } from '../schema/schema.ts';
import { execute, readFirst, readRows, type SqlProgram } from '../engine/sql-program.ts';

export interface AltWalkTable {
  read(): SqlProgram<AltWalk>;
  write(walk: AltWalk): SqlProgram<void>;
  list(rows: readonly ListedTransaction[]): SqlProgram<void>;
  unlistThrough(slot: number): SqlProgram<void>;
  listOldest(count: number): SqlProgram<readonly ListedTransaction[]>;
  park(rows: readonly ParkedTransaction[]): SqlProgram<void>;
  unpark(signatures: readonly string[]): SqlProgram<void>;
  listParked(until: number, limit: number, latest: number): SqlProgram<readonly ParkedTransaction[]>;
}

const COLUMNS = {
  only_row: 'integer',
  revision: 'integer',
  done_signature: 'text',
  done_slot: 'integer',
  observed_slot: 'integer',
  observed_at: 'integer',
  top_signature: 'text',
  top_slot: 'integer',
  cursor_signature: 'text',
  cursor_slot: 'integer',
  is_listed: 'integer',
  open_observed_slot: 'integer',
  open_observed_at: 'integer',
} as const;

export function createAltWalkTable({ builder, batch }: Dialect): AltWalkTable {
  const select = prepareQuery({}, () => builder.selectFrom('alt_walks').selectAll());
  const names = Object.keys(COLUMNS);
  const upsert = batch(
    COLUMNS,
    `INSERT INTO alt_walks (${names.join(', ')}) SELECT ${names.join(', ')} FROM batch WHERE true
     ON CONFLICT (only_row) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  );
  const insertListed = batch(
    { slot: 'integer', signature: 'text', block_time: 'integer' },
    `INSERT INTO alt_listed (slot, signature, block_time) SELECT slot, signature, block_time FROM batch WHERE true
     ON CONFLICT (slot, signature) DO NOTHING`,
  );
  const deleteListed = prepareQuery({ slot: integer }, ({ slot }) =>
    builder.deleteFrom('alt_listed').where('slot', '<=', slot),
  );
  const selectOldest = prepareQuery({ count: integer }, ({ count }) =>
    builder.selectFrom('alt_listed').select('slot').orderBy('slot').orderBy('signature').limit(count),
  );
  const selectThrough = prepareQuery({ slot: integer }, ({ slot }) =>
    builder.selectFrom('alt_listed').selectAll().where('slot', '<=', slot).orderBy('slot').orderBy('signature'),
  );
  const upsertParked = batch(
    { signature: 'text', slot: 'integer', block_time: 'integer', attempts: 'integer', retry_at: 'integer' },
    `INSERT INTO alt_parked (signature, slot, block_time, attempts, retry_at)
     SELECT signature, slot, block_time, attempts, retry_at FROM batch WHERE true
     ON CONFLICT (signature) DO UPDATE
     SET block_time = excluded.block_time, attempts = excluded.attempts, retry_at = excluded.retry_at`,
  );
  const deleteParked = batch(
    { signature: 'text' },
    'DELETE FROM alt_parked WHERE signature IN (SELECT signature FROM batch)',
  );
  const selectParked = prepareQuery({ until: integer, latest: integer, limit: integer }, ({ until, latest, limit }) =>
    builder
      .selectFrom('alt_parked')
      .selectAll()
      .where(({ eb, or }) => or([eb('retry_at', '<=', until), eb('retry_at', '>', latest)]))
      .orderBy('retry_at')
      .orderBy('signature')
      .limit(limit),
  );

  return {
    *read() {
      const row = yield* readFirst(select({}));
      return row === undefined ? EMPTY_WALK : toWalk(row);
    },
    *write({ revision, done, observed, open }) {
      const row = [
        1,
        revision,
        done?.signature ?? null,
        done?.slot ?? null,
        observed?.slot ?? null,
        observed?.observedAtMilliseconds ?? null,
        open?.top.signature ?? null,
        open?.top.slot ?? null,
        open?.cursor.signature ?? null,
        open?.cursor.slot ?? null,
        open?.isListed === true ? 1 : 0,
        open?.observed.slot ?? null,
        open?.observed.observedAtMilliseconds ?? null,
      ];
      yield* execute({ sql: upsert, batch: [row] });
    },
    *list(rows) {
      yield* execute({ sql: insertListed, batch: toListedRows(rows) });
    },
    *unlistThrough(slot) {
      yield* execute(deleteListed({ slot }));
    },
    *listOldest(count) {
      const last = (yield* readRows(selectOldest({ count }))).at(-1);
      if (last === undefined) return [];
      return (yield* readRows(selectThrough({ slot: last.slot }))).map(toListed);
    },
    *park(rows) {
      yield* execute({ sql: upsertParked, batch: toParkedRows(rows) });
    },
    *unpark(signatures) {
      yield* execute({ sql: deleteParked, batch: signatures.map((signature) => [signature]) });
    },
    *listParked(until, limit, latest) {
      const rows = yield* readRows(selectParked({ until, latest, limit }));
      return rows.map((row) => ({ ...toListed(row), attempts: row.attempts, retryAtMilliseconds: row.retry_at }));
    },
  };
}

const EMPTY_WALK: AltWalk = { revision: 0, done: undefined, observed: undefined, open: undefined };

/** Removes duplicates, because one statement can write a row only once. */
function toListedRows(rows: readonly ListedTransaction[]) {
  const byKey = new Map(rows.map((row) => [`${row.slot}/${row.signature}`, row]));
  return [...byKey.values()].map(({ slot, signature, blockTime }) => [slot, signature, blockTime ?? null]);
}

/** Removes duplicates, like `toListedRows`; the last row of a signature remains. */
function toParkedRows(rows: readonly ParkedTransaction[]) {
  const bySignature = new Map(rows.map((row) => [row.signature, row]));
  return [...bySignature.values()].map(({ signature, slot, blockTime, attempts, retryAtMilliseconds }) => [
    signature,
    slot,
    blockTime ?? null,
    attempts,
    retryAtMilliseconds,
  ]);
}

function toWalk(row: Schema['alt_walks']): AltWalk {
  const top = toMark(row.top_signature, row.top_slot);
  const cursor = toMark(row.cursor_signature, row.cursor_slot);
  const observed = toObserved(row.open_observed_slot, row.open_observed_at);
  return {
    revision: row.revision,
    done: toMark(row.done_signature, row.done_slot),
    observed: toObserved(row.observed_slot, row.observed_at),
    open:
      top === undefined || cursor === undefined || observed === undefined
        ? undefined
        : { top, cursor, isListed: row.is_listed === 1, observed },
  };
}

function toMark(signature: string | null, slot: number | null): SignatureMark | undefined {
  return signature === null || slot === null ? undefined : { signature, slot };
}

function toObserved(slot: number | null, observedAtMilliseconds: number | null): SlotObservation | undefined {
  return slot === null || observedAtMilliseconds === null ? undefined : { slot, observedAtMilliseconds };
}

function toListed(row: Schema['alt_listed']): ListedTransaction {
  return { signature: row.signature, slot: row.slot, blockTime: row.block_time ?? undefined };
}
