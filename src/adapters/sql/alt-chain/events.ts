/** Store of the alt chain's events (`AltEventStore`; chain-svm 6). */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { AltEventStore, AltIndexChange, AltMachineWrite, StoredAltHistory } from '../../../ports/alt-store.ts';
import {
  fromEventRow,
  fromMachineRow,
  fromOperationRow,
  MACHINE_COLUMNS,
  OPERATION_COLUMNS,
  toMachineRow,
  toOperationRow,
  type MachineRow,
} from './event-rows.ts';
import { createAltRatingStates } from './rating-states.ts';
import { createAltWalkTable } from './history-walk.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import { createBlockStream } from '../main-chain/block-stream.ts';
import { createIndexClaim } from '../main-chain/index-claim.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, readRows, type Batch, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';

export function createAltEvents(database: SqlDatabase): AltEventStore {
  const { dialect } = database;
  const walks = createAltWalkTable(dialect);
  const claim = createIndexClaim([createBlockStream(dialect, 'alt-events')], function* () {
    return (yield* walks.read()).revision === 0;
  });
  const machines = createAltMachineTable(dialect);
  const ratingStates = createAltRatingStates(dialect);
  const observed = createTouchedMachines(dialect);

  function* write(expectedRevision: number, given: AltIndexChange): SqlProgram<boolean> {
    const { revision } = yield* walks.read();
    if (revision !== expectedRevision) return false;
    if (revision === 0 && !(yield* claim.holds())) return false;
    yield* walks.write({ ...given.walk, revision: revision + 1 });
    if (given.unlistThroughSlot !== undefined) yield* walks.unlistThrough(given.unlistThroughSlot);
    yield* walks.list(given.listed ?? []);
    const writes = given.machines ?? [];
    yield* machines.write(writes);
    // The ownership snapshot does not name a machine without an operator.
    const active = writes.filter(({ operations }) => operations.length > 0);
    yield* observed.discover(active.map(({ state }) => state.id));
    yield* walks.park(given.parked ?? []);
    yield* walks.unpark(given.unparked ?? []);
    return true;
  }

  function* readHistory(
    id: MachineId,
    fingerprint: string,
    count: number,
    limit: number,
  ): SqlProgram<StoredAltHistory> {
    const walk = yield* walks.read();
    const [machine] = yield* machines.read([id]);
    const stored = yield* ratingStates.read(id, fingerprint);
    const state = stored !== undefined && stored.nextSeq <= count ? stored : undefined;
    const from = Math.max(0, (state?.nextSeq ?? 0) - 1);
    const to = Math.min(count + 1, from + limit);
    return { walk, machine, state, events: yield* machines.listEvents(id, from, to) };
  }

  return {
    claimAltIdentity: (text) => database.exclusive(claim.claim([text])),
    readAltWalk: () => database.run(walks.read()),
    writeAltIndex: (expectedRevision, given) => database.exclusive(write(expectedRevision, given)),
    listOldestListed: (count) => database.snapshot(walks.listOldest(count)),
    listParked: (until, limit, latest = Number.MAX_SAFE_INTEGER) =>
      database.run(walks.listParked(until, limit, latest)),
    readAltMachines: (ids) => database.run(machines.read(ids)),
    listAltMachines: () => database.run(machines.list()),
    listActiveAltMachines: (limit) => database.run(machines.listActive(limit)),
    listAltOperations: (id) => database.run(machines.listOperations(id)),
    listAltSignatures: (id) => database.run(machines.listSignatures(id)),
    listAltEvents: (id, from, to) => database.run(machines.listEvents(id, from, to)),
    readAltHistory: (id, fingerprint, count, limit) => database.snapshot(readHistory(id, fingerprint, count, limit)),
    listAltRatingStateDays: (id, fingerprint, limit) =>
      database.snapshot(ratingStates.listDays(id, fingerprint, limit)),
    async writeAltRatingStates(fingerprint, given) {
      if (given.length > 0) await database.exclusive(ratingStates.write(fingerprint, given));
    },
    listAltUnfolded: (fingerprint, least, limit, after) =>
      database.snapshot(ratingStates.listUnfolded(fingerprint, least, limit, after)),
  };
}

