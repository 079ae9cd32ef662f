/**
 * Event history of a machine: the stored rating state, and the records after it with their block times (chain-evm 3.7). The same for both
 * generations; only the registry differs.
 */
import { pairEvents } from '../domain/machine/event-pairing.ts';
import { chainUnreadable, Fault } from '../domain/faults.ts';
import type { MachineId } from '../domain/identifiers/identifiers.ts';
import type { ReadResult } from '../domain/read-result.ts';
import type { BlockRef, EventPage, EventRecord } from '../domain/machine/machine-facts.ts';
import { NO_PROVENANCE, type Provenance } from '../domain/machine/provenance.ts';
import { emptyRatingState, type RatingState } from '../domain/rating/rating-state.ts';
import type { DayHistory } from '../domain/rating/daily-rating.ts';
import { decodeRatingStateDay } from '../domain/rating/rating-state-day-codec.ts';
import { RETAINED_DAYS, type RatingStateDay } from '../domain/rating/rating-state-days.ts';
import { RatingStateUnreadable, decodeRatingState } from '../domain/rating/rating-state-codec.ts';
import type { RatingEvent } from '../domain/rating/event.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { PinnedHistory } from '../ports/indexes.ts';
import type { EventGeneration } from '../ports/main-chain.ts';
import type { StoredRatingStateDay } from '../ports/store.ts';

/** Maximum number of records after the state that a request reads; more are left to the indexer. */
const MAX_TAIL = 2_000;

/** Rating state and the events after it, fixed for a block and a configuration of rates. */
export interface EventHistoryRead {
  readonly state: RatingState;
  readonly tail: readonly RatingEvent[];
  /** Provenance of the machine at the block. */
  readonly provenance: Provenance;
  /** Epoch of the history at the block; undefined for a history without stored logs. */
  readonly epoch?: number | undefined;
  /** Stored epoch that was read; likewise. */
  readonly storedEpoch?: number | undefined;
}

/** Source of the events of one machine at one block. */
export interface EventSource {
  readonly generation: EventGeneration;
  readonly id: MachineId;
  readonly block: BlockRef;
  readonly count: number;
  readonly hasPriorEvents: boolean;
  /** Whether the rating depends on the provenance even without events. */
  readonly needsProvenance: boolean;
  /** Pages that were read with the machine. */
  readonly pages: readonly (ReadResult<EventPage> | undefined)[];
  /** Reads the records at positions `from` to `to - 1`. Throws `ChainUnreadable`. */
  readonly readEvents: (from: number, to: number) => Promise<EventPage>;
}

/** Reads the history of the source. Throws `ChainUnreadable`, `EventIndexSyncing`, `StoreUnavailable`. */
export async function readHistory(
  ctx: Ctx,
  main: MainChainPorts,
  source: EventSource,
  fingerprint: string,
): Promise<EventHistoryRead> {
  const { generation, id, count } = source;
  const stored = await ctx.store.readRatingState(generation, id, fingerprint);
  if (count === 0 && stored === undefined && !source.needsProvenance) {
    return { state: emptyRatingState(), tail: [], provenance: NO_PROVENANCE };
  }
  const { epoch, storedEpoch, provenance } = await main.eventTimes.readPinnedHistory(source);
  const state = stored?.epoch === epoch ? decodeRatingState(stored.state) : emptyRatingState();
  if (state.nextSeq > count) throw chainUnreadable('main', 'events');
  if (state.nextSeq === count) return { state, tail: [], provenance, epoch, storedEpoch };
  if (count - state.nextSeq > MAX_TAIL) throw await syncing(main, source.block);
  const { events: tail } = await readTimedEvents(main, source, state.nextSeq, count, epoch);
  return { state, tail, provenance, epoch, storedEpoch };
}

/**
 * Reads all events of the source, as far as possible as stored days; returns undefined where too many would have to be read. Throws as
 * `readHistory`, and `EventIndexSyncing` when the history is of another epoch than that of the rating.
 */
export async function readDayHistory(
  ctx: Ctx,
  main: MainChainPorts,
  source: EventSource,
  fingerprint: string,
  ratedEpoch?: number,
): Promise<DayHistory | undefined> {
  const { generation, id, count } = source;
  const stored = await ctx.store.listRatingStateDays(generation, id, fingerprint, RETAINED_DAYS + 1);
  const { epoch, provenance } = await readRatedHistory(main, source, ratedEpoch);
  const days = stored.epoch === epoch ? stored.days : [];
  const from = days.at(-1)?.nextSeq ?? 0;
  if (from > count) throw chainUnreadable('main', 'events');
  if (count - from > MAX_TAIL) return undefined;
  const { events } = await readTimedEvents(main, source, from, count, epoch);
  return { stateDays: parseDays(days), events, changedHandsAfter: provenance.changedHandsAfter };
}

/** Reads the pinned history. Throws `EventIndexSyncing` when it is of another epoch than that of the rating. */
export async function readRatedHistory(
  main: MainChainPorts,
  source: EventSource,
  ratedEpoch: number | undefined,
): Promise<PinnedHistory> {
  const history = await main.eventTimes.readPinnedHistory(source);
  if (ratedEpoch !== undefined && ratedEpoch !== history.epoch) throw await syncing(main, source.block);
  return history;
}

function parseDays(days: readonly StoredRatingStateDay[]): readonly RatingStateDay[] {
  try {
    return days.map(({ state }) => decodeRatingStateDay(state));
  } catch (error) {
    if (error instanceof RatingStateUnreadable) throw chainUnreadable('main', 'events');
    throw error;
  }
}

/**
 * Reads the records at positions `from` to `to - 1`, and converts them to events of the model with their block times. With an epoch, throws
 * `EventIndexSyncing` when the history is of another one.
 */
export async function readTimedEvents(
  main: MainChainPorts,
  source: EventSource,
  from: number,
  to: number,
  epoch?: number,
): Promise<{ readonly records: readonly EventRecord[]; readonly events: readonly RatingEvent[] }> {
  if (from === to) return { records: [], events: [] };
  const { generation, id, block, count: total, hasPriorEvents } = source;
  const [records, logs] = await Promise.all([
    readRecords(source, from, to),
    main.eventTimes.readEventLogs({ generation, id, from, to, block, hasPriorEvents, total, epoch }),
  ]);
  return { records, events: pairEvents(records, logs, from, hasPriorEvents) };
}

async function readRecords(
  { pages, readEvents }: EventSource,
  from: number,
  to: number,
): Promise<readonly EventRecord[]> {
  const page = pages.find(
    (reading) =>
      reading?.state === 'present' &&
      reading.value.offset <= from &&
      reading.value.offset + reading.value.records.length >= to,
  );
  if (page?.state === 'present') return page.value.records.slice(from - page.value.offset, to - page.value.offset);
  return (await readEvents(from, to)).records;
}

/** Converts a count. Throws `ChainUnreadable` where a position is not a safe integer. */
export function toEventCount(count: bigint): number {
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw chainUnreadable('main', 'undecodable');
  return Number(count);
}

/** Returns the error of an index that cannot serve the machine at this block yet. */
export async function syncing(main: MainChainPorts, block: BlockRef): Promise<Fault> {
  const { indexedBlock } = await main.index.readMainChainIndex();
  return new Fault('EventIndexSyncing', { indexedBlock: indexedBlock ?? 0, headBlock: block.number });
}
