/**
 * Completeness check of the alt-chain index (chain-svm 6, "Proof against gaps"). Each machine's log account counts its
 * events. The counts are compared with the stored events once the index has reached the slot of the counts. A machine
 * whose counts differ is not rated until its own transaction list has supplied what is missing.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { AltEventStore, AltMachineProblem, AltMachineState, AltWalk } from '../../ports/alt-store.ts';
import type { AltHistory, EventLogCount } from '../../ports/alt-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { emptyMachineState } from './event-numbering.ts';
import { concernsOneResponse } from './history-rejected.ts';
import type { HistoryRepair } from './history-repair.ts';
import type { SharedBackoff } from './shared-backoff.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';
import { describeFailure } from '../loops/step-failure.ts';

export interface CountVerificationOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly backoff: SharedBackoff;
  readonly repair: HistoryRepair;
  readonly clock: Clock;
  readonly log: Log;
}

export interface CountVerification {
  /**
   * Verifies the index once everything is applied. Returns `more` when the index must first reach the slot of the
   * counts and `check` be called again. Throws the failure of one machine's own list after the others are repaired.
   */
  check(signal: AbortSignal): Promise<StepOutcome>;
  /** Returns the newest slot through which this process found the events of every machine complete, and when; undefined before. */
  complete(): { readonly slot: number; readonly atMilliseconds: number } | undefined;
}

interface Counts {
  readonly slot: number;
  readonly counts: ReadonlyMap<MachineId, EventLogCount>;
}

/** Counts of a missing or a new log account. */
const NO_COUNT: EventLogCount = { count: 0n, priorEventCount: 0n };

/** Limit per check of the repairs of differing machines, and of the confirmations of machines that agree again. */
const REPAIRS_PER_CHECK = 20;
const REPAIR_AGAIN_AFTER_MILLISECONDS = 600_000;