function createAltMachineTable({ builder, batch }: Dialect) {
  const select = batch(
    { machine_id: 'bytes' },
    'SELECT m.* FROM batch CROSS JOIN alt_machines m WHERE m.machine_id = batch.machine_id',
  );
  const selectAll = prepareQuery({}, () => builder.selectFrom('alt_machines').selectAll().orderBy('machine_id'));
  const selectActive = prepareQuery({ limit: integer }, ({ limit }) =>
    builder
      .selectFrom('alt_machines')
      .select(['machine_id', 'newest_block_time'])
      .where('newest_block_time', 'is not', null)
      .where('problem', 'is', null)
      .orderBy('newest_block_time', 'desc')
      .limit(limit),
  );
  const names = Object.keys(MACHINE_COLUMNS);
  const upsert = batch(
    MACHINE_COLUMNS,
    `INSERT INTO alt_machines (${names.join(', ')}) SELECT ${names.join(', ')} FROM batch WHERE true
     ON CONFLICT (machine_id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  );
  const remove = batch(
    { machine_id: 'bytes' },
    'DELETE FROM alt_operations WHERE machine_id IN (SELECT machine_id FROM batch)',
  );
  const members = Object.keys(OPERATION_COLUMNS).join(', ');
  const insert = batch(OPERATION_COLUMNS, `INSERT INTO alt_operations (${members}) SELECT ${members} FROM batch`);
  const selectOperations = prepareQuery({ id: bytes }, ({ id }) =>
    builder.selectFrom('alt_operations').selectAll().where('machine_id', '=', id).orderBy('seq'),
  );
  const selectSignatures = prepareQuery({ id: bytes }, ({ id }) =>
    builder.selectFrom('alt_operations').select('signature').where('machine_id', '=', id),
  );
  const selectIncarnation = prepareQuery({ id: bytes }, ({ id }) =>
    builder.selectFrom('alt_machines').select('incarnation').where('machine_id', '=', id),
  );
  const selectEvents = prepareQuery(
    { id: bytes, incarnation: integer, from: integer, to: integer },
    ({ id, incarnation, from, to }) =>
      builder
        .selectFrom('alt_operations')
        .select(['event_index', 'slot', 'block_time', 'record'])
        .where('machine_id', '=', id)
        .where('incarnation', '=', incarnation)
        .where('event_index', '>=', from)
        .where('event_index', '<', to)
        .orderBy('event_index'),
  );

  return {
    *read(ids: readonly MachineId[]) {
      const query: Batch<MachineRow> = { sql: select, batch: ids.map((id) => [toIdBytes(id)]) };
      const found = new Map((yield* readRows(query)).map(fromMachineRow).map((state) => [state.id, state]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    *list() {
      return (yield* readRows(selectAll({}))).map(fromMachineRow);
    },
    *write(writes: readonly AltMachineWrite[]): SqlProgram<void> {
      const rewritten = writes.filter(({ isRewritten }) => isRewritten);
      yield* execute({ sql: remove, batch: rewritten.map(({ state }) => [toIdBytes(state.id)]) });
      yield* execute({ sql: insert, batch: writes.flatMap(({ operations }) => operations.map(toOperationRow)) });
      yield* execute({ sql: upsert, batch: writes.map(({ state }) => toMachineRow(state)) });
    },
    *listActive(limit: number) {
      const rows = yield* readRows(selectActive({ limit }));
      return rows.map((row) => ({ id: fromIdBytes(row.machine_id), lastEventAt: row.newest_block_time! }));
    },
    *listOperations(id: MachineId) {
      return (yield* readRows(selectOperations({ id: toIdBytes(id) }))).map(fromOperationRow);
    },
    *listSignatures(id: MachineId) {
      return (yield* readRows(selectSignatures({ id: toIdBytes(id) }))).map(({ signature }) => signature);
    },
    *listEvents(id: MachineId, from: number, to: number) {
      const machine = yield* readFirst(selectIncarnation({ id: toIdBytes(id) }));
      if (machine === undefined || to <= from) return [];
      const { incarnation } = machine;
      return (yield* readRows(selectEvents({ id: toIdBytes(id), incarnation, from, to }))).map(fromEventRow);
    },
  };
}
