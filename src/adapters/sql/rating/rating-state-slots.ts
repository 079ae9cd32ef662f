/**
 * Slots of rating states: states are stored for the two configurations of rates that wrote last. During a rollout, replicas of the old
 * configuration still read theirs, and a rollback finds them again. A third configuration replaces the least recent one at once,
 * whatever the number of machines; its states are overwritten one by one.
 */
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery, text } from '../engine/prepared-query.ts';
import { execute, readFirst, readRows, type SqlProgram } from '../engine/sql-program.ts';

export const SLOTS = [0, 1] as const;
export type Slot = (typeof SLOTS)[number];

export interface RatingStateSlot {
  readonly slot: Slot;
  /** Never reused, so that rows of another configuration in the slot are distinguishable. */
  readonly configurationId: number;
}

export interface RatingStateSlots {
  find(ratesFingerprint: string): SqlProgram<RatingStateSlot | undefined>;
  /** Finds or claims a slot. Requires the write lock. */
  claim(ratesFingerprint: string): SqlProgram<RatingStateSlot>;
}

export function createRatingStateSlots({ builder }: Dialect): RatingStateSlots {
  const select = prepareQuery({ fingerprint: text }, ({ fingerprint }) =>
    builder.selectFrom('fold_slots').select(['slot', 'configuration_id']).where('rates_fingerprint', '=', fingerprint),
  );
  const selectAll = prepareQuery({}, () => builder.selectFrom('fold_slots').selectAll().orderBy('claim', 'desc'));
  const upsert = prepareQuery(
    { slot: integer, configurationId: integer, fingerprint: text, claim: integer },
    ({ slot, configurationId, fingerprint, claim }) =>
      builder
        .insertInto('fold_slots')
        .values({ slot, configuration_id: configurationId, rates_fingerprint: fingerprint, claim })
        .onConflict((conflict) =>
          conflict.column('slot').doUpdateSet((set) => ({
            configuration_id: set.ref('excluded.configuration_id'),
            rates_fingerprint: set.ref('excluded.rates_fingerprint'),
            claim: set.ref('excluded.claim'),
          })),
        ),
  );

  return {
    *find(ratesFingerprint) {
      const row = yield* readFirst(select({ fingerprint: ratesFingerprint }));
      return row && { slot: row.slot as Slot, configurationId: row.configuration_id };
    },
    *claim(fingerprint) {
      const taken = yield* readRows(selectAll({}));
      const last = taken[0];
      const own = taken.find(({ rates_fingerprint }) => rates_fingerprint === fingerprint);
      const slot = (own?.slot ?? findFree(taken.map((row) => row.slot)) ?? taken.at(-1)!.slot) as Slot;
      const configurationId = own?.configuration_id ?? Math.max(0, ...taken.map((row) => row.configuration_id)) + 1;
      if (own === undefined || own !== last) {
        yield* execute(upsert({ slot, configurationId, fingerprint, claim: (last?.claim ?? 0) + 1 }));
      }
      return { slot, configurationId };
    },
  };
}

function findFree(taken: readonly number[]): Slot | undefined {
  return SLOTS.find((slot) => !taken.includes(slot));
}
