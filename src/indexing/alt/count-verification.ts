/**
 * Does the index have every event? (chain-svm 6, "Proof against gaps".) Each machine's log account counts its events; the count is compared
 * with what is stored once all is applied as of the slot of the counts. A machine for which they differ is not rated until its own
 * list of transactions has told what is missing.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { AltEventStore, AltMachineState, AltWalk } from '../../ports/alt-store.ts';
import type { AltHistory, EventLogCount } from '../../ports/alt-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { unknownMachine } from './event-numbering.ts';
import type { HistoryRepair } from './history-repair.ts';
import type { SharedBackoff } from './shared-backoff.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';

export interface CountVerificationOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly patience: SharedBackoff;
  readonly repair: HistoryRepair;
  readonly clock: Clock;
  readonly log: Log;
}

export interface CountVerification {
  /** To be called when all is applied. `more`: the index is to be walked on to the slot of the counts, and asked again. */
  check(signal: AbortSignal): Promise<StepOutcome>;
  /** Machines that the last proof found wanting. */
  report(): number;
}

interface Counts {
  readonly slot: number;
  readonly counts: ReadonlyMap<MachineId, EventLogCount>;
}

/** What no log account, or a new one, counts. */
const NOT_COUNTED: EventLogCount = { count: 0n, priorEventCount: 0n };

const REPAIRS_PER_CHECK = 20;
const REPAIR_AGAIN_AFTER_MILLISECONDS = 600_000;

export function createCountVerification(options: CountVerificationOptions): CountVerification {
  const { history, store, patience, repair, clock, log } = options;
  const repairedAt = new Map<MachineId, number>();
  let pending: Counts | undefined;
  let wanting = 0;

  async function check(signal: AbortSignal): Promise<StepOutcome> {
    const walk = await store.readAltWalk();
    if (pending !== undefined && isWalkedTo(walk, pending)) {
      const counts = pending;
      pending = undefined;
      return judge(counts, signal);
    }
    const counts = await patience.ask(() => history.readEventLogCounts(), signal);
    // Of a node that is behind: the next round asks again.
    if (counts.slot < (walk.done?.slot ?? 0)) return 'idle';
    const machines = await readMachines();
    const isQuiet = listIds(machines, counts).every((id) => isSettled(machines.get(id) ?? unknownMachine(id), counts));
    if (isQuiet) {
      wanting = 0;
      return 'idle';
    }
    const isFirstLook = pending === undefined;
    pending = counts;
    return isFirstLook ? 'more' : 'idle';
  }

  async function readMachines(): Promise<ReadonlyMap<MachineId, AltMachineState>> {
    return new Map((await store.listAltMachines()).map((state) => [state.id, state]));
  }

  /** Tells of every machine what the counts say, and repairs some. */
  async function judge(counts: Counts, signal: AbortSignal): Promise<StepOutcome> {
    const { revision, ...walk } = await store.readAltWalk();
    const machines = await readMachines();
    const changed: AltMachineState[] = [];
    const wrong: MachineId[] = [];
    for (const id of listIds(machines, counts)) {
      const state = machines.get(id) ?? unknownMachine(id);
      if (state.lastSlot > counts.slot) continue;
      const isProven = isCounted(state, counts);
      if (!isProven || isToBeRepaired(state)) wrong.push(id);
      if (!isProven && state.problem === undefined) changed.push({ ...state, problem: 'counts' });
      if (isProven && state.problem === 'counts') changed.push({ ...state, problem: undefined });
    }
    wanting = wrong.length;
    if (wanting === 0) repairedAt.clear();
    const writes = changed.map((state) => ({ state, isRewritten: false, operations: [] }));
    if (writes.length > 0 && !(await store.writeAltIndex(revision, { walk, machines: writes }))) return 'idle';
    return repairSome(wrong, counts, signal);
  }

  /** `more` when a machine was mended, so that another look takes its mark off. */
  async function repairSome(wrong: readonly MachineId[], counts: Counts, signal: AbortSignal): Promise<StepOutcome> {
    const now = clock.nowMilliseconds();
    const due = wrong.filter((id) => now - (repairedAt.get(id) ?? -Infinity) >= REPAIR_AGAIN_AFTER_MILLISECONDS);
    for (const id of due.slice(0, REPAIRS_PER_CHECK)) {
      if (signal.aborted) return 'idle';
      log.warn({ machine: String(id), counted: String(countOf(counts, id)) }, 'events of a machine are incomplete');
      await repair.walkMachine(id, signal);
      await forgetLastEvent(id);
      repairedAt.set(id, now);
    }
    // New counts tell whether it helped, and do not repeat what one bad answer said of all machines.
    return due.length > 0 ? 'more' : 'idle';
  }

  /** The list was asked; whether the last event is right now, the next request sees. */
  async function forgetLastEvent(id: MachineId): Promise<void> {
    const { revision, ...walk } = await store.readAltWalk();
    const [state] = await store.readAltMachines([id]);
    if (state?.problem !== 'last-event') return;
    const machines = [{ state: { ...state, problem: undefined }, isRewritten: false, operations: [] }];
    await store.writeAltIndex(revision, { walk, machines });
  }

  return { check, report: () => wanting };
}

function isWalkedTo({ observed }: AltWalk, counts: Counts): boolean {
  return observed !== undefined && observed.slot >= counts.slot;
}

function isToBeRepaired({ problem }: AltMachineState): boolean {
  return problem === 'numbering' || problem === 'last-event';
}

/** Nothing to look at again: the counts agree and nothing is marked. */
function isSettled(state: AltMachineState, counts: Counts): boolean {
  return state.problem === undefined && isCounted(state, counts);
}

/** A prior count that differs tells of an import that was missed, and so of another incarnation. */
function isCounted({ id, eventCount, priorEventCount }: AltMachineState, { counts }: Counts): boolean {
  const counted = counts.get(id) ?? NOT_COUNTED;
  return counted.count === BigInt(eventCount) && counted.priorEventCount === priorEventCount;
}

/** Machines with a log, here or there. */
function listIds(machines: ReadonlyMap<MachineId, AltMachineState>, { counts }: Counts): MachineId[] {
  return [...new Set([...machines.keys(), ...counts.keys()])];
}

function countOf({ counts }: Counts, id: MachineId): bigint {
  return (counts.get(id) ?? NOT_COUNTED).count;
}
