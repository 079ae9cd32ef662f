/**
 * How do events of the alt chain become folds? (design/scoring.md, Fold.) Only for machines with many events, and always some way behind the
 * newest one, so that a request whose read of the log account is a little older than the index still finds a fold that it can use.
 */
import type { MachineId } from '../domain/identifiers.ts';
import { emptyFold, EventsUnreadable, foldEvents, type Fold } from '../domain/rating/fold.ts';
import { formatFold, FoldUnreadable, parseFold } from '../domain/rating/fold-text.ts';
import type { AltEventStore, AltMachineState, StoredAltFold } from '../ports/alt-event-store.ts';
import type { FxConfiguration, FxRates } from '../ports/fx-rates.ts';
import type { Log } from '../ports/log.ts';
import { pickConsecutive, toRatingEvent } from './alt-stored-events.ts';
import type { StepOutcome } from './poll-loop.ts';

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

  /** Whether the fold has grown; it does not while an amount waits for its rate. */
  async function takeTurn(
    { id, revision, eventCount }: AltMachineState,
    stored: StoredAltFold | undefined,
    rates: FxConfiguration,
  ): Promise<boolean> {
    const before = parseStored(stored);
    if (before === undefined) return skip(id, 'fold-unreadable');
    const { nextSeq } = before;
    const to = Math.min(eventCount - KEPT_BEHIND, nextSeq + EVENTS_PER_TURN);
    const events = pickConsecutive(await store.listAltEvents(id, nextSeq, to), nextSeq).map(toRatingEvent);
    try {
      const { fold: after, folded } = foldEvents(before, events, rates.table);
      if (folded === 0) return false;
      await store.writeAltFolds(rates.fingerprint, [
        { id, revision, nextSeq: after.nextSeq, state: formatFold(after) },
      ]);
      return true;
    } catch (error) {
      if (!(error instanceof EventsUnreadable)) throw error;
      return skip(id, error.problem);
    }
  }

  function skip(id: MachineId, reason: string): false {
    log.error({ machine: String(id), reason }, 'events of the alt chain cannot be folded');
    return false;
  }

  return { fold };
}

function parseStored(stored: StoredAltFold | undefined): Fold | undefined {
  if (stored === undefined) return emptyFold();
  try {
    return parseFold(stored.state);
  } catch (error) {
    if (error instanceof FoldUnreadable) return undefined;
    throw error;
  }
}
