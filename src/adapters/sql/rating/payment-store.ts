/** Claims, citations, verdicts and transfers (`PaymentStore`; design/scoring.md, Sources and payout accounts, Verdict). */
import { sql, type RawBuilder } from 'kysely';
import { TRUST } from '../../../domain/rating/constants.ts';
import type { HomeChain } from '../../../domain/rating/paid/claims.ts';
import type { Flow, OwnAddress } from '../../../domain/rating/paid/flows.ts';
import type { VerdictCode } from '../../../domain/rating/verdict.ts';
import { SECONDS_PER_DAY } from '../../../domain/rating/utc-day.ts';
import type {
  DecidedPayment,
  HandsChange,
  NewCitation,
  OpenCitation,
  PaymentMachine,
  PaymentScan,
  PaymentScanWrite,
  PaymentStore,
  PaymentSummary,
  PlacedClaim,
  StoredVerdict,
  UnscannedMachine,
} from '../../../ports/payment-store.ts';
import { columnToHex } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { bytes, integer, text } from '../engine/prepared-query.ts';
import {
  execute,
  readFirst,
  readRows,
  type SqlDatabase,
  type SqlProgram,
  type SqlValue,
} from '../engine/sql-program.ts';
import { prepareText, type SqlText } from '../engine/prepared-text.ts';

type ClaimRow = Schema['payment_claims'];
type CitationRow = Schema['payment_citations'];

const HOMES: readonly HomeChain[] = ['main', 'alt'];
const TABLES = ['scans', 'claims', 'citations', 'senders', 'flows', 'cited_flows', 'positions'];
/** Transfers of an address may be read from so long before it became own, so that new addresses share windows. */
const SECONDS_BEFORE_SINCE = 3_600;
const FLOW_SECONDS_BEFORE_CITATION = 200 * SECONDS_PER_DAY;

const homeNumber = (home: HomeChain): number => HOMES.indexOf(home);
const keyOf = ({ home, id }: PaymentMachine) => ({ home: homeNumber(home), id: toIdBytes(id) });

