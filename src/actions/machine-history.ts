/**
 * Rating history and events of a machine (`GET /mcr/{did}/history` and `GET /machines/{machine_id}/events`, decisions 4).
 * Every action throws what `getRating` throws.
 */
import { chainUnreadable, Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { Provenance } from '../domain/machine/provenance.ts';
import { judgeVerifyStatus } from '../domain/evidence/verify-status.ts';
import type { FactLog } from '../domain/machine/fact-log.ts';
import { findOperator, readAttestations } from '../domain/machine/operator-kyb.ts';
import { factsAt, listFactChanges, type FactChange } from '../domain/rating/fact-history.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import type { EventRecord, MachineSnapshot, SubscriptionStatus } from '../domain/machine/machine-facts.ts';
import { viewAmount, type AmountView } from '../domain/rating/amount.ts';
import { REVENUE_TYPE } from '../domain/rating/constants.ts';
import { classifyEvent } from '../domain/rating/event-class.ts';
import { rateDays, replaceLastDay, type DailyRatings, type DayHistory } from '../domain/rating/daily-rating.ts';
import { clampToSafe } from '../domain/rating/daily-totals.ts';
import { HISTORY_DAYS, MIN_EVENTS_FOR_STORED_DAYS } from '../domain/rating/rating-state-days.ts';
import { judgeEvent, type EventJudgement, type EvidenceClass, type RatingEvent } from '../domain/rating/event.ts';
import type { RateTable } from '../domain/rating/rate-table.ts';
import { findCitation, toCitingEvent } from '../domain/rating/paid/citation.ts';
import { NO_VERDICT_DETAILS, type PaymentVerdict } from '../domain/rating/paid/payment-verdict.ts';
import { toServiceDirectory } from '../domain/machine/service-directory.ts';
import { dayOf } from '../domain/rating/utc-day.ts';
import type { Ctx } from '../ports/ctx.ts';
import { UNKNOWN_BLOCK_TIME } from '../ports/index-proof.ts';
import type { HandsChange } from '../ports/payment-store.ts';
import type { FxConfiguration } from '../ports/rates.ts';
import { rateAltMachine, readAltAcceptance, readAltKyb } from './alt-machine-rating.ts';
import { readDayHistory, readRatedHistory, readTimedEvents } from './event-history.ts';
import { findMachine, type FoundMachine } from './find-machine.ts';
import {
  forgetHistory,
  isBehind,
  rateSnapshot,
  toEventSource,
  type AltHomeInfo,
  type RatedSnapshot,
} from './machine-rating.ts';
import { currentPaymentFingerprint } from './payment-evidence.ts';
import { VersionedCache } from './versioned-cache.ts';

const NO_EVENTS: TimedEvents = { records: [], events: [] };

const NOTHING: DailyRatings = { revenueBeforeCents: 0, days: [] };

export interface MachineHistory extends DailyRatings {
  readonly rated: RatedSnapshot;
  /**
   * False: logs are known to be missing, or not all days of a long history are stored; then there are no days and changes. Hidden logs
   * that leave the present facts as they are, such as a flag and its clearing, are not noticed before their blocks are proven.
   */
  readonly isComplete: boolean;
  /** Changes of bond, flag and override, oldest first. */
  readonly changes: readonly FactChange[];
  readonly bond: BondTerms;
}

/** Ends of the bond's current period and of its grace, in Unix seconds; undefined while there is no period. */
export interface BondTerms {
  readonly status: SubscriptionStatus;
  readonly periodEnd: number | undefined;
  readonly graceEnd: number | undefined;
}

/** Event on a page of events. */
export interface ListedEvent {
  readonly record: EventRecord;
  readonly position: number;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly judgement: EventJudgement;
  /** Only for well-formed revenue. */
  readonly amount: AmountView | undefined;
  /** Undefined: the event does not qualify. */
  readonly evidence: EvidenceClass | undefined;
  /** Undefined: the event is not revenue that qualifies. */
  readonly payment: ListedPayment | undefined;
}

/** Verdict on the payment of an event, and the source on which it was followed. */
export interface ListedPayment extends PaymentVerdict {
  /** Null unless followed and decided. */
  readonly source: string | null;
}

export interface EventListing {
  readonly snapshot: MachineSnapshot;
  /** Number of events that the rating counts. */
  readonly eventCount: number;
  /** Newest first. */
  readonly events: readonly ListedEvent[];
  /** Cursor of the next page; undefined: this page ends with the oldest event. */
  readonly nextCursor: number | undefined;
  readonly alt: AltHomeInfo | undefined;
}

/** Page of events before the position `cursor`. */
export interface EventQuery {
  readonly cursor: number;
  readonly limit: number;
}

/** Returns one rating per day of the last year. */
export async function getHistory(ctx: Ctx, id: MachineId): Promise<MachineHistory> {
  const located = await findMachine(ctx, id, { firstEvents: false });
  const { main, snapshot, alt } = located;
  const rated = await (alt === undefined ? rateSnapshot(ctx, main, snapshot) : rateAltMachine(ctx, alt, snapshot));
  const { eventCount } = rated.rating;
  const { graceSeconds } = located.deployment;
  const known = { rated, bond: readBondTerms(snapshot, graceSeconds) };
  const logs = await main.eventTimes.readFactLogs(id, snapshot.block);
  if (logs === undefined || !explainFacts(logs, rated, graceSeconds)) {
    return { ...known, isComplete: false, changes: [], ...NOTHING };
  }
  const times = { blockTimestamp: snapshot.block.timestamp, now: rated.inputs.now };
  const changes = listFactChanges(logs, times, located.deployment);
  if (eventCount === 0) return { ...known, isComplete: true, changes, ...NOTHING };
  const days = isBehind(rated) ? undefined : await readDays(ctx, located, rated, logs);
  return days === undefined
    ? { ...known, isComplete: false, changes: [], ...NOTHING }
    : { ...known, isComplete: true, changes, ...days };
}

function readBondTerms({ subscription, subscriptionStatus }: MachineSnapshot, graceSeconds: bigint): BondTerms {
  const status = unwrap(subscriptionStatus);
  const { periodStart, periodEnd } = unwrapOptional(subscription) ?? { periodStart: 0n, periodEnd: 0n };
  const isOpen = periodStart > 0n && status !== 'NotActivated' && status !== 'Terminated';
  return {
    status,
    periodEnd: isOpen ? clampToSafe(periodEnd) : undefined,
    graceEnd: isOpen ? clampToSafe(periodEnd + graceSeconds) : undefined,
  };
}

/** Returns whether the logs lead to the present facts; a log that is not indexed yet would make past days wrong. */
function explainFacts(
  logs: readonly FactLog[],
  { snapshot, inputs, rating }: RatedSnapshot,
  graceSeconds: bigint,
): boolean {
  const { bondStatus, negativeFlagAt, trustOverride } = factsAt(logs, snapshot.block.timestamp, graceSeconds);
  return (
    bondStatus === rating.bondStatus &&
    negativeFlagAt === inputs.negativeFlagAt &&
    trustOverride === inputs.trustOverride
  );
}

/** Days of machines of the main chain: snapshot, rates and day determine all of them but the last. */
const createDays = () => new VersionedCache<MachineSnapshot, DailyRatings | undefined>();

/** Reads and computes the days once per snapshot, rates and day. Returns undefined where the history is not complete. */
async function readDays(
  ctx: Ctx,
  located: FoundMachine,
  rated: RatedSnapshot,
  logs: readonly FactLog[],
): Promise<DailyRatings | undefined> {
  const { snapshot, alt } = located;
  const { rating, inputs, payments, epoch } = rated;
  const rates = ctx.fxRates.current();
  const today = dayOf(Math.max(inputs.now, rating.lastUpdated ?? inputs.now));
  const compute = () => computeDays(ctx, located, rated, rates, today, logs);
  const days =
    alt === undefined
      ? await ctx.actionState.of(createDays).get(snapshot, [rates.table, today, payments, logs.length, epoch], compute)
      : await compute();
  const { negativeFlagAt, trustOverride, operatorVerified, now } = inputs;
  const facts = { bondStatus: rating.bondStatus, negativeFlagAt, trustOverride, operatorVerified };
  return days && replaceLastDay(days, { rating, facts, now });
}

async function computeDays(
  ctx: Ctx,
  located: FoundMachine,
  { rating, inputs, payments, epoch }: RatedSnapshot,
  { table, fingerprint }: FxConfiguration,
  today: number,
  logs: readonly FactLog[],
): Promise<DailyRatings | undefined> {
  const read = await joinHistory(ctx, located, epoch, async () => {
    const history = await readWhole(ctx, located, rating.eventCount, fingerprint, epoch);
    const wasVerified = history && (await readVerifiedSince(ctx, located, inputs, epoch));
    return wasVerified && { history, wasVerified };
  });
  if (read === undefined) return undefined;
  const { history, wasVerified } = read;
  const { graceSeconds } = located.deployment;
  const facts = {
    rates: table,
    priorEvents: inputs.priorEvents,
    paidMoves: payments.moves,
    at: (time: number) => ({
      // No later block ended a bond yet.
      ...factsAt(logs, Math.min(time, located.snapshot.block.timestamp), graceSeconds),
      operatorVerified: wasVerified(Math.min(time, inputs.now)),
    }),
  };
  return rateDays(history, facts, { current: rating, today, maxDays: HISTORY_DAYS });
}

/**
 * Returns whether the operator was verified at a time: from the date of its record on, while it was in force, and not before it accepted
 * the machine. Before the newest change of hands the operator is unknown. Returns undefined where the time of the acceptance is unknown.
 */
async function readVerifiedSince(
  ctx: Ctx,
  located: FoundMachine,
  { changedHandsAt = 0 }: RatedSnapshot['inputs'],
  ratedEpoch: number | undefined,
): Promise<((time: number) => boolean) | undefined> {
  const { main, snapshot, alt } = located;
  const acceptance =
    alt === undefined
      ? toAcceptance((await readRatedHistory(main, toEventSource(main, snapshot), ratedEpoch)).provenance)
      : await readAltAcceptance(ctx, alt);
  if (acceptance === 'unknown') return undefined;
  if (acceptance === undefined) return () => false;
  const record =
    alt === undefined ? readAttestations(snapshot, findOperator(snapshot))?.kyb : await readAltKyb(ctx, alt, snapshot);
  if (record === undefined) return () => false;
  const since = Math.max(Number(record.issuedAt), acceptance, changedHandsAt);
  return (time) =>
    time >= since &&
    judgeVerifyStatus(
      { ...record, revokedAt: isAfter(record.revokedAt, time) ? undefined : record.revokedAt },
      time,
    ) === 'verified';
}

/** Returns since when the machine is accepted; 0 where it never changed hands, undefined while the new owner has not accepted it. */
function toAcceptance({ changeOfHands, isAccepted, acceptedAt }: Provenance): number | 'unknown' | undefined {
  if (!isAccepted) return undefined;
  if (changeOfHands === undefined) return 0;
  return acceptedAt === undefined || acceptedAt === UNKNOWN_BLOCK_TIME ? 'unknown' : acceptedAt;
}

function isAfter(revokedAt: bigint | undefined, time: number): boolean {
  return revokedAt !== undefined && revokedAt > time;
}

/** Reads events and provenance of the rating's epoch. Where another one has begun, the next request rates again. */
async function joinHistory<T>(
  ctx: Ctx,
  { main, snapshot }: FoundMachine,
  ratedEpoch: number | undefined,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (ratedEpoch === undefined || !(error instanceof Fault) || error.kind !== 'EventIndexSyncing') throw error;
    const { epoch } = await main.eventTimes.readPinnedHistory(toEventSource(main, snapshot));
    if (epoch !== ratedEpoch) forgetHistory(ctx, snapshot, ratedEpoch);
    throw error;
  }
}

