/**
 * How did a machine's rating come to be, and from which events? (`GET /mcr/{did}/history` and `GET /machines/{machine_id}/events`, decisions 4.)
 * Every action throws what `getRating` throws.
 */
import { chainUnreadable, Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers.ts';
import { need } from '../domain/machine-home.ts';
import type { EventRecord, MachineSnapshot } from '../domain/machine-facts.ts';
import { viewAmount, type AmountView } from '../domain/rating/amount.ts';
import { REVENUE_TYPE } from '../domain/rating/constants.ts';
import { rateDays, renewLastDay, type DailyRatings } from '../domain/rating/daily-rating.ts';
import { judgeEvent, type EventJudgement, type RatingEvent } from '../domain/rating/event.ts';
import type { RateTable } from '../domain/rating/rate-table.ts';
import { toServiceDirectory } from '../domain/service-directory.ts';
import { dayOf } from '../domain/utc-day.ts';
import type { Ctx } from '../ports/ctx.ts';
import { rateAltMachine } from './alt-machine-rating.ts';
import { readTimedEvents } from './event-history.ts';
import { locateMachine, type LocatedMachine } from './machine-location.ts';
import { rateSnapshot, readEventCount, toEventSource, type AltStanding, type RatedSnapshot } from './machine-rating.ts';

/** A history is told of at most so many events: 20 pages of records from a node, one statement for their logs. */
export const MAX_HISTORY_EVENTS = 2_000;
/** And of at most so many days, today's included. */
const MAX_HISTORY_DAYS = 365;

const NOTHING: DailyRatings = { revenueBeforeCents: 0, days: [] };

export interface MachineHistory extends DailyRatings {
  readonly rated: RatedSnapshot;
  /** False: there are too many events to tell it, or not all of them are indexed; then there are no days. */
  readonly isComplete: boolean;
}

/** What a page of events holds of one of them. */
export interface ListedEvent {
  readonly record: EventRecord;
  readonly position: number;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly judgement: EventJudgement;
  /** Of well-formed revenue only. */
  readonly amount: AmountView | undefined;
}

export interface EventListing {
  readonly snapshot: MachineSnapshot;
  /** How many events the rating counts. */
  readonly eventCount: number;
  /** Newest first. */
  readonly events: readonly ListedEvent[];
  /** The cursor of the next page; undefined: this one ends with the oldest event. */
  readonly nextCursor: number | undefined;
  readonly alt: AltStanding | undefined;
}

/** Events before the position `cursor`. */
export interface EventQuery {
  readonly cursor: number;
  readonly limit: number;
}

/** One rating per day of the last year. */
export async function getHistory(ctx: Ctx, id: MachineId): Promise<MachineHistory> {
  const located = await locateMachine(ctx, id, { firstEvents: false });
  const { main, snapshot, alt } = located;
  const rated = await (alt === undefined ? rateSnapshot(ctx, main, snapshot) : rateAltMachine(ctx, alt, snapshot));
  const { eventCount } = rated.rating;
  if (rated.alt?.unavailable === 'indexer_behind' || eventCount > MAX_HISTORY_EVENTS) {
    return { rated, isComplete: false, ...NOTHING };
  }
  if (eventCount === 0) return { rated, isComplete: true, ...NOTHING };
  return { rated, isComplete: true, ...(await readDays(ctx, located, rated)) };
}

/** The days of a machine of the main chain, which its snapshot, the rates and the day settle but for the last of them. */
interface KeptDays {
  readonly table: RateTable;
  readonly today: number;
  readonly days: Promise<DailyRatings>;
}

const daysBySnapshot = new WeakMap<MachineSnapshot, KeptDays>();

/** All events are read once for each reading of the machine, however often it is asked for. */
async function readDays(ctx: Ctx, located: LocatedMachine, rated: RatedSnapshot): Promise<DailyRatings> {
  const { snapshot, alt } = located;
  const { rating, inputs } = rated;
  const { table } = ctx.fxRates.current();
  const today = dayOf(Math.max(inputs.now, rating.lastUpdated ?? inputs.now));
  if (alt !== undefined) return computeDays(located, rated, table, today);
  const known = daysBySnapshot.get(snapshot);
  if (known?.table === table && known.today === today) return renewLastDay(await known.days, rating);
  const days = computeDays(located, rated, table, today);
  daysBySnapshot.set(snapshot, { table, today, days });
  // A failure is not kept: the next request tries again.
  days.catch(() => daysBySnapshot.delete(snapshot));
  return days;
}

async function computeDays(
  located: LocatedMachine,
  { rating, inputs }: RatedSnapshot,
  rates: RateTable,
  today: number,
): Promise<DailyRatings> {
  const { events } = await readEvents(located, 0, rating.eventCount);
  const { negativeFlagAt, trustOverride, priorEvents } = inputs;
  const facts = { rates, bondStatus: rating.bondStatus, negativeFlagAt, trustOverride, priorEvents };
  return rateDays(events, facts, { current: rating, today, maxDays: MAX_HISTORY_DAYS });
}

interface TimedEvents {
  readonly records: readonly EventRecord[];
  readonly events: readonly RatingEvent[];
}

/** The events at positions `from` to `to - 1`, of which the rating counts every one. Throws `ChainUnreadable` where it has fewer. */
async function readEvents({ main, snapshot, alt }: LocatedMachine, from: number, to: number): Promise<TimedEvents> {
  if (alt === undefined) return readTimedEvents(main, toEventSource(main, snapshot), from, to);
  const found = await alt.index.readEvents(alt.snapshot, from, to);
  if (found.events.length !== to - from) throw chainUnreadable('alt', 'events');
  return found;
}

/** One page of the events that the rating used. Also throws `EventDataPrivate`. */
export async function listEvents(ctx: Ctx, id: MachineId, { cursor, limit }: EventQuery): Promise<EventListing> {
  const located = await locateMachine(ctx, id, { firstEvents: false });
  const { snapshot, alt } = located;
  const serviceEndpoints = (alt?.machine ?? need(snapshot.document)).serviceEndpoints;
  if (toServiceDirectory(serviceEndpoints).visibility === 'private') throw new Fault('EventDataPrivate', {});
  const rated = alt && (await rateAltMachine(ctx, alt, snapshot));
  const eventCount = rated?.rating.eventCount ?? readEventCount(snapshot);
  const to = Math.min(cursor, eventCount);
  const from = Math.max(0, to - limit);
  const { records, events } = await readEvents(located, from, to);
  const { table } = ctx.fxRates.current();
  return {
    snapshot,
    eventCount,
    events: events.map((event, place) => toListedEvent(records[place]!, event, table)).reverse(),
    nextCursor: from === 0 ? undefined : from,
    alt: rated?.alt,
  };
}

function toListedEvent(record: EventRecord, event: RatingEvent, rates: RateTable): ListedEvent {
  const judgement = judgeEvent(event);
  const isPriced = judgement !== 'malformed' && event.type === REVENUE_TYPE;
  const amount = isPriced ? viewAmount(event, rates) : undefined;
  return { record, position: Number(event.seq), blockTimestamp: event.blockTimestamp, judgement, amount };
}
