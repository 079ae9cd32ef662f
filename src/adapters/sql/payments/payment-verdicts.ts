/** Citations and their verdicts (design/scoring.md, Verdict). */
import { sql, type RawBuilder } from 'kysely';
import { PAYMENT, TRUST } from '../../../domain/rating/constants.ts';
import { SECONDS_PER_DAY } from '../../../domain/rating/utc-day.ts';
import type { VerdictCode } from '../../../domain/rating/verdict.ts';
import { MAX_POSTPONED_MILLISECONDS } from '../../../ports/payment-store.ts';
import type {
  DecidedPayment,
  HandsChange,
  OpenCitation,
  PaymentMachine,
  PaymentScan,
  PaymentStore,
  PaymentSummary,
  StoredVerdict,
} from '../../../ports/payment-store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import { bytes, integer, text } from '../engine/prepared-query.ts';
import { prepareText, type SqlText } from '../engine/prepared-text.ts';
import {
  countChanges,
  execute,
  readFirst,
  readRows,
  type SqlDatabase,
  type SqlProgram,
  type SqlValue,
} from '../engine/sql-program.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes } from '../schema/stored-machine-id.ts';
import {
  CLAIM_REVISION,
  fromCitationRow,
  fromClaimRow,
  HOMES,
  keyOf,
  MACHINE,
  prepareClaims,
  prepareOpenNext,
  type CitationRow,
  type ClaimRow,
  type OpenCitationRow,
} from './payment-rows.ts';
import type { ScanReads } from './scan-reads.ts';

type PaymentVerdicts = Pick<
  PaymentStore,
  | 'listOpenCitations'
  | 'countOpenCitations'
  | 'listClaimsOf'
  | 'listEarlierPayments'
  | 'postponeCitation'
  | 'decideCitation'
  | 'readPaymentSummary'
  | 'listVerdicts'
>;

