/**
 * How do finalized events become folds? (chain-evm 3.7, design/scoring.md "Fold".) Records are read in batches at the indexed block,
 * joined with their logs, and laid on each machine's stored fold. Bounded per call: a machine with a million events is folded
 * page by page, in turn with the others.
 */
import { pairEvents } from '../../domain/machine/event-pairing.ts';
import { Fault } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef, EventRecord } from '../../domain/machine/machine-facts.ts';
import { LEAST_EVENTS_OF_DAYS } from '../../domain/rating/rating-state-days.ts';
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
   * Folds a bounded number of events, all stored at or before `block`. `more`: there are further ones that can be folded now.
   * Throws `ChainUnreadable` when nothing could be read, and `StoreUnavailable`.
   */
  fold(block: BlockRef, signal: AbortSignal): Promise<StepOutcome>;
  report(): EventFolderReport;
}

export interface EventFolderReport {
  readonly foldedEvents: number;
  /** Machines whose next event waits for rates. */
  readonly pendingMachines: number;
  /** Machines whose records and logs do not agree; their ratings are unreadable. */
  readonly unreadableMachines: number;
}

/** Records read at once, and for one machine in its turn; 4 KiB of metadata each at most. */
const EVENTS_AT_ONCE = 2_000;
const EVENTS_PER_TURN = 1_000;
/** After so many events the loop looks after the head again. */
const EVENTS_PER_CALL = 10_000;
const MACHINES_PER_LIST = 200;

interface Machine {
  readonly generation: EventGeneration;
  readonly id: MachineId;
}

/** One machine's turn: the next events to lay on its fold. */
interface Turn extends Machine {
  readonly epoch: number;
  readonly begin: FoldStep;
  readonly logs: readonly EventLogRow[];
  readonly isLast: boolean;
}