export function createPaymentStore(database: SqlDatabase): PaymentStore {
  const { dialect } = database;
  const { batch } = dialect;
  const query = prepareText(dialect);
  const machine = { home: integer, id: bytes };

  const selectFingerprint = query<{ fingerprint: string }>()(
    {},
    (q) => q`SELECT fingerprint FROM payment_configuration`,
  );
  const saveFingerprint = query()(
    { fingerprint: text },
    (q, { fingerprint }) => q`INSERT INTO payment_configuration (only_row, fingerprint) VALUES (1, ${fingerprint})
      ON CONFLICT (only_row) DO UPDATE SET fingerprint = excluded.fingerprint`,
  );
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
  const selectClaims = query<ClaimRow>()(
    machine,
    (q, { home, id }) => q`SELECT * FROM payment_claims WHERE home = ${home} AND machine_id = ${id} ORDER BY seq`,
  );
  const countCited = query<{ total: number }>()(
    { ...machine, from: integer, through: integer },
    (q, { home, id, from, through }) => q`SELECT count(*) AS total FROM payment_citations
      WHERE home = ${home} AND machine_id = ${id} AND block_timestamp BETWEEN ${from} AND ${through}`,
  );
  const selectPlaces = {
    main: query<PlaceRow>()(
      { id: bytes, from: integer, to: integer },
      (q, { id, from, to }) => q`SELECT l.block_number AS block, l.log_index AS place
        FROM event_histories h JOIN event_logs l ON l.history_id = h.history_id AND l.epoch = h.epoch
        WHERE h.machine_id = ${id} AND h.generation = 2 AND l.seq >= ${from} AND l.seq < ${to} ORDER BY l.seq`,
    ),
    alt: query<PlaceRow>()(
      { id: bytes, from: integer, to: integer },
      (q, { id, from, to }) => q`SELECT o.slot AS block, COALESCE(o.position, 0) * 65536 + o.op_order AS place
        FROM alt_machines m JOIN alt_operations o ON o.machine_id = m.machine_id AND o.incarnation = m.incarnation
        WHERE m.machine_id = ${id} AND o.event_index >= ${from} AND o.event_index < ${to} ORDER BY o.event_index`,
    ),
  };
  const selectOwnerLogs = query<PlaceRow & { to_address: Uint8Array | null; block_timestamp: number | null }>()(
    { id: bytes },
    (q, { id }) => q`SELECT block_number AS block, log_index AS place, to_address, block_timestamp FROM registry_logs
      WHERE machine_id = ${id} AND kind = 'transfer' ORDER BY block_number, log_index`,
  );
  const selectVersion = {
    main: query<{ version: number }>()(
      { id: bytes },
      (q, { id }) => q`SELECT epoch AS version FROM event_histories WHERE machine_id = ${id} AND generation = 2`,
    ),
    alt: query<{ version: number }>()(
      { id: bytes },
      (q, { id }) => q`SELECT revision AS version FROM alt_machines WHERE machine_id = ${id}`,
    ),
  };
  const selectScan = query<Schema['payment_scans']>()(
    machine,
    (q, { home, id }) => q`SELECT * FROM payment_scans WHERE home = ${home} AND machine_id = ${id}`,
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
    { ...machine, seq: integer, at: integer },
    (q, { home, id, seq, at }) => q`UPDATE payment_citations SET hands_ended_at = ${at}
      WHERE home = ${home} AND machine_id = ${id} AND seq < ${seq} AND hands_ended_at IS NULL`,
  );
  const openNext = query()(
    { ...machine, source: text },
    (q, { home, id, source }) => q`UPDATE payment_citations SET is_open = 1
      WHERE home = ${home} AND machine_id = ${id} AND seq = (SELECT min(seq) FROM payment_citations
        WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND code = 'pending')`,
  );
  const insertSenders = batch(
    { source: 'text', address: 'text', since: 'integer' },
    `INSERT INTO payment_senders (source, address, since) SELECT source, address, since FROM batch WHERE true
     ON CONFLICT DO NOTHING`,
  );
  const upsertPosition = query()(
    { home: integer, time: integer },
    (q, { home, time }) => q`INSERT INTO payment_positions (home, scanned_through) VALUES (${home}, ${time})
      ON CONFLICT (home) DO UPDATE SET scanned_through = excluded.scanned_through`,
  );
  const selectPosition = query<{ scanned_through: number }>()(
    { home: integer },
    (q, { home }) => q`SELECT scanned_through FROM payment_positions WHERE home = ${home}`,
  );
  const integerType = sql.raw(dialect.columns.integer);
  const selectOpen = query<CitationRow>()(
    { source: text, now: integer, main: integer, alt: integer, home: integer, id: bytes, limit: integer },
    (q, { source, now, main, alt, home, id, limit }) => q`SELECT * FROM payment_citations
      WHERE source = ${source} AND is_open = 1 AND (home, machine_id) > (${home}, ${id}) AND retry_at <= ${now}
        AND block_timestamp <= CASE home WHEN 0 THEN CAST(${main} AS ${integerType}) ELSE CAST(${alt} AS ${integerType}) END
      ORDER BY home, machine_id LIMIT ${limit}`,
  );
  const countOpen = query<{ machines: number; oldest: number | null }>()(
    { source: text, now: integer },
    (q, { source, now }) => q`SELECT count(*) AS machines,
        min(CASE WHEN retry_at <= ${now} THEN block_timestamp END) AS oldest
      FROM payment_citations WHERE source = ${source} AND is_open = 1`,
  );
  const selectClaimsOf = batch(
    { account: 'text' },
    'SELECT c.* FROM batch CROSS JOIN payment_claims c WHERE c.account = batch.account',
  );
  const selectEarlier = query<CitationRow>()(
    { ...machine, source: text, seq: integer, reference: text, payer: text },
    (q, { home, id, source, seq, reference, payer }) => q`SELECT * FROM payment_citations
      WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND seq < ${seq}
        AND code IN ('paid', 'circular', 'already_counted') AND (payer = ${payer} OR reference = ${reference})
      ORDER BY seq`,
  );
  const selectFlows = batch(
    { source: 'text', sender: 'text', receiver: 'text' },
    `SELECT f.* FROM batch JOIN payment_flows f ON f.source = batch.source AND f.sender = batch.sender
     WHERE f.block_time / ${SECONDS_PER_DAY} IN (SELECT p.block_time / ${SECONDS_PER_DAY} FROM payment_flows p
       WHERE p.source = batch.source AND p.sender = batch.sender AND p.receiver = batch.receiver)`,
  );
  const selectCitedFlows = query<FlowRow>()(
    { ...machine, source: text, seq: integer },
    (q, { home, id, source, seq }) => q`SELECT * FROM payment_cited_flows
      WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND seq < ${seq} ORDER BY block, seq, place`,
  );
  const selectSenders = batch(
    { source: 'text', address: 'text', since: 'integer' },
    `SELECT s.through_block FROM batch JOIN payment_senders s
       ON s.source = batch.source AND s.address = batch.address AND s.since = batch.since`,
  );
  const postpone = query()(
    { ...machine, seq: integer, attempts: integer, retryAt: integer },
    (q, { home, id, seq, attempts, retryAt }) => q`UPDATE payment_citations
      SET attempts = ${attempts}, retry_at = ${retryAt}
      WHERE home = ${home} AND machine_id = ${id} AND seq = ${seq} AND is_open = 1`,
  );
  const decide = batch(
    {
      ...{ home: 'integer', machine_id: 'bytes', seq: 'integer', reference: 'text', code: 'text' },
      ...{ paid_cents: 'integer', token: 'text', payer: 'text', worth_cents: 'integer', returned_cents: 'integer' },
      payment_time: 'integer',
    },
    `UPDATE payment_citations SET code = batch.code, is_open = 0, paid_cents = batch.paid_cents, token = batch.token,
       payer = batch.payer, worth_cents = batch.worth_cents, returned_cents = batch.returned_cents,
       payment_time = batch.payment_time
     FROM batch WHERE payment_citations.home = batch.home AND payment_citations.machine_id = batch.machine_id
       AND payment_citations.seq = batch.seq AND payment_citations.reference = batch.reference
       AND payment_citations.is_open = 1`,
  );
  const insertCitedFlows = batch(
    {
      ...{ home: 'integer', machine_id: 'bytes', source: 'text', reference: 'text', place: 'integer', seq: 'integer' },
      ...{ sender: 'text', receiver: 'text', token: 'text', units: 'text', block: 'integer', block_time: 'integer' },
    },
    `INSERT INTO payment_cited_flows (home, machine_id, source, reference, place, seq, sender, receiver, token, units,
       block, block_time)
     SELECT home, machine_id, source, reference, place, seq, sender, receiver, token, units, block, block_time
     FROM batch WHERE true ON CONFLICT DO NOTHING`,
  );
  const selectBehind = query<{ address: string; since: number; through_block: number | null }>()(
    { source: text, block: integer, limit: integer },
    (q, { source, block, limit }) => q`SELECT address, since, through_block FROM payment_senders
      WHERE source = ${source} AND COALESCE(through_block, -1) < ${block}
      ORDER BY COALESCE(through_block, -1), since, address LIMIT ${limit}`,
  );
  const advanceSenders = batch(
    { source: 'text', address: 'text', since: 'integer', through_block: 'integer' },
    `UPDATE payment_senders SET through_block = batch.through_block FROM batch
     WHERE payment_senders.source = batch.source AND payment_senders.address = batch.address
       AND payment_senders.since = batch.since`,
  );
  // A day on which an address became own counts from that time on, as the verdict does.
  const insertFlow = batch(
    {
      ...{ source: 'text', sender: 'text', block: 'integer', place: 'integer', receiver: 'text', token: 'text' },
      ...{ units: 'text', block_time: 'integer', is_whole: 'integer', day_start: 'integer', most: 'integer' },
    },
    `INSERT INTO payment_flows (source, sender, block, place, receiver, token, units, block_time, is_whole)
     SELECT b.source, b.sender, b.block, b.place, b.receiver, b.token, b.units, b.block_time, b.is_whole FROM batch b
     WHERE (SELECT count(*) FROM payment_flows f WHERE f.source = b.source AND f.sender = b.sender
         AND f.is_whole = b.is_whole AND (f.block, f.place) < (b.block, b.place) AND f.block_time >= b.day_start
         AND f.block_time >= COALESCE((SELECT max(s.since) FROM payment_senders s WHERE s.source = b.source
           AND s.address = b.sender AND s.since <= b.block_time), 0)) < b.most
     ON CONFLICT DO NOTHING`,
  );
  const ended = (q: SqlText, seq: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
    q`COALESCE(hands_ended_at, CASE WHEN seq < ${seq} THEN CAST(${at} AS ${integerType}) END)`;
  const blockDay = sql`block_timestamp / ${sql.lit(SECONDS_PER_DAY)}`;
  const mostWeight = sql.lit(TRUST.maxRevenueWeight);
  const selectSums = query<SumRow>()(
    { ...machine, seq: integer, at: integer },
    (q, { home, id, seq, at }) => q`SELECT code, ended_at, block_day, event_day, count(*) AS total,
        CAST(sum(CASE WHEN is_attested = 1 THEN 0 ELSE paid_cents END) AS ${integerType}) AS cents,
        CAST(sum(CASE WHEN is_attested = 1 THEN 0 WHEN paid_cents > ${mostWeight} THEN ${mostWeight}
          ELSE paid_cents END) AS ${integerType}) AS weight
      FROM (SELECT code, is_attested, paid_cents, event_day, ${blockDay} AS block_day, ${ended(q, seq, at)} AS ended_at
        FROM payment_citations WHERE home = ${home} AND machine_id = ${id}) citations
      GROUP BY code, ended_at, block_day, event_day`,
  );
  const selectVerdicts = query<CitationRow>()(
    { ...machine, from: integer, to: integer },
    (q, { home, id, from, to }) => q`SELECT * FROM payment_citations
      WHERE home = ${home} AND machine_id = ${id} AND seq >= ${from} AND seq < ${to} ORDER BY seq`,
  );
  const pruneCitations = query()(
    { before: integer },
    (q, { before }) => q`DELETE FROM payment_citations WHERE block_timestamp < ${before} AND code <> 'pending'`,
  );
  const pruneFlows = (['payment_flows', 'payment_cited_flows'] as const).map((name) =>
    query()(
      { before: integer },
      (q, { before }) => q`DELETE FROM ${sql.raw(name)} WHERE block_time < ${before} AND block_time < COALESCE(
        (SELECT min(block_timestamp) - ${sql.lit(FLOW_SECONDS_BEFORE_CITATION)} FROM payment_citations
          WHERE code = 'pending'), ${before})`,
    ),
  );

  function* use(fingerprint: string): SqlProgram<void> {
    const stored = yield* readFirst(selectFingerprint({}));
    if (stored?.fingerprint === fingerprint) return;
    for (const name of TABLES) yield* execute({ sql: `DELETE FROM payment_${name}`, parameters: [] });
    yield* execute(saveFingerprint({ fingerprint }));
  }

  function* isCurrent(fingerprint: string): SqlProgram<boolean> {
    return (yield* readFirst(selectFingerprint({})))?.fingerprint === fingerprint;
  }

  function* writeScan(write: PaymentScanWrite): SqlProgram<boolean> {
    const key = keyOf(write);
    const { scan, claims, citations, hands, followed } = write;
    const version = yield* readFirst(selectVersion[write.home]({ id: key.id }));
    if (version?.version !== scan.version) return false;
    const stored = yield* readFirst(selectScan(key));
    if (stored !== undefined && stored.version !== scan.version) {
      for (const remove of removeOf) yield* execute({ sql: remove, batch: [[key.home, key.id]] });
    }
    const hasClaims = claims.some(({ end }) => end === undefined) ? 1 : 0;
    const row = [key.home, key.id, scan.version, scan.claimsSeq, scan.citedSeq, scan.throughBlock, hasClaims];
    yield* execute({ sql: upsertScan, batch: [row] });
    yield* execute({ sql: upsertClaims, batch: claims.map((claim) => toClaimRow(write, claim)) });
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

  function* decideOne(citation: OpenCitation, { verdict, time, flows }: DecidedPayment): SqlProgram<void> {
    const key = keyOf(citation);
    const { seq, source, reference } = citation;
    const row: SqlValue[] = [key.home, key.id, seq, reference, verdict.code, verdict.paidCents];
    row.push(verdict.token, verdict.payer, verdict.worthCents, verdict.returnedCents, time ?? null);
    const decided = yield* execute({ sql: decide, batch: [row] });
    if (decided === 0) return;
    yield* execute({
      sql: insertCitedFlows,
      batch: flows.map(({ from, to, token, units, block, time: at }, place) => [
        ...[key.home, key.id, source, reference, place, seq, from, to, token, units.toString(), block, at],
      ]),
    });
    yield* execute(openNext({ ...key, source }));
  }

  /** Returns whether rows of the machine belong to the configuration and the current history. */
  function* readCurrentScan(fingerprint: string, of: PaymentMachine): SqlProgram<Schema['payment_scans'] | undefined> {
    if (!(yield* isCurrent(fingerprint))) return undefined;
    const scan = yield* readFirst(selectScan(keyOf(of)));
    const history = yield* readFirst(selectVersion[of.home]({ id: toIdBytes(of.id) }));
    return scan?.version === history?.version ? scan : undefined;
  }

  function* readSummary(
    fingerprint: string,
    of: PaymentMachine,
    change: HandsChange | undefined,
  ): SqlProgram<PaymentSummary> {
    const nothing = { scan: undefined, claims: [], moves: [], counts: [] };
    const scan = yield* readCurrentScan(fingerprint, of);
    if (scan === undefined) return nothing;
    const claims = (yield* readRows(selectClaims(keyOf(of)))).map(fromClaimRow);
    const sums = yield* readRows(selectSums({ ...keyOf(of), seq: change?.seq ?? 0, at: change?.at ?? 0 }));
    return {
      scan: fromScanRow(scan),
      claims,
      moves: sums
        .filter(({ cents }) => cents > 0)
        .map(({ block_day: blockDay, event_day: day, cents, weight, ended_at: endedAt }) => ({
          ...{ blockDay, day, cents, weight, endedAt: endedAt ?? undefined },
        })),
      counts: sums.map(({ code, block_day: blockDay, total: count }) => ({
        code: code as VerdictCode,
        blockDay,
        count,
      })),
    };
  }

  function* listVerdictsOf(
    fingerprint: string,
    of: PaymentMachine,
    from: number,
    to: number,
  ): SqlProgram<readonly StoredVerdict[]> {
    if ((yield* readCurrentScan(fingerprint, of)) === undefined) return [];
    return (yield* readRows(selectVerdicts({ ...keyOf(of), from, to }))).map((row) => ({
      ...{ seq: row.seq, source: row.source, code: row.code as VerdictCode, paidCents: row.paid_cents },
      ...{ token: row.token, payer: row.payer, worthCents: row.worth_cents, returnedCents: row.returned_cents },
    }));
  }

  function* readFlowsTo(
    citation: OpenCitation,
    senders: readonly string[],
    payer: string,
  ): SqlProgram<readonly Flow[]> {
    const { source, seq } = citation;
    const batchRows = senders.map((sender) => [source, sender, payer]);
    const logged = yield* readRows<FlowRow>({ sql: selectFlows, batch: batchRows });
    const cited = yield* readRows(selectCitedFlows({ ...keyOf(citation), source, seq }));
    return [...logged.toSorted(compareFlowRows), ...cited].map(fromFlowRow);
  }

  function* prune(citationsBefore: number, flowsBefore: number): SqlProgram<void> {
    yield* execute(pruneCitations({ before: citationsBefore }));
    for (const remove of pruneFlows) yield* execute(remove({ before: flowsBefore }));
  }

  return {
    usePaymentConfiguration: (fingerprint) => database.exclusive(use(fingerprint)),
    async listUnscanned(home, limit, after) {
      const rows = await database.run(
        readRows(selectUnscanned[home]({ after: after === undefined ? Buffer.alloc(0) : toIdBytes(after), limit })),
      );
      return rows.map((row) => toUnscanned(home, row));
    },
    listClaims: async (of) => (await database.run(readRows(selectClaims(keyOf(of))))).map(fromClaimRow),
    countCitations: async (of, from, through) =>
      (await database.run(readFirst(countCited({ ...keyOf(of), from, through }))))!.total,
    async listEventPlaces({ home, id }, from, to) {
      const rows = await database.run(readRows(selectPlaces[home]({ id: toIdBytes(id), from, to })));
      return rows.map(({ block, place }) => ({ block, index: place }));
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
    writeScannedThrough: async (home, time) => {
      await database.run(execute(upsertPosition({ home: homeNumber(home), time })));
    },
    readScannedThrough: async (home) =>
      (await database.run(readFirst(selectPosition({ home: homeNumber(home) }))))?.scanned_through ?? -1,
    async listOpenCitations(source, { nowMilliseconds: now, throughTimes }, limit, after) {
      const place = after === undefined ? { home: -1, id: Buffer.alloc(0) } : keyOf(after);
      const rows = await database.run(readRows(selectOpen({ source, now, ...throughTimes, ...place, limit })));
      return rows.map(fromCitationRow);
    },
    async countOpenCitations(source, now) {
      const { machines, oldest } = (await database.run(readFirst(countOpen({ source, now }))))!;
      return { machines, oldest: oldest ?? undefined };
    },
    async listClaimsOf(accounts, except, throughTime) {
      const rows = await database.run(
        readRows<ClaimRow>({ sql: selectClaimsOf, batch: accounts.map((account) => [account]) }),
      );
      return rows
        .filter(({ since }) => since <= throughTime)
        .map((row) => ({ ...fromClaimRow(row), home: HOMES[row.home]!, id: fromIdBytes(row.machine_id) }))
        .filter(({ home, id }) => home !== except.home || id !== except.id);
    },
    async listEarlierPayments(citation, payer) {
      const { source, seq, reference } = citation;
      const rows = await database.run(readRows(selectEarlier({ ...keyOf(citation), source, seq, reference, payer })));
      return rows.map((row) => ({
        ...{ source, reference: row.reference, token: row.token!, payer: row.payer! },
        ...{ worthCents: row.worth_cents!, paidCents: row.paid_cents, time: row.payment_time! },
      }));
    },
    listFlowsTo: (citation, senders, payer) => database.snapshot(readFlowsTo(citation, senders, payer)),
    async readFlowsThrough(source, own) {
      const rows = await database.run(
        readRows<{ through_block: number | null }>({
          sql: selectSenders,
          batch: own.map(({ address, since }) => [source, address, since]),
        }),
      );
      return rows.length < own.length ? -1 : Math.min(...rows.map((row) => row.through_block ?? -1));
    },
    postponeCitation: async (citation, retryAt) => {
      const { seq, attempts } = citation;
      await database.run(execute(postpone({ ...keyOf(citation), seq, attempts: attempts + 1, retryAt })));
    },
    decideCitation: (citation, decided) => database.exclusive(decideOne(citation, decided)),
    async findFlowWindow(source, block, limit) {
      const rows = await database.run(readRows(selectBehind({ source, block, limit })));
      const first = rows[0];
      if (first === undefined) return undefined;
      const isTogether =
        first.through_block === null
          ? (row: typeof first) => row.through_block === null && row.since <= first.since + SECONDS_BEFORE_SINCE
          : (row: typeof first) => row.through_block === first.through_block;
      const addresses = rows.filter(isTogether).map(({ address, since }) => ({ address, since }));
      return { addresses, throughBlock: first.through_block ?? undefined };
    },
    writeFlows: (source, addresses, throughBlock, transfers, maxPerDay) =>
      database.exclusive(
        (function* (): SqlProgram<void> {
          // One statement per row, because each counts the rows before it.
          for (const { from, to, token, units, block, logIndex, time, isWhole } of transfers) {
            const dayStart = time - (time % SECONDS_PER_DAY);
            const row = [source, from, block, logIndex, to, token, units.toString(), time, isWhole ? 1 : 0];
            yield* execute({ sql: insertFlow, batch: [[...row, dayStart, maxPerDay]] });
          }
          yield* execute({
            sql: advanceSenders,
            batch: addresses.map(({ address, since }: OwnAddress) => [source, address, since, throughBlock]),
          });
        })(),
      ),
    readPaymentSummary: (fingerprint, of, change) => database.snapshot(readSummary(fingerprint, of, change)),
    listVerdicts: (fingerprint, of, from, to) => database.snapshot(listVerdictsOf(fingerprint, of, from, to)),
    prunePayments: (citationsBefore, flowsBefore) => database.transaction(prune(citationsBefore, flowsBefore)),
  };
}

interface UnscannedRow {
  readonly machine_id: Uint8Array;
  readonly history_version: number;
  readonly event_count: number;
  readonly version: number | null;
  readonly claims_seq: number | null;
  readonly cited_seq: number | null;
  readonly through_block: number | null;
}

interface PlaceRow {
  readonly block: number;
  readonly place: number;
}

interface SumRow {
  readonly code: string;
  readonly ended_at: number | null;
  readonly block_day: number;
  readonly event_day: number;
  readonly total: number;
  readonly cents: number;
  readonly weight: number;
}

type FlowRow = PlaceRow &
  Pick<Schema['payment_flows'], 'sender' | 'receiver' | 'token' | 'units' | 'block' | 'block_time'>;

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

function fromScanRow(row: Schema['payment_scans']): PaymentScan {
  const { version, claims_seq: claimsSeq, cited_seq: citedSeq, through_block: throughBlock } = row;
  return { version, claimsSeq, citedSeq, throughBlock };
}

function toClaimRow(of: PaymentMachine, { seq, account, owner, since, place, end }: PlacedClaim): SqlValue[] {
  const { home, id } = keyOf(of);
  return [home, id, seq, account, owner, since, place.block, place.index, end?.at ?? null, end?.seq ?? null];
}

function fromClaimRow(row: ClaimRow): PlacedClaim {
  const { account, owner, since, seq, block, place: index, end_at: at, end_seq: endSeq } = row;
  const end = at === null || endSeq === null ? undefined : { at, seq: endSeq };
  return { account, owner, since, seq, end, place: { block, index } };
}

function toCitationRow(of: PaymentMachine, citation: NewCitation): SqlValue[] {
  const { home, id } = keyOf(of);
  const { seq, source, reference, cents, day, timestamp, blockTimestamp, isAttested } = citation;
  return [home, id, seq, source, reference, cents, day, timestamp, blockTimestamp, isAttested ? 1 : 0];
}

function fromCitationRow(row: CitationRow): OpenCitation {
  return {
    home: HOMES[row.home]!,
    id: fromIdBytes(row.machine_id),
    seq: row.seq,
    source: row.source,
    reference: row.reference,
    cents: row.cents,
    day: row.event_day,
    timestamp: row.event_timestamp,
    blockTimestamp: row.block_timestamp,
    isAttested: row.is_attested === 1,
    attempts: row.attempts,
  };
}

function fromFlowRow({ sender: from, receiver: to, token, units, block, block_time: time }: FlowRow): Flow {
  return { from, to, token, units: BigInt(units), block, time };
}

function compareFlowRows(a: PlaceRow, b: PlaceRow): number {
  return a.block - b.block || a.place - b.place;
}