export function createCountVerification(options: CountVerificationOptions): CountVerification {
  const { history, store, backoff, repair, clock, log } = options;
  const repairedAt = new Map<MachineId, number>();
  /** When the own list of a machine failed. */
  const failedAt = new Map<MachineId, number>();
  /** The version of each machine's history when it was last marked or repaired. */
  const examined = new Map<MachineId, string>();
  let pending: Counts | undefined;
  let complete: ReturnType<CountVerification['complete']>;

  async function check(signal: AbortSignal): Promise<StepOutcome> {
    const walk = await store.readAltWalk();
    if (pending !== undefined && hasReached(walk, pending)) {
      const counts = pending;
      pending = undefined;
      return applyCounts(counts, signal);
    }
    const counts = await backoff.run(() => history.readEventLogCounts(), signal);
    // The node is behind; the next round reads again.
    if (counts.slot < (walk.done?.slot ?? 0)) return 'idle';
    const machines = await readMachines();
    const isSettledEverywhere = listIds(machines, counts).every((id) =>
      isSettled(machines.get(id) ?? emptyMachineState(id), counts),
    );
    if (isSettledEverywhere) {
      noteComplete(counts);
      return 'idle';
    }
    const isFirstCheck = pending === undefined;
    pending = counts;
    return isFirstCheck ? 'more' : 'idle';
  }

  async function readMachines(): Promise<ReadonlyMap<MachineId, AltMachineState>> {
    return new Map((await store.listAltMachines()).map((state) => [state.id, state]));
  }

  /** Compares the counts with every machine's state, marks the differences, and repairs some machines. */
  async function applyCounts(counts: Counts, signal: AbortSignal): Promise<StepOutcome> {
    const { revision, ...walk } = await store.readAltWalk();
    const machines = await readMachines();
    const changed: AltMachineState[] = [];
    const incomplete: MachineId[] = [];
    const unconfirmed: AltMachineState[] = [];
    if (await areComplete(machines, counts)) noteComplete(counts);
    for (const id of listIds(machines, counts)) {
      const state = machines.get(id) ?? emptyMachineState(id);
      if (state.lastSlot > counts.slot) continue;
      const isMatching = matchesCount(state, counts);
      if (!isMatching || needsRepair(state)) incomplete.push(id);
      if (!isMatching && state.problem === undefined) changed.push({ ...state, problem: 'counts' });
      if (!isMatching || state.problem !== 'counts') continue;
      if (examined.get(id) === versionOf(state)) changed.push({ ...state, problem: undefined });
      else unconfirmed.push(state);
    }
    if (incomplete.length === 0) repairedAt.clear();
    if (incomplete.length + unconfirmed.length === 0) failedAt.clear();
    const writes = changed.map((state) => ({ state, isRewritten: false, operations: [] }));
    if (writes.length > 0 && !(await store.writeAltIndex(revision, { walk, machines: writes }))) return 'idle';
    for (const state of changed) if (state.problem === 'counts') examined.set(state.id, versionOf(state));
    const failures: Error[] = [];
    const hasConfirmed = await confirmSome(unconfirmed, failures, signal);
    const outcome = await repairDue(incomplete, counts, failures, signal);
    if (failures[0] !== undefined) throw failures[0];
    return hasConfirmed ? 'more' : outcome;
  }

  function noteComplete({ slot }: Counts): void {
    complete = { slot: Math.max(slot, complete?.slot ?? slot), atMilliseconds: clock.nowMilliseconds() };
  }

  /** Returns whether nothing is marked, and each machine has as many events up to the slot of the counts as they say. */
  async function areComplete(machines: ReadonlyMap<MachineId, AltMachineState>, counts: Counts): Promise<boolean> {
    for (const id of listIds(machines, counts)) {
      const state = machines.get(id) ?? emptyMachineState(id);
      const isComplete =
        state.lastSlot > counts.slot ? await matchesEarlierCount(state, counts) : isSettled(state, counts);
      if (!isComplete) return false;
    }
    return true;
  }

  /** Compares the events up to the slot of the counts, of a machine with later ones. */
  async function matchesEarlierCount(state: AltMachineState, counts: Counts): Promise<boolean> {
    const { id, problem, priorEventCount } = state;
    const { count, priorEventCount: prior } = counts.counts.get(id) ?? NO_COUNT;
    if (problem !== undefined || prior !== priorEventCount || count >= BigInt(state.eventCount)) return false;
    const next = Number(count);
    const around = await store.listAltEvents(id, Math.max(0, next - 1), next + 1);
    return around.every(({ eventIndex, slot }) => slot > counts.slot === eventIndex >= next);
  }

  /**
   * Reads the own lists of marked machines whose counts agree after further operations, and clears the mark where the
   * list adds nothing. A missed close and records missed after it cancel out in the counts. Returns whether a list was
   * read to its end.
   */
  async function confirmSome(
    unconfirmed: readonly AltMachineState[],
    failures: Error[],
    signal: AbortSignal,
  ): Promise<boolean> {
    let hasConfirmed = false;
    const due = unconfirmed.filter(({ id }) => mayRead(failedAt.get(id)));
    for (const before of due.slice(0, REPAIRS_PER_CHECK)) {
      const isWhole = await repairMachine(before.id, failures, signal);
      if (signal.aborted) return false;
      if (!isWhole) continue;
      hasConfirmed = true;
      await clearProblem(before.id, 'counts', (state) => versionOf(state) === versionOf(before));
    }
    return hasConfirmed;
  }

  /**
   * Returns `more` when a machine was repaired, so that the next check can clear its mark. A long list is continued by the
   * checks that follow, so that the index advances meanwhile.
   */
  async function repairDue(
    incomplete: readonly MachineId[],
    counts: Counts,
    failures: Error[],
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    const isStopped = () => signal.aborted;
    const now = clock.nowMilliseconds();
    const due = incomplete.filter((id) => mayRead(repairedAt.get(id)) && mayRead(failedAt.get(id)));
    let hasRepaired = false;
    for (const id of due.slice(0, REPAIRS_PER_CHECK)) {
      if (isStopped()) return 'idle';
      if (!repair.isStarted(id))
        log.warn({ machine: String(id), counted: String(countOf(counts, id)) }, 'events of a machine are incomplete');
      if (!(await repairMachine(id, failures, signal))) continue;
      hasRepaired = true;
      // The next request checks the last event again.
      await clearProblem(id, 'last-event', () => true);
      const [state] = await store.readAltMachines([id]);
      if (state !== undefined && !isStopped()) examined.set(id, versionOf(state));
      repairedAt.set(id, now);
    }
    // New counts show whether the repair helped, and do not repeat what one bad response said about all machines.
    return hasRepaired ? 'more' : 'idle';
  }

  /** Like `repair.repairMachine`. A list that fails waits its interval, and does not keep others from being read. */
  async function repairMachine(id: MachineId, failures: Error[], signal: AbortSignal): Promise<boolean> {
    try {
      return await repair.repairMachine(id, signal);
    } catch (error) {
      failedAt.set(id, clock.nowMilliseconds());
      if (!concernsOneResponse(error)) throw error;
      const { reason } = describeFailure(error);
      log.warn({ machine: String(id), reason }, 'events of a machine could not be repaired');
      // No node can help where the history is too long.
      if (reason !== 'too-many-operations') failures.push(error);
      return false;
    }
  }

  /** Returns whether an own list may be read again. */
  function mayRead(readAtMilliseconds = -Infinity): boolean {
    return clock.nowMilliseconds() - readAtMilliseconds >= REPAIR_AGAIN_AFTER_MILLISECONDS;
  }

  async function clearProblem(
    id: MachineId,
    problem: AltMachineProblem,
    isDue: (state: AltMachineState) => boolean,
  ): Promise<void> {
    const { revision, ...walk } = await store.readAltWalk();
    const [state] = await store.readAltMachines([id]);
    if (state?.problem !== problem || !isDue(state)) return;
    const machines = [{ state: { ...state, problem: undefined }, isRewritten: false, operations: [] }];
    await store.writeAltIndex(revision, { walk, machines });
  }

  return { check, complete: () => complete };
}

function hasReached({ observed }: AltWalk, counts: Counts): boolean {
  return observed !== undefined && observed.slot >= counts.slot;
}

function needsRepair({ problem }: AltMachineState): boolean {
  return problem === 'numbering' || problem === 'last-event';
}

/** Returns whether the counts agree and nothing is marked. */
function isSettled(state: AltMachineState, counts: Counts): boolean {
  return state.problem === undefined && matchesCount(state, counts);
}

/** A different prior count means a missed import, and so another incarnation. */
function matchesCount({ id, eventCount, priorEventCount }: AltMachineState, { counts }: Counts): boolean {
  const counted = counts.get(id) ?? NO_COUNT;
  return counted.count === BigInt(eventCount) && counted.priorEventCount === priorEventCount;
}

/** Identifies a machine's stored operations; every change of them gives another version. */
function versionOf({ revision, operationCount }: AltMachineState): string {
  return `${revision}/${operationCount}`;
}

/** Lists the machines with a log in the index or on the chain. */
function listIds(machines: ReadonlyMap<MachineId, AltMachineState>, { counts }: Counts): MachineId[] {
  return [...new Set([...machines.keys(), ...counts.keys()])];
}

function countOf({ counts }: Counts, id: MachineId): bigint {
  return (counts.get(id) ?? NO_COUNT).count;
}
