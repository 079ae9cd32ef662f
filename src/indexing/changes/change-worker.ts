/**
 * Worker that finds changes: observes machines that logs have touched and those whose values may have changed by time alone, and stores
 * the differences (docs/decisions/changes.md). Runs in the leader; a second writer does no harm, because every write compares versions.
 */
import {
  ABSENT_VALUES,
  CHANGE_KINDS,
  isPresent,
  listMachineChanges,
  settleValues,
  type ObservedValues,
} from '../../domain/changes/machine-change.ts';
import { Fault } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { MachineListing, RatedFigures } from '../../domain/machine/machine-directory.ts';
import type { BlockId } from '../../domain/machine/machine-facts.ts';
import type { ChangeStore, DueMachine, ObservationWrite } from '../../ports/change-store.ts';
import { nowSeconds, type Clock, type Log, type Timers } from '../../ports/runtime.ts';
import { createPollLoop, type PollLoop, type StepOutcome } from '../loops/poll-loop.ts';

export interface MachineReading {
  readonly values: ObservedValues;
  readonly home: 'main' | 'alt' | 'absent';
  /** First second at which a value other than the rating may change by time alone; undefined without one. */
  readonly changesAt: number | undefined;
  /** Figures of the rating for the directory; left out where it could not be determined. */
  readonly figures?: RatedFigures | undefined;
}

export interface ChangeWorkerOptions {
  readonly store: ChangeStore;
  /** Returns the final block up to which the index is stored; undefined while the index is behind or out of date. */
  readonly readFinalBlock: () => Promise<BlockId | undefined>;
  /** Throws a `Fault` where the machine cannot be observed now. */
  readonly observe: (id: MachineId, block: BlockId) => Promise<MachineReading>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface ChangeWorker {
  /** Runs one bounded step. Throws `StoreUnavailable`. */
  step(): Promise<StepOutcome>;
  readonly loop: PollLoop;
  report(): ChangeWorkerReport;
}

export interface ChangeWorkerReport {
  /** Changes that this process has stored. */
  readonly stored: number;
  /** Observations that failed and were postponed. */
  readonly postponed: number;
}

/** Time without a touch after which a machine is observed again: the delay of a rating that changes by time alone. */
export const OBSERVATION_SECONDS = 6 * 3_600;
/** The same for machines of the alt chain, whose events touch none. */
export const ALT_OBSERVATION_SECONDS = 600;
export const OBSERVATION_RETRY_SECONDS = 60;
/** Changes are stored for this time, and at most this many. */
export const RETENTION_SECONDS = 30 * 86_400;
export const MAX_STORED_CHANGES = 1_000_000;

/** Machines of one step; their reads share multicalls. */
const BATCH_MACHINES = 50;
const INTERVAL_MILLISECONDS = 2_000;
const MAX_BACKOFF_MILLISECONDS = 30_000;
const PRUNE_INTERVAL_SECONDS = 60;

export function createChangeWorker(options: ChangeWorkerOptions): ChangeWorker {
  const { store, readFinalBlock, observe, clock, timers, log } = options;
  let report: ChangeWorkerReport = { stored: 0, postponed: 0 };
  let isOpen = false;
  let prunedAt: number | undefined;

  async function step(): Promise<StepOutcome> {
    const now = nowSeconds(clock);
    const due = await store.listDueMachines(now, BATCH_MACHINES);
    // After the list, so that the block is not older than any touch.
    const block = await readFinalBlock();
    if (block === undefined) return 'idle';
    if (due.length === 0) return settle(now);
    const writes = await Promise.all(due.map((machine) => observeDue(machine, block, now)));
    const stored = await store.writeObservations(writes);
    report = { ...report, stored: report.stored + stored };
    return due.length === BATCH_MACHINES ? 'more' : 'idle';
  }

  /** Opens the feed once every known machine was observed, and deletes old changes. */
  async function settle(now: number): Promise<StepOutcome> {
    if (!isOpen) await store.openChanges(now);
    isOpen = true;
    if (prunedAt !== undefined && now - prunedAt < PRUNE_INTERVAL_SECONDS) return 'idle';
    const isPruned = await store.pruneChanges(now - RETENTION_SECONDS, MAX_STORED_CHANGES);
    if (isPruned) prunedAt = now;
    return isPruned ? 'idle' : 'more';
  }

  async function observeDue(machine: DueMachine, block: BlockId, now: number): Promise<ObservationWrite> {
    const reading = await tryObserve(machine, block);
    if (reading === undefined) {
      const { values, listing } = machine;
      return { machine, values, listing, isAbsent: false, changes: [], dueAt: now + OBSERVATION_RETRY_SECONDS };
    }
    const previous = machine.values ?? ABSENT_VALUES;
    const values = settleValues(previous, reading.values);
    const place = { blockNumber: block.number, observedAt: now };
    return {
      machine,
      values: isPresent(values) ? values : undefined,
      listing: toListing(machine, reading, place),
      isAbsent: !isPresent(values),
      changes: listMachineChanges(machine.id, previous, values, place),
      dueAt: Math.min(now + secondsUntilNext(reading), reading.changesAt ?? Infinity),
      blockNumber: block.number,
    };
  }

  /** Returns undefined where the machine cannot be observed completely, which says nothing about it. */
  async function tryObserve(machine: DueMachine, block: BlockId): Promise<MachineReading | undefined> {
    try {
      const reading = await observe(machine.id, block);
      const isComplete = CHANGE_KINDS.every((kind) => reading.values[kind] !== undefined);
      if (machine.values !== undefined || isComplete) return reading;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
    report = { ...report, postponed: report.postponed + 1 };
    return undefined;
  }

  return {
    step,
    loop: createPollLoop({
      name: 'changes',
      intervalMilliseconds: INTERVAL_MILLISECONDS,
      firstBackoffMilliseconds: INTERVAL_MILLISECONDS,
      maxBackoffMilliseconds: MAX_BACKOFF_MILLISECONDS,
      clock,
      timers,
      log,
      step,
    }),
    report: () => report,
  };
}

/** While the rating cannot be determined, its figures stay those of the last observation that had one. */
function toListing(
  { listing }: DueMachine,
  { home, figures }: MachineReading,
  place: Pick<MachineListing, 'blockNumber' | 'observedAt'>,
): MachineListing | undefined {
  if (home === 'absent') return undefined;
  return figures === undefined ? listing && { ...listing, home } : { home, ...figures, ...place };
}

function secondsUntilNext({ home, values }: MachineReading): number {
  if (home === 'alt') return ALT_OBSERVATION_SECONDS;
  // The index of the alt chain lags behind.
  return values.rating === undefined ? OBSERVATION_RETRY_SECONDS : OBSERVATION_SECONDS;
}
