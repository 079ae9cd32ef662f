/**
 * Fleet listing over both chains and the alt chain's ownership snapshot (`AltFleetStore`; chain-svm 7).
 * The alt half is small, because it fits one node response: it is read whole, cached until either half changes, and merged into the
 * segment of the main half that contains the page.
 */
import type { AltFleet, SlotObservation } from '../../../domain/alt-chain/alt-fleet.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { AltFleetStore, FleetListing, FleetRow } from '../../../ports/alt-store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import type { Dialect } from '../engine/dialect.ts';
import { ANCHOR_SPACING, createOwnershipLists } from '../main-chain/ownership-lists.ts';
import { columnToHex, hexToColumn } from '../schema/hex-columns.ts';
import { bytes, integer, prepareQuery, text } from '../engine/prepared-query.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';

const FIRST_ID = new Uint8Array(32);

/** An operator's rows of the snapshot. */
interface AltHalf {
  /** Machines that the main chain's index does not hold, in order. */
  readonly altOnly: readonly Uint8Array[];
  readonly onBoth: readonly MachineId[];
}

const NO_HALF: AltHalf = { altOnly: [], onBoth: [] };

export function createAltFleets(database: SqlDatabase): AltFleetStore {
  const lists = createOwnershipLists(database.dialect);
  const snapshot = createSnapshotTables(database.dialect);
  const observed = createTouchedMachines(database.dialect);
  // For one version of both halves, and for operators with machines only, so bounded by the snapshot.
  let cached = { version: '', halves: new Map<Address, AltHalf>() };

  function* readAltHalf(
    identity: string,
    { slot, observedAtMilliseconds }: SlotObservation,
    operator: Address,
  ): SqlProgram<AltHalf> {
    const version = [identity, slot, observedAtMilliseconds, yield* lists.readVersion()].join();
    const known = cached.version === version ? cached.halves.get(operator) : undefined;
    if (known !== undefined) return known;
    const half = yield* snapshot.listAltHalf(operator);
    if (cached.version !== version) cached = { version, halves: new Map() };
    if (half.altOnly.length > 0 || half.onBoth.length > 0) cached.halves.set(operator, half);
    return half;
  }

  function* list(identity: string, operator: Address, offset: number, limit: number): SqlProgram<FleetListing> {
    const observation = yield* snapshot.readObservation(identity);
    const { altOnly, onBoth } =
      observation === undefined ? NO_HALF : yield* readAltHalf(identity, observation, operator);
    const unreadableRows = observation === undefined ? 0 : yield* snapshot.countUnreadable(operator);
    const ofAlt = { observation, unreadableRows, onBoth };
    if (altOnly.length === 0) {
      const { ids, ...page } = yield* lists.list(operator, offset, limit);
      const machines = ids.map((id): FleetRow => ({ id, listedBy: 'main' }));
      return { ...page, ...ofAlt, machines };
    }
    const holder = yield* lists.readHolder(operator);
    const indexed = yield* lists.findIndexed(holder);
    const total = holder.total + altOnly.length;
    if (offset >= total) return { ...indexed, ...ofAlt, total, machines: [] };
    const anchors = offset < ANCHOR_SPACING ? [] : yield* lists.findAnchors(operator, holder.version);
    const start = findStart(anchors, altOnly, offset);
    const skipped = offset - start.position;
    // The page starts at most one segment of the main half after the start.
    const limitOfMain = Math.min(skipped, ANCHOR_SPACING) + limit;
    const ofMain = yield* lists.readFrom(operator, start.anchor, 0, limitOfMain);
    const machines = merge(ofMain, altOnly.slice(start.altBefore), skipped, limit);
    return { ...indexed, ...ofAlt, total, machines };
  }

  // Avoids reading all rows when this process wrote the stored ones.
  let written: { readonly identity: string; readonly at: SlotObservation; readonly rows: FleetRows } | undefined;

  function* replace(
    identity: string,
    expected: SlotObservation | undefined,
    next: SlotObservation,
    rows: FleetRows,
    unreadableByOperator: AltFleet['unreadableByOperator'],
  ): SqlProgram<boolean> {
    if (!areEqual(yield* snapshot.readObservation(identity), expected)) return false;
    const isOurs = written?.identity === identity && areEqual(written.at, expected);
    const stored = isOurs ? written!.rows : yield* snapshot.readMachines();
    yield* snapshot.writeObservation(identity, next);
    const differing = yield* snapshot.writeMachines(stored, rows);
    yield* observed.touch({ machines: differing, kybOperators: [] });
    yield* snapshot.writeUnreadable(unreadableByOperator);
    return true;
  }

  return {
    readAltFleetObservation: (identity) => database.run(snapshot.readObservation(identity)),
    async replaceAltFleet(identity, expected, next, { machinesByOperator, unreadableByOperator }) {
      const rows = toRows(machinesByOperator);
      const isReplaced = await database.exclusive(replace(identity, expected, next, rows, unreadableByOperator));
      if (isReplaced) written = { identity, at: next, rows };
      return isReplaced;
    },
    listFleet: (identity, operator, offset, limit) => database.snapshot(list(identity, operator, offset, limit)),
  };
}

