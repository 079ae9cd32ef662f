/** Transfers of the addresses of machines on EVM sources, and flows of cited Solana transactions (design/scoring.md, Verdict). */
import { sql } from 'kysely';
import { PAYMENT } from '../../../domain/rating/constants.ts';
import type { Flow, OwnAddress, Payment } from '../../../domain/rating/paid/flows.ts';
import type { SourceTransfer } from '../../../domain/rating/paid/source-transaction.ts';
import { dayOf, SECONDS_PER_DAY } from '../../../domain/rating/utc-day.ts';
import type { FlowWindow, OpenCitation, PaymentStore } from '../../../ports/payment-store.ts';
import { integer, text } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { execute, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { compareFlowRows, fromFlowRow, keyOf, MACHINE, type FlowRow } from './payment-rows.ts';
import type { ScanReads } from './scan-reads.ts';

type PaymentFlows = Pick<PaymentStore, 'listFlowsTo' | 'readFlowsThrough' | 'findFlowWindow' | 'writeFlows'>;

/** Transfers of an address may be read from so long before it became own, so that new addresses share windows. */
const SECONDS_BEFORE_SINCE = 3_600;
/** Transfers of one sender and day that are stored: of at least one whole token, and as many smaller ones. */
const MAX_PERIOD_TRANSFERS = 2 * PAYMENT.maxDailyTransfers;

export function createPaymentFlows(database: SqlDatabase, { holdsUsed }: ScanReads): PaymentFlows {
  const { dialect } = database;
  const { batch } = dialect;
  const query = prepareText(dialect);

  const selectFlows = query<FlowRow>()(
    { source: text, sender: text, receiver: text, before: integer, since: integer },
    (q, { source, sender, receiver, before, since }) => q`SELECT * FROM payment_flows
      WHERE source = ${source} AND sender = ${sender} AND block < ${before} AND block_time >= ${since}
        AND block_time / ${sql.lit(SECONDS_PER_DAY)} IN (SELECT block_time / ${sql.lit(SECONDS_PER_DAY)}
          FROM payment_flows WHERE source = ${source} AND receiver = ${receiver} AND sender = ${sender}
            AND block_time >= ${since})`,
  );
  const selectCitedFlows = query<FlowRow>()(
    { ...MACHINE, source: text, seq: integer, before: integer, since: integer },
    (q, { home, id, source, seq, before, since }) => q`SELECT * FROM payment_cited_flows
      WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND seq < ${seq}
        AND block < ${before} AND block_time >= ${since} ORDER BY block, seq, place`,
  );
  const selectSenders = batch(
    { source: 'text', address: 'text', since: 'integer' },
    `SELECT s.through_block FROM batch JOIN payment_senders s
       ON s.source = batch.source AND s.address = batch.address AND s.since = batch.since`,
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
  const selectSinces = batch(
    { source: 'text', address: 'text', after: 'integer', through: 'integer' },
    `SELECT s.address, s.since FROM batch JOIN payment_senders s ON s.source = batch.source AND s.address = batch.address
       AND s.since > batch.after AND s.since <= batch.through ORDER BY s.since`,
  );
  // The transfers of a period are the newest ones before a place, so that none of earlier days are read.
  const countStored = batch(
    {
      ...{ period: 'integer', source: 'text', sender: 'text', is_whole: 'integer', start: 'integer' },
      ...{ block: 'integer', place: 'integer' },
    },
    `SELECT b.period, (SELECT count(*) FROM (SELECT f.is_whole, f.block_time FROM payment_flows f
         WHERE f.source = b.source AND f.sender = b.sender AND (f.block, f.place) < (b.block, b.place)
         ORDER BY f.block DESC, f.place DESC LIMIT ${MAX_PERIOD_TRANSFERS}) newest
       WHERE newest.is_whole = b.is_whole AND newest.block_time >= b.start) AS stored FROM batch b`,
  );
  const insertFlows = batch(
    {
      ...{ source: 'text', sender: 'text', block: 'integer', place: 'integer', receiver: 'text', token: 'text' },
      ...{ units: 'text', block_time: 'integer', is_whole: 'integer' },
    },
    `INSERT INTO payment_flows (source, sender, block, place, receiver, token, units, block_time, is_whole)
     SELECT source, sender, block, place, receiver, token, units, block_time, is_whole FROM batch WHERE true
     ON CONFLICT DO NOTHING`,
  );

  function* readFlowsTo(
    citation: OpenCitation,
    senders: readonly string[],
    { payer, block: before, time }: Payment,
  ): SqlProgram<readonly Flow[]> {
    const { source, seq } = citation;
    // Whole days, because transfers are counted by day up to a limit.
    const since = startOfDay(time - PAYMENT.flowSeconds);
    const logged: (readonly FlowRow[])[] = [];
    // One query for each sender: its days are then found once, and not for each transfer.
    for (const sender of senders) {
      logged.push(yield* readRows(selectFlows({ source, sender, receiver: payer, before, since })));
    }
    const cited = yield* readRows(selectCitedFlows({ ...keyOf(citation), source, seq, before, since }));
    return [...logged.flat().toSorted(compareFlowRows), ...cited].map(fromFlowRow);
  }

  /** Cuts the transfers of each period in memory, and counts what is stored once per period: the number of transfers has no bound. */
  function* insertTransfers(source: string, transfers: readonly SizedTransfer[], maxPerDay: number): SqlProgram<void> {
    const [first, last] = [transfers[0], transfers.at(-1)];
    if (first === undefined || last === undefined) return;
    const senders = [...new Set(transfers.map(({ from }) => from))];
    const sinces = yield* readRows<{ address: string; since: number }>({
      sql: selectSinces,
      batch: senders.map((sender) => [source, sender, startOfDay(first.time), last.time]),
    });
    const periods = listPeriods(transfers, sinces, maxPerDay);
    const counts = yield* readRows<{ period: number; stored: number }>({
      sql: countStored,
      batch: periods.map(({ start, transfers: [{ from, isWhole, block, logIndex }] }, period) => [
        ...[period, source, from, isWhole ? 1 : 0, start, block, logIndex],
      ]),
    });
    const added = counts.flatMap(({ period, stored }) =>
      periods[period]!.transfers.slice(0, Math.max(0, maxPerDay - stored)),
    );
    yield* execute({
      sql: insertFlows,
      batch: added.map(({ from, to, token, units, block, logIndex, time, isWhole }) => [
        ...[source, from, block, logIndex, to, token, units.toString(), time, isWhole ? 1 : 0],
      ]),
    });
  }

  function* readThroughBlocks(source: string, own: readonly OwnAddress[]): SqlProgram<readonly (number | null)[]> {
    const rows = yield* readRows<{ through_block: number | null }>({
      sql: selectSenders,
      batch: own.map(({ address, since }) => [source, address, since]),
    });
    return rows.map(({ through_block }) => through_block);
  }

  /** Another process may have written the window, or deleted all and begun again. */
  function* isNext(source: string, { addresses, throughBlock }: FlowWindow): SqlProgram<boolean> {
    const stored = yield* readThroughBlocks(source, addresses);
    return stored.length === addresses.length && stored.every((block) => block === (throughBlock ?? null));
  }

  return {
    listFlowsTo: (citation, senders, payment) => database.snapshot(readFlowsTo(citation, senders, payment)),
    async readFlowsThrough(source, own) {
      const stored = await database.run(readThroughBlocks(source, own));
      return stored.length < own.length ? -1 : Math.min(...stored.map((block) => block ?? -1));
    },
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
    writeFlows: (source, window, throughBlock, transfers, maxPerDay) =>
      database.exclusive(
        (function* (): SqlProgram<void> {
          if (!(yield* holdsUsed()) || !(yield* isNext(source, window))) return;
          yield* insertTransfers(source, transfers, maxPerDay);
          yield* execute({
            sql: advanceSenders,
            batch: window.addresses.map(({ address, since }) => [source, address, since, throughBlock]),
          });
        })(),
      ),
  };
}

type SizedTransfer = SourceTransfer & { readonly isWhole: boolean };

/** Transfers of one sender and size in one UTC day, or in the part of it from the time at which the address became own. */
interface Period {
  readonly start: number;
  readonly transfers: [SizedTransfer, ...SizedTransfer[]];
}

/** Returns the first transfers of each period, up to a number. */
function listPeriods(
  transfers: readonly SizedTransfer[],
  sinces: readonly OwnAddress[],
  maxTransfers: number,
): readonly Period[] {
  const sincesOf = Map.groupBy(sinces, ({ address }) => address);
  const periods = new Map<string, Period>();
  for (const transfer of transfers) {
    const { from, isWhole, time } = transfer;
    // A day on which an address became own counts from that time on, as the verdict does.
    const since = sincesOf.get(from)?.findLast((each) => each.since <= time)?.since ?? 0;
    const start = Math.max(startOfDay(time), since);
    const key = `${from} ${isWhole} ${start}`;
    const period = periods.get(key);
    if (period === undefined) periods.set(key, { start, transfers: [transfer] });
    else if (period.transfers.length < maxTransfers) period.transfers.push(transfer);
  }
  return [...periods.values()];
}

function startOfDay(time: number): number {
  return SECONDS_PER_DAY * dayOf(time);
}
