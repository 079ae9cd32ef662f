/** Scans of machines for payments: which are due, and their claims and citations (design/scoring.md, Sources and payout accounts). */
import { sql } from 'kysely';
import type { HomeChain } from '../../../domain/rating/paid/claims.ts';
import { PLACES_PER_TRANSACTION } from '../../../ports/payment-store.ts';
import type {
  NewCitation,
  PaymentMachine,
  PaymentScanWrite,
  PaymentStore,
  PlacedClaim,
  UnscannedMachine,
} from '../../../ports/payment-store.ts';
import { MAX_MACHINE_LOGS } from '../../../ports/store.ts';
import { bytes, integer } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import {
  execute,
  readFirst,
  readRows,
  type SqlDatabase,
  type SqlProgram,
  type SqlValue,
} from '../engine/sql-program.ts';
import { columnToHex } from '../schema/hex-columns.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import {
  fromClaimRow,
  homeNumber,
  keyOf,
  MACHINE,
  prepareClaims,
  prepareOpenNext,
  type PlaceRow,
} from './payment-rows.ts';
import type { ScanReads } from './scan-reads.ts';
import { createVerdictRemoval, listClaimChanges } from './verdict-removal.ts';

type PaymentScans = Pick<
  PaymentStore,
  | 'listUnscanned'
  | 'listClaims'
  | 'countCitations'
  | 'listEventPlaces'
  | 'listOwnerLogs'
  | 'writePaymentScan'
  | 'writeScannedThrough'
  | 'readScannedThrough'
>;

