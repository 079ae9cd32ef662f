/**
 * Rating states of alt-chain machines, stored for the configurations of `rating-state-slots.ts`. A new revision of a machine
 * invalidates its states at once.
 */
import { sql } from 'kysely';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { MIN_EVENTS_FOR_STORED_DAYS } from '../../../domain/rating/rating-state-days.ts';
import type {
  AltRatingStateWrite,
  AltMachineState,
  StoredAltRatingState,
  StoredAltRatingStateDays,
} from '../../../ports/alt-store.ts';
import { fromMachineRow } from './event-rows.ts';
import type { Dialect } from '../engine/dialect.ts';
import { createRatingStateDays } from '../rating/rating-state-days.ts';
import { createRatingStateSlots, type RatingStateSlot } from '../rating/rating-state-slots.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import { toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, readRows, type SqlProgram } from '../engine/sql-program.ts';

export interface AltRatingStates {
  read(id: MachineId, ratesFingerprint: string): SqlProgram<StoredAltRatingState | undefined>;
  /** Writes states. Requires the write lock. */
  write(ratesFingerprint: string, states: readonly AltRatingStateWrite[]): SqlProgram<void>;
  listDays(id: MachineId, ratesFingerprint: string, limit: number): SqlProgram<StoredAltRatingStateDays>;
  listUnfolded(
    ratesFingerprint: string,
    least: number,
    limit: number,
    after: MachineId | undefined,
  ): SqlProgram<readonly { readonly machine: AltMachineState; readonly state: StoredAltRatingState | undefined }[]>;
}

/** Slot of a configuration that never wrote. */
const UNKNOWN_CONFIGURATION: RatingStateSlot = { slot: 0, configurationId: -1 };

export function createAltRatingStates(dialect: Dialect): AltRatingStates {
  const slots = createRatingStateSlots(dialect);
  const days = createRatingStateDays(dialect, 'alt');
  const selectRevision = prepareQuery({ id: bytes }, ({ id }) =>
    dialect.builder.selectFrom('alt_machines').select('revision').where('machine_id', '=', id),
  );
  const select = prepareSelect(dialect);
  const selectUnfolded = prepareUnfolded(dialect);
  const upsert = dialect.batch(
    {
      machine_id: 'bytes',
      slot: 'integer',
      configuration_id: 'integer',
      revision: 'integer',
      next_seq: 'integer',
      state: 'text',
    },
    `INSERT INTO alt_folds (machine_id, slot, configuration_id, revision, next_seq, state)
     SELECT batch.machine_id, batch.slot, batch.configuration_id, batch.revision, batch.next_seq, batch.state
     FROM batch JOIN alt_machines m ON m.machine_id = batch.machine_id AND m.revision = batch.revision WHERE true
     ON CONFLICT (machine_id, slot) DO UPDATE
     SET configuration_id = excluded.configuration_id, revision = excluded.revision,
         next_seq = excluded.next_seq, state = excluded.state
     WHERE alt_folds.configuration_id <> excluded.configuration_id
        OR alt_folds.revision <> excluded.revision
        OR alt_folds.next_seq <= excluded.next_seq`,
  );

  return {
    *read(id, fingerprint) {
      const { slot, configurationId } = (yield* slots.find(fingerprint)) ?? UNKNOWN_CONFIGURATION;
      const row = yield* readFirst(select({ id: toIdBytes(id), slot, configurationId }));
      return row && { revision: row.revision, nextSeq: row.next_seq, state: row.state };
    },
    *write(fingerprint, states) {
      const stateSlot = yield* slots.claim(fingerprint);
      const { slot, configurationId } = stateSlot;
      const newest = new Map(states.map((state) => [state.id, state]));
      const rows = [...newest.values()].map(({ id, revision, nextSeq, state }) => [
        toIdBytes(id),
        slot,
        configurationId,
        revision,
        nextSeq,
        state,
      ]);
      yield* execute({ sql: upsert, batch: rows });
      for (const { id, revision: version, days: write } of newest.values()) {
        const machine = toIdBytes(id);
        const isCurrent = (yield* readFirst(selectRevision({ id: machine })))?.revision === version;
        if (write !== undefined && isCurrent) yield* days.add(stateSlot, { machine, version }, write);
      }
    },
    *listDays(id, fingerprint, limit) {
      const machine = toIdBytes(id);
      const slot = yield* slots.find(fingerprint);
      const version = (yield* readFirst(selectRevision({ id: machine })))?.revision;
      if (slot === undefined || version === undefined) return { revision: version ?? 0, days: [] };
      return { revision: version, days: yield* days.list(slot, { machine, version }, limit) };
    },
    *listUnfolded(fingerprint, least, limit, after) {
      const { slot, configurationId } = (yield* slots.find(fingerprint)) ?? UNKNOWN_CONFIGURATION;
      const id = after === undefined ? new Uint8Array() : toIdBytes(after);
      const rows = yield* readRows(selectUnfolded({ slot, configurationId, id, least, limit }));
      return rows.map(({ fold_revision, fold_next_seq, fold_state, ...machine }) => ({
        machine: fromMachineRow(machine),
        state:
          fold_revision === null || fold_next_seq === null || fold_state === null
            ? undefined
            : { revision: fold_revision, nextSeq: fold_next_seq, state: fold_state },
      }));
    },
  };
}

function prepareSelect({ builder }: Dialect) {
  return prepareQuery({ id: bytes, slot: integer, configurationId: integer }, ({ id, slot, configurationId }) =>
    builder
      .selectFrom('alt_folds as f')
      .innerJoin('alt_machines as m', (join) =>
        join.onRef('m.machine_id', '=', 'f.machine_id').onRef('m.revision', '=', 'f.revision'),
      )
      .select(['f.revision', 'f.next_seq', 'f.state'])
      .where('f.machine_id', '=', id)
      .where('f.slot', '=', slot)
      .where('f.configuration_id', '=', configurationId),
  );
}

function prepareUnfolded({ builder }: Dialect) {
  return prepareQuery(
    { slot: integer, configurationId: integer, id: bytes, least: integer, limit: integer },
    ({ slot, configurationId, id, least, limit }) =>
      builder
        .selectFrom('alt_machines as m')
        .leftJoin('alt_folds as f', (join) =>
          join
            .onRef('f.machine_id', '=', 'm.machine_id')
            .onRef('f.revision', '=', 'm.revision')
            .on('f.slot', '=', slot)
            .on('f.configuration_id', '=', configurationId),
        )
        .selectAll('m')
        .select(['f.revision as fold_revision', 'f.next_seq as fold_next_seq', 'f.state as fold_state'])
        .where('m.machine_id', '>', id)
        .where('m.problem', 'is', null)
        .where(
          sql<boolean>`(m.event_count - coalesce(f.next_seq, 0) >= ${least}
            OR (f.next_seq > ${sql.lit(MIN_EVENTS_FOR_STORED_DAYS)} AND NOT EXISTS (SELECT 1 FROM alt_fold_days d
              WHERE d.machine_id = m.machine_id AND d.slot = ${slot} AND d.configuration_id = ${configurationId}
                AND d.revision = m.revision AND d.next_seq >= f.next_seq)))`,
        )
        .orderBy('m.machine_id')
        .limit(limit),
  );
}
