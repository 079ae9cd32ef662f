/**
 * Rating state: the summary of a machine's events from which it can be rated at any later time (design/scoring.md, Fold).
 *
 * A stored state covers finalized events only and belongs to one model and one configuration of rates; any other folds the events again.
 * Folding in any batches gives the same state, and the order of events within a block has no influence.
 */

import { dayOf, weekOf } from './utc-day.ts';
import { convertAmount } from './amount.ts';
import {
  DORMANCY,
  LEAST_QUALIFYING_CENTS,
  MAX_DAILY_ACTIVITY,
  REVENUE_TYPE,
  SAFE,
  TRUST,
  WINDOW_DAYS,
} from './constants.ts';
import { eventDay, judgeEvent } from './event.ts';
import type { EvidenceClass, RatingEvent } from './event.ts';
import type { RateTable } from './rate-table.ts';

/** Sums of one class of evidence on one day. */
export interface ClassSums {
  /** Qualifying revenue; a bigint, because nine million events of the largest amount exceed 2^53. */
  readonly cents: bigint;
  /** Weight of the qualifying revenue events; exact for up to 90 billion of them. */
  readonly weight: number;
  /** Activity events, at most 24. */
  readonly activity: number;
}

/** A day with a qualifying event: its sums by class. */
export interface DayBucket {
  readonly day: number;
  readonly classes: Readonly<Record<EvidenceClass, ClassSums>>;
}

/** Number of events of one day of blocks that have a verdict. */
export interface VerdictDay {
  readonly day: number;
  readonly count: number;
}

export interface RatingState {
  /** Position of the next event, which equals the number of events. */
  readonly nextSeq: number;
  readonly newestBlockTimestamp: number | undefined;
  readonly revenueEvents: number;
  /** At most `SAFE`. */
  readonly totalRevenueCents: number;
  readonly qualifyingRevenueEvents: number;
  readonly qualifyingEvents: number;
  readonly qualifyingDays: number;
  readonly qualifyingWeeks: number;
  readonly firstQualifyingDay: number | undefined;
  readonly lastQualifyingDay: number | undefined;
  /** Qualifying days in the 90 days up to the last of them. */
  readonly rhythmDays: number;
  /** Newest day of a sound revenue event whose amount could not be converted. */
  readonly lastUnconvertedDay: number | undefined;
  /** Ascending; limited to the 180 days up to the day of the newest block. */
  readonly buckets: readonly DayBucket[];
  /** Ascending; limited like the buckets. */
  readonly verdictDays: readonly VerdictDay[];
}

/** Why a list of events cannot be rated. This is an error of the data source and never affects the score. */
export type EventsProblem = 'seq_gap' | 'block_time_missing' | 'block_time_falling';

/** Thrown when events are unreadable; `seq` is the position. */
export class EventsUnreadable extends Error {
  readonly problem: EventsProblem;
  readonly seq: number;

  constructor(problem: EventsProblem, seq: number) {
    super(`events unreadable at ${seq}: ${problem}`);
    this.name = 'EventsUnreadable';
    this.problem = problem;
    this.seq = seq;
  }
}

export interface FoldedEvents {
  readonly state: RatingState;
  /** How many of the events were folded; the next one, if any, is pending. */
  readonly folded: number;
}

export interface FoldPreview {
  readonly state: RatingState;
  /** Whether an amount among the events may still change, so that the rating must not be cached. */
  readonly hasPending: boolean;
}

type Draft = { -readonly [K in keyof RatingState]: RatingState[K] } & {
  buckets: DayBucket[];
  verdictDays: VerdictDay[];
};

const NOTHING: ClassSums = { cents: 0n, weight: 0, activity: 0 };

/** Creates the state of a machine without events. */
export function emptyRatingState(): RatingState {
  return {
    nextSeq: 0,
    newestBlockTimestamp: undefined,
    revenueEvents: 0,
    totalRevenueCents: 0,
    qualifyingRevenueEvents: 0,
    qualifyingEvents: 0,
    qualifyingDays: 0,
    qualifyingWeeks: 0,
    firstQualifyingDay: undefined,
    lastQualifyingDay: undefined,
    rhythmDays: 0,
    lastUnconvertedDay: undefined,
    buckets: [],
    verdictDays: [],
  };
}