/** Reads the whole history: every event of a short one, the stored days of a long one. */
async function readWhole(
  ctx: Ctx,
  located: FoundMachine,
  eventCount: number,
  fingerprint: string,
  ratedEpoch: number | undefined,
): Promise<DayHistory | undefined> {
  const { main, snapshot, alt } = located;
  if (eventCount <= MIN_EVENTS_FOR_STORED_DAYS) {
    if (alt !== undefined) {
      const { events } = await readEvents(located, 0, eventCount, ratedEpoch);
      return { stateDays: [], events, changedHandsAfter: undefined };
    }
    const source = toEventSource(main, snapshot);
    const { epoch, provenance } = await readRatedHistory(main, source, ratedEpoch);
    const { events } = await readTimedEvents(main, source, 0, eventCount, epoch);
    return { stateDays: [], events, changedHandsAfter: provenance.changedHandsAfter };
  }
  return alt === undefined
    ? readDayHistory(ctx, main, toEventSource(main, snapshot), fingerprint, ratedEpoch)
    : alt.index.readDayHistory(alt.snapshot, fingerprint);
}

interface TimedEvents {
  readonly records: readonly EventRecord[];
  readonly events: readonly RatingEvent[];
}

/** Reads the events at positions `from` to `to - 1`, all of which the rating counts. Throws `ChainUnreadable` where there are fewer. */
async function readEvents(
  { main, snapshot, alt }: FoundMachine,
  from: number,
  to: number,
  ratedEpoch: number | undefined,
): Promise<TimedEvents> {
  if (alt === undefined) return readTimedEvents(main, toEventSource(main, snapshot), from, to, ratedEpoch);
  const found = await alt.index.readEvents(alt.snapshot, from, to);
  if (found.events.length !== to - from) throw chainUnreadable('alt', 'events');
  return found;
}

