/**
 * Pages of machine ownership (`OwnershipStore`; chain-evm 4), sorted by machine. Anchors bound the offset of a query, so
 * that a late page costs no more than an early one.
 */
import { sql } from 'kysely';
import { setBounded } from '../../../domain/bounded-map.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type {
  Checkpoint,
  IndexedTokens,
  OwnershipChange,
  OwnershipPage,
  OwnershipStore,
} from '../../../ports/store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { readFirst, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { hexToColumn } from '../schema/hex-columns.ts';
import { fromIdBytes } from '../schema/stored-machine-id.ts';
import { createBlockStream } from './block-stream.ts';
import { createOwnershipRows } from './ownership-rows.ts';

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
  const stream = createBlockStream(database.dialect, 'main-chain');
  const rows = createOwnershipRows(database.dialect);
  const observed = createTouchedMachines(database.dialect);

  function* repair(expected: Checkpoint, changes: readonly OwnershipChange[]): SqlProgram<boolean> {
    if (!(yield* stream.isAt(expected)) || (yield* rows.areNewer(expected.blockNumber))) return false;
    const machines = yield* rows.apply({ readAtBlock: expected.blockNumber, changes });
    yield* observed.touch({ machines, kybOperators: [] });
    return true;
  }

  return {
    listOwnership: (address, offset, limit) => database.snapshot(lists.list(address, offset, limit)),
    repairOwnership: (checkpoint, changes) => database.exclusive(repair(checkpoint, changes)),
  };
}

/** Counts of a holder. */
interface Holder {
  readonly total: number;
  readonly version: number;
  readonly tokenCount: number;
}

/** Parts of a page, for programs that read one snapshot of the database. */
export interface OwnershipLists {
  list(address: Address, offset: number, limit: number): SqlProgram<OwnershipPage>;
  readHolder(address: Address): SqlProgram<Holder>;
  /** Returns a text that differs after every change of ownership. */
  readVersion(): SqlProgram<string>;
  /** Returns the block of all rows with the holder's tokens; undefined members while some rows are of a later block. */
  findIndexed(holder: Holder): SqlProgram<Pick<OwnershipPage, 'indexedBlock' | 'tokens'>>;
  /** Returns the first machine of every segment of `ANCHOR_SPACING`, for this version of the rows. */
  findAnchors(address: Address, version: number): SqlProgram<readonly Uint8Array[]>;
  /** Reads machines in order, starting at `anchor`. */
  readFrom(address: Address, anchor: Uint8Array, offset: number, limit: number): SqlProgram<readonly Uint8Array[]>;
}

export function createOwnershipLists(dialect: Dialect): OwnershipLists {
  const { builder } = dialect;
  const cache = new Map<Address, Anchors>();
  const stream = createBlockStream(dialect, 'main-chain');
  const selectRead = prepareQuery({}, () => builder.selectFrom('ownership_reads').select(['block_number', 'repairs']));
  const selectUnread = prepareQuery({}, () =>
    builder.selectFrom('unread_machines').select('machine_id').limit(sql.lit(1)),
  );
  const selectHolder = prepareQuery({ holder: bytes }, ({ holder }) =>
    builder.selectFrom('holders').select(['total', 'version', 'token_count']).where('holder', '=', holder),
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

  return { list, readHolder, readVersion, findIndexed, findAnchors, readFrom };

  function* list(address: Address, offset: number, limit: number): SqlProgram<OwnershipPage> {
    const holder = yield* readHolder(address);
    const { total, version } = holder;
    const indexed = yield* findIndexed(holder);
    if (offset >= total) return { ...indexed, total, ids: [] };
    const anchors = offset < ANCHOR_SPACING ? [new Uint8Array(32)] : yield* findAnchors(address, version);
    const segment = Math.floor(offset / ANCHOR_SPACING);
    const rows = yield* readFrom(address, anchors[segment]!, offset - segment * ANCHOR_SPACING, limit);
    return { ...indexed, total, ids: rows.map(fromIdBytes) };
  }

  function* readHolder(address: Address): SqlProgram<Holder> {
    const row = yield* readFirst(selectHolder({ holder: hexToColumn(address) }));
    return { total: row?.total ?? 0, version: row?.version ?? 0, tokenCount: row?.token_count ?? 0 };
  }

  function* readVersion(): SqlProgram<string> {
    const checkpoint = yield* stream.readCheckpoint();
    const newestRead = yield* readFirst(selectRead({}));
    return [checkpoint?.blockNumber, checkpoint?.blockHash, newestRead?.repairs].join();
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

  function* findIndexed({ tokenCount }: Holder): SqlProgram<Pick<OwnershipPage, 'indexedBlock' | 'tokens'>> {
    const checkpoint = yield* stream.readCheckpoint();
    const newestRead = yield* readFirst(selectRead({}));
    const isRead = (yield* readFirst(selectUnread({}))) === undefined;
    const isComplete = isRead && checkpoint !== undefined && (newestRead?.block_number ?? 0) <= checkpoint.blockNumber;
    if (!isComplete) return { indexedBlock: undefined, tokens: undefined };
    const tokens: IndexedTokens = { count: tokenCount, checkpoint };
    return { indexedBlock: checkpoint.blockNumber, tokens };
  }

  function* findAnchors(address: Address, version: number): SqlProgram<readonly Uint8Array[]> {
    const cached = cache.get(address);
    const anchors = cached?.version === version ? cached : { version, ids: yield* readAnchors(address) };
    setBounded(cache, address, anchors, MAX_CACHED_HOLDERS);
    return anchors.ids;
  }

  function* readAnchors(address: Address): SqlProgram<readonly Uint8Array[]> {
    const rows = yield* readRows(selectAnchors({ holder: hexToColumn(address), spacing: ANCHOR_SPACING }));
    return rows.map(({ machine_id }) => machine_id);
  }
}
