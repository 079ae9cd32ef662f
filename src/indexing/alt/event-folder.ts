/**
 * Folds alt-chain events into rating states (design/scoring.md, Fold). Only machines with many events have a stored
 * state, and it stays some events behind the newest one, so that a request whose log account read is slightly older
 * than the index can still use it.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { MIN_EVENTS_FOR_STORED_DAYS } from '../../domain/rating/rating-state-days.ts';
import { emptyRatingState, EventsUnreadable } from '../../domain/rating/rating-state.ts';
import { encodeRatingState, RatingStateUnreadable, decodeRatingState } from '../../domain/rating/rating-state-codec.ts';
import type { AltEventStore, AltMachineState, StoredAltRatingState } from '../../ports/alt-store.ts';
import type { FxConfiguration, FxRates } from '../../ports/rates.ts';
import type { Log } from '../../ports/runtime.ts';
import { pickConsecutive, toRatingEvent } from './stored-events.ts';
import { planFoldStep, runFoldStep, planWithoutDays, type FoldStep } from '../rating/fold-step.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';

export interface AltEventFolderOptions {
  readonly store: AltEventStore;
  readonly fxRates: FxRates;
  readonly log: Log;
}

export interface AltEventFolder {
  /**
   * Folds a bounded number of events. Returns `more` when further ones can be folded now. Throws `StoreUnavailable`.
   */
  fold(signal: AbortSignal): Promise<StepOutcome>;
}

/** Upper bound of the unfolded events that a request reads in addition to the state. */
const MIN_UNFOLDED_EVENTS = 400;
const UNFOLDED_MARGIN = 200;
const EVENTS_PER_STEP = 2_000;
const MACHINES_PER_LIST = 10;

export function createAltEventFolder({ store, fxRates, log }: AltEventFolderOptions): AltEventFolder {
  let cursor: MachineId | undefined;
  let hasFolded = false;

  async function fold(signal: AbortSignal): Promise<StepOutcome> {
    const rates = fxRates.current();
    const listed = await store.listAltUnfolded(rates.fingerprint, MIN_UNFOLDED_EVENTS, MACHINES_PER_LIST, cursor);
    for (const { machine, state } of listed) {
      if (signal.aborted) return 'idle';
      if (await foldMachine(machine, state, rates)) hasFolded = true;
    }
    cursor = listed.at(-1)?.machine.id;
    if (listed.length > 0) return 'more';
    const outcome = hasFolded ? 'more' : 'idle';
    hasFolded = false;
    return outcome;
  }

  /**
   * Folds one step. Returns whether the state or its days have grown; they do not while an amount waits for its rate.
   */
  async function foldMachine(
    machine: AltMachineState,
    stored: StoredAltRatingState | undefined,
    rates: FxConfiguration,
  ): Promise<boolean> {
    const { id, revision, eventCount } = machine;
    try {
      const plan = await planStep(machine, stored, rates.fingerprint);
      const { nextSeq } = plan.state;
      const end = plan.isStateBehind ? eventCount - UNFOLDED_MARGIN : stored!.nextSeq;
      const to = Math.min(end, nextSeq + EVENTS_PER_STEP);
      const events = pickConsecutive(await store.listAltEvents(id, nextSeq, to), nextSeq).map(toRatingEvent);
      const { state: next, folded, write: days } = runFoldStep(plan, events, rates.table);
      if (folded === 0) return false;
      const state = encodeRatingState(next);
      await store.writeAltRatingStates(rates.fingerprint, [{ id, revision, nextSeq: next.nextSeq, state, days }]);
      return true;
    } catch (error) {
      if (error instanceof RatingStateUnreadable) return skip(id, 'state-unreadable');
      if (error instanceof EventsUnreadable) return skip(id, error.problem);
      throw error;
    }
  }

  /** Throws `RatingStateUnreadable`. */
  async function planStep(
    { id, revision, eventCount }: AltMachineState,
    stored: StoredAltRatingState | undefined,
    fingerprint: string,
  ): Promise<FoldStep> {
    const state = stored === undefined ? emptyRatingState() : decodeRatingState(stored.state);
    if (eventCount - UNFOLDED_MARGIN <= MIN_EVENTS_FOR_STORED_DAYS) return planWithoutDays(state);
    const listDays = async (limit: number) => {
      const result = await store.listAltRatingStateDays(id, fingerprint, limit);
      return result.revision === revision ? result.days : [];
    };
    return planFoldStep({ state, listDays, hasNext: eventCount - state.nextSeq >= MIN_UNFOLDED_EVENTS });
  }

  function skip(id: MachineId, reason: string): false {
    log.error({ machine: String(id), reason }, 'events of the alt chain cannot be folded');
    return false;
  }

  return { fold };
}
