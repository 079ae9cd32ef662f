/**
 * Rating input of an alt-chain machine. Implements `AltIndex`: returns exactly the events that the machine's log
 * account counts at the slot of the read, or reports the history as incomplete (chain-svm 6, "Proof against gaps").
 */
import { chainUnreadable } from '../../domain/faults.ts';
import { NO_EVENTS, type AltEventLog, type AltMachineSnapshot } from '../../domain/alt-chain/alt-machine-facts.ts';
import { emptyRatingState } from '../../domain/rating/rating-state.ts';
import { decodeRatingStateDay } from '../../domain/rating/rating-state-day-codec.ts';
import { RETAINED_DAYS } from '../../domain/rating/rating-state-days.ts';
import { RatingStateUnreadable, decodeRatingState } from '../../domain/rating/rating-state-codec.ts';
import type {
  AltEventStore,
  AltMachineProblem,
  AltMachineState,
  AltWalk,
  StoredAltEvent,
  StoredAltHistory,
} from '../../ports/alt-store.ts';
import type { AltHistoryRead, AltIndex, AltWalkProgress } from '../../ports/indexes.ts';
import type { Log } from '../../ports/runtime.ts';
import { isLastRecord, pickConsecutive, toRatingEvent } from './stored-events.ts';

export interface AltEventHistoryOptions {
  readonly store: AltEventStore;
  readonly log: Log;
  /** Returns whether the stored index belongs to another deployment. */
  readonly isRefused: () => boolean;
}

/** Limit of unfolded events per request; beyond it the machine is not rated until the folder has caught up. */
const MAX_TAIL = 2_000;
const MARK_ATTEMPTS = 5;

export function createAltEventHistory({ store, log, isRefused }: AltEventHistoryOptions): AltIndex {
  function checkNotRefused(): void {
    if (isRefused()) throw chainUnreadable('alt', 'contradiction');
  }

  async function readHistory(snapshot: AltMachineSnapshot, ratesFingerprint: string): Promise<AltHistoryRead> {
    checkNotRefused();
    const eventLog = readEventLog(snapshot);
    const count = toCount(eventLog);
    if (count === 0) return { isComplete: true, state: emptyRatingState(), tail: [] };
    const stored = await store.readAltHistory(snapshot.id, ratesFingerprint, count, MAX_TAIL + 2);
    // None of the events of another incarnation are events of the machine.
    if (!isSameIncarnation(stored, eventLog, snapshot.slot))
      return { isComplete: false, state: emptyRatingState(), tail: [] };
    const state =
      stored.state === undefined ? emptyRatingState() : parse(snapshot, () => decodeRatingState(stored.state!.state));
    const known = pickConsecutive(
      stored.events.filter(({ eventIndex }) => eventIndex >= state.nextSeq && eventIndex < count),
      state.nextSeq,
    );
    const isConsistent = known.length === count - state.nextSeq && isTrusted(stored);
    const isComplete = isConsistent && matchesSlot(stored.events, count, snapshot.slot);
    if (isComplete) await checkLastEvent(snapshot, eventLog, stored, count);
    return { isComplete, state, tail: known.map(toRatingEvent) };
  }

  /** Throws `ChainUnreadable` instead of `RatingStateUnreadable`. */
  function parse<T>({ id }: AltMachineSnapshot, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RatingStateUnreadable)) throw error;
      log.error({ machine: String(id) }, 'the rating state of an alt-chain machine is unreadable');
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
    log.error({ machine: String(id), slot, count }, 'the last event of a machine differs from its log account');
    await markForRepair(stored);
    throw chainUnreadable('alt', 'events');
  }

  /**
   * Marks the machine so that the worker, in whichever process, reads its own list. A write lost to another one is
   * repeated, because that one may have added events, after which no request compares this one again.
   */
  async function markForRepair(stored: StoredAltHistory): Promise<void> {
    let { walk, machine } = stored;
    for (let attempt = 1; attempt <= MARK_ATTEMPTS; attempt++) {
      if (machine === undefined || machine.problem !== undefined) return;
      const isSame = machine.operationCount === stored.machine?.operationCount;
      const problem: AltMachineProblem = isSame ? 'last-event' : 'counts';
      const machines = [{ state: { ...machine, problem }, isRewritten: false, operations: [] }];
      const { revision, ...unchanged } = walk;
      if (await store.writeAltIndex(revision, { walk: unchanged, machines })) return;
      walk = await store.readAltWalk();
      [machine] = await store.readAltMachines([machine.id]);
    }
  }

  /**
   * Returns the stored revision of the machine; undefined when it is of another incarnation than the account, or known
   * to be wrong.
   */
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
      checkNotRefused();
      const count = toCount(readEventLog(snapshot));
      const revision = await readRevision(snapshot);
      const stored = await store.listAltEvents(snapshot.id, from, Math.min(to, count));
      // A renumbered history is another one.
      const isSame = revision !== undefined && revision === (await readRevision(snapshot));
      const known = isSame ? pickConsecutive(stored, from).filter(({ slot }) => slot <= snapshot.slot) : [];
      return { records: known.map(({ record }) => record), events: known.map(toRatingEvent) };
    },
    async readDayHistory(snapshot, ratesFingerprint) {
      checkNotRefused();
      const count = toCount(readEventLog(snapshot));
      const { revision, days } = await store.listAltRatingStateDays(snapshot.id, ratesFingerprint, RETAINED_DAYS + 1);
      const from = days.at(-1)?.nextSeq ?? 0;
      if (count - from > MAX_TAIL) return undefined;
      const before = await readRevision(snapshot);
      const stored = await store.listAltEvents(snapshot.id, from, count);
      // Days, events and account must belong to one history.
      if (before !== revision || revision !== (await readRevision(snapshot))) return undefined;
      const known = pickConsecutive(stored, from).filter(({ slot }) => slot <= snapshot.slot);
      if (known.length !== count - from) return undefined;
      return {
        stateDays: parse(snapshot, () => days.map(({ state }) => decodeRatingStateDay(state))),
        events: known.map(toRatingEvent),
        changedHandsAfter: undefined,
      };
    },
    async readStatus() {
      const walk = isRefused() ? undefined : await store.readAltWalk();
      const observed = walk?.observed;
      return {
        isReady: observed !== undefined,
        slot: observed?.slot,
        observedAtMilliseconds: observed?.observedAtMilliseconds,
        progress: walk && toProgress(walk),
      };
    },
  };
}

