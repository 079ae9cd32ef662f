/** Directory of the observed machines (`DirectoryStore`; docs/decisions/directory.md). */
import { sql } from 'kysely';
import type { MachineValues } from '../../../domain/changes/machine-change.ts';
import {
  countFacets,
  FACET_NAMES,
  selectFacet,
  type DirectoryMachine,
  type Facet,
  MAX_COUNTED_UNLISTED,
  MAX_EXAMINED_MACHINES,
  type DirectoryHolder,
  type DirectoryKey,
  type DirectoryPage,
  type DirectoryPosition,
  type DirectoryProgress,
  type DirectoryQuery,
  type DirectorySummary,
} from '../../../domain/machine/machine-directory.ts';
import type { DirectoryStore } from '../../../ports/directory-store.ts';
import { bytes, integer, prepareQuery, text } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { readFirst, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { hexToColumn } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { fromListedColumns, LISTED_COLUMNS, type ListedRow } from './listed-rows.ts';

type DirectoryRow = ListedRow & { readonly machine_id: Uint8Array };
type PositionRow = { readonly value: number; readonly machine_id: Uint8Array };

const KEY_COLUMNS = { score: 'score', revenue: 'revenue_cents', activity: 'last_event_at', id: '0' } as const;
const HOLDER_COLUMNS = { operator: 'observed_operator', owner: 'observed_owner' } as const;

/** Positions before the first machine of an order. */
const LOWEST = { value: -1, id: Buffer.alloc(32, 0) };
/** One byte longer than an id, so that it is after the largest one. */
const HIGHEST = { value: Number.MAX_SAFE_INTEGER, id: Buffer.alloc(33, 0xff) };

const FACET_PARAMETERS = Object.fromEntries(FACET_NAMES.map((facet) => [facet, integer])) as Readonly<
  Record<Facet, typeof integer>
>;

export function createDirectoryStore(database: SqlDatabase): DirectoryStore {
  const query = prepareText(database.dialect);

  /** Prepares the statements of one order. The first examines a bounded number of rows; the other finds where it has ended. */
  function prepareScan(key: DirectoryKey, isDescending: boolean, holder: DirectoryHolder['kind'] | undefined) {
    const value = sql.raw(KEY_COLUMNS[key]);
    const column = sql.raw(holder === undefined ? '0' : HOLDER_COLUMNS[holder]);
    const [after, direction] = isDescending ? [sql.raw('<'), sql.raw('DESC')] : [sql.raw('>'), sql.raw('ASC')];
    // An order without a key column compares ids alone, so that the index of ids serves it.
    const place = key === 'id' ? sql.raw('machine_id') : sql`(${value}, machine_id)`;
    const order = key === 'id' ? sql`machine_id ${direction}` : sql`${value} ${direction}, machine_id ${direction}`;
    const position = { value: integer, id: bytes, holder: holder === 'owner' ? text : bytes };
    type Named = Readonly<Record<keyof typeof position, unknown>>;
    const examined = (p: Named) => sql`FROM observed_machines WHERE facets IS NOT NULL
      AND ${place} ${after} ${key === 'id' ? sql`${p.id}` : sql`(${p.value}, ${p.id})`}
      AND ${holder === undefined ? sql`true` : sql`${column} = ${p.holder}`} ORDER BY ${order}`;
    const columns = sql.raw(['m.machine_id', ...LISTED_COLUMNS.map((name) => `m.${name}`)].join(', '));
    const selected = (p: Readonly<Record<Facet | 'activeSince', unknown>>) =>
      sql.join(
        [...FACET_NAMES.map((facet) => sql`(facets & ${p[facet]}) <> 0`), sql`last_event_at >= ${p.activeSince}`],
        sql` AND `,
      );
    return {
      // The innermost part is served by the index alone; rows are read for the machines of the page only.
      rows: query<DirectoryRow>()(
        { ...position, ...FACET_PARAMETERS, activeSince: integer, limit: integer },
        (q, p) => q`SELECT ${columns} FROM (
            SELECT value, machine_id FROM (
              SELECT ${value} AS value, machine_id, facets, last_event_at ${examined(p)}
              LIMIT ${sql.lit(MAX_EXAMINED_MACHINES)}
            ) examined WHERE ${selected(p)} ORDER BY value ${direction}, machine_id ${direction} LIMIT ${p.limit}
          ) found CROSS JOIN observed_machines m WHERE m.machine_id = found.machine_id
          ORDER BY found.value ${direction}, m.machine_id ${direction}`,
      ),
      end: query<PositionRow>()(
        position,
        (q, p) => q`SELECT ${value} AS value, machine_id ${examined(p)}
          LIMIT 1 OFFSET ${sql.lit(MAX_EXAMINED_MACHINES - 1)}`,
      ),
    };
  }

  const scans = new Map<string, ReturnType<typeof prepareScan>>();
  function findScan({ key, isDescending, holder }: DirectoryQuery): ReturnType<typeof prepareScan> {
    const name = `${key} ${isDescending} ${holder?.kind ?? ''}`;
    const scan = scans.get(name) ?? prepareScan(key, isDescending, holder?.kind);
    scans.set(name, scan);
    return scan;
  }

  const selectUnlisted = query<{ machines: number | string }>()(
    { limit: integer },
    (q, { limit }) => q`SELECT count(*) AS machines
      FROM (SELECT machine_id FROM observed_machines WHERE facets IS NULL LIMIT ${limit}) unlisted`,
  );
  const selectOpened = prepareQuery({}, () => database.dialect.builder.selectFrom('change_feed').select('opened_at'));
  const selectCounts = prepareQuery({}, () =>
    database.dialect.builder.selectFrom('directory_counts').select(['facets', 'machines']).where('machines', '>', 0),
  );

  function* readProgress(): SqlProgram<DirectoryProgress> {
    const unlisted = yield* readFirst(selectUnlisted({ limit: MAX_COUNTED_UNLISTED }));
    const feed = (yield* readFirst(selectOpened({}))) as Pick<Schema['change_feed'], 'opened_at'>;
    return { unlisted: Number(unlisted!.machines), openedAt: feed.opened_at ?? undefined };
  }

  function* list(given: DirectoryQuery): SqlProgram<DirectoryPage> {
    const { limit, holder, isDescending, after } = given;
    const scan = findScan(given);
    const from = after === undefined ? (isDescending ? HIGHEST : LOWEST) : { ...after, id: toIdBytes(after.id) };
    const start = { ...from, holder: toHolderColumn(holder) };
    const masks = Object.fromEntries(
      FACET_NAMES.map((facet) => [facet, selectFacet(facet, given.facets[facet])]),
    ) as Record<Facet, number>;
    const found = yield* readRows(scan.rows({ ...start, ...masks, activeSince: given.activeSince, limit: limit + 1 }));
    const entries = found.slice(0, limit).map(toEntry);
    const next =
      found.length > limit ? toPosition(given.key, entries.at(-1)!) : toEnd(yield* readFirst(scan.end(start)));
    return { entries, next, progress: yield* readProgress() };
  }

  function* summarize(): SqlProgram<DirectorySummary> {
    const rows = yield* readRows(selectCounts({}));
    const total = rows.reduce((sum, { machines }) => sum + machines, 0);
    return { total, counts: countFacets(rows), progress: yield* readProgress() };
  }

  return {
    listDirectory: (given) => database.snapshot(list(given)),
    readDirectorySummary: () => database.snapshot(summarize()),
  };
}

function toHolderColumn(holder: DirectoryHolder | undefined): never {
  const value =
    holder === undefined ? Buffer.alloc(0) : holder.kind === 'operator' ? hexToColumn(holder.address) : holder.account;
  return value as never;
}

function toEntry({ machine_id, ...row }: DirectoryRow): DirectoryMachine {
  return {
    id: fromIdBytes(machine_id),
    values: JSON.parse(row.observed_values) as MachineValues,
    ...fromListedColumns(row),
  };
}

function toPosition(
  key: DirectoryKey,
  { id, score, revenueCents, lastEventAt = 0 }: DirectoryMachine,
): DirectoryPosition {
  return { id, value: { score, revenue: revenueCents, activity: lastEventAt, id: 0 }[key] };
}

function toEnd(row: PositionRow | undefined): DirectoryPosition | undefined {
  return row && { value: row.value, id: fromIdBytes(row.machine_id) };
}