export function createEventFolder(options: EventFolderOptions): EventFolder {
  const { chain, store, fxRates, clock, log } = options;
  const blocks = new FoldSkipList(clock);
  let cursor: Machine | undefined;
  let isMoreLeft = false;
  let foldedEvents = 0;

  async function fold(block: BlockRef, signal: AbortSignal): Promise<StepOutcome> {
    const rates = fxRates.current();
    blocks.useRates(rates);
    let budget = EVENTS_PER_CALL;
    while (budget > 0 && !signal.aborted) {
      const listed = await store.listUnfolded(rates.fingerprint, MACHINES_PER_LIST, cursor);
      if (listed.length === 0) return endRound();
      for (const batch of toBatches(await takeTurns(listed, block, rates.fingerprint))) {
        budget -= await foldBatch(batch, block, rates);
        if (signal.aborted) return 'more';
      }
      cursor = listed.at(-1);
    }
    return 'more';
  }

  /** All machines had their turn; the next round begins at once when one of them has more. */
  function endRound(): StepOutcome {
    const outcome = isMoreLeft ? 'more' : 'idle';
    cursor = undefined;
    isMoreLeft = false;
    return outcome;
  }

  async function takeTurns(
    listed: Awaited<ReturnType<MainChainIndexStore['listUnfolded']>>,
    block: BlockRef,
    fingerprint: string,
  ): Promise<Turn[]> {
    const open = listed.filter((machine) => !blocks.isBlocked(machine));
    const turns = await Promise.all(open.map((machine) => takeTurn(machine, block, fingerprint)));
    return turns.filter((turn) => turn !== undefined);
  }

  async function takeTurn(
    machine: Machine & { readonly count: number; readonly epoch: number },
    block: BlockRef,
    fingerprint: string,
  ): Promise<Turn | undefined> {
    const { generation, id, count, epoch } = machine;
    const begin = await beginTurn(machine, fingerprint);
    if (begin === undefined) return skip(machine, 'fold-unreadable');
    const { nextSeq } = begin.fold;
    const to = Math.min(count, nextSeq + EVENTS_PER_TURN);
    const logs = await store.listEventLogs(generation, id, nextSeq, to);
    // Another process has indexed further than `block` meanwhile; the machine has its turn with the next one.
    if (logs.some(({ blockNumber }) => blockNumber > block.number)) return undefined;
    return { generation, id, epoch, begin, logs, isLast: to === count && !begin.leavesDays };
  }

  /** Undefined when what is stored cannot be read. */
  async function beginTurn(
    { generation, id, count, epoch }: Machine & { readonly count: number; readonly epoch: number },
    fingerprint: string,
  ): Promise<FoldStep | undefined> {
    try {
      const fold = parseStored(await store.readFold(generation, id, fingerprint), epoch);
      if (count <= LEAST_EVENTS_OF_DAYS) return planWithoutDays(fold);
      const listDays = async (limit: number) => {
        const kept = await store.listFoldDays(generation, id, fingerprint, limit);
        return kept.epoch === epoch ? kept.days : [];
      };
      return await planFoldStep({ fold, listDays, hasNext: fold.nextSeq < count });
    } catch (error) {
      if (error instanceof RatingStateUnreadable) return undefined;
      throw error;
    }
  }

  function skip(machine: Machine, reason: string): undefined {
    blocks.blockUnreadable(machine);
    log.error({ generation: machine.generation, machine: String(machine.id), reason }, 'events cannot be folded');
  }

  /** Folds one page of each machine; the number of events read. */
  async function foldBatch(batch: readonly Turn[], block: BlockRef, rates: FxConfiguration): Promise<number> {
    const records = await readRecords(batch, block);
    const folds = batch.flatMap((turn, i) => {
      const folded = records[i] === undefined ? undefined : foldRecords(turn, records[i], rates.table);
      return folded === undefined ? [] : [folded];
    });
    if (folds.length > 0) await store.writeFolds(rates.fingerprint, folds);
    return countEvents(batch);
  }

  /** The records of each turn; undefined where they cannot be read. */
  async function readRecords(
    batch: readonly Turn[],
    block: BlockRef,
  ): Promise<readonly (readonly EventRecord[] | undefined)[]> {
    const wanted = batch.map(({ generation, id, begin: { fold }, logs }) => ({
      generation,
      id,
      from: fold.nextSeq,
      to: fold.nextSeq + logs.length,
    }));
    try {
      return await chain.readEventRecords(block, wanted);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (batch.length > 1) return readOneByOne(batch, block);
      blocks.blockForNow(batch[0]!);
      throw error;
    }
  }

  /** One machine that cannot be read must not keep the others from being folded. */
  async function readOneByOne(
    batch: readonly Turn[],
    block: BlockRef,
  ): Promise<readonly (readonly EventRecord[] | undefined)[]> {
    const records: (readonly EventRecord[] | undefined)[] = [];
    let failure: unknown;
    for (const turn of batch) {
      try {
        records.push((await readRecords([turn], block))[0]);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        failure = error;
        records.push(undefined);
      }
    }
    if (records.every((read) => read === undefined)) throw failure;
    return records;
  }

  function foldRecords(turn: Turn, records: readonly EventRecord[], table: RateTable): RatingStateWrite | undefined {
    const { generation, id, epoch, begin, logs, isLast } = turn;
    let after: FoldStepResult;
    try {
      // Only an import brings events of another chain; without one, indexes of logs are positions.
      after = runFoldStep(begin, pairEvents(records, logs, begin.fold.nextSeq, epoch > 0), table);
    } catch (error) {
      if (error instanceof EventsUnreadable) return skip(turn, error.problem);
      if (isUnreadable(error)) return skip(turn, 'events');
      throw error;
    }
    const { fold, folded, write: days } = after;
    if (begin.isFoldBehind) foldedEvents += folded;
    if (folded < records.length) blocks.blockPending(turn);
    else if (!isLast) isMoreLeft = true;
    if (folded === 0) return undefined;
    return { generation, id, epoch, nextSeq: fold.nextSeq, state: encodeRatingState(fold), days };
  }

  return { fold, report: () => ({ foldedEvents, ...blocks.report() }) };
}

/** The fold to go on from: none of another epoch, for an import begins the history anew. Throws `RatingStateUnreadable`. */
function parseStored(stored: StoredRatingState | undefined, epoch: number): RatingState {
  return stored?.epoch === epoch ? decodeRatingState(stored.state) : emptyRatingState();
}

function* toBatches(turns: readonly Turn[]): Iterable<readonly Turn[]> {
  let batch: Turn[] = [];
  for (const turn of turns) {
    if (batch.length > 0 && countEvents(batch) + turn.logs.length > EVENTS_AT_ONCE) {
      yield batch;
      batch = [];
    }
    batch.push(turn);
  }
  if (batch.length > 0) yield batch;
}

function countEvents(batch: readonly Turn[]): number {
  return batch.reduce((sum, { logs }) => sum + logs.length, 0);
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'ChainUnreadable';
}
