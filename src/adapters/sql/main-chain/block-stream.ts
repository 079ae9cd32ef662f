/** State of a block stream: identity, checkpoint and head observation. */
import { sql } from 'kysely';
import { MAX_AHEAD_MILLISECONDS } from '../../../domain/index-rules/index-freshness.ts';
import type { Checkpoint, HeadObservation } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { integer, prepareQuery, text } from '../engine/prepared-query.ts';
import type { StreamName } from '../schema/schema.ts';
import { countChanges, execute, readFirst, type SqlProgram } from '../engine/sql-program.ts';

export interface BlockStream {
  /** Records the identity of a stream that has none, or replaces it where that is allowed. False if another one remains recorded. */
  claimIdentity(identity: string, mayReplace?: boolean): SqlProgram<boolean>;
  readCheckpoint(): SqlProgram<Checkpoint | undefined>;
  isAt(checkpoint: Checkpoint): SqlProgram<boolean>;
  /** Compare-and-set: false if the stored checkpoint is not the expected one, or the next one is not after it. */
  moveCheckpoint(expected: Checkpoint | undefined, next: Checkpoint): SqlProgram<boolean>;
  writeHeadObservation(observation: HeadObservation): SqlProgram<void>;
  readHeadObservation(): SqlProgram<HeadObservation | undefined>;
}

export function createBlockStream({ builder }: Dialect, stream: StreamName): BlockStream {
  const insertIdentity = prepareQuery({ identity: text }, ({ identity }) =>
    builder
      .insertInto('index_identities')
      .values({ stream, identity })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const updateIdentity = prepareQuery({ identity: text }, ({ identity }) =>
    builder.updateTable('index_identities').set({ identity }).where('stream', '=', stream),
  );
  const selectIdentity = prepareQuery({}, () =>
    builder.selectFrom('index_identities').select('identity').where('stream', '=', stream),
  );
  const selectCheckpoint = prepareQuery({}, () =>
    builder.selectFrom('checkpoints').select(['block_number', 'block_hash']).where('stream', '=', stream),
  );
  const insertCheckpoint = prepareQuery({ number: integer, hash: text }, ({ number, hash }) =>
    builder
      .insertInto('checkpoints')
      .values({ stream, block_number: number, block_hash: hash })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const updateCheckpoint = prepareQuery(
    { expectedNumber: integer, expectedHash: text, number: integer, hash: text },
    ({ expectedNumber, expectedHash, number, hash }) =>
      builder
        .updateTable('checkpoints')
        .set({ block_number: number, block_hash: hash })
        .where('stream', '=', stream)
        .where('block_number', '=', expectedNumber)
        .where('block_hash', '=', expectedHash)
        .where('block_number', '<', number),
  );
  const upsertHead = prepareQuery({ number: integer, observedAt: integer }, ({ number, observedAt }) =>
    builder
      .insertInto('head_observations')
      .values({ stream, block_number: number, observed_at: observedAt })
      .onConflict((conflict) =>
        conflict
          .column('stream')
          .doUpdateSet((set) => ({
            block_number: set.ref('excluded.block_number'),
            observed_at: set.ref('excluded.observed_at'),
          }))
          .where((test) =>
            test.or([
              test('head_observations.observed_at', '<=', test.ref('excluded.observed_at')),
              // A timestamp in the future means that a clock was set back; it must not stay until then.
              test(
                'head_observations.observed_at',
                '>',
                sql<number>`${test.ref('excluded.observed_at')} + ${test.lit(MAX_AHEAD_MILLISECONDS)}`,
              ),
            ]),
          ),
      ),
  );
  const selectHead = prepareQuery({}, () =>
    builder.selectFrom('head_observations').select(['block_number', 'observed_at']).where('stream', '=', stream),
  );

  function* readCheckpoint(): SqlProgram<Checkpoint | undefined> {
    const row = yield* readFirst(selectCheckpoint({}));
    return row && { blockNumber: row.block_number, blockHash: row.block_hash };
  }

  return {
    *claimIdentity(identity, mayReplace = false) {
      yield* execute(insertIdentity({ identity }));
      if (mayReplace) yield* execute(updateIdentity({ identity }));
      return (yield* readFirst(selectIdentity({})))?.identity === identity;
    },
    readCheckpoint,
    *isAt({ blockNumber, blockHash }) {
      const current = yield* readCheckpoint();
      return current?.blockNumber === blockNumber && current.blockHash === blockHash;
    },
    *moveCheckpoint(expected, { blockNumber: number, blockHash: hash }) {
      const moved =
        expected === undefined
          ? insertCheckpoint({ number, hash })
          : updateCheckpoint({
              expectedNumber: expected.blockNumber,
              expectedHash: expected.blockHash,
              number,
              hash,
            });
      return (yield* countChanges(moved)) === 1;
    },
    *writeHeadObservation({ blockNumber, observedAtMilliseconds }) {
      yield* execute(upsertHead({ number: blockNumber, observedAt: observedAtMilliseconds }));
    },
    *readHeadObservation() {
      const row = yield* readFirst(selectHead({}));
      return row && { blockNumber: row.block_number, observedAtMilliseconds: row.observed_at };
    },
  };
}
