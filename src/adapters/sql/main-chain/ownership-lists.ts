/**
 * Pages of machine ownership (`OwnershipStore`; chain-evm 4), sorted by machine. Anchors bound the offset of a query, so
 * that a late page costs no more than an early one.
 */
import { sql } from 'kysely';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type { Checkpoint, OwnershipPage, OwnershipStore } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { readFirst, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { hexToColumn } from '../schema/hex-columns.ts';
import { fromIdBytes } from '../schema/stored-machine-id.ts';
import { createBlockStream } from './block-stream.ts';

/** Distance between anchors; every offset is reached from the nearest one. */
export const ANCHOR_SPACING = 500;
/** Holders whose anchors are cached; a fleet of a million machines has 2,000 anchors of 32 bytes. */
const MAX_CACHED_HOLDERS = 256;

interface Anchors {
  readonly version: number;
  /** First machine of every segment of `ANCHOR_SPACING`. */
  readonly ids: readonly Uint8Array[];
}

export function createOwnership(database: SqlDatabase): OwnershipStore {
  const lists = createOwnershipLists(database.dialect);
  return {
    listOwnership: (address, offset, limit) => database.snapshot(lists.list(address, offset, limit)),
  };
}

/** Parts of a page, for programs that read one snapshot of the database. */
export interface OwnershipLists {
  list(address: Address, offset: number, limit: number): SqlProgram<OwnershipPage>;
  readHolder(address: Address): SqlProgram<{ readonly total: number; readonly version: number }>;
  /** Reads the checkpoint, which moves with every change of ownership. */
  readCheckpoint(): SqlProgram<Checkpoint | undefined>;
  /** Returns the block of all rows; undefined while some are of a later one or not read yet. */
  findIndexedBlock(): SqlProgram<number | undefined>;
  /** Returns the first machine of every segment of `ANCHOR_SPACING`, for this version of the rows. */
  findAnchors(address: Address, version: number): SqlProgram<readonly Uint8Array[]>;
  /** Reads machines in order, starting at `anchor`. */
  readFrom(address: Address, anchor: Uint8Array, offset: number, limit: number): SqlProgram<readonly Uint8Array[]>;
}

export function createOwnershipLists(dialect: Dialect): OwnershipLists {
  const { builder } = dialect;
  const cache = new Map<Address, Anchors>();
  const stream = createBlockStream(dialect, 'main-chain');
  const selectRead = prepareQuery({}, () => builder.selectFrom('ownership_reads').select('block_number'));
  const selectUnread = prepareQuery({}, () =>
    builder.selectFrom('unread_machines').select('machine_id').limit(sql.lit(1)),
  );
  const selectHolder = prepareQuery({ holder: bytes }, ({ holder }) =>
    builder.selectFrom('holders').select(['total', 'version']).where('holder', '=', holder),
  );
  const selectPage = prepareQuery(
    { holder: bytes, anchor: bytes, limit: integer, offset: integer },
    ({ holder, anchor, limit, offset }) =>
      builder
        .selectFrom('holdings')
        .select('machine_id')
        .where('holder', '=', holder)
        .where('machine_id', '>=', anchor)
        .orderBy('machine_id')
        .limit(limit)
        .offset(offset),
  );
  const selectAnchors = prepareQuery({ holder: bytes, spacing: integer }, ({ holder, spacing }) =>
    builder
      .selectFrom((from) =>
        from
          .selectFrom('holdings')
          .select([
            'machine_id',
            (expression) =>
              expression.fn
                .agg<number>('row_number')
                .over((over) => over.orderBy('machine_id'))
                .as('row_position'),
          ])
          .where('holder', '=', holder)
          .as('numbered'),
      )
      .select('machine_id')
      .where((expression) => expression.eb(expression.eb('row_position', '%', spacing), '=', 1))
      .orderBy('machine_id'),
  );

  return { list, readHolder, readCheckpoint: () => stream.readCheckpoint(), findIndexedBlock, findAnchors, readFrom };

  function* list(address: Address, offset: number, limit: number): SqlProgram<OwnershipPage> {
    const { total, version } = yield* readHolder(address);
    const indexedBlock = yield* findIndexedBlock();
    if (offset >= total) return { indexedBlock, total, ids: [] };
    const anchors = offset < ANCHOR_SPACING ? [new Uint8Array(32)] : yield* findAnchors(address, version);
    const segment = Math.floor(offset / ANCHOR_SPACING);
    const rows = yield* readFrom(address, anchors[segment]!, offset - segment * ANCHOR_SPACING, limit);
    return { indexedBlock, total, ids: rows.map(fromIdBytes) };
  }

  function* readHolder(address: Address): SqlProgram<{ readonly total: number; readonly version: number }> {
    return (yield* readFirst(selectHolder({ holder: hexToColumn(address) }))) ?? { total: 0, version: 0 };
  }

  function* readFrom(
    address: Address,
    anchor: Uint8Array,
    offset: number,
    limit: number,
  ): SqlProgram<readonly Uint8Array[]> {
    const rows = yield* readRows(selectPage({ holder: hexToColumn(address), anchor, limit, offset }));
    return rows.map(({ machine_id }) => machine_id);
  }

  function* findIndexedBlock(): SqlProgram<number | undefined> {
    const checkpoint = yield* stream.readCheckpoint();
    const newestRead = yield* readFirst(selectRead({}));
    const isRead = (yield* readFirst(selectUnread({}))) === undefined;
    const isComplete = isRead && checkpoint !== undefined && (newestRead?.block_number ?? 0) <= checkpoint.blockNumber;
    return isComplete ? checkpoint.blockNumber : undefined;
  }

  function* findAnchors(address: Address, version: number): SqlProgram<readonly Uint8Array[]> {
    const cached = cache.get(address);
    cache.delete(address);
    const anchors = cached?.version === version ? cached : { version, ids: yield* readAnchors(address) };
    cache.set(address, anchors);
    if (cache.size > MAX_CACHED_HOLDERS) cache.delete(cache.keys().next().value!);
    return anchors.ids;
  }

  function* readAnchors(address: Address): SqlProgram<readonly Uint8Array[]> {
    const rows = yield* readRows(selectAnchors({ holder: hexToColumn(address), spacing: ANCHOR_SPACING }));
    return rows.map(({ machine_id }) => machine_id);
  }
}
