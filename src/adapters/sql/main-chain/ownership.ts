/** Ownership of machines (`OwnershipStore`; chain-evm 4): one row per holder and machine, sorted by machine, and a count per holder. */
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type {
  Checkpoint,
  OwnershipPage,
  OwnershipChange,
  OwnershipReads,
  OwnershipStore,
} from '../../../ports/store.ts';
import { createBlockStream } from './block-stream.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import {
  execute,
  readFirst,
  readRows,
  type Batch,
  type SqlDatabase,
  type SqlValue,
  type SqlProgram,
} from '../engine/sql-program.ts';

export interface OwnershipRows {
  /** Stores ownership changes; the last of several changes of one machine wins. In exclusive programs only. */
  apply(reads: OwnershipReads): SqlProgram<void>;
}

interface OwnersRow {
  readonly machine_id: Uint8Array;
  readonly owner: Uint8Array;
  readonly controller: Uint8Array | null;
}

/** Owner and controller as hex, so that they can be compared; undefined if the chain has no token. */
type Owners = { readonly owner: string; readonly controller: string | undefined } | undefined;

export function createOwnershipRows({ builder, batch }: Dialect): OwnershipRows {
  // Rows in index order are a third cheaper to insert.
  const select = batch(
    { machine_id: 'bytes' },
    `SELECT m.machine_id, m.owner, m.controller FROM batch CROSS JOIN machine_owners m WHERE m.machine_id = batch.machine_id`,
  );
  const insert = batch(
    { machine_id: 'bytes', owner: 'bytes', controller: 'bytes' },
    `INSERT INTO machine_owners (machine_id, owner, controller) SELECT machine_id, owner, controller FROM batch
     ORDER BY machine_id`,
  );
  const update = batch(
    { machine_id: 'bytes', owner: 'bytes', controller: 'bytes' },
    `UPDATE machine_owners SET owner = batch.owner, controller = batch.controller FROM batch
     WHERE machine_owners.machine_id = batch.machine_id`,
  );
  const remove = batch(
    { machine_id: 'bytes' },
    'DELETE FROM machine_owners WHERE machine_id IN (SELECT machine_id FROM batch)',
  );
  const insertHolding = batch(
    { holder: 'bytes', machine_id: 'bytes' },
    'INSERT INTO holdings (holder, machine_id) SELECT holder, machine_id FROM batch ORDER BY holder, machine_id',
  );
  const removeHolding = batch(
    { holder: 'bytes', machine_id: 'bytes' },
    'DELETE FROM holdings WHERE (holder, machine_id) IN (SELECT holder, machine_id FROM batch)',
  );
  const count = batch(
    { holder: 'bytes', growth: 'integer' },
    `INSERT INTO holders (holder, total, version) SELECT holder, growth, 1 FROM batch WHERE true
     ON CONFLICT (holder) DO UPDATE SET total = holders.total + excluded.total, version = holders.version + 1`,
  );

  const recordRead = prepareQuery({ block: integer }, ({ block }) =>
    builder
      .insertInto('ownership_reads')
      .values({ only_row: 1, block_number: block })
      .onConflict((conflict) =>
        conflict
          .column('only_row')
          .doUpdateSet((set) => ({ block_number: set.ref('excluded.block_number') }))
          .whereRef('ownership_reads.block_number', '<', 'excluded.block_number'),
      ),
  );

  return {
    *apply({ readAtBlock, changes }) {
      if (changes.length === 0) return;
      yield* execute(recordRead({ block: readAtBlock }));
      const wanted = new Map(changes.map((each) => [each.id, { key: toIdBytes(each.id), owners: toOwners(each) }]));
      const stored = yield* load([...wanted.values()].map(({ key }) => key));
      const held = { added: [] as SqlValue[][], removed: [] as SqlValue[][] };
      const owned = { added: [] as SqlValue[][], changed: [] as SqlValue[][], removed: [] as SqlValue[][] };
      const touched = new TouchedHolders();
      for (const [id, { key, owners }] of wanted) {
        const before = stored.get(id);
        if (areEqual(owners, before)) continue;
        const [holders, holdersBefore] = [listHolders(owners), listHolders(before)];
        for (const holder of holders) {
          if (holdersBefore.includes(holder)) continue;
          held.added.push([touched.grow(holder, 1), key]);
        }
        for (const holder of holdersBefore) {
          if (holders.includes(holder)) continue;
          held.removed.push([touched.grow(holder, -1), key]);
        }
        if (owners === undefined) owned.removed.push([key]);
        else (before === undefined ? owned.added : owned.changed).push(toRow(key, owners));
      }
      yield* execute({ sql: removeHolding, batch: held.removed });
      yield* execute({ sql: insertHolding, batch: held.added });
      yield* execute({ sql: count, batch: touched.toRows() });
      yield* execute({ sql: remove, batch: owned.removed });
      yield* execute({ sql: insert, batch: owned.added });
      yield* execute({ sql: update, batch: owned.changed });
    },
  };

  function* load(keys: readonly Uint8Array[]): SqlProgram<Map<MachineId, Owners>> {
    const query: Batch<OwnersRow> = { sql: select, batch: keys.map((key) => [key]) };
    const rows = yield* readRows(query);
    return new Map(
      rows.map(({ machine_id, owner, controller }) => [
        fromIdBytes(machine_id),
        { owner: columnToHex(owner), controller: controller === null ? undefined : columnToHex(controller) },
      ]),
    );
  }
}