export function createPaymentScans(
  database: SqlDatabase,
  { readScan, readVersion, holdsUsed }: ScanReads,
): PaymentScans {
  const { dialect } = database;
  const { batch } = dialect;
  const query = prepareText(dialect);
  const openNext = prepareOpenNext(dialect);

  const selectUnscanned = {
    main: query<UnscannedRow>()(
      { after: bytes, limit: integer },
      (q, { after, limit }) => q`SELECT h.machine_id, h.epoch AS history_version, h.log_count AS event_count,
          s.version, s.claims_seq, s.cited_seq, s.through_block
        FROM event_histories h
        LEFT JOIN payment_scans s ON s.home = 0 AND s.machine_id = h.machine_id
        WHERE h.generation = 2 AND h.machine_id > ${after} AND (
          (s.version IS NULL AND h.log_count > 0) OR s.version <> h.epoch OR s.cited_seq < h.log_count
          OR (s.has_claims = 1 AND EXISTS (SELECT 1 FROM registry_logs r
            WHERE r.machine_id = h.machine_id AND r.kind = 'transfer' AND r.block_number > s.through_block)))
          AND (SELECT r.log_index FROM registry_logs r
            WHERE r.machine_id = h.machine_id LIMIT 1 OFFSET ${sql.lit(MAX_MACHINE_LOGS)}) IS NULL
        ORDER BY h.machine_id LIMIT ${limit}`,
    ),
    alt: query<UnscannedRow>()(
      { after: bytes, limit: integer },
      (q, { after, limit }) => q`SELECT m.machine_id, m.revision AS history_version, m.event_count,
          s.version, s.claims_seq, s.cited_seq, s.through_block
        FROM alt_machines m
        LEFT JOIN payment_scans s ON s.home = 1 AND s.machine_id = m.machine_id
        WHERE m.machine_id > ${after} AND m.problem IS NULL AND (
          (s.version IS NULL AND m.event_count > 0) OR s.version <> m.revision OR s.cited_seq < m.event_count)
        ORDER BY m.machine_id LIMIT ${limit}`,
    ),
  };
  const selectClaims = prepareClaims(dialect);
  const countCited = query<{ total: number }>()(
    { ...MACHINE, before: integer, since: integer },
    (q, { home, id, before, since }) => q`SELECT count(*) AS total FROM payment_citations
      WHERE home = ${home} AND machine_id = ${id} AND seq < ${before} AND block_timestamp >= ${since}`,
  );
  const selectPlaces = {
    main: query<EventPlaceRow>()(
      { id: bytes, from: integer, to: integer },
      (q, { id, from, to }) => q`SELECT l.block_number AS block, l.log_index AS place, NULL AS unplaced
        FROM event_histories h JOIN event_logs l ON l.history_id = h.history_id AND l.epoch = h.epoch
        WHERE h.machine_id = ${id} AND h.generation = 2 AND l.seq >= ${from} AND l.seq < ${to} ORDER BY l.seq`,
    ),
    alt: query<EventPlaceRow>()(
      { id: bytes, from: integer, to: integer },
      (q, { id, from, to }) => q`SELECT o.slot AS block,
          COALESCE(o.position, 0) * ${sql.lit(PLACES_PER_TRANSACTION)} + o.op_order AS place,
          CASE WHEN o.position IS NULL THEN o.signature END AS unplaced
        FROM alt_machines m JOIN alt_operations o ON o.machine_id = m.machine_id AND o.incarnation = m.incarnation
        WHERE m.machine_id = ${id} AND o.event_index >= ${from} AND o.event_index < ${to} ORDER BY o.event_index`,
    ),
  };
  const selectOwnerLogs = query<PlaceRow & { to_address: Uint8Array | null; block_timestamp: number | null }>()(
    { id: bytes },
    (q, { id }) => q`SELECT block_number AS block, log_index AS place, to_address, block_timestamp FROM registry_logs
      WHERE machine_id = ${id} AND kind = 'transfer' ORDER BY block_number, log_index`,
  );
  const removeOf = ['claims', 'citations', 'cited_flows'].map((name) =>
    batch(
      { home: 'integer', machine_id: 'bytes' },
      `DELETE FROM payment_${name} WHERE (home, machine_id) IN (SELECT home, machine_id FROM batch)`,
    ),
  );
  const upsertScan = batch(
    {
      ...{ home: 'integer', machine_id: 'bytes', version: 'integer', claims_seq: 'integer', cited_seq: 'integer' },
      ...{ through_block: 'integer', has_claims: 'integer' },
    },
    `INSERT INTO payment_scans (home, machine_id, version, claims_seq, cited_seq, through_block, has_claims)
     SELECT home, machine_id, version, claims_seq, cited_seq, through_block, has_claims FROM batch WHERE true
     ON CONFLICT (home, machine_id) DO UPDATE SET version = excluded.version, claims_seq = excluded.claims_seq,
       cited_seq = excluded.cited_seq, through_block = excluded.through_block, has_claims = excluded.has_claims`,
  );
  const upsertClaims = batch(
    {
      ...{ home: 'integer', machine_id: 'bytes', seq: 'integer', account: 'text', owner: 'text', since: 'integer' },
      ...{ block: 'integer', place: 'integer', end_at: 'integer', end_seq: 'integer' },
    },
    `INSERT INTO payment_claims (home, machine_id, seq, account, owner, since, block, place, end_at, end_seq)
     SELECT home, machine_id, seq, account, owner, since, block, place, end_at, end_seq FROM batch WHERE true
     ON CONFLICT (home, machine_id, seq) DO UPDATE SET end_at = excluded.end_at, end_seq = excluded.end_seq`,
  );
  const insertCitations = batch(
    {
      ...{ home: 'integer', machine_id: 'bytes', seq: 'integer', source: 'text', reference: 'text', cents: 'integer' },
      ...{ event_day: 'integer', event_timestamp: 'integer', block_timestamp: 'integer', is_attested: 'integer' },
    },
    `INSERT INTO payment_citations (home, machine_id, seq, source, reference, cents, event_day, event_timestamp,
       block_timestamp, is_attested, code, is_open, attempts, retry_at, paid_cents)
     SELECT home, machine_id, seq, source, reference, cents, event_day, event_timestamp, block_timestamp, is_attested,
       'pending', 0, 0, 0, 0 FROM batch WHERE true ON CONFLICT DO NOTHING`,
  );
  const endHands = query()(
    { ...MACHINE, seq: integer, at: integer },
    (q, { home, id, seq, at }) => q`UPDATE payment_citations SET hands_ended_at = ${at}
      WHERE home = ${home} AND machine_id = ${id} AND seq < ${seq} AND hands_ended_at IS NULL`,
  );
  const insertSenders = batch(
    { source: 'text', address: 'text', since: 'integer' },
    `INSERT INTO payment_senders (source, address, since) SELECT source, address, since FROM batch WHERE true
     ON CONFLICT DO NOTHING`,
  );
  const upsertPosition = query()(
    { home: integer, time: integer },
    (q, { home, time }) => q`INSERT INTO payment_positions (home, scanned_through) VALUES (${home}, ${time})
      ON CONFLICT (home) DO UPDATE SET scanned_through = excluded.scanned_through
      WHERE excluded.scanned_through > payment_positions.scanned_through`,
  );
  const selectPosition = query<{ scanned_through: number }>()(
    { home: integer },
    (q, { home }) => q`SELECT scanned_through FROM payment_positions WHERE home = ${home}`,
  );

  const verdicts = createVerdictRemoval(database);

  function* writeScan(write: PaymentScanWrite): SqlProgram<boolean> {
    const key = keyOf(write);
    const { previous, scan, claims, citations, hands, followed } = write;
    if (!(yield* holdsUsed()) || (yield* readVersion(write)) !== scan.version) return false;
    const stored = yield* readScan(write);
    const current = stored?.version === scan.version ? stored : undefined;
    const isContinued =
      current?.claims_seq === previous?.claimsSeq &&
      current?.cited_seq === previous?.citedSeq &&
      current?.through_block === previous?.throughBlock;
    if (!isContinued) return false;
    const isRescan = stored !== undefined && current === undefined;
    // Most machines have no claims, and within a version none are removed.
    const before = isRescan || claims.length > 0 ? (yield* readRows(selectClaims(key))).map(fromClaimRow) : [];
    if (isRescan) {
      for (const remove of removeOf) yield* execute({ sql: remove, batch: [[key.home, key.id]] });
      // A verdict may be in the making for an event of the old history.
      yield* verdicts.countChange();
    }
    const hasClaims = claims.some(({ end }) => end === undefined) ? 1 : 0;
    const row = [key.home, key.id, scan.version, scan.claimsSeq, scan.citedSeq, scan.throughBlock, hasClaims];
    yield* execute({ sql: upsertScan, batch: [row] });
    yield* execute({ sql: upsertClaims, batch: claims.map((claim) => toClaimRow(write, claim)) });
    yield* verdicts.removeDependent(write, listClaimChanges(before, claims));
    yield* execute({ sql: insertCitations, batch: citations.map((citation) => toCitationRow(write, citation)) });
    for (const { seq, at } of hands) yield* execute(endHands({ ...key, seq, at }));
    yield* execute({
      sql: insertSenders,
      batch: followed.map(({ source, address, since }) => [source, address, since]),
    });
    for (const source of new Set(citations.map((citation) => citation.source))) {
      yield* execute(openNext({ ...key, source }));
    }
    return true;
  }

  function* writeThrough(home: HomeChain, time: number): SqlProgram<void> {
    if (yield* holdsUsed()) yield* execute(upsertPosition({ home: homeNumber(home), time }));
  }

  return {
    async listUnscanned(home, limit, after) {
      const rows = await database.run(
        readRows(selectUnscanned[home]({ after: after === undefined ? Buffer.alloc(0) : toIdBytes(after), limit })),
      );
      return rows.map((row) => toUnscanned(home, row));
    },
    listClaims: async (of) => (await database.run(readRows(selectClaims(keyOf(of))))).map(fromClaimRow),
    countCitations: async (of, before, since) =>
      (await database.run(readFirst(countCited({ ...keyOf(of), before, since }))))!.total,
    async listEventPlaces({ home, id }, from, to) {
      const rows = await database.run(readRows(selectPlaces[home]({ id: toIdBytes(id), from, to })));
      return rows.map(({ block, place: index, unplaced }) => ({
        block,
        index,
        unplacedTransaction: unplaced ?? undefined,
      }));
    },
    async listOwnerLogs(id) {
      const rows = await database.run(readRows(selectOwnerLogs({ id: toIdBytes(id) })));
      return rows.map(({ block, place, to_address: to, block_timestamp: blockTimestamp }) => ({
        place: { block, index: place },
        to: to === null ? undefined : columnToHex(to),
        blockTimestamp: blockTimestamp ?? 0,
      }));
    },
    writePaymentScan: (write) => database.exclusive(writeScan(write)),
    writeScannedThrough: (home, time) => database.exclusive(writeThrough(home, time)),
    readScannedThrough: async (home) =>
      (await database.run(readFirst(selectPosition({ home: homeNumber(home) }))))?.scanned_through ?? -1,
  };
}