/** Returns one page of the events that the rating uses, and throws as it does. Also throws `EventDataPrivate`. */
export async function listEvents(ctx: Ctx, id: MachineId, { cursor, limit }: EventQuery): Promise<EventListing> {
  const located = await findMachine(ctx, id, { firstEvents: false });
  const { main, snapshot, alt } = located;
  const serviceEndpoints = (alt?.machine ?? unwrap(snapshot.document)).serviceEndpoints;
  if (toServiceDirectory(serviceEndpoints).visibility === 'private') throw new Fault('EventDataPrivate', {});
  const rated = await (alt === undefined ? rateSnapshot(ctx, main, snapshot) : rateAltMachine(ctx, alt, snapshot));
  const { changeOfHands, epoch } = rated;
  const { eventCount } = rated.rating;
  const to = Math.min(cursor, eventCount);
  const from = Math.max(0, to - limit);
  const { records, events } = await joinHistory(ctx, located, epoch, async () =>
    from === to ? NO_EVENTS : readEvents(located, from, to, epoch),
  );
  const payments = await readListedPayments(ctx, located, changeOfHands, from, to);
  const { table } = ctx.fxRates.current();
  const changedHandsSeq = changeOfHands?.seq ?? 0;
  return {
    snapshot,
    eventCount,
    events: events
      .map((event, place) => toListedEvent(records[place]!, event, payments, table, changedHandsSeq))
      .reverse(),
    nextCursor: from === 0 ? undefined : from,
    alt: rated.alt,
  };
}

