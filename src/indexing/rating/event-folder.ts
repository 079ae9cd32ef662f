/**
 * Folds finalized main-chain events into rating states (chain-evm 3.7, design/scoring.md "Fold"). Records are read in
 * batches at the indexed block, joined with their logs, and folded into each machine's stored state. Work per call is
 * bounded: a machine with a million events is folded page by page, alternating with the others.
 */
import { pairEvents } from '../../domain/machine/event-pairing.ts';
import { Fault } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef, EventRecord } from '../../domain/machine/machine-facts.ts';
import { MIN_EVENTS_FOR_STORED_DAYS } from '../../domain/rating/rating-state-days.ts';
import { EventsUnreadable, emptyRatingState, type RatingState } from '../../domain/rating/rating-state.ts';
import { RatingStateUnreadable, encodeRatingState, decodeRatingState } from '../../domain/rating/rating-state-codec.ts';
import type { RateTable } from '../../domain/rating/rate-table.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { EventLogRow } from '../../ports/indexes.ts';
import type { FxConfiguration, FxRates } from '../../ports/rates.ts';
import type { EventGeneration, MainChainLog } from '../../ports/main-chain.ts';
import type { RatingStateStore, RatingStateWrite, MainChainIndexStore, StoredRatingState } from '../../ports/store.ts';
import { planFoldStep, runFoldStep, planWithoutDays, type FoldStep, type FoldStepResult } from './fold-step.ts';
import { FoldSkipList } from './fold-skip-list.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';

export interface EventFolderOptions {
  readonly chain: MainChainLog;
  readonly store: MainChainIndexStore & RatingStateStore;
  readonly fxRates: FxRates;
  readonly clock: Clock;
  readonly log: Log;
}

export interface EventFolder {
  /**
   * Folds a bounded number of events, all stored at or before `block`. Returns `more` when further ones can be folded
   * now. Throws `ChainUnreadable` when nothing could be read, and `StoreUnavailable`.
   */
  fold(block: BlockRef, signal: AbortSignal): Promise<StepOutcome>;
}

/** Records read per batch, and per machine and step; each holds at most 4 KiB of metadata. */
const EVENTS_PER_BATCH = 2_000;
const EVENTS_PER_STEP = 1_000;
/** Events folded per call, so that the loop gets back to the head. */
const EVENTS_PER_CALL = 10_000;
const MACHINES_PER_LIST = 200;

interface Machine {
  readonly generation: EventGeneration;
  readonly id: MachineId;
}

/** Next step of one machine: the events to fold and the state to fold them into. */
interface MachineStep extends Machine {
  readonly epoch: number;
  readonly plan: FoldStep;
  readonly logs: readonly EventLogRow[];
  readonly isLast: boolean;
}