/**
 * Folds the next finalized events up to the first pending one, which waits with all later events until its rate is known.
 * Throws `EventsUnreadable`.
 */
export function foldEvents(state: RatingState, events: readonly RatingEvent[], rates: RateTable): FoldedEvents {
  const draft = toDraft(state);
  let folded = 0;
  for (const event of events) {
    if (addEvent(draft, event, rates, 'stop') === 'pending') break;
    folded += 1;
  }
  return { state: draft, folded };
}

/** Folds all events into a copy of the state, for one rating; a pending amount adds nothing. Throws `EventsUnreadable`. */
export function previewFold(state: RatingState, events: readonly RatingEvent[], rates: RateTable): FoldPreview {
  if (events.length === 0) return { state, hasPending: false };
  const draft = toDraft(state);
  let hasPending = false;
  for (const event of events) {
    if (addEvent(draft, event, rates, 'pass') === 'pending') hasPending = true;
  }
  return { state: draft, hasPending };
}

/**
 * Applies a change of hands: everything before it is declared, for good. Counts, days, weeks and totals stay. A further one without an
 * event in between changes nothing.
 */
export function changeHands<S extends Pick<RatingState, 'buckets'>>(state: S): S {
  return { ...state, buckets: state.buckets.map(toDeclared) };
}

function toDeclared(bucket: DayBucket): DayBucket {
  const { declared, paid, attested } = bucket.classes;
  const isDeclared = paid.cents === 0n && attested.cents === 0n && attested.activity === 0;
  if (isDeclared) return bucket;
  return {
    day: bucket.day,
    classes: {
      declared: {
        cents: declared.cents + paid.cents + attested.cents,
        weight: declared.weight + paid.weight + attested.weight,
        activity: Math.min(MAX_DAILY_ACTIVITY, declared.activity + attested.activity),
      },
      paid: NOTHING,
      attested: NOTHING,
    },
  };
}

function toDraft(state: RatingState): Draft {
  return { ...state, buckets: [...state.buckets], verdictDays: [...state.verdictDays] };
}

/** Adds one event. With `stop`, a pending event leaves the draft unchanged. */
function addEvent(draft: Draft, event: RatingEvent, rates: RateTable, atPending: 'stop' | 'pass'): 'added' | 'pending' {
  checkOrder(draft, event);
  const isRevenue = event.type === REVENUE_TYPE;
  const isSound = judgeEvent(event) === 'sound';
  const amount = isSound && isRevenue ? convertAmount(event, rates) : undefined;
  const isPending = amount?.status === 'fx_unavailable' && amount.isPending;
  if (isPending && atPending === 'stop') return 'pending';

  if (event.changedHandsBefore !== undefined) draft.buckets = changeHands(draft).buckets;
  draft.nextSeq += 1;
  if (isRevenue) draft.revenueEvents += 1;
  advanceTo(draft, event.blockTimestamp);
  if (!isSound) return 'added';

  const day = eventDay(event);
  if (amount === undefined) {
    addActivity(draft, day, event);
  } else if (amount.status === 'ok') {
    if (amount.cents >= LEAST_QUALIFYING_CENTS) addRevenue(draft, day, event, amount.cents);
  } else {
    draft.lastUnconvertedDay = Math.max(day, draft.lastUnconvertedDay ?? day);
    if (amount.status === 'unsupported_currency') addActivity(draft, day, event);
  }
  return isPending ? 'pending' : 'added';
}

function checkOrder(draft: Draft, event: RatingEvent): void {
  const { nextSeq, newestBlockTimestamp = 0 } = draft;
  // `seq` may be a bigint: `>=` and `<=` compare it exactly with a number, `===` never equals.
  const isNext = event.seq >= nextSeq && event.seq <= nextSeq;
  if (!isNext) throw new EventsUnreadable('seq_gap', nextSeq);
  if (!Number.isSafeInteger(event.blockTimestamp)) throw new EventsUnreadable('block_time_missing', nextSeq);
  if (event.blockTimestamp < newestBlockTimestamp) throw new EventsUnreadable('block_time_falling', nextSeq);
}

