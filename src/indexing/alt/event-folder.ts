/**
 * How do events of the alt chain become folds? (design/scoring.md, Fold.) Only for machines with many events, and always some way behind the
 * newest one, so that a request whose read of the log account is a little older than the index still finds a fold that it can use.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { LEAST_EVENTS_OF_DAYS } from '../../domain/rating/rating-state-days.ts';
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
  /** Folds a bounded number of events. `more`: there are further ones that can be folded now. Throws `StoreUnavailable`. */
  fold(signal: AbortSignal): Promise<StepOutcome>;
}

/** A request reads fewer events than this beside the fold. */
export const LEAST_UNFOLDED = 400;
const KEPT_BEHIND = 200;
const EVENTS_PER_TURN = 2_000;
const MACHINES_PER_LIST = 10;

export function createAltEventFolder({ store, fxRates, log }: AltEventFolderOptions): AltEventFolder {
  let cursor: MachineId | undefined;
  let hasFolded = false;

  async function fold(signal: AbortSignal): Promise<StepOutcome> {
    const rates = fxRates.current();
    const listed = await store.listAltUnfolded(rates.fingerprint, LEAST_UNFOLDED, MACHINES_PER_LIST, cursor);
    for (const { machine, fold: before } of listed) {
      if (signal.aborted) return 'idle';
      if (await takeTurn(machine, before, rates)) hasFolded = true;
    }
    cursor = listed.at(-1)?.machine.id;
    if (listed.length > 0) return 'more';
    const outcome = hasFolded ? 'more' : 'idle';
    hasFolded = false;
    return outcome;
  }

  /** Whether the fold or its days have grown; they do not while an amount waits for its rate. */
  async function takeTurn(
    machine: AltMachineState,
    stored: StoredAltRatingState | undefined,
    rates: FxConfiguration,
  ): Promise<boolean> {
    const { id, revision, eventCount } = machine;
    try {
      const begin = await beginTurn(machine, stored, rates.fingerprint);
      const { nextSeq } = begin.fold;
      const end = begin.isFoldBehind ? eventCount - KEPT_BEHIND : stored!.nextSeq;
      const to = Math.min(end, nextSeq + EVENTS_PER_TURN);
      const events = pickConsecutive(await store.listAltEvents(id, nextSeq, to), nextSeq).map(toRatingEvent);
      const { fold, folded, write: days } = runFoldStep(begin, events, rates.table);
      if (folded === 0) return false;
      const state = encodeRatingState(fold);
      await store.writeAltFolds(rates.fingerprint, [{ id, revision, nextSeq: fold.nextSeq, state, days }]);
      return true;
    } catch (error) {
      if (error instanceof RatingStateUnreadable) return skip(id, 'fold-unreadable');
      if (error instanceof EventsUnreadable) return skip(id, error.problem);
      throw error;
    }
  }

  /** Throws `RatingStateUnreadable`. */
  async function beginTurn(
    { id, revision, eventCount }: AltMachineState,
    stored: StoredAltRatingState | undefined,
    fingerprint: string,
  ): Promise<FoldStep> {
    const fold = stored === undefined ? emptyRatingState() : decodeRatingState(stored.state);
    if (eventCount - KEPT_BEHIND <= LEAST_EVENTS_OF_DAYS) return planWithoutDays(fold);
    const listDays = async (limit: number) => {
      const kept = await store.listAltFoldDays(id, fingerprint, limit);
      return kept.revision === revision ? kept.days : [];
    };
    return planFoldStep({ fold, listDays, hasNext: eventCount - fold.nextSeq >= LEAST_UNFOLDED });
  }

  function skip(id: MachineId, reason: string): false {
    log.error({ machine: String(id), reason }, 'events of the alt chain cannot be folded');
    return false;
  }

  return { fold };
}
