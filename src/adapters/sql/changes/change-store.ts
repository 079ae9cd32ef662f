/** Observed machines and numbered changes (`ChangeStore`; docs/decisions/changes.md). */
import {
  ABSENT_VALUES,
  CHANGE_KINDS,
  type ChangeKind,
  type ChangePage,
  type ChangeRange,
  type MachineChange,
  type MachineValues,
} from '../../../domain/changes/machine-change.ts';
import {
  MAX_SCANNED_CHANGES,
  type ChangeQuery,
  type ChangeStore,
  type ObservationWrite,
} from '../../../ports/change-store.ts';
import { integer, prepareQuery } from '../engine/prepared-query.ts';
import {
  countChanges,
  execute,
  readFirst,
  readRows,
  type SqlDatabase,
  type SqlProgram,
} from '../engine/sql-program.ts';
import { createBlockStream } from '../main-chain/block-stream.ts';
import { hexToColumn } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { fromChangeRow } from './change-rows.ts';
import { fromListedColumns, LISTED_COLUMNS, toListedColumns, type ListedRow } from './listed-rows.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';

/** Changes that one call deletes at most, so that it holds the write lock briefly. */
const MAX_PRUNED = 5_000;

export function createChangeStore(database: SqlDatabase): ChangeStore {
  const { builder, batch } = database.dialect;
  const mainChain = createBlockStream(database.dialect, 'main-chain');
  const selectDue = prepareQuery({ now: integer, limit: integer }, ({ now, limit }) =>
    builder
      .selectFrom('observed_machines')
      .select(['machine_id', 'version', 'touches', 'precedes_feed', ...LISTED_COLUMNS])
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('machine_id')
      .limit(limit),
  );
  const selectNextDue = prepareQuery({}, () =>
    builder.selectFrom('observed_machines').select('due_at').where('due_at', '>', 0).orderBy('due_at').limit(1),
  );
  const update = batch(
    {
      machine_id: 'bytes',
      known_version: 'integer',
      known_touches: 'integer',
      next_due: 'integer',
      next_operator: 'bytes',
      next_owner: 'text',
      next_values: 'text',
      next_facets: 'integer',
      next_score: 'integer',
      next_revenue: 'integer',
      next_events: 'integer',
      next_active: 'integer',
      next_block: 'integer',
      next_observed: 'integer',
      next_precedes: 'integer',
    },
    `UPDATE observed_machines SET
       version = version + 1,
       due_at = CASE WHEN touches = batch.known_touches THEN batch.next_due ELSE due_at END,
       observed_operator = batch.next_operator,
       observed_owner = batch.next_owner,
       observed_values = batch.next_values,
       facets = batch.next_facets,
       score = batch.next_score,
       revenue_cents = batch.next_revenue,
       event_count = batch.next_events,
       last_event_at = batch.next_active,
       observed_block = batch.next_block,
       observed_at = batch.next_observed,
       precedes_feed = batch.next_precedes
     FROM batch
     WHERE observed_machines.machine_id = batch.machine_id AND observed_machines.version = batch.known_version`,
  );
  const removeAbsent = batch(
    { machine_id: 'bytes', known_touches: 'integer' },
    `DELETE FROM observed_machines WHERE observed_values IS NULL
       AND (machine_id, touches) IN (SELECT machine_id, known_touches FROM batch)`,
  );
  const addCounts = batch(
    { facets: 'integer', machines: 'integer' },
    `INSERT INTO directory_counts (facets, machines) SELECT facets, machines FROM batch WHERE true ORDER BY facets
     ON CONFLICT (facets) DO UPDATE SET machines = directory_counts.machines + excluded.machines`,
  );
  const selectFeed = prepareQuery({}, () =>
    builder.selectFrom('change_feed').select(['newest_cursor', 'pruned_through', 'opened_at']),
  );
  const moveNewest = prepareQuery({ newest: integer }, ({ newest }) =>
    builder.updateTable('change_feed').set({ newest_cursor: newest }),
  );
  const movePruned = prepareQuery({ through: integer }, ({ through }) =>
    builder.updateTable('change_feed').set({ pruned_through: through }),
  );
  const open = prepareQuery({ now: integer }, ({ now }) =>
    builder.updateTable('change_feed').set({ opened_at: now }).where('opened_at', 'is', null),
  );
  const markKnown = prepareQuery({}, () =>
    builder.updateTable('observed_machines').set({ precedes_feed: 1 }).where('observed_values', 'is', null),
  );
  const insert = batch(
    {
      change_cursor: 'integer',
      kind: 'text',
      machine_id: 'bytes',
      operator: 'bytes',
      from_value: 'text',
      to_value: 'text',
      block_number: 'integer',
      observed_at: 'integer',
    },
    `INSERT INTO changes (change_cursor, kind, machine_id, operator, from_value, to_value, block_number, observed_at)
     SELECT change_cursor, kind, machine_id, operator, from_value, to_value, block_number, observed_at FROM batch`,
  );
  const selectChanges = prepareQuery({ after: integer, limit: integer }, ({ after, limit }) =>
    builder.selectFrom('changes').selectAll().where('change_cursor', '>', after).orderBy('change_cursor').limit(limit),
  );
  const selectOldest = prepareQuery({ limit: integer }, ({ limit }) =>
    builder.selectFrom('changes').select(['change_cursor', 'observed_at']).orderBy('change_cursor').limit(limit),
  );
  const deleteThrough = prepareQuery({ through: integer }, ({ through }) =>
    builder.deleteFrom('changes').where('change_cursor', '<=', through),
  );

  const deleteDeadLetters = prepareQuery({ through: integer }, ({ through }) =>
    builder.deleteFrom('webhook_deliveries').where('delivered_cursor', '<=', through).where('retry_at', 'is', null),
  );

  function* readFeed(): SqlProgram<Schema['change_feed']> {
    return (yield* readFirst(selectFeed({}))) as Schema['change_feed'];
  }

  function* writeAll(writes: readonly ObservationWrite[]): SqlProgram<number> {
    const { newest_cursor, opened_at } = yield* readFeed();
    const indexedBlock = (yield* mainChain.readCheckpoint())?.blockNumber ?? 0;
    let newest = newest_cursor;
    const rows: Row[] = [];
    const counts = new Map<number, number>();
    const count = (facets: number | null, machines: number) => {
      if (facets !== null) counts.set(facets, (counts.get(facets) ?? 0) + machines);
    };
    for (const write of writes) {
      const { machine, values, changes, isAbsent } = write;
      const id = toIdBytes(machine.id);
      const { operator, owner } = values ?? ABSENT_VALUES;
      const [facets, ...listing] = toListedColumns(write);
      const row = [
        ...[id, machine.version, machine.touches, mayMissKyb(write, indexedBlock) ? 0 : write.dueAt],
        ...[operator === null ? null : hexToColumn(operator), owner],
        ...[values === undefined ? null : JSON.stringify(values), facets, ...listing],
        machine.precedesFeed && values === undefined && !isAbsent ? 1 : 0,
      ];
      if ((yield* countChanges({ sql: update, batch: [row] })) === 0) continue;
      count(toListedColumns(machine)[0], -1);
      count(facets, 1);
      if (isAbsent) yield* execute({ sql: removeAbsent, batch: [[id, machine.touches]] });
      if (machine.values === undefined && (opened_at === null || machine.precedesFeed)) continue;
      for (const change of changes) rows.push(toRow(++newest, change));
    }
    yield* execute({ sql: insert, batch: rows });
    yield* execute({ sql: addCounts, batch: [...counts] });
    if (rows.length > 0) yield* execute(moveNewest({ newest }));
    return rows.length;
  }

  function* openFeed(now: number): SqlProgram<void> {
    if ((yield* countChanges(open({ now }))) > 0) yield* execute(markKnown({}));
  }

  function* list({ after, limit, kinds = CHANGE_KINDS }: ChangeQuery): SqlProgram<ChangePage> {
    const range = toRange(yield* readFeed());
    const wanted = new Set(kinds);
    const scanned = wanted.size === CHANGE_KINDS.length ? limit : MAX_SCANNED_CHANGES;
    const rows = yield* readRows(selectChanges({ after, limit: Math.min(scanned, MAX_SCANNED_CHANGES) }));
    const found = rows.filter(({ kind }) => wanted.has(kind as ChangeKind));
    const changes = found.slice(0, limit).map(fromChangeRow);
    const next = (found.length > limit ? changes.at(-1)!.cursor : rows.at(-1)?.change_cursor) ?? after;
    return { ...range, changes, next };
  }

  function* prune(beforeSeconds: number, maxChanges: number): SqlProgram<boolean> {
    const { newest_cursor } = yield* readFeed();
    const oldest = yield* readRows(selectOldest({ limit: MAX_PRUNED }));
    // Cursors follow the order of time, so the deleted changes are the first ones.
    const isStored = (row: (typeof oldest)[number]) =>
      row.observed_at >= beforeSeconds && row.change_cursor > newest_cursor - maxChanges;
    const kept = oldest.findIndex(isStored);
    const deleted = oldest.at(kept === -1 ? oldest.length - 1 : kept - 1);
    if (kept === 0 || deleted === undefined) return true;
    yield* execute(deleteThrough({ through: deleted.change_cursor }));
    yield* execute(movePruned({ through: deleted.change_cursor }));
    yield* execute(deleteDeadLetters({ through: deleted.change_cursor }));
    return kept !== -1 || oldest.length < MAX_PRUNED;
  }

  return {
    async listDueMachines(nowSeconds, limit) {
      const rows = await database.run(readRows(selectDue({ now: nowSeconds, limit })));
      return rows.map(({ machine_id, version, touches, precedes_feed, ...row }) => ({
        id: fromIdBytes(machine_id),
        ...{ version, touches },
        values: row.observed_values === null ? undefined : (JSON.parse(row.observed_values) as MachineValues),
        listing: row.facets === null ? undefined : fromListedColumns(row as ListedRow),
        precedesFeed: precedes_feed === 1 ? true : undefined,
      }));
    },
    readNextDue: async () => (await database.run(readFirst(selectNextDue({}))))?.due_at,
    writeObservations: (writes) => database.exclusive(writeAll(writes)),
    openChanges: (nowSeconds) => database.exclusive(openFeed(nowSeconds)),
    listChanges: (query) => database.snapshot(list(query)),
    readChangeRange: async () => toRange(await database.run(readFeed())),
    pruneChanges: (beforeSeconds, maxChanges) => database.exclusive(prune(beforeSeconds, maxChanges)),
  };
}

/** Returns whether the KYB record may have been touched after the observed block, when the machine still had another operator here. */
function mayMissKyb({ machine, values, blockNumber }: ObservationWrite, indexedBlock: number): boolean {
  return blockNumber !== undefined && blockNumber < indexedBlock && kybSubject(values) !== kybSubject(machine.values);
}

/** Returns the account whose KYB is the machine's: the operator, or the owner where there is none. */
function kybSubject(values: MachineValues | undefined): string | null | undefined {
  return values?.operator ?? values?.owner;
}

type Row = (string | number | Uint8Array | null)[];

function toRow(cursor: number, change: MachineChange): Row {
  const { kind, machineId, operator, from, to, blockNumber, observedAt } = change;
  const operatorColumn = operator === undefined ? null : hexToColumn(operator);
  return [cursor, kind, toIdBytes(machineId), operatorColumn, from, to, blockNumber, observedAt];
}

function toRange({ newest_cursor, pruned_through, opened_at }: Schema['change_feed']): ChangeRange {
  return { newest: newest_cursor, prunedThrough: pruned_through, openedAt: opened_at ?? undefined };
}
