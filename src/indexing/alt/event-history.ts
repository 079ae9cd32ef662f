/**
 * What can be rated of an alt-chain machine? The implementation of `AltIndex`: the events that the machine's log account counts at the slot of
 * the read, neither fewer nor more, or word that they are not all here (chain-svm 6, "Proof against gaps").
 */
import { chainUnreadable } from '../../domain/faults.ts';
import { NO_EVENTS, type AltEventLog, type AltMachineSnapshot } from '../../domain/alt-chain/alt-machine-facts.ts';
import { emptyRatingState } from '../../domain/rating/rating-state.ts';
import { decodeRatingStateDay } from '../../domain/rating/rating-state-day-codec.ts';
import { KEPT_DAYS } from '../../domain/rating/rating-state-days.ts';
import { RatingStateUnreadable, decodeRatingState } from '../../domain/rating/rating-state-codec.ts';
import type { AltEventStore, AltMachineState, StoredAltEvent, StoredAltHistory } from '../../ports/alt-store.ts';
import type { AltHistoryRead, AltIndex } from '../../ports/indexes.ts';
import type { Log } from '../../ports/runtime.ts';
import { isLastRecord, pickConsecutive, toRatingEvent } from './stored-events.ts';

export interface AltEventHistoryOptions {
  readonly store: AltEventStore;
  readonly log: Log;
  /** Whether the stored index is of another deployment. */
  readonly isRefused: () => boolean;
}

/** More than this beside the fold is the folder's work; the machine is not rated until then. */
const MAX_TAIL = 2_000;
const NOT_OBSERVED = { observed: undefined };