export function createEventFolder(options: EventFolderOptions): EventFolder {
  const { chain, store, fxRates, clock, log } = options;
  const skipList = new FoldSkipList(clock);
  let cursor: Machine | undefined;
  let isMoreLeft = false;

  async function fold(block: BlockRef, signal: AbortSignal): Promise<StepOutcome> {
    const rates = fxRates.current();
    skipList.updateRates(rates);
    const isStopped = () => signal.aborted;
    let budget = EVENTS_PER_CALL;
    while (budget > 0 && !isStopped()) {
      const listed = await store.listUnfolded(rates.fingerprint, MACHINES_PER_LIST, cursor);
      if (listed.length === 0) return endRound();
      for (const batch of toBatches(await prepareSteps(listed, block, rates.fingerprint))) {
        budget -= await foldBatch(batch, block, rates);
        if (isStopped()) return 'more';
      }
      cursor = listed.at(-1);
    }
    return 'more';
  }

  /** Ends the round; the next one begins at once when a machine has more events. */
  function endRound(): StepOutcome {
    const outcome = isMoreLeft ? 'more' : 'idle';
    cursor = undefined;
    isMoreLeft = false;
    return outcome;
  }

  async function prepareSteps(
    listed: Awaited<ReturnType<MainChainIndexStore['listUnfolded']>>,
    block: BlockRef,
    fingerprint: string,
  ): Promise<MachineStep[]> {
    const open = listed.filter((machine) => !skipList.isSkipped(machine));
    const steps = await Promise.all(open.map((machine) => prepareStep(machine, block, fingerprint)));
    return steps.filter((step) => step !== undefined);
  }

  async function prepareStep(
    machine: Machine & { readonly count: number; readonly epoch: number },
    block: BlockRef,
    fingerprint: string,
  ): Promise<MachineStep | undefined> {
    const { generation, id, count, epoch } = machine;
    const plan = await planStep(machine, fingerprint);
    if (plan === undefined) {
      skip(machine, 'state-unreadable');
      return undefined;
    }
    const { nextSeq } = plan.state;
    const to = Math.min(count, nextSeq + EVENTS_PER_STEP);
    const logs = await store.listEventLogs(generation, id, nextSeq, to);
    // Another process has indexed past `block` in the meantime; the machine is folded with the next block.
    if (logs.some(({ blockNumber }) => blockNumber > block.number)) return undefined;
    return { generation, id, epoch, plan, logs, isLast: to === count && !plan.hasDaysLeft };
  }

  /** Returns undefined when the stored state cannot be read. */
  async function planStep(
    { generation, id, count, epoch }: Machine & { readonly count: number; readonly epoch: number },
    fingerprint: string,
  ): Promise<FoldStep | undefined> {
    try {
      const state = parseStored(await store.readRatingState(generation, id, fingerprint), epoch);
      if (count <= MIN_EVENTS_FOR_STORED_DAYS) return planWithoutDays(state);
      const listDays = async (limit: number) => {
        const stored = await store.listRatingStateDays(generation, id, fingerprint, limit);
        return stored.epoch === epoch ? stored.days : [];
      };
      return await planFoldStep({ state, listDays, hasNext: state.nextSeq < count });
    } catch (error) {
      if (error instanceof RatingStateUnreadable) return undefined;
      throw error;
    }
  }

  function skip(machine: Machine, reason: string): void {
    skipList.skipUnreadable(machine);
    log.error({ generation: machine.generation, machine: String(machine.id), reason }, 'events cannot be folded');
  }

  /** Folds one page of each machine; returns the number of events read. */
  async function foldBatch(batch: readonly MachineStep[], block: BlockRef, rates: FxConfiguration): Promise<number> {
    const records = await readRecords(batch, block);
    const writes = batch.flatMap((step, i) => {
      const folded = records[i] === undefined ? undefined : foldRecords(step, records[i], rates.table);
      return folded === undefined ? [] : [folded];
    });
    if (writes.length > 0) await store.writeRatingStates(rates.fingerprint, writes);
    return countEvents(batch);
  }

  /** Returns the records of each step; undefined where they cannot be read. */
  async function readRecords(
    batch: readonly MachineStep[],
    block: BlockRef,
  ): Promise<readonly (readonly EventRecord[] | undefined)[]> {
    const queries = batch.map(({ generation, id, plan: { state }, logs }) => ({
      generation,
      id,
      from: state.nextSeq,
      to: state.nextSeq + logs.length,
    }));
    try {
      return await chain.readEventRecords(block, queries);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (batch.length > 1) return readOneByOne(batch, block);
      skipList.skipBriefly(batch[0]!);
      throw error;
    }
  }

  /** Reads machine by machine, so that one unreadable machine does not block the others. */
  async function readOneByOne(
    batch: readonly MachineStep[],
    block: BlockRef,
  ): Promise<readonly (readonly EventRecord[] | undefined)[]> {
    const records: (readonly EventRecord[] | undefined)[] = [];
    let failure: unknown;
    for (const step of batch) {
      try {
        records.push((await readRecords([step], block))[0]);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        failure = error;
        records.push(undefined);
      }
    }
    if (records.every((read) => read === undefined)) throw failure;
    return records;
  }

  function foldRecords(
    step: MachineStep,
    records: readonly EventRecord[],
    table: RateTable,
  ): RatingStateWrite | undefined {
    const { generation, id, epoch, plan, logs, isLast } = step;
    let result: FoldStepResult;
    try {
      // Only an import adds events of another chain; without one, log indexes are positions.
      result = runFoldStep(plan, pairEvents(records, logs, plan.state.nextSeq, epoch > 0), table);
    } catch (error) {
      if (error instanceof EventsUnreadable) skip(step, error.problem);
      else if (isUnreadable(error)) skip(step, 'events');
      else throw error;
      return undefined;
    }
    const { state, folded, write: days } = result;
    if (folded < records.length) skipList.skipUntilNewRates(step);
    else if (!isLast) isMoreLeft = true;
    if (folded === 0) return undefined;
    return { generation, id, epoch, nextSeq: state.nextSeq, state: encodeRatingState(state), days };
  }

  return { fold };
}

/**
 * Returns the state to continue from; a state of another epoch is discarded, because an import restarts the history.
 * Throws `RatingStateUnreadable`.
 */
function parseStored(stored: StoredRatingState | undefined, epoch: number): RatingState {
  return stored?.epoch === epoch ? decodeRatingState(stored.state) : emptyRatingState();
}

function* toBatches(steps: readonly MachineStep[]): Iterable<readonly MachineStep[]> {
  let batch: MachineStep[] = [];
  for (const step of steps) {
    if (batch.length > 0 && countEvents(batch) + step.logs.length > EVENTS_PER_BATCH) {
      yield batch;
      batch = [];
    }
    batch.push(step);
  }
  if (batch.length > 0) yield batch;
}

function countEvents(batch: readonly MachineStep[]): number {
  return batch.reduce((sum, { logs }) => sum + logs.length, 0);
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'ChainUnreadable';
}
