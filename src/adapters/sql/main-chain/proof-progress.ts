/** Rows of the index's proof: machines to read, blocks to time and to prove, and segments (`IndexProofStore`). */
import { sql } from 'kysely';
import { compareIds, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import { NO_LOGS_DIGEST } from '../../../domain/index-rules/log-digest.ts';
import {
  type BlockRepair,
  UNKNOWN_BLOCK_TIME,
  type LogBlock,
  type ProofSegment,
  type UnprovenExtent,
  type UnprovenWindow,
} from '../../../ports/index-proof.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, prepareQuery, text } from '../engine/prepared-query.ts';
import { execute, readFirst, readRows, type Batch, type SqlProgram, type SqlValue } from '../engine/sql-program.ts';
import { columnToHex, hexToColumn } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import type { HistoryKey } from './event-histories.ts';

export interface ProofProgress {
  /** Stores what a window leaves to be done. Requires the write lock. */
  addUnproven(window: UnprovenWindow): SqlProgram<void>;
  listUnread(after: MachineId | undefined, limit: number): SqlProgram<readonly MachineId[]>;
  removeUnread(ids: readonly MachineId[]): SqlProgram<void>;
  listRereads(limit: number): SqlProgram<readonly MachineId[]>;
  /** Records that the machines up to this one have been read again. Requires the write lock. */
  recordRereads(through: MachineId): SqlProgram<void>;
  listUntimed(below: number, limit: number): SqlProgram<readonly LogBlock[]>;
  /** Sets unknown times of blocks and of their logs. The evidence of events is not judged again. */
  setTimes(times: readonly { readonly blockNumber: number; readonly blockTimestamp: number }[]): SqlProgram<void>;
  listUnproven(below: number, limit: number): SqlProgram<readonly LogBlock[]>;
  readExtent(): SqlProgram<UnprovenExtent | undefined>;
  markProven(blocks: readonly LogBlock[]): SqlProgram<void>;
  /** Leaves blocks to be proven, and their logs to be replaced by the proof: a repair of one machine changed its logs in them. */
  reopen(numbers: readonly number[]): SqlProgram<void>;
  /** Stores blocks whose logs were replaced. */
  replace(repairs: readonly BlockRepair[]): SqlProgram<void>;
  listRange(from: number, to: number): SqlProgram<readonly (LogBlock & { readonly isProven: boolean })[]>;
  /** Returns those of the blocks whose logs a repair did not remove. */
  filterWithLogs(numbers: readonly number[]): SqlProgram<readonly number[]>;
  /** Returns those of the blocks that were forgotten because a segment covers them. */
  filterForgotten(repairs: readonly BlockRepair[]): SqlProgram<readonly BlockRepair[]>;
  /** Returns the newest block of the range whose logs a repair did not remove. */
  findNewest(from: number, to: number): SqlProgram<number | undefined>;
  /** Deletes the proven ones of the first blocks of a range except for the newest of all. Returns where the others begin. */
  forgetProven(from: number, to: number): SqlProgram<number | undefined>;
  isProven(fromBlock: number, toBlock: number): SqlProgram<boolean>;
  /** Returns the block of the machine's first log since its last import; undefined without a log. */
  findFirstBlock(key: HistoryKey): SqlProgram<number | undefined>;
  listSegments(): SqlProgram<readonly ProofSegment[]>;
  /** Joins the segment with those of its kind that it touches. Requires the write lock. */
  addSegment(segment: ProofSegment): SqlProgram<void>;
}

/** Bounds one transaction. */
const FORGOTTEN_AT_ONCE = 2_000;
/** Hash of no block and digest of no logs. */
const UNKNOWN_DIGEST = new Uint8Array(32);

type BlockRow = Omit<Schema['log_blocks'], 'is_proven'>;

export function createProofProgress({ builder, batch }: Dialect): ProofProgress {
  const insertUnread = batch(
    { machine_id: 'bytes' },
    `INSERT INTO unread_machines (machine_id) SELECT machine_id FROM batch WHERE true
     ON CONFLICT (machine_id) DO NOTHING`,
  );
  const deleteUnread = batch(
    { machine_id: 'bytes' },
    'DELETE FROM unread_machines WHERE machine_id IN (SELECT machine_id FROM batch)',
  );
  // From the first machine on, however far an earlier pass came; unread machines will be read anyway.
  const requestRereads = `UPDATE ownership_reads SET reread_after = (
    SELECT substr(m.machine_id, 1, 0) FROM machine_owners m
    WHERE NOT EXISTS (SELECT 1 FROM unread_machines u WHERE u.machine_id = m.machine_id) LIMIT 1)`;
  const selectRereads = prepareQuery({ limit: integer }, ({ limit }) =>
    builder
      .selectFrom('machine_owners')
      .select('machine_id')
      .where('machine_id', '>', (query) => query.selectFrom('ownership_reads').select('reread_after'))
      .orderBy('machine_id')
      .limit(limit),
  );
  const recordRereads = prepareQuery({ through: bytes }, ({ through }) =>
    builder.updateTable('ownership_reads').set({ reread_after: through }),
  );
  const endRereads = `UPDATE ownership_reads SET reread_after = NULL
    WHERE NOT EXISTS (SELECT 1 FROM machine_owners WHERE machine_id > reread_after)`;
  const insertBlocks = batch(
    { block_number: 'integer', block_hash: 'bytes', block_timestamp: 'integer', digest: 'bytes', is_proven: 'integer' },
    `INSERT INTO log_blocks (block_number, block_hash, block_timestamp, digest, is_proven)
     SELECT block_number, block_hash, block_timestamp, digest, is_proven FROM batch WHERE true
     ON CONFLICT (block_number) DO UPDATE
     SET block_hash = excluded.block_hash, block_timestamp = excluded.block_timestamp, digest = excluded.digest,
       is_proven = excluded.is_proven`,
  );
  const reopen = batch(
    { block_number: 'integer', unknown: 'bytes' },
    `INSERT INTO log_blocks (block_number, block_hash, block_timestamp, digest, is_proven)
     SELECT block_number, unknown, ${UNKNOWN_BLOCK_TIME}, unknown, 0 FROM batch WHERE true
     ON CONFLICT (block_number) DO UPDATE SET digest = excluded.digest, is_proven = 0`,
  );
  const markProven = batch(
    { block_number: 'integer', block_hash: 'bytes', digest: 'bytes' },
    `UPDATE log_blocks SET is_proven = 1 FROM batch
     WHERE log_blocks.block_number = batch.block_number AND log_blocks.block_hash = batch.block_hash AND log_blocks.digest = batch.digest`,
  );
  const deleteBlocks = prepareQuery({ from: integer, to: integer }, ({ from, to }) =>
    builder
      .deleteFrom('log_blocks')
      .where('block_number', '>=', from)
      .where('block_number', '<=', to)
      .where('is_proven', '=', sql.lit(1))
      .where('block_number', '<', (query) =>
        query.selectFrom('log_blocks').select(({ fn }) => fn.max('block_number').as('newest')),
      ),
  );
  const selectLastOfPart = prepareQuery({ from: integer, to: integer }, ({ from, to }) =>
    builder
      .selectFrom('log_blocks')
      .select('block_number')
      .where('block_number', '>=', from)
      .where('block_number', '<=', to)
      .orderBy('block_number')
      .limit(sql.lit(1))
      .offset(sql.lit(FORGOTTEN_AT_ONCE - 1)),
  );
  const timed = { block_number: 'integer', block_timestamp: 'integer' } as const;
  const timeTables = ['log_blocks', 'event_logs', 'active_machines', 'registry_logs'].map((table) =>
    batch(
      timed,
      `UPDATE ${table} SET block_timestamp = batch.block_timestamp FROM batch
       WHERE ${table}.block_number = batch.block_number AND ${table}.block_timestamp = ${UNKNOWN_BLOCK_TIME}`,
    ),
  );
  const selectUnread = prepareQuery({ after: bytes, limit: integer }, ({ after, limit }) =>
    builder
      .selectFrom('unread_machines')
      .select('machine_id')
      .where('machine_id', '>', after)
      .orderBy('machine_id')
      .limit(limit),
  );
  const columns = ['block_number', 'block_hash', 'block_timestamp', 'digest'] as const;
  // A block without a hash was reopened: its logs have times, and only the proof may replace them.
  const selectUntimed = prepareQuery({ below: integer, limit: integer, unknown: bytes }, ({ below, limit, unknown }) =>
    builder
      .selectFrom('log_blocks')
      .select(columns)
      .where('block_timestamp', '=', sql.lit(UNKNOWN_BLOCK_TIME))
      .where('block_hash', '!=', unknown)
      .where('block_number', '<', below)
      .orderBy('block_number', 'desc')
      .limit(limit),
  );
  const selectRange = prepareQuery({ from: integer, to: integer }, ({ from, to }) =>
    builder
      .selectFrom('log_blocks')
      .select([...columns, 'is_proven'])
      .where('block_number', '>=', from)
      .where('block_number', '<=', to)
      .orderBy('block_number'),
  );
  const selectStored = batch(
    { block_number: 'integer' },
    'SELECT l.block_number, l.digest FROM batch CROSS JOIN log_blocks l WHERE l.block_number = batch.block_number',
  );
  const selectNewest = prepareQuery({ from: integer, to: integer, empty: bytes }, ({ from, to, empty }) =>
    builder
      .selectFrom('log_blocks')
      .select('block_number')
      .where('block_number', '>=', from)
      .where('block_number', '<=', to)
      .where('digest', '!=', empty)
      .orderBy('block_number', 'desc')
      .limit(sql.lit(1)),
  );
  const selectUnproven = prepareQuery({ below: integer, limit: integer }, ({ below, limit }) =>
    builder
      .selectFrom('log_blocks')
      .select(columns)
      .where('is_proven', '=', sql.lit(0))
      .where('block_number', '<', below)
      .orderBy('block_number', 'desc')
      .limit(limit),
  );
  const selectExtent = prepareQuery({}, () =>
    builder
      .selectFrom('log_blocks')
      .where('is_proven', '=', sql.lit(0))
      .select(({ fn }) => [
        fn.countAll<number>().as('blocks'),
        fn.min('block_number').as('oldest'),
        fn.max('block_number').as('newest'),
      ]),
  );
  const selectBetween = prepareQuery({ from: integer, to: integer }, ({ from, to }) =>
    builder
      .selectFrom('log_blocks')
      .select('block_number')
      .where('is_proven', '=', sql.lit(0))
      .where('block_number', '>=', from)
      .where('block_number', '<=', to)
      .limit(sql.lit(1)),
  );
  const selectFirst = prepareQuery({ id: bytes, generation: integer }, ({ id, generation }) =>
    builder
      .selectFrom('event_histories as h')
      .innerJoin('event_logs as l', (join) =>
        join.onRef('l.history_id', '=', 'h.history_id').onRef('l.epoch', '=', 'h.epoch'),
      )
      .select('l.block_number')
      .where('h.machine_id', '=', id)
      .where('h.generation', '=', generation)
      .where('l.seq', '=', sql.lit(0)),
  );
  const selectSegments = prepareQuery({}, () =>
    builder.selectFrom('proof_segments').selectAll().orderBy('from_block').orderBy('kind'),
  );
  const selectTouching = prepareQuery({ kind: text, from: integer, to: integer }, ({ kind, from, to }) =>
    builder
      .selectFrom('proof_segments')
      .select(['from_block', 'to_block'])
      .where(sql<boolean>`kind = ${kind}`)
      .where(sql<boolean>`from_block <= ${to} + 1`)
      .where(sql<boolean>`to_block >= ${from} - 1`),
  );
  const deleteSegment = prepareQuery({ kind: text, from: integer }, ({ kind, from }) =>
    builder
      .deleteFrom('proof_segments')
      .where(sql<boolean>`kind = ${kind}`)
      .where('from_block', '=', from),
  );
  const insertSegment = prepareQuery({ kind: text, from: integer, to: integer }, ({ kind, from, to }) =>
    builder.insertInto('proof_segments').values({ kind: sql`${kind}`, from_block: from, to_block: to }),
  );

  function* listSegments(): SqlProgram<readonly ProofSegment[]> {
    const rows = yield* readRows(selectSegments({}));
    return rows.map(({ kind, from_block, to_block }) => ({ fromBlock: from_block, toBlock: to_block, kind }));
  }

  function* listStored(numbers: readonly number[]) {
    const query: Batch<Pick<BlockRow, 'block_number' | 'digest'>> = {
      sql: selectStored,
      batch: numbers.map((number) => [number]),
    };
    return yield* readRows(query);
  }

  return {
    *addUnproven({ blocks, ownershipOf, rereadsOwnership = false }) {
      yield* execute({ sql: insertUnread, batch: ownershipOf.toSorted(compareIds).map((id) => [toIdBytes(id)]) });
      if (rereadsOwnership) yield* execute({ sql: requestRereads, parameters: [] });
      yield* execute({ sql: insertBlocks, batch: blocks.map((block) => toBlockRow(block, 0)) });
    },
    *reopen(numbers) {
      yield* execute({ sql: reopen, batch: numbers.map((number) => [number, UNKNOWN_DIGEST]) });
    },
    *replace(repairs) {
      const rows = repairs.map(({ block, isProven }) => toBlockRow(block, isProven ? 1 : 0));
      yield* execute({ sql: insertBlocks, batch: rows });
    },
    *listRange(from, to) {
      const rows = yield* readRows(selectRange({ from, to }));
      return rows.map((row) => ({ ...toBlock(row), isProven: row.is_proven === 1 }));
    },
    *filterWithLogs(numbers) {
      const withLogs = (yield* listStored(numbers)).filter(({ digest }) => columnToHex(digest) !== NO_LOGS_DIGEST);
      return withLogs.map(({ block_number }) => block_number);
    },
    *filterForgotten(repairs) {
      const segments = yield* listSegments();
      const rows = yield* listStored(repairs.map(({ block }) => block.blockNumber));
      const stored = new Set(rows.map(({ block_number }) => block_number));
      return repairs.filter(({ block: { blockNumber } }) => {
        const isCovered = segments.some(({ fromBlock, toBlock }) => fromBlock <= blockNumber && blockNumber <= toBlock);
        return isCovered && !stored.has(blockNumber);
      });
    },
    *findNewest(from, to) {
      const newest = yield* readFirst(selectNewest({ from, to, empty: hexToColumn(NO_LOGS_DIGEST) }));
      return newest?.block_number;
    },
    *listUnread(after, limit) {
      const rows = yield* readRows(
        selectUnread({ after: after === undefined ? Buffer.alloc(0) : toIdBytes(after), limit }),
      );
      return rows.map(({ machine_id }) => fromIdBytes(machine_id));
    },
    *removeUnread(ids) {
      yield* execute({ sql: deleteUnread, batch: ids.map((id) => [toIdBytes(id)]) });
    },
    *listRereads(limit) {
      return (yield* readRows(selectRereads({ limit }))).map(({ machine_id }) => fromIdBytes(machine_id));
    },
    *recordRereads(through) {
      yield* execute(recordRereads({ through: toIdBytes(through) }));
      yield* execute({ sql: endRereads, parameters: [] });
    },
    *listUntimed(below, limit) {
      return (yield* readRows(selectUntimed({ below, limit, unknown: UNKNOWN_DIGEST }))).map(toBlock);
    },
    *setTimes(times) {
      const rows = times.map(({ blockNumber, blockTimestamp }) => [blockNumber, blockTimestamp]);
      for (const table of timeTables) yield* execute({ sql: table, batch: rows });
    },
    *listUnproven(below, limit) {
      return (yield* readRows(selectUnproven({ below, limit }))).map(toBlock);
    },
    *readExtent() {
      const extent = (yield* readFirst(selectExtent({})))!;
      return extent.blocks === 0 ? undefined : extent;
    },
    *markProven(blocks) {
      const rows = blocks.map(({ blockNumber, blockHash, digest }) => [
        blockNumber,
        hexToColumn(blockHash),
        hexToColumn(digest),
      ]);
      yield* execute({ sql: markProven, batch: rows });
    },
    *forgetProven(from, to) {
      const last = (yield* readFirst(selectLastOfPart({ from, to })))?.block_number;
      yield* execute(deleteBlocks({ from, to: last ?? to }));
      return last === undefined || last >= to ? undefined : last + 1;
    },
    *isProven(from, to) {
      return (yield* readFirst(selectBetween({ from, to }))) === undefined;
    },
    *findFirstBlock({ generation, id }) {
      const first = yield* readFirst(selectFirst({ id: toIdBytes(id), generation: toGenerationNumber(generation) }));
      return first?.block_number;
    },
    listSegments,
    *addSegment({ kind, fromBlock, toBlock }) {
      const touching = yield* readRows(selectTouching({ kind, from: fromBlock, to: toBlock }));
      for (const { from_block } of touching) yield* execute(deleteSegment({ kind, from: from_block }));
      const from = Math.min(fromBlock, ...touching.map(({ from_block }) => from_block));
      const to = Math.max(toBlock, ...touching.map(({ to_block }) => to_block));
      yield* execute(insertSegment({ kind, from, to }));
    },
  };
}

function toBlockRow({ blockNumber, blockHash, blockTimestamp, digest }: LogBlock, isProven: 0 | 1): SqlValue[] {
  return [blockNumber, hexToColumn(blockHash), blockTimestamp, hexToColumn(digest), isProven];
}

function toBlock(row: BlockRow): LogBlock {
  return {
    blockNumber: row.block_number,
    blockHash: columnToHex(row.block_hash),
    blockTimestamp: row.block_timestamp,
    digest: columnToHex(row.digest),
  };
}
