/**
 * Writes of machine ownership (chain-evm 4): one row per token, one per holder and listed machine, and counts per holder. A token of a
 * machine homed elsewhere counts for its owner and is not listed (design/real-chains 1).
 */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { OwnershipChange, OwnershipReads } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import { execute, readFirst, readRows, type Batch, type SqlProgram, type SqlValue } from '../engine/sql-program.ts';
import { columnToHex, hexToColumn } from '../schema/hex-columns.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';

export interface OwnershipRows {
  /**
   * Stores ownership changes and returns the machines whose rows differ; the last of several changes of one machine wins. Listings show
   * another version afterwards, also at an unchanged checkpoint. Requires the write lock.
   */
  apply(reads: OwnershipReads): SqlProgram<readonly MachineId[]>;
  /** Returns whether rows were read at a later block, so that older reads must not replace them. */
  areNewer(blockNumber: number): SqlProgram<boolean>;
}

interface OwnersRow {
  readonly machine_id: Uint8Array;
  readonly owner: Uint8Array;
  readonly controller: Uint8Array | null;
  readonly is_home: number;
}

/** Addresses as hex, so that they can be compared; undefined if the chain has no token. */
type Owners = { readonly owner: string; readonly controller: string | undefined; readonly isHome: boolean } | undefined;

