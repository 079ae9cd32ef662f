/**
 * What rates a machine right now? Joins the stored fold, the records after it and their block times into the model's answer
 * (design/scoring.md, chain-evm 3.7). Shared by every action that shows a score.
 */
import { judgeBond } from '../domain/bond.ts';
import { pairEvents } from '../domain/event-pairing.ts';
import { chainUnreadable, Fault, type ChainName } from '../domain/faults.ts';
import { need, needOrAbsent } from '../domain/machine-home.ts';
import type { EventRecord, MachineSnapshot } from '../domain/machine-facts.ts';
import { emptyFold, EventsUnreadable, type Fold } from '../domain/rating/fold.ts';
import { parseFold } from '../domain/rating/fold-text.ts';
import type { RatingEvent } from '../domain/rating/event.ts';
import { rateMachine, type Rating } from '../domain/rating/rating.ts';
import { nowSeconds } from '../ports/clock.ts';
import type { Eventually } from './eventually.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { FxConfiguration } from '../ports/fx-rates.ts';
import type { StoredFold } from '../ports/store.ts';

/** More records than this after the fold are the indexer's work, not a request's. */
const MAX_TAIL = 2_000;

/** A rating, and what it was made from besides the events. Two answers of one snapshot and second are the same object. */
export interface RatedSnapshot {
  readonly snapshot: MachineSnapshot;
  readonly rating: Rating;
  readonly inputs: RatingInputs;
  /** Undefined: a machine of the main chain. */
  readonly alt: AltStanding | undefined;
}

/** What every answer about a machine of the alt chain says besides. */
export interface AltStanding {
  /** The protocol ordinal of its home. */
  readonly ordinal: number;
  /** The slot of its own facts; those of `snapshot` are the main chain's. */
  readonly slot: number;
  /** Undefined: the answer is a rating. */
  readonly unavailable: 'no_events_yet' | 'indexer_behind' | 'not_rated_here' | undefined;
}

/** Everything but the events that the model was given; with it `svc replay` computes the same answer. */
export interface RatingInputs {
  /** The clock in Unix seconds, before the model raises it. */
  readonly now: number;
  readonly subscriptionStatus: string;
  readonly negativeFlagAt: bigint;
  readonly trustOverride: number | undefined;
  readonly priorEvents: bigint;
  readonly eventCount: number;
  readonly fxFeed: boolean;
  readonly fxThroughDay: number;
}

/** The fold and the events after it: fixed for a snapshot and a configuration of rates. */
export interface History {
  readonly fold: Fold;
  readonly tail: readonly RatingEvent[];
}

interface Kept {
  readonly fingerprint: string;
  readonly reading: Promise<History>;
  history: History | undefined;
  latest: { readonly second: number; readonly table: object; readonly answer: RatedSnapshot } | undefined;
}

const keptBySnapshot = new WeakMap<MachineSnapshot, Kept>();

/**
 * Rates a machine of the main chain at its snapshot's block and this second of the clock; without waiting when its history is known.
 * Throws `ChainUnreadable`, `EventIndexSyncing`, `StoreUnavailable`.
 */
export function rateSnapshot(ctx: Ctx, main: MainChainPorts, snapshot: MachineSnapshot): Eventually<RatedSnapshot> {
  const kept = keepHistory(ctx, main, snapshot);
  return kept.history === undefined
    ? kept.reading.then((history) => rateNow(ctx, snapshot, kept, history))
    : rateNow(ctx, snapshot, kept, kept.history);
}

function rateNow(ctx: Ctx, snapshot: MachineSnapshot, kept: Kept, history: History): RatedSnapshot {
  const rates = ctx.fxRates.current();
  const second = nowSeconds(ctx.clock);
  if (kept.latest?.second === second && kept.latest.table === rates.table) return kept.latest.answer;
  const priorEvents = need(snapshot.priorEventCount);
  const facts = { snapshot, history, priorEvents, eventCount: readEventCount(snapshot), alt: undefined };
  const answer = computeRating(facts, rates, second);
  kept.latest = { second, table: rates.table, answer };
  return answer;
}

function keepHistory(ctx: Ctx, main: MainChainPorts, snapshot: MachineSnapshot): Kept {
  const { fingerprint } = ctx.fxRates.current();
  const known = keptBySnapshot.get(snapshot);
  if (known?.fingerprint === fingerprint) return known;
  const reading = readHistory(ctx, main, snapshot, fingerprint);
  const kept: Kept = { fingerprint, reading, history: undefined, latest: undefined };
  keptBySnapshot.set(snapshot, kept);
  reading.then(
    (history) => (kept.history = history),
    // A failure is not kept: the next request tries again.
    () => keptBySnapshot.delete(snapshot),
  );
  return kept;
}