/** Returns the verdict on the event of a record; called for qualifying revenue only. */
type FindPayment = (record: EventRecord, position: number) => ListedPayment;

const NOTHING_FOUND = { ...NO_VERDICT_DETAILS, source: null };

/** Reads the verdicts on a page of events. An event that is not searched yet is pending if it cites a source. */
async function readListedPayments(
  ctx: Ctx,
  { snapshot: { id }, alt }: FoundMachine,
  change: HandsChange | undefined,
  from: number,
  to: number,
): Promise<FindPayment> {
  const fingerprint = currentPaymentFingerprint(ctx);
  const machine = { home: alt === undefined ? ('main' as const) : ('alt' as const), id };
  if (fingerprint === undefined) return () => ({ ...NOTHING_FOUND, code: 'declared' });
  const [{ scan }, rows] = await Promise.all([
    ctx.store.readPaymentSummary(fingerprint, machine, change, to),
    ctx.store.listVerdicts(fingerprint, machine, from, to),
  ]);
  const bySeq = new Map(rows.map((row) => [row.seq, row] as const));
  return (record, position) => {
    const row = bySeq.get(position);
    if (row !== undefined) return row.code === 'pending' ? { ...NOTHING_FOUND, code: 'pending' } : row;
    const isSearched = position < (scan?.citedSeq ?? 0);
    const isCiting = !isSearched && findCitation(toCitingEvent(record), ctx.paymentSources!.list) !== undefined;
    return { ...NOTHING_FOUND, code: isCiting ? 'pending' : 'declared' };
  };
}

function toListedEvent(
  record: EventRecord,
  event: RatingEvent,
  findPayment: FindPayment,
  rates: RateTable,
  changedHandsSeq: number,
): ListedEvent {
  const judgement = judgeEvent(event);
  const isPriced = judgement !== 'malformed' && event.type === REVENUE_TYPE;
  const amount = isPriced ? viewAmount(event, rates) : undefined;
  const position = Number(event.seq);
  const payment = findPayment(record, position);
  const paidEvent = { ...event, paidCents: payment.paidCents };
  const { evidence, hasVerdict } = classifyEvent(paidEvent, rates, position < changedHandsSeq);
  return {
    ...{ record, position, blockTimestamp: event.blockTimestamp, judgement, amount, evidence },
    payment: hasVerdict ? payment : undefined,
  };
}