/** Rows by a comparable key of operator and id. */
type FleetRows = ReadonlyMap<string, { readonly operator: Address; readonly id: MachineId }>;

function toRows(machinesByOperator: AltFleet['machinesByOperator']): FleetRows {
  const rows = new Map<string, { readonly operator: Address; readonly id: MachineId }>();
  for (const [operator, machines] of machinesByOperator) {
    for (const id of machines) rows.set(operator + id.toString(16), { operator, id });
  }
  return rows;
}

function areEqual(a: SlotObservation | undefined, b: SlotObservation | undefined): boolean {
  return a?.slot === b?.slot && a?.observedAtMilliseconds === b?.observedAtMilliseconds;
}

interface Start {
  readonly anchor: Uint8Array;
  /** Position of the anchor in the list of both chains. */
  readonly position: number;
  readonly altBefore: number;
}

/** Finds the last anchor that is not after the page. */
function findStart(anchors: readonly Uint8Array[], altOnly: readonly Uint8Array[], offset: number): Start {
  const at = (segment: number): Start => {
    if (segment === 0) return { anchor: FIRST_ID, position: 0, altBefore: 0 };
    const anchor = anchors[segment]!;
    const altBefore = findFirst(0, altOnly.length, (i) => Buffer.compare(altOnly[i]!, anchor) > 0);
    return { anchor, position: segment * ANCHOR_SPACING + altBefore, altBefore };
  };
  const after = findFirst(1, Math.max(1, anchors.length), (segment) => at(segment).position > offset);
  return at(after - 1);
}

