/** Rating states of the main chain (`RatingStateStore`; design/scoring.md, Fold). */
import { MIN_EVENTS_FOR_STORED_DAYS } from '../../../domain/rating/rating-state-days.ts';
import type {
  RatingStateStore,
  RatingStateWrite,
  StoredRatingState,
  StoredRatingStateDays,
} from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { createEventHistories, type StoredEventHistory, type HistoryKey } from './event-histories.ts';
import { createRatingStateDays } from '../rating/rating-state-days.ts';
import { createRatingStateSlots, SLOTS, type RatingStateSlot } from '../rating/rating-state-slots.ts';
import { bytes, integer, prepareQuery, text } from '../engine/prepared-query.ts';
import { toGenerationNumber, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, type SqlDatabase, type SqlValue, type SqlProgram } from '../engine/sql-program.ts';

export function createRatingStates(database: SqlDatabase): RatingStateStore {
  const { dialect } = database;
  const slots = createRatingStateSlots(dialect);
  const histories = createEventHistories(dialect);
  const days = createRatingStateDays(dialect, 'main');
  const select = prepareSelect(dialect);
  const upsert = prepareUpsert(dialect);
  const settle = SLOTS.map((slot) => prepareSettle(dialect, slot));

  function* write(ratesFingerprint: string, given: readonly RatingStateWrite[]): SqlProgram<void> {
    const states = selectNewest(given);
    const slot = yield* slots.claim(ratesFingerprint);
    const found = yield* histories.load(states);
    yield* histories.save(found.filter(({ isStored }) => !isStored));
    yield* execute({ sql: upsert, batch: states.map((state, index) => toRow(found[index]!, slot, state)) });
    const settled: SqlValue[][] = [];
    for (const [index, state] of states.entries()) {
      const { epoch, nextSeq } = state;
      const hasDays = yield* addDays(slot, found[index]!, state);
      if (hasDays) settled.push([found[index]!.historyId, slot.configurationId, epoch, nextSeq]);
    }
    yield* execute({ sql: settle[slot.slot]!, batch: settled });
  }

  /** Adds the days of a state. Returns whether the machine now has its days, or too few events to need them. */
  function* addDays(
    slot: RatingStateSlot,
    { historyId, epoch }: StoredEventHistory,
    state: RatingStateWrite,
  ): SqlProgram<boolean> {
    const hasCurrentDays = state.days !== undefined && state.epoch === epoch;
    const isAdded = hasCurrentDays && (yield* days.add(slot, { machine: historyId, version: epoch }, state.days));
    return isAdded || state.nextSeq <= MIN_EVENTS_FOR_STORED_DAYS;
  }

  function* listDays(key: HistoryKey, ratesFingerprint: string, limit: number): SqlProgram<StoredRatingStateDays> {
    const [history] = yield* histories.load([key]);
    const { historyId, epoch } = history!;
    const slot = yield* slots.find(ratesFingerprint);
    if (slot === undefined) return { epoch, days: [] };
    return { epoch, days: yield* days.list(slot, { machine: historyId, version: epoch }, limit) };
  }

  return {
    async readRatingState(generation, id, ratesFingerprint) {
      const row = await database.run(
        readFirst(
          select({ id: toIdBytes(id), generation: toGenerationNumber(generation), fingerprint: ratesFingerprint }),
        ),
      );
      return row && { epoch: row.epoch, nextSeq: row.next_seq, state: row.state };
    },
    listRatingStateDays: (generation, id, ratesFingerprint, limit) =>
      database.snapshot(listDays({ generation, id }, ratesFingerprint, limit)),
    async writeRatingStates(ratesFingerprint, states) {
      if (states.length > 0) await database.exclusive(write(ratesFingerprint, states));
    },
  };
}

function prepareSelect({ builder }: Dialect) {
  return prepareQuery({ id: bytes, generation: integer, fingerprint: text }, ({ id, generation, fingerprint }) =>
    builder
      .selectFrom('fold_slots as s')
      .innerJoin('event_histories as h', (join) => join.on('h.machine_id', '=', id).on('h.generation', '=', generation))
      .innerJoin('folds as f', (join) =>
        join
          .onRef('f.history_id', '=', 'h.history_id')
          .onRef('f.epoch', '=', 'h.epoch')
          .onRef('f.slot', '=', 's.slot')
          .onRef('f.configuration_id', '=', 's.configuration_id'),
      )
      .select(['f.epoch', 'f.next_seq', 'f.state'])
      .where('s.rates_fingerprint', '=', fingerprint),
  );
}

function prepareUpsert({ batch }: Dialect): string {
  return batch(
    {
      history_id: 'integer',
      slot: 'integer',
      configuration_id: 'integer',
      epoch: 'integer',
      next_seq: 'integer',
      state: 'text',
    },
    `INSERT INTO folds (history_id, slot, configuration_id, epoch, next_seq, state)
     SELECT history_id, slot, configuration_id, epoch, next_seq, state FROM batch WHERE true
     ON CONFLICT (history_id, slot) DO UPDATE
     SET configuration_id = excluded.configuration_id, epoch = excluded.epoch, next_seq = excluded.next_seq, state = excluded.state
     WHERE folds.configuration_id <> excluded.configuration_id
        OR (folds.epoch, folds.next_seq) <= (excluded.epoch, excluded.next_seq)`,
  );
}

/** A state rejected as older cannot settle anything that the stored one does not. */
function prepareSettle({ batch }: Dialect, slot: number): string {
  return batch(
    { history_id: 'integer', configuration_id: 'integer', epoch: 'integer', next_seq: 'integer' },
    `UPDATE event_histories
     SET settled_${slot} = batch.configuration_id
     FROM batch
     WHERE event_histories.history_id = batch.history_id
       AND event_histories.epoch = batch.epoch
       AND event_histories.log_count BETWEEN 1 AND batch.next_seq`,
  );
}

function toRow(
  { historyId }: StoredEventHistory,
  { slot, configurationId }: RatingStateSlot,
  state: StoredRatingState,
) {
  return [historyId, slot, configurationId, state.epoch, state.nextSeq, state.state];
}

/** Selects the newest state per machine, because one statement can write a row only once. */
function selectNewest(states: readonly RatingStateWrite[]): readonly RatingStateWrite[] {
  const newest = { legacy: new Map<bigint, RatingStateWrite>(), current: new Map<bigint, RatingStateWrite>() };
  for (const state of states) {
    const selected = newest[state.generation].get(state.id);
    if (selected === undefined || isAtLeast(state, selected)) newest[state.generation].set(state.id, state);
  }
  return [...newest.legacy.values(), ...newest.current.values()];
}

function isAtLeast(state: StoredRatingState, other: StoredRatingState): boolean {
  return state.epoch === other.epoch ? state.nextSeq >= other.nextSeq : state.epoch > other.epoch;
}