/**
 * Advances to the time of a block and drops days that no later rating can use. This is exact: a sound event enters at most 7 days before
 * its block, so none reopens a dropped day or a week that was counted and dropped.
 */
function advanceTo(draft: Draft, blockTimestamp: number): void {
  draft.newestBlockTimestamp = blockTimestamp;
  const oldestDay = dayOf(blockTimestamp) - (WINDOW_DAYS - 1);
  while (draft.buckets.length > 0 && draft.buckets[0]!.day < oldestDay) draft.buckets.shift();
  while (draft.verdictDays.length > 0 && draft.verdictDays[0]!.day < oldestDay) draft.verdictDays.shift();
}

function addRevenue(
  draft: Draft,
  day: number,
  { attested, paidCents, blockTimestamp }: RatingEvent,
  cents: number,
): void {
  draft.totalRevenueCents = Math.min(SAFE, draft.totalRevenueCents + cents);
  draft.qualifyingRevenueEvents += 1;
  draft.qualifyingEvents += 1;
  countVerdict(draft, dayOf(blockTimestamp));
  const index = openDay(draft, day);
  const weight = Math.min(cents, TRUST.maxRevenueWeight);
  if (attested) {
    addCents(draft, index, 'attested', cents, weight);
    return;
  }
  const paid = Math.min(cents, paidCents);
  const paidWeight = Math.min(paid, TRUST.maxRevenueWeight);
  addCents(draft, index, 'paid', paid, paidWeight);
  addCents(draft, index, 'declared', cents - paid, weight - paidWeight);
}

function addCents(draft: Draft, index: number, evidence: EvidenceClass, cents: number, weight: number): void {
  if (cents === 0) return;
  const sums = draft.buckets[index]!.classes[evidence];
  replaceClass(draft, index, evidence, { ...sums, cents: sums.cents + BigInt(cents), weight: sums.weight + weight });
}

function countVerdict(draft: Draft, day: number): void {
  const last = draft.verdictDays.at(-1);
  if (last?.day === day) draft.verdictDays[draft.verdictDays.length - 1] = { day, count: last.count + 1 };
  else draft.verdictDays.push({ day, count: 1 });
}

function addActivity(draft: Draft, day: number, { attested }: RatingEvent): void {
  const index = openDay(draft, day);
  const { classes } = draft.buckets[index]!;
  if (classes.declared.activity + classes.attested.activity < MAX_DAILY_ACTIVITY) draft.qualifyingEvents += 1;
  const evidence: EvidenceClass = attested ? 'attested' : 'declared';
  const sums = classes[evidence];
  if (sums.activity === MAX_DAILY_ACTIVITY) return;
  replaceClass(draft, index, evidence, { ...sums, activity: sums.activity + 1 });
}

/** Returns the index of a day's bucket, which is created for the first qualifying event of the day. */
function openDay(draft: Draft, day: number): number {
  const { buckets } = draft;
  let index = buckets.length;
  while (index > 0 && buckets[index - 1]!.day > day) index -= 1;
  if (buckets[index - 1]?.day === day) return index - 1;

  draft.qualifyingDays += 1;
  const week = weekOf(day);
  const isCountedWeek = [buckets[index - 1], buckets[index]].some((near) => near && weekOf(near.day) === week);
  if (!isCountedWeek) draft.qualifyingWeeks += 1;
  draft.firstQualifyingDay = Math.min(day, draft.firstQualifyingDay ?? day);
  draft.lastQualifyingDay = Math.max(day, draft.lastQualifyingDay ?? day);
  buckets.splice(index, 0, { day, classes: { declared: NOTHING, paid: NOTHING, attested: NOTHING } });
  // Exact: an event opens a day at most 7 days before its block, so these 90 days are within the retained ones.
  const firstRhythmDay = draft.lastQualifyingDay - (DORMANCY.rhythmDays - 1);
  draft.rhythmDays = buckets.filter((bucket) => bucket.day >= firstRhythmDay).length;
  return index;
}

function replaceClass(draft: Draft, index: number, evidence: EvidenceClass, sums: ClassSums): void {
  const { day, classes } = draft.buckets[index]!;
  draft.buckets[index] = { day, classes: { ...classes, [evidence]: sums } };
}