function toProgress({ done, observed, open }: AltWalk): AltWalkProgress | undefined {
  const appliedSlot = done?.slot;
  if (open === undefined) {
    const targetSlot = appliedSlot ?? observed?.slot;
    if (targetSlot === undefined) return undefined;
    return { phase: 'following', appliedSlot, targetSlot, listedDownToSlot: undefined };
  }
  const targetSlot = open.top.slot;
  if (open.isListed) return { phase: 'applying', appliedSlot, targetSlot, listedDownToSlot: undefined };
  return { phase: 'listing', appliedSlot, targetSlot, listedDownToSlot: open.cursor.slot };
}

function readEventLog({ eventLog }: AltMachineSnapshot): AltEventLog {
  if (eventLog.state === 'unreadable') throw chainUnreadable('alt', eventLog.cause);
  return eventLog.state === 'absent' ? NO_EVENTS : eventLog.value;
}

function toCount({ count }: AltEventLog): number {
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw chainUnreadable('alt', 'undecodable');
  return Number(count);
}

/** Returns whether the stored events and the account belong to one incarnation, as far as prior count and slots show. */
function isSameIncarnation(
  { machine, events }: StoredAltHistory,
  { count, priorEventCount }: AltEventLog,
  slot: number,
): boolean {
  if (machine?.priorEventCount !== priorEventCount) return false;
  return !events.some((event) => event.slot <= slot && event.eventIndex >= count);
}

/** Returns whether the first walk has ended, and nothing is known to be missing. */
function isTrusted({ walk, machine }: StoredAltHistory): boolean {
  return walk.observed !== undefined && machine !== undefined && isSound(machine);
}

/** A last event that another request found wrong is checked again by each request. */
function isSound({ problem }: AltMachineState): boolean {
  return problem === undefined || problem === 'last-event';
}

/**
 * Returns whether the account's count and the stored events belong to one incarnation, as far as slots show: counted
 * events are not later than the read, and all others are.
 */
function matchesSlot(events: readonly StoredAltEvent[], count: number, slot: number): boolean {
  return events.every((event) => event.slot <= slot === event.eventIndex < count);
}