export function createAltEventHistory({ store, log, isRefused }: AltEventHistoryOptions): AltIndex {
  function checkStanding(): void {
    if (isRefused()) throw chainUnreadable('alt', 'contradiction');
  }

  async function readHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<AltHistoryRead> {
    checkStanding();
    const eventLog = readEventLog(snapshot);
    const count = toCount(eventLog);
    if (count === 0) return { isComplete: true, fold: emptyRatingState(), tail: [] };
    const stored = await store.readAltHistory(snapshot.id, ratesFingerprint, count, MAX_TAIL + 2);
    const fold =
      stored.fold === undefined ? emptyRatingState() : parse(snapshot, () => decodeRatingState(stored.fold!.state));
    const known = pickConsecutive(
      stored.events.filter(({ eventIndex }) => eventIndex >= fold.nextSeq && eventIndex < count),
      fold.nextSeq,
    );
    const isWhole = known.length === count - fold.nextSeq && isTrusted(stored, eventLog);
    const isComplete = isWhole && isOfSlot(stored.events, count, snapshot.slot);
    if (isComplete) await checkLastEvent(snapshot, eventLog, stored, count);
    return { isComplete, fold, tail: known.map(toRatingEvent) };
  }

  /** Throws `ChainUnreadable` instead of `RatingStateUnreadable`. */
  function parse<T>({ id }: AltMachineSnapshot, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RatingStateUnreadable)) throw error;
      log.error({ machine: String(id) }, 'a fold of the alt chain’s events is unreadable');
      throw chainUnreadable('alt', 'events');
    }
  }

  async function checkLastEvent(
    { id, slot }: AltMachineSnapshot,
    { lastEvent }: AltEventLog,
    stored: StoredAltHistory,
    count: number,
  ): Promise<void> {
    const last = stored.events.find(({ eventIndex }) => eventIndex === count - 1);
    if (last !== undefined && lastEvent !== undefined && isLastRecord(last.record, lastEvent)) return;
    log.error({ machine: String(id), slot, count }, 'the last event of a machine is not what its log account shows');
    await markForRepair(stored);
    throw chainUnreadable('alt', 'events');
  }

  /** The worker, in whichever process, asks the machine's own list. Who is too late here is not missed: the next request sees the same. */
  async function markForRepair({ walk: { revision, ...walk }, machine }: StoredAltHistory): Promise<void> {
    if (machine === undefined || machine.problem !== undefined) return;
    const machines = [{ state: { ...machine, problem: 'last-event' as const }, isRewritten: false, operations: [] }];
    await store.writeAltIndex(revision, { walk, machines });
  }

  /** Of what is stored of the machine; undefined where it is known to be another incarnation than the account counts, or to be wrong. */
  async function readRevision(snapshot: AltMachineSnapshot): Promise<number | undefined> {
    const { count, priorEventCount, lastEvent } = readEventLog(snapshot);
    const [machine] = await store.readAltMachines([snapshot.id]);
    if (machine?.priorEventCount !== priorEventCount || !isSound(machine)) return undefined;
    const [last] = await store.listAltEvents(snapshot.id, Number(count) - 1, Number(count));
    if (last === undefined) return machine.revision;
    return lastEvent !== undefined && isLastRecord(last.record, lastEvent) ? machine.revision : undefined;
  }

  return {
    readHistory,
    async readEvents(snapshot, from, to) {
      checkStanding();
      const count = toCount(readEventLog(snapshot));
      const revision = await readRevision(snapshot);
      const stored = await store.listAltEvents(snapshot.id, from, Math.min(to, count));
      // A history that was numbered anew meanwhile is another one.
      const isSame = revision !== undefined && revision === (await readRevision(snapshot));
      const known = isSame ? pickConsecutive(stored, from).filter(({ slot }) => slot <= snapshot.slot) : [];
      return { records: known.map(({ record }) => record), events: known.map(toRatingEvent) };
    },
    async readDayHistory(snapshot, ratesFingerprint) {
      checkStanding();
      const count = toCount(readEventLog(snapshot));
      const { revision, days } = await store.listAltFoldDays(snapshot.id, ratesFingerprint, KEPT_DAYS + 1);
      const from = days.at(-1)?.nextSeq ?? 0;
      if (count - from > MAX_TAIL) return undefined;
      const before = await readRevision(snapshot);
      const stored = await store.listAltEvents(snapshot.id, from, count);
      // Days, events and account of one history.
      if (before !== revision || revision !== (await readRevision(snapshot))) return undefined;
      const known = pickConsecutive(stored, from).filter(({ slot }) => slot <= snapshot.slot);
      if (known.length !== count - from) return undefined;
      return {
        foldDays: parse(snapshot, () => days.map(({ state }) => decodeRatingStateDay(state))),
        events: known.map(toRatingEvent),
      };
    },
    async readStatus() {
      const { observed } = isRefused() ? NOT_OBSERVED : await store.readAltWalk();
      return {
        isReady: observed !== undefined,
        slot: observed?.slot,
        observedAtMilliseconds: observed?.atMilliseconds,
      };
    },
  };
}

function readEventLog({ eventLog }: AltMachineSnapshot): AltEventLog {
  if (eventLog.state === 'unreadable') throw chainUnreadable('alt', eventLog.cause);
  return eventLog.state === 'absent' ? NO_EVENTS : eventLog.value;
}

function toCount({ count }: AltEventLog): number {
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw chainUnreadable('alt', 'undecodable');
  return Number(count);
}

/** The first walk has ended, nothing is known to be missing, and the incarnation is not one that an import began otherwise. */
function isTrusted({ walk, machine }: StoredAltHistory, { priorEventCount }: AltEventLog): boolean {
  return walk.observed !== undefined && machine?.priorEventCount === priorEventCount && isSound(machine);
}

/** A last event that another request found wrong is judged anew by each. */
function isSound({ problem }: AltMachineState): boolean {
  return problem === undefined || problem === 'last-event';
}

/**
 * Whether the count of the account and the stored events are of one incarnation, as far as slots tell: the counted ones are not of after
 * the read, and what follows them is.
 */
function isOfSlot(events: readonly StoredAltEvent[], count: number, slot: number): boolean {
  return events.every((event) => event.slot <= slot === event.eventIndex < count);
}