type EventPlaceRow = PlaceRow & { readonly unplaced: string | null };

interface UnscannedRow {
  readonly machine_id: Uint8Array;
  readonly history_version: number;
  readonly event_count: number;
  readonly version: number | null;
  readonly claims_seq: number | null;
  readonly cited_seq: number | null;
  readonly through_block: number | null;
}

function toUnscanned(home: HomeChain, row: UnscannedRow): UnscannedMachine {
  const isScanned = row.version === row.history_version;
  return {
    home,
    id: fromIdBytes(row.machine_id),
    version: row.history_version,
    eventCount: row.event_count,
    scan: isScanned
      ? {
          ...{ version: row.version, claimsSeq: row.claims_seq!, citedSeq: row.cited_seq! },
          throughBlock: row.through_block!,
        }
      : undefined,
  };
}

function toClaimRow(of: PaymentMachine, { seq, account, owner, since, place, end }: PlacedClaim): SqlValue[] {
  const { home, id } = keyOf(of);
  return [home, id, seq, account, owner, since, place.block, place.index, end?.at ?? null, end?.seq ?? null];
}

function toCitationRow(of: PaymentMachine, citation: NewCitation): SqlValue[] {
  const { home, id } = keyOf(of);
  const { seq, source, reference, cents, day, timestamp, blockTimestamp, isAttested } = citation;
  return [home, id, seq, source, reference, cents, day, timestamp, blockTimestamp, isAttested ? 1 : 0];
}