/** Distance between anchors; every offset is reached from the nearest one. */
export const ANCHOR_SPACING = 500;
/** Holders whose anchors are cached; a fleet of a million machines has 2,000 anchors of 32 bytes. */
const MAX_CACHED_HOLDERS = 256;

interface Anchors {
  readonly version: number;
  /** First machine of every stretch of `ANCHOR_SPACING`. */
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
  /** Returns the block of all rows; undefined while some are of a later one. */
  findIndexedBlock(): SqlProgram<number | undefined>;
  /** Returns the first machine of every stretch of `ANCHOR_SPACING`, for this version of the rows. */
  findAnchors(address: Address, version: number): SqlProgram<readonly Uint8Array[]>;
  /** Reads machines in order, starting at `anchor`. */
  readFrom(address: Address, anchor: Uint8Array, offset: number, limit: number): SqlProgram<readonly Uint8Array[]>;
}

export function createOwnershipLists(dialect: Dialect): OwnershipLists {
  const { builder } = dialect;
  const cache = new Map<Address, Anchors>();
  const stream = createBlockStream(dialect, 'main-chain');
  const selectRead = prepareQuery({}, () => builder.selectFrom('ownership_reads').select('block_number'));
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
            (each) =>
              each.fn
                .agg<number>('row_number')
                .over((over) => over.orderBy('machine_id'))
                .as('place'),
          ])
          .where('holder', '=', holder)
          .as('numbered'),
      )
      .select('machine_id')
      .where((each) => each.eb(each.eb('place', '%', spacing), '=', 1))
      .orderBy('machine_id'),
  );

  return { list, readHolder, readCheckpoint: () => stream.readCheckpoint(), findIndexedBlock, findAnchors, readFrom };

  function* list(address: Address, offset: number, limit: number): SqlProgram<OwnershipPage> {
    const { total, version } = yield* readHolder(address);
    const indexedBlock = yield* findIndexedBlock();
    if (offset >= total) return { indexedBlock, total, ids: [] };
    const anchors = offset < ANCHOR_SPACING ? [new Uint8Array(32)] : yield* findAnchors(address, version);
    const stretch = Math.floor(offset / ANCHOR_SPACING);
    const rows = yield* readFrom(address, anchors[stretch]!, offset - stretch * ANCHOR_SPACING, limit);
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
    const isWhole = checkpoint !== undefined && (newestRead?.block_number ?? 0) <= checkpoint.blockNumber;
    return isWhole ? checkpoint.blockNumber : undefined;
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

function toOwners(each: OwnershipChange): Owners {
  return each.kind === 'gone' ? undefined : { owner: each.owner, controller: each.controller };
}

function listHolders(owners: Owners): string[] {
  if (owners === undefined) return [];
  const { owner, controller } = owners;
  return controller === undefined || controller === owner ? [owner] : [owner, controller];
}

/** Growth of the holders' counts; the key of a holder is encoded once. */
class TouchedHolders {
  readonly #byAddress = new Map<string, { readonly key: Buffer; growth: number }>();

  grow(address: string, by: number): Buffer {
    const existing = this.#byAddress.get(address);
    const holder = existing ?? { key: hexToColumn(address), growth: 0 };
    if (existing === undefined) this.#byAddress.set(address, holder);
    holder.growth += by;
    return holder.key;
  }

  toRows(): SqlValue[][] {
    return [...this.#byAddress.values()].map(({ key, growth }) => [key, growth]);
  }
}

function areEqual(a: Owners, b: Owners): boolean {
  return a?.owner === b?.owner && a?.controller === b?.controller;
}

function toRow(key: Uint8Array, { owner, controller }: NonNullable<Owners>): SqlValue[] {
  return [key, hexToColumn(owner), controller === undefined ? null : hexToColumn(controller)];
}

export function hexToColumn(address: string): Buffer {
  return Buffer.from(address.slice(2), 'hex');
}

export function columnToHex(address: Uint8Array): string {
  return `0x${Buffer.from(address.buffer, address.byteOffset, address.byteLength).toString('hex')}`;
}