export function createPaymentVerdicts(
  database: SqlDatabase,
  { readCurrentScan, holdsUsed }: ScanReads,
): PaymentVerdicts {
  const { dialect } = database;
  const { batch } = dialect;
  const query = prepareText(dialect);
  const openNext = prepareOpenNext(dialect);
  const observed = createTouchedMachines(dialect);
  const selectClaims = prepareClaims(dialect);

  const integerType = sql.raw(dialect.columns.integer);
  const isRetried = (q: SqlText, now: RawBuilder<unknown>, latest: RawBuilder<unknown>) =>
    q`(retry_at <= ${now} OR retry_at > ${latest})`;
  const selectOpen = query<OpenCitationRow>()(
    {
      source: text,
      now: integer,
      latest: integer,
      main: integer,
      alt: integer,
      home: integer,
      id: bytes,
      limit: integer,
    },
    (
      q,
      { source, now, latest, main, alt, home, id, limit },
    ) => q`SELECT payment_citations.*, ${sql.raw(CLAIM_REVISION)} AS claim_revision
      FROM payment_citations WHERE source = ${source} AND is_open = 1 AND (home, machine_id) > (${home}, ${id})
        AND ${isRetried(q, now, latest)}
        AND block_timestamp <= CASE home WHEN 0 THEN CAST(${main} AS ${integerType}) ELSE CAST(${alt} AS ${integerType}) END
      ORDER BY home, machine_id LIMIT ${limit}`,
  );
  const countOpen = query<{ machines: number; oldest: number | null }>()(
    { source: text, now: integer, latest: integer },
    (q, { source, now, latest }) => q`SELECT count(*) AS machines,
        min(CASE WHEN ${isRetried(q, now, latest)} THEN block_timestamp END) AS oldest
      FROM payment_citations WHERE source = ${source} AND is_open = 1`,
  );
  const selectClaimsOf = batch(
    { account: 'text' },
    'SELECT c.* FROM batch CROSS JOIN payment_claims c WHERE c.account = batch.account',
  );
  // With `+seq` SQLite reads the payments of the payer by their index, and not all of the machine.
  const isEarlier = sql.raw("code IN ('paid', 'circular', 'already_counted')");
  const selectEarlier = query<CitationRow>()(
    { ...MACHINE, source: text, seq: integer, reference: text, payer: text, since: integer, citedSince: integer },
    (q, { home, id, source, seq, reference, payer, since, citedSince }) => q`SELECT * FROM payment_citations
        WHERE payer = ${payer} AND home = ${home} AND machine_id = ${id} AND payment_time >= ${since}
          AND source = ${source} AND +seq < ${seq} AND ${isEarlier}
      UNION SELECT * FROM payment_citations
        WHERE home = ${home} AND machine_id = ${id} AND seq < ${seq} AND seq > COALESCE((SELECT seq FROM payment_citations
            WHERE home = ${home} AND machine_id = ${id} AND seq < ${seq} AND block_timestamp < ${citedSince}
            ORDER BY seq DESC LIMIT 1), -1)
          AND source = ${source} AND reference = ${reference} AND ${isEarlier}
      ORDER BY seq`,
  );
  const postpone = query()(
    { ...MACHINE, seq: integer, attempts: integer, retryAt: integer },
    (q, { home, id, seq, attempts, retryAt }) => q`UPDATE payment_citations
      SET attempts = ${attempts}, retry_at = ${retryAt}
      WHERE home = ${home} AND machine_id = ${id} AND seq = ${seq} AND is_open = 1`,
  );
  const decide = batch(
    {
      ...{ home: 'integer', machine_id: 'bytes', seq: 'integer', reference: 'text', code: 'text' },
      ...{ paid_cents: 'integer', token: 'text', payer: 'text', worth_cents: 'integer', returned_cents: 'integer' },
      ...{ payment_time: 'integer', claim_revision: 'integer' },
    },
    `UPDATE payment_citations SET code = batch.code, is_open = 0, paid_cents = batch.paid_cents, token = batch.token,
       payer = batch.payer, worth_cents = batch.worth_cents, returned_cents = batch.returned_cents,
       payment_time = batch.payment_time
     FROM batch WHERE payment_citations.home = batch.home AND payment_citations.machine_id = batch.machine_id
       AND payment_citations.seq = batch.seq AND payment_citations.reference = batch.reference
       AND payment_citations.is_open = 1 AND batch.claim_revision = ${CLAIM_REVISION}`,
  );
  const selectCitedFlow = query<{ seq: number }>()(
    { ...MACHINE, source: text, reference: text },
    (q, { home, id, source, reference }) => q`SELECT seq FROM payment_cited_flows
      WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND reference = ${reference} LIMIT 1`,
  );
  const insertCitedFlows = batch(
    {
      ...{ home: 'integer', machine_id: 'bytes', source: 'text', reference: 'text', place: 'integer', seq: 'integer' },
      ...{ sender: 'text', receiver: 'text', token: 'text', units: 'text', block: 'integer', block_time: 'integer' },
    },
    `INSERT INTO payment_cited_flows (home, machine_id, source, reference, place, seq, sender, receiver, token, units,
       block, block_time)
     SELECT home, machine_id, source, reference, place, seq, sender, receiver, token, units, block, block_time
     FROM batch`,
  );
  const ended = (q: SqlText, seq: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
    q`COALESCE(hands_ended_at, CASE WHEN seq < ${seq} THEN CAST(${at} AS ${integerType}) END)`;
  const blockDay = sql`block_timestamp / ${sql.lit(SECONDS_PER_DAY)}`;
  const mostWeight = sql.lit(TRUST.maxRevenueWeight);
  const selectSums = query<SumRow>()(
    { ...MACHINE, seq: integer, at: integer, count: integer },
    (q, { home, id, seq, at, count }) => q`SELECT code, ended_at, block_day, event_day, count(*) AS total,
        CAST(sum(CASE WHEN is_attested = 1 THEN 0 ELSE paid_cents END) AS ${integerType}) AS cents,
        CAST(sum(CASE WHEN is_attested = 1 THEN 0 WHEN paid_cents > ${mostWeight} THEN ${mostWeight}
          ELSE paid_cents END) AS ${integerType}) AS weight
      FROM (SELECT code, is_attested, paid_cents, event_day, ${blockDay} AS block_day, ${ended(q, seq, at)} AS ended_at
        FROM payment_citations WHERE home = ${home} AND machine_id = ${id} AND seq < ${count}) citations
      GROUP BY code, ended_at, block_day, event_day`,
  );
  const selectVerdicts = query<CitationRow>()(
    { ...MACHINE, from: integer, to: integer },
    (q, { home, id, from, to }) => q`SELECT * FROM payment_citations
      WHERE home = ${home} AND machine_id = ${id} AND seq >= ${from} AND seq < ${to} ORDER BY seq`,
  );

  function* decideOne(citation: OpenCitation, { verdict, time, flows }: DecidedPayment): SqlProgram<void> {
    if (!(yield* holdsUsed())) return;
    const key = keyOf(citation);
    const { seq, source, reference, claimRevision } = citation;
    const row: SqlValue[] = [key.home, key.id, seq, reference, verdict.code, verdict.paidCents];
    row.push(verdict.token, verdict.payer, verdict.worthCents, verdict.returnedCents, time ?? null, claimRevision);
    const decided = yield* countChanges({ sql: decide, batch: [row] });
    if (decided === 0) return;
    // The first ones are complete: only accounts that were claimed up to the payment count, and a claim that is found later removes them.
    const isStored =
      flows.length > 0 && (yield* readFirst(selectCitedFlow({ ...key, source, reference }))) !== undefined;
    yield* execute({
      sql: insertCitedFlows,
      batch: (isStored ? [] : flows).map(({ from, to, token, units, block, time: at }, place) => [
        ...[key.home, key.id, source, reference, place, seq, from, to, token, units.toString(), block, at],
      ]),
    });
    yield* execute(openNext({ ...key, source }));
    yield* observed.touch({ machines: [citation.id], kybOperators: [] });
  }

  function* postponeOne(citation: OpenCitation, retryAt: number): SqlProgram<void> {
    const { seq, attempts } = citation;
    if (yield* holdsUsed()) yield* execute(postpone({ ...keyOf(citation), seq, attempts: attempts + 1, retryAt }));
  }

  function* readSummary(
    fingerprint: string,
    of: PaymentMachine,
    change: HandsChange | undefined,
    eventCount: number,
  ): SqlProgram<PaymentSummary> {
    const nothing = { scan: undefined, claims: [], moves: [], counts: [] };
    const scan = yield* readCurrentScan(fingerprint, of);
    if (scan === undefined) return nothing;
    const claims = (yield* readRows(selectClaims(keyOf(of)))).map(fromClaimRow);
    const sums = yield* readRows(
      selectSums({ ...keyOf(of), seq: change?.seq ?? 0, at: change?.at ?? 0, count: eventCount }),
    );
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

  return {
    async listOpenCitations(source, { nowMilliseconds: now, throughTimes }, limit, after) {
      const place = after === undefined ? { home: -1, id: Buffer.alloc(0) } : keyOf(after);
      const latest = now + MAX_POSTPONED_MILLISECONDS;
      const rows = await database.run(readRows(selectOpen({ source, now, latest, ...throughTimes, ...place, limit })));
      return rows.map(fromCitationRow);
    },
    async countOpenCitations(source, now) {
      const latest = now + MAX_POSTPONED_MILLISECONDS;
      const { machines, oldest } = (await database.run(readFirst(countOpen({ source, now, latest }))))!;
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
    async listEarlierPayments(citation, { payer, time }) {
      const { source, seq, reference } = citation;
      // A transaction is cited by events of blocks up to 900 s before it.
      const bounds = { since: time - PAYMENT.flowSeconds, citedSince: time - PAYMENT.lateSeconds };
      const rows = await database.run(
        readRows(selectEarlier({ ...keyOf(citation), source, seq, reference, payer, ...bounds })),
      );
      return rows.map((row) => ({
        ...{ source, reference: row.reference, token: row.token!, payer: row.payer! },
        ...{ worthCents: row.worth_cents!, paidCents: row.paid_cents, time: row.payment_time! },
      }));
    },
    postponeCitation: (citation, retryAt) => database.exclusive(postponeOne(citation, retryAt)),
    decideCitation: (citation, decided) => database.exclusive(decideOne(citation, decided)),
    readPaymentSummary: (fingerprint, of, change, eventCount) =>
      database.snapshot(readSummary(fingerprint, of, change, eventCount)),
    listVerdicts: (fingerprint, of, from, to) => database.snapshot(listVerdictsOf(fingerprint, of, from, to)),
  };
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

function fromScanRow(row: Schema['payment_scans']): PaymentScan {
  const { version, claims_seq: claimsSeq, cited_seq: citedSeq, through_block: throughBlock } = row;
  return { version, claimsSeq, citedSeq, throughBlock };
}