export function createOwnershipRows({ builder, batch }: Dialect): OwnershipRows {
  // Rows in index order are a third cheaper to insert.
  const select = batch(
    { machine_id: 'bytes' },
    `SELECT m.machine_id, m.owner, m.controller, m.is_home FROM batch CROSS JOIN machine_owners m WHERE m.machine_id = batch.machine_id`,
  );
  const insert = batch(
    { machine_id: 'bytes', owner: 'bytes', controller: 'bytes', is_home: 'integer' },
    `INSERT INTO machine_owners (machine_id, owner, controller, is_home)
     SELECT machine_id, owner, controller, is_home FROM batch ORDER BY machine_id`,
  );
  const update = batch(
    { machine_id: 'bytes', owner: 'bytes', controller: 'bytes', is_home: 'integer' },
    `UPDATE machine_owners SET owner = batch.owner, controller = batch.controller, is_home = batch.is_home FROM batch
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
    { holder: 'bytes', growth: 'integer', token_growth: 'integer' },
    `INSERT INTO holders (holder, total, version, token_count) SELECT holder, growth, 1, token_growth FROM batch WHERE true
     ON CONFLICT (holder) DO UPDATE SET total = holders.total + excluded.total, version = holders.version + 1,
       token_count = holders.token_count + excluded.token_count`,
  );

  const recordRead = prepareQuery({ block: integer }, ({ block }) =>
    builder
      .insertInto('ownership_reads')
      .values({ only_row: 1, block_number: block, repairs: 0 })
      .onConflict((conflict) =>
        conflict
          .column('only_row')
          .doUpdateSet((set) => ({ block_number: set.ref('excluded.block_number') }))
          .whereRef('ownership_reads.block_number', '<', 'excluded.block_number'),
      ),
  );

  const selectNewer = prepareQuery({ block: integer }, ({ block }) =>
    builder.selectFrom('ownership_reads').select('block_number').where('block_number', '>', block),
  );

  const countChange = prepareQuery({}, () =>
    builder.updateTable('ownership_reads').set(({ eb }) => ({ repairs: eb('repairs', '+', 1) })),
  );

  return {
    *apply({ readAtBlock, changes }) {
      if (changes.length === 0) return [];
      yield* execute(recordRead({ block: readAtBlock }));
      const requested = new Map(
        changes.map((change) => [change.id, { key: toIdBytes(change.id), owners: toOwners(change) }]),
      );
      const stored = yield* load([...requested.values()].map(({ key }) => key));
      const holdingRows = { added: [] as SqlValue[][], removed: [] as SqlValue[][] };
      const ownerRows = { added: [] as SqlValue[][], changed: [] as SqlValue[][], removed: [] as SqlValue[][] };
      const touched = new TouchedHolders();
      const differing: MachineId[] = [];
      for (const [id, { key, owners }] of requested) {
        const before = stored.get(id);
        if (areEqual(owners, before)) continue;
        differing.push(id);
        const [holders, holdersBefore] = [listHolders(owners), listHolders(before)];
        for (const holder of holders) {
          if (holdersBefore.includes(holder)) continue;
          holdingRows.added.push([touched.grow(holder, 'listed', 1), key]);
        }
        for (const holder of holdersBefore) {
          if (holders.includes(holder)) continue;
          holdingRows.removed.push([touched.grow(holder, 'listed', -1), key]);
        }
        if (owners?.owner !== before?.owner) {
          if (owners !== undefined) touched.grow(owners.owner, 'tokens', 1);
          if (before !== undefined) touched.grow(before.owner, 'tokens', -1);
        }
        if (owners === undefined) ownerRows.removed.push([key]);
        else (before === undefined ? ownerRows.added : ownerRows.changed).push(toRow(key, owners));
      }
      yield* execute({ sql: removeHolding, batch: holdingRows.removed });
      yield* execute({ sql: insertHolding, batch: holdingRows.added });
      yield* execute({ sql: count, batch: touched.toRows() });
      yield* execute({ sql: remove, batch: ownerRows.removed });
      yield* execute({ sql: insert, batch: ownerRows.added });
      yield* execute({ sql: update, batch: ownerRows.changed });
      if (differing.length > 0) yield* execute(countChange({}));
      return differing;
    },
    *areNewer(blockNumber) {
      return (yield* readFirst(selectNewer({ block: blockNumber }))) !== undefined;
    },
  };

  function* load(keys: readonly Uint8Array[]): SqlProgram<Map<MachineId, Owners>> {
    const query: Batch<OwnersRow> = { sql: select, batch: keys.map((key) => [key]) };
    const rows = yield* readRows(query);
    return new Map(
      rows.map(({ machine_id, owner, controller, is_home }) => [
        fromIdBytes(machine_id),
        {
          owner: columnToHex(owner),
          controller: controller === null ? undefined : columnToHex(controller),
          isHome: is_home === 1,
        },
      ]),
    );
  }
}

function toOwners(change: OwnershipChange): Owners {
  if (change.kind === 'gone') return undefined;
  const isHome = change.kind === 'held';
  return { owner: change.owner, controller: isHome ? change.controller : undefined, isHome };
}

function listHolders(owners: Owners): string[] {
  if (owners?.isHome !== true) return [];
  const { owner, controller } = owners;
  return controller === undefined || controller === owner ? [owner] : [owner, controller];
}

/** Growth of the holders' counts; the key of a holder is encoded once. */
class TouchedHolders {
  readonly #byAddress = new Map<string, { readonly key: Buffer; listed: number; tokens: number }>();

  grow(address: string, count: 'listed' | 'tokens', growth: number): Buffer {
    const existing = this.#byAddress.get(address);
    const holder = existing ?? { key: hexToColumn(address), listed: 0, tokens: 0 };
    if (existing === undefined) this.#byAddress.set(address, holder);
    holder[count] += growth;
    return holder.key;
  }

  toRows(): SqlValue[][] {
    return [...this.#byAddress.values()].map(({ key, listed, tokens }) => [key, listed, tokens]);
  }
}

function areEqual(a: Owners, b: Owners): boolean {
  return a?.owner === b?.owner && a?.controller === b?.controller && a?.isHome === b?.isHome;
}

function toRow(key: Uint8Array, { owner, controller, isHome }: NonNullable<Owners>): SqlValue[] {
  return [key, hexToColumn(owner), controller === undefined ? null : hexToColumn(controller), isHome ? 1 : 0];
}