async function readHistory(
  ctx: Ctx,
  main: MainChainPorts,
  snapshot: MachineSnapshot,
  fingerprint: string,
): Promise<History> {
  const count = readEventCount(snapshot);
  const stored = await ctx.store.readFold('second', snapshot.id, fingerprint);
  const fold =
    stored !== undefined && (await isOfSnapshot(main, snapshot, stored)) ? parseFold(stored.state) : emptyFold();
  if (fold.nextSeq > count) throw chainUnreadable('main', 'events');
  if (fold.nextSeq === count) return { fold, tail: [] };
  if (count - fold.nextSeq > MAX_TAIL) throw await syncing(main, snapshot);
  return { fold, tail: (await readTimedEvents(main, snapshot, fold.nextSeq, count)).events };
}

/** A fold of before an import, or of another chain, says nothing about the records that are readable at this block. */
async function isOfSnapshot(
  main: MainChainPorts,
  { id, block }: MachineSnapshot,
  { epoch }: StoredFold,
): Promise<boolean> {
  return (await main.eventTimes.readEventEpoch('second', id, block)) === epoch;
}

/** The records at positions `from` to `to - 1`, and the same as events of the model, with the time of their blocks. */
export async function readTimedEvents(
  main: MainChainPorts,
  snapshot: MachineSnapshot,
  from: number,
  to: number,
): Promise<{ readonly records: readonly EventRecord[]; readonly events: readonly RatingEvent[] }> {
  if (from === to) return { records: [], events: [] };
  const [records, logs] = await Promise.all([
    readRecords(main, snapshot, from, to),
    main.eventTimes.readEventLogs('second', snapshot.id, from, to, snapshot.block),
  ]);
  return { records, events: pairEvents(records, logs, from, need(snapshot.priorEventCount) > 0n) };
}

async function readRecords(
  main: MainChainPorts,
  snapshot: MachineSnapshot,
  from: number,
  to: number,
): Promise<readonly EventRecord[]> {
  const page = [snapshot.events, snapshot.firstEvents].find(
    (reading) =>
      reading?.state === 'present' &&
      reading.value.offset <= from &&
      reading.value.offset + reading.value.records.length >= to,
  );
  if (page?.state === 'present') return page.value.records.slice(from - page.value.offset, to - page.value.offset);
  return (await main.chain.readEvents(snapshot.id, snapshot.block, from, to)).records;
}

/** How many records the machine has; never so many that a position is not a safe integer. */
export function readEventCount(snapshot: MachineSnapshot): number {
  const count = need(snapshot.eventCount);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw chainUnreadable('main', 'undecodable');
  return Number(count);
}

async function syncing(main: MainChainPorts, snapshot: MachineSnapshot): Promise<Fault> {
  const { indexedBlock } = await main.index.readMainChainIndex();
  return new Fault('EventIndexSyncing', { indexedBlock: indexedBlock ?? 0, headBlock: snapshot.block.number });
}

interface RatedFacts {
  readonly snapshot: MachineSnapshot;
  readonly history: History;
  /** Of the chain that the machine lives on. */
  readonly priorEvents: bigint;
  readonly eventCount: number;
  readonly alt: AltStanding | undefined;
}

/** Gives the model everything at the second `now`. Throws `ChainUnreadable`. */
export function computeRating(facts: RatedFacts, rates: FxConfiguration, now: number): RatedSnapshot {
  const { snapshot, history, priorEvents, eventCount, alt } = facts;
  const subscriptionStatus = need(snapshot.subscriptionStatus);
  const flags = needOrAbsent(snapshot.flags);
  const inputs: RatingInputs = {
    now,
    subscriptionStatus,
    negativeFlagAt: flags?.flaggedAt ?? 0n,
    trustOverride: flags?.trustOverride,
    priorEvents,
    eventCount,
    fxFeed: rates.table.feed,
    fxThroughDay: rates.table.throughDay,
  };
  try {
    const rating = rateMachine({
      fold: history.fold,
      tail: history.tail,
      rates: rates.table,
      now,
      bondStatus: judgeBond(subscriptionStatus),
      negativeFlagAt: inputs.negativeFlagAt,
      trustOverride: inputs.trustOverride,
      priorEvents,
      ratingUnavailable: alt?.unavailable,
    });
    return { snapshot, rating, inputs, alt };
  } catch (error) {
    const chain: ChainName = alt === undefined ? 'main' : 'alt';
    if (error instanceof EventsUnreadable) throw chainUnreadable(chain, 'events');
    throw error;
  }
}