/** Binary search: returns the first position in `from..to` where `holds` is true, and true from there on. */
function findFirst(from: number, to: number, holds: (position: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Merges two sorted, disjoint lists and returns the page after `skipped` machines. */
function merge(
  ofMain: readonly Uint8Array[],
  ofAlt: readonly Uint8Array[],
  skipped: number,
  limit: number,
): FleetRow[] {
  const page: FleetRow[] = [];
  let [main, alt] = [0, 0];
  while (page.length < limit && (main < ofMain.length || alt < ofAlt.length)) {
    const isMain = alt === ofAlt.length || (main < ofMain.length && Buffer.compare(ofMain[main]!, ofAlt[alt]!) < 0);
    const id = isMain ? ofMain[main++]! : ofAlt[alt++]!;
    if (main + alt > skipped) page.push({ id: fromIdBytes(id), listedBy: isMain ? 'main' : 'alt' });
  }
  return page;
}

function createSnapshotTables({ builder, batch }: Dialect) {
  const selectObservation = prepareQuery({ identity: text }, ({ identity }) =>
    builder.selectFrom('alt_fleet_observation').select(['slot', 'observed_at']).where('identity', '=', identity),
  );
  const upsertObservation = prepareQuery(
    { identity: text, slot: integer, observedAt: integer },
    ({ identity, slot, observedAt }) =>
      builder
        .insertInto('alt_fleet_observation')
        .values({ only_row: 1, identity, slot, observed_at: observedAt })
        .onConflict((conflict) =>
          conflict.column('only_row').doUpdateSet((set) => ({
            identity: set.ref('excluded.identity'),
            slot: set.ref('excluded.slot'),
            observed_at: set.ref('excluded.observed_at'),
          })),
        ),
  );
  const selectOfOperator = prepareQuery({ operator: bytes }, ({ operator }) =>
    builder
      .selectFrom('alt_fleets')
      .leftJoin('machine_owners', 'machine_owners.machine_id', 'alt_fleets.machine_id')
      .select(['alt_fleets.machine_id', 'is_home', 'owner', 'controller'])
      .where('operator', '=', operator)
      .orderBy('alt_fleets.machine_id'),
  );
  const selectAll = prepareQuery({}, () => builder.selectFrom('alt_fleets').select(['operator', 'machine_id']));
  const insert = batch(
    { operator: 'bytes', machine_id: 'bytes' },
    'INSERT INTO alt_fleets (operator, machine_id) SELECT operator, machine_id FROM batch',
  );
  const remove = batch(
    { operator: 'bytes', machine_id: 'bytes' },
    'DELETE FROM alt_fleets WHERE (operator, machine_id) IN (SELECT operator, machine_id FROM batch)',
  );
  const selectUnreadable = prepareQuery({ operator: bytes }, ({ operator }) =>
    builder.selectFrom('alt_fleet_unreadable').select('row_count').where('operator', '=', operator),
  );
  const removeUnreadable = prepareQuery({}, () => builder.deleteFrom('alt_fleet_unreadable'));
  const insertUnreadable = batch(
    { operator: 'bytes', row_count: 'integer' },
    'INSERT INTO alt_fleet_unreadable (operator, row_count) SELECT operator, row_count FROM batch',
  );

  return {
    *readObservation(identity: string): SqlProgram<SlotObservation | undefined> {
      const row = yield* readFirst(selectObservation({ identity }));
      return row && { slot: row.slot, observedAtMilliseconds: row.observed_at };
    },
    *writeObservation(identity: string, { slot, observedAtMilliseconds }: SlotObservation): SqlProgram<void> {
      yield* execute(upsertObservation({ identity, slot, observedAt: observedAtMilliseconds }));
    },
    *listAltHalf(operator: Address): SqlProgram<AltHalf> {
      const altOnly: Uint8Array[] = [];
      const onBoth: MachineId[] = [];
      for (const row of yield* readRows(selectOfOperator({ operator: hexToColumn(operator) }))) {
        const holders = [row.owner, row.controller].map((holder) => holder && columnToHex(holder));
        if (row.is_home !== 1) altOnly.push(row.machine_id);
        // Those that the operator itself holds there are in the other half.
        else if (!holders.includes(operator)) onBoth.push(fromIdBytes(row.machine_id));
      }
      return { altOnly, onBoth };
    },
    *countUnreadable(operator: Address): SqlProgram<number> {
      return (yield* readFirst(selectUnreadable({ operator: hexToColumn(operator) })))?.row_count ?? 0;
    },
    *readMachines(): SqlProgram<FleetRows> {
      const rows = (yield* readRows(selectAll({}))).map((row) => {
        return { operator: columnToHex(row.operator) as Address, id: fromIdBytes(row.machine_id) };
      });
      return new Map(rows.map((row) => [row.operator + row.id.toString(16), row]));
    },
    /** Writes only the differences, because snapshots rarely change, and returns their machines. */
    *writeMachines(stored: FleetRows, rows: FleetRows): SqlProgram<readonly MachineId[]> {
      const without = (some: FleetRows, others: FleetRows) =>
        [...some].flatMap(([name, row]) => (others.has(name) ? [] : [row]));
      const toColumns = ({ operator, id }: { operator: Address; id: MachineId }) => [
        hexToColumn(operator),
        toIdBytes(id),
      ];
      const [removed, added] = [without(stored, rows), without(rows, stored)];
      yield* execute({ sql: remove, batch: removed.map(toColumns) });
      yield* execute({ sql: insert, batch: added.map(toColumns) });
      return [...removed, ...added].map(({ id }) => id);
    },
    *writeUnreadable(unreadableByOperator: AltFleet['unreadableByOperator']): SqlProgram<void> {
      yield* execute(removeUnreadable({}));
      const rows = [...unreadableByOperator].map(([operator, count]) => [hexToColumn(operator), count]);
      yield* execute({ sql: insertUnreadable, batch: rows });
    },
  };
}
